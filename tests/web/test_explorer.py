"""The explorer in a real browser: every number on the page is the Stepper's own."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import until
from playwright.sync_api import Page, WebSocketRoute, expect

import tengen
from tengen import Stepper
from tengen._core import SimulationTrace, formulas
from tengen.interfaces.web.models import Models

STEPS = 10
GAME = "tic_tac_toe"
PLAIN = {"discount": 1.0}  # as the page asks for it
SERVERS = {"simulations": 10_000, "exact_root_nodes": 0, "exact_leaf_nodes": 0}  # as the server explores
STAGES = ["Select", "Expand", "Evaluate", "Back up"]

Rows = list[dict[str, Any]]


def stepper(model: str = GAME, moves: str = "", **params: float) -> Stepper:
    """The search that the page shows, in this process."""
    game = tengen.load(GAME)
    found = Models().get(model, game)
    used = found.params.replace(**SERVERS, **PLAIN, **params)
    noise = params.get("noise_fraction", 0.0) > 0.0
    return Stepper(game.state(moves), found.evaluator, used, seed=0, noise=noise)


def puct(c: float = 1.25, noise: float = 0.0) -> dict[str, Any]:
    return {"selection": "puct", "c_puct": c, "noise_fraction": noise}


def open_at(page: Page, place: str = f"{GAME}", speed: str = "Fast") -> None:
    """The explorer, ready. Fast: a step is shown at once, without its stages one after the other."""
    page.goto(f"/#/explore/{place}")
    expect(page.get_by_role("button", name="Step: one simulation")).to_be_enabled()
    page.get_by_role("radio", name=speed).check()


def press(page: Page, name: str, simulations: int) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    wait_for(page, simulations)


def wait_for(page: Page, simulations: int) -> None:
    expect(page.locator(f"output[data-simulations='{simulations}'][data-busy=false]")).to_be_visible()


def lane(page: Page, number: int = 0) -> Any:
    return page.locator(".lane").nth(number)


def data(rows: Any) -> Rows:
    """What the rows of a table carry, besides what they show."""
    found: Rows = rows.evaluate_all(
        "rows => rows.map(row => ({...row.dataset, chosen: row.classList.contains('is-chosen')}))"
    )
    return found


def assert_shows(where: Any, trace: SimulationTrace) -> None:
    """A lane of the page against what the Stepper says of the same simulation."""
    tabs = where.locator(".path-tabs button")
    assert tabs.count() == (len(trace.steps) if len(trace.steps) > 1 else 0)
    for depth, step in enumerate(trace.steps):
        if len(trace.steps) > 1:
            tabs.nth(depth).click()
        rows = data(where.locator(".scores tbody tr"))
        shown = {
            int(row["action"]): (int(row["n"]), float(row["q"]), float(row["p"]), float(row["u"]), float(row["score"]))
            for row in rows
        }
        assert shown == {
            child.action: (child.visits, child.q, child.prior, child.bonus, child.score) for child in step.children
        }
        (chosen,) = [row for row in rows if row["chosen"]]
        assert int(chosen["action"]) == step.chosen
        assert float(chosen["score"]) == max(float(row["score"]) for row in rows)
        expect(where.locator(".scores .score-mark")).to_have_count(1)
    assert float(where.locator(".evaluation").get_attribute("data-value")) == trace.value
    priors = data(where.locator(".priors li"))
    assert {int(row["action"]): float(row["prior"]) for row in priors} == dict(
        zip(trace.actions, trace.priors, strict=True)
    )
    changes = [
        (int(row["node"]), tuple(map(int, row["n"].split())), tuple(map(float, row["w"].split())))
        for row in data(where.locator(".changes tbody tr"))
    ]
    assert changes == [
        (c.node, (c.visits_before, c.visits_after), (c.value_sum_before, c.value_sum_after)) for c in trace.changes
    ]


def assert_draws(where: Any, search: Stepper) -> None:
    """The tree on the page has the nodes of the search, with their visits."""
    nodes = data(where.locator(".tree-node"))
    visits = search.tree.arrays.visits
    assert {int(node["node"]): int(node["visits"]) for node in nodes} == {i: int(n) for i, n in enumerate(visits) if n}


def test_ten_steps_number_by_number(page: Page) -> None:
    open_at(page)
    search = stepper(**puct())
    for number in range(1, STEPS + 1):
        press(page, "Step: one simulation", number)
        assert_shows(lane(page), search.step())
        assert_draws(lane(page), search)


def test_the_numbers_that_are_read_are_those_numbers(page: Page) -> None:
    open_at(page)
    press(page, "+10 simulations", 10)
    for row in lane(page).locator(".scores tbody tr").all():
        texts = [text.replace("\N{MINUS SIGN}", "-") for text in row.locator("td").all_inner_texts()]
        assert texts[0] == row.get_attribute("data-n")
        assert float(texts[1]) == pytest.approx(float(row.get_attribute("data-q") or "nan"), abs=6e-4)
        assert float(texts[2].removesuffix(" %")) == pytest.approx(
            100 * float(row.get_attribute("data-p") or "nan"), abs=0.51
        )
        assert float(texts[3]) == pytest.approx(float(row.get_attribute("data-u") or "nan"), abs=6e-4)


def test_the_stages_light_up_in_turn(page: Page) -> None:
    open_at(page, speed="Medium")
    page.evaluate("""() => {
        window.lit = [];
        const note = () => {
            const name = document.querySelector(".stages [aria-current=step]")?.textContent.slice(1);
            if (name && name !== window.lit.at(-1)) window.lit.push(name);
        };
        new MutationObserver(note).observe(document.querySelector(".stages"), {subtree: true, attributes: true});
    }""")
    page.get_by_role("button", name="Step: one simulation").click()
    until(page, lambda: page.evaluate("window.lit")[-4:] == STAGES)
    page.get_by_role("button", name="Expand").click()  # and back to any of them
    expect(page.locator(".stage-card.is-lit h3")).to_contain_text("Expand")


def test_play_and_pause(page: Page) -> None:
    open_at(page)
    page.get_by_role("button", name="Play").click()
    until(page, lambda: int(page.locator("output.simulations").get_attribute("data-simulations") or 0) > 3)
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("output[data-busy=false]")).to_be_visible()
    page.get_by_role("button", name="Restart").click()
    wait_for(page, 0)
    press(page, "+100 simulations", 100)


def test_sliders_start_again_with_the_same_seed(page: Page) -> None:
    open_at(page)
    press(page, "+10 simulations", 10)
    before, after = stepper(**puct()), stepper(**puct(c=5.0))
    for _ in range(10):
        before.step()
        trace = after.step()
    page.get_by_role("slider", name="c_puct").press("End")
    changed = page.get_by_label("What changed", exact=True)
    expect(changed).to_be_visible()
    page.locator("output[data-simulations='10'][data-busy=false][data-c='5']").wait_for()
    assert_shows(lane(page), trace)
    counts = {row["move"]: (int(row["before"]), int(row["after"])) for row in data(changed.locator("li"))}
    assert counts == {
        now.action_text: (then.visits, now.visits)
        for now in after.tree.root.children
        for then in before.tree.root.children
        if then.action == now.action and then.visits + now.visits > 0
    }

    page.get_by_role("slider", name="Root noise").press("End")
    page.locator("output[data-simulations='10'][data-busy=false][data-noise='1']").wait_for()
    noisy = stepper(**puct(c=5.0, noise=1.0))
    for _ in range(10):
        trace = noisy.step()
    assert_shows(lane(page), trace)


def test_a_slider_moved_by_many_keys_keeps_the_search(page: Page) -> None:
    open_at(page)
    press(page, "+100 simulations", 100)
    slider = page.get_by_role("slider", name="c_puct")
    for key, c in (("ArrowRight", "2.25"), ("ArrowLeft", "1.25"), ("ArrowRight", "2.25")):
        slider.focus()
        for _ in range(20):
            page.keyboard.press(key)
        page.locator(f"output[data-simulations='100'][data-busy=false][data-c='{c}']").wait_for()
    expect(page.get_by_role("alert")).to_have_count(0)
    search = stepper(**puct(c=2.25))
    for _ in range(100):
        search.step()
    assert_draws(lane(page), search)


def test_stage_by_stage_and_back(page: Page) -> None:
    open_at(page)
    lit = lane(page).locator(".stages [aria-current=step]")
    for name in ("1Select", "2Expand", "3Evaluate", "4Back up", "1Select"):
        page.get_by_role("button", name="Next stage").click()
        expect(lit).to_have_text(name)
    wait_for(page, 2)
    page.get_by_role("button", name="Previous stage").click()
    wait_for(page, 1)
    expect(lit).to_have_text("4Back up")
    press(page, "+10 simulations", 11)
    page.get_by_role("button", name="Back one").click()
    wait_for(page, 10)
    search = stepper(**puct())
    for _ in range(10):
        trace = search.step()
    assert_shows(lane(page), trace)
    assert_draws(lane(page), search)


def test_what_the_formula_leaves_open_is_said(page: Page) -> None:
    open_at(page)
    press(page, "+10 simulations", 10)
    page.get_by_role("button", name="Step: one simulation").click()
    wait_for(page, 11)
    expect(lane(page).locator("[data-note=untried]").or_(lane(page).locator("[data-note=tie]")).first).to_be_visible()
    search = stepper(**puct())
    for _ in range(11):
        trace = search.step()
    adds = [float(one.get_attribute("data-adds")) for one in lane(page).locator("[data-adds]").all()]
    assert len(adds) == len(trace.changes)
    signs = [
        1.0 if search.tree.arrays.player[change.node if i == 0 else trace.changes[i - 1].node] == 0 else -1.0
        for i, change in enumerate(trace.changes)
    ]
    assert adds == pytest.approx(
        [sign * (c.value_sum_after - c.value_sum_before) for sign, c in zip(signs, trace.changes, strict=False)]
    )


def test_from_visits_to_a_move(page: Page) -> None:
    open_at(page)
    press(page, "+100 simulations", 100)
    search = stepper(**puct())
    for _ in range(100):
        search.step()
    visits = {child.action_text: child.visits for child in search.tree.root.children if child.visits}
    rows = page.locator(".policy-table tbody tr")
    for tau, keys in ((1.0, ""), (0.5, "ArrowLeft " * 10)):
        slider = page.get_by_role("slider", name="Temperature")
        for key in keys.split():
            slider.press(key)
        policy = formulas.apply_temperature(list(visits.values()), tau)
        shown = {row["move"]: float(row["pi"]) for row in data(rows) if int(row["n"])}
        assert shown == pytest.approx(dict(zip(visits, policy, strict=True)), abs=1e-5)
    page.get_by_role("slider", name="Temperature").press("Home")
    assert max(float(row["pi"]) for row in data(rows)) == 1.0


def test_the_tour_goes_through_one_simulation(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto("/#/explore/connect_four")
    page.get_by_role("link", name="Take the tour").click()
    card = page.get_by_role("complementary", name="Guided tour")
    for number in range(1, 11):
        expect(card).to_have_attribute("data-tour-step", str(number))
        expect(page.locator("[data-toured]")).to_have_count(1)
        expect(page.locator("[data-toured]")).to_be_in_viewport()
        page.keyboard.press("Enter")  # the way on has the focus
    expect(card).to_have_count(0)
    expect(page.locator("output[data-simulations='25']")).to_be_visible()


def test_the_classic_search_beside(page: Page) -> None:
    open_at(page, f"{GAME}?moves=b2,a3")
    press(page, "+10 simulations", 10)
    page.get_by_role("checkbox", name="Classic search").check()
    expect(page.locator(".lane")).to_have_count(2)
    press(page, "Step: one simulation", 11)
    classic = stepper("rollout", "b2 a3", c_uct=1.4)
    network = stepper(moves="b2 a3", **puct())
    for _ in range(11):
        classic_trace, network_trace = classic.step(), network.step()
    expect(lane(page, 1).locator(".tree-node")).to_have_count(len(classic.tree))
    assert_shows(lane(page, 0), network_trace)
    assert_shows(lane(page, 1), classic_trace)
    assert_draws(lane(page, 1), classic)


def test_any_node_shows_its_position_and_its_moves(page: Page) -> None:
    open_at(page)
    press(page, "+100 simulations", 100)
    tree = page.get_by_role("application")
    tree.focus()
    tree.press("ArrowDown")  # to the most visited move
    spoken = page.locator(".tree [aria-live]")
    expect(spoken).to_contain_text("X plays b2")
    tree.press("Enter")
    node = page.get_by_label("Node", exact=True)
    expect(node.get_by_role("gridcell", name="b2, X")).to_be_visible()
    assert node.get_by_label("Moves tried from this node").locator("tbody tr").count() > 1
    node.get_by_role("button", name="Search from here").click()
    wait_for(page, 0)
    assert page.url.endswith(f"#/explore/{GAME}?moves=b2")
    page.locator(".explore-root [data-legal='a3']").click()
    expect(page.locator(".explore-root figcaption")).to_contain_text("X to move")
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".explore-root figcaption")).to_contain_text("O to move")


def test_every_quantity_has_its_formula(page: Page) -> None:
    open_at(page)
    press(page, "+10 simulations", 10)
    names = page.locator(".scores .term-name")
    assert names.all_inner_texts() == ["N", "Q", "P", "U", "Q + U"]
    for name in names.all():
        name.focus()
        tip = page.get_by_role("tooltip")
        expect(tip).to_be_visible()
        assert tip.locator("code").inner_text()
    expect(page.get_by_role("tooltip").locator("code")).to_have_text("Q + c · P · √ΣN / (1 + N)")


def test_a_broken_connection_loses_nothing(page: Page) -> None:
    sockets: list[WebSocketRoute] = []

    def pass_on(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    page.route_web_socket("**/ws", pass_on)
    open_at(page)
    press(page, "+10 simulations", 10)
    sockets[-1].close(code=1012)
    press(page, "Step: one simulation", 11)
    search = stepper(**puct())
    for _ in range(11):
        trace = search.step()
    assert_shows(lane(page), trace)
    assert len(sockets) == 2


@pytest.mark.parametrize("place", [f"{GAME}?beside=rollout", "go?moves=E5"])
def test_a_phone_has_room_for_it(page: Page, place: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_at(page, place)
    press(page, "+10 simulations", 10)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
