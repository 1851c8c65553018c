"""Every message of docs/web.md, by a client over a real connection; numbers are those of Engine and Stepper."""

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from servers import Page, Server, position, served

import tengen
from tengen.engine import Engine, Limit
from tengen.games.trees import read_tree
from tengen.interfaces.web.boards import board_word
from tengen.interfaces.web.models import LEVELS
from tengen.interfaces.web.searches import new_engine
from tengen.interfaces.web.shapes import BoardWord
from tengen.search import Stepper


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    with server.page() as page:
        yield page


def without(answer: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key not in ("type", "re", *keys)}


# --- Positions

X_WINS = {"winner": 0, "text": "X wins", "reason": "line", "sentence": "X wins: three in a row"}


def test_show_describes_the_position(page: Page) -> None:
    state = page.ask("show", position=position("connect_four", "4 4 1"))
    assert state["type"] == "state"
    assert state["position"] == position("connect_four", "4 4 1")
    assert state["board"]["layout"] == "columns"
    assert [(piece["letter"], piece["owner"]) for piece in state["board"]["pieces"]] == [("X", 0), ("O", 1)]
    assert (state["board"]["height"], state["board"]["width"]) == (6, 7)
    assert state["to_move"] == 1
    assert {cell: piece for cell, piece in enumerate(state["cells"]) if piece} == {38: 1, 31: 2, 35: 1}
    assert state["last"] == {"action": 0, "text": "1", "notation": "1", "source": None, "target": 35, "piece": None}
    assert [action["target"] for action in state["legal"]] == [28, 36, 37, 24, 39, 40, 41]
    assert (state["outcome"], state["text"], state["hands"], state["score"]) == (None, None, [[], []], None)


def test_play_gives_the_state_after_it(page: Page) -> None:
    played = page.ask("play", position=position("tic_tac_toe", "a1 b1 a2 b2"), action="a3")
    assert played["outcome"] == X_WINS
    assert played["legal"] == []
    assert without(played) == without(page.ask("show", position=position("tic_tac_toe", "a1 b1 a2 b2 a3")))


def test_boards_follow_the_options(page: Page) -> None:
    board = page.ask("show", position=position("go", size=13))["board"]
    assert (board["height"], board["width"], board["points"]) == (13, 13, True)
    assert board["columns"][8] == "J"
    assert board["rows"] == [str(row) for row in range(13, 0, -1)]
    assert sorted(map(tuple, board["stars"])) == [(3, 3), (3, 9), (6, 6), (9, 3), (9, 9)]


def test_the_end_says_why_and_by_how_much(page: Page) -> None:
    state = page.ask("show", position=position("go", "E5 pass pass", size=9, komi=5.5))
    assert state["outcome"] == {
        "winner": 0,
        "text": "black wins",
        "reason": "two passes",
        "sentence": "Black wins: two passes, 81 to 5.5",
    }
    assert (state["score"], state["board"]["score_name"]) == (75.5, "points")


def test_moves_of_pieces_have_two_cells_and_their_lines_are_drawn(rules_file: Path) -> None:
    with (
        served(files=[tengen.load(str(rules_file.with_name("breakthrough.py")), size=5)]) as server,
        server.page() as page,
    ):
        state = page.ask("show", position=position("breakthrough", "b2b3"))
        assert state["board"]["layout"] == "planes"
        assert (state["last"]["source"], state["last"]["target"]) == (16, 11)
        assert {action["text"]: (action["source"], action["target"]) for action in state["legal"]}["a4b3"] == (5, 11)
        found = page.ask("analyse", position=position("breakthrough", "b2b3"), model="rollout", simulations=300)
        best = found["moves"][0]
        assert [move["player"] for move in best["drawn"]] == [(1 + ply) % 2 for ply in range(len(best["drawn"]))]
        assert (best["drawn"][0]["source"], best["drawn"][0]["target"]) == (best["source"], best["target"])
        assert len(best["drawn"]) == min(8, len(best["line"]))


def test_a_game_that_does_not_say_what_stands_on_it_is_a_text(rules: Path) -> None:
    with served(files=[tengen.load(str(rules / "nim.py"))]) as server, server.page() as page:
        state = page.ask("show", position=position("nim", "take3d"))
        assert (state["board"]["layout"], state["board"]["pieces"], state["cells"]) == ("dense", [], None)
        assert state["text"] == str(tengen.load(str(rules / "nim.py")).state("take3d"))
        assert {(action["source"], action["target"]) for action in state["legal"]} == {(None, None)}


def test_a_game_that_fails_is_named_with_its_reason(rules: Path) -> None:
    with served(files=[tengen.load("mnk")], broken={"bad.py": "It forgets the rules."}) as server:
        games = {game["name"]: game for game in server.get("/api/games").json()}
        assert (games["bad.py"]["problem"], games["bad.py"]["board"]) == ("It forgets the rules.", None)
        assert games["go"]["problem"] is None
        with server.page() as page:
            refused = page.ask("show", position=position("bad.py"))
            assert (refused["error"], refused["message"]) == (
                "UnknownGameError",
                "bad.py can't be shown: It forgets the rules.",
            )
            assert page.ask("show", position=position("go"))["type"] == "state"


def test_a_game_that_fails_when_it_is_described_fails_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def describe(game: tengen.Game) -> BoardWord:
        if game.spec.source == "othello":
            raise tengen.TengenError("Actions of othello are 0 to 6, not 7.")
        return board_word(game)

    monkeypatch.setattr("tengen.interfaces.web.server.board_word", describe)
    with served(runs=tmp_path) as server:
        games = {game["name"]: game for game in server.get("/api/games").json()}
    assert (games["othello"]["problem"], games["othello"]["board"]) == ("Actions of othello are 0 to 6, not 7.", None)
    assert [name for name, game in games.items() if game["problem"] is not None] == ["othello"]


def forced_to_pass() -> tengen.State:
    numbers = random.Random(0)
    while True:
        state = tengen.load("othello").initial_state()
        while state.outcome is None:
            if state.action_text(state.legal_actions[0]) == "pass":
                return state
            state = state.play(numbers.choice(state.legal_actions))


def test_othello_counts_rows_from_the_top_and_passes_by_a_button(page: Page) -> None:
    assert page.ask("show", position=position("othello"))["board"]["rows"][0] == "1"
    state = forced_to_pass()
    shown = page.ask("show", position=position("othello", " ".join(map(state.action_text, state.moves))))
    assert shown["legal"] == [
        {"action": 64, "text": "pass", "notation": "pass", "source": None, "target": None, "piece": None}
    ]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"position": position("no_such_game")}, "UnknownGameError"),
        ({"position": position("../../etc/passwd.py")}, "UnknownGameError"),
        ({"position": position("go", size=99)}, "GameOptionError"),
        ({"position": position("go", height=9)}, "GameOptionError"),
        ({"position": position("tic_tac_toe", "a1 a1")}, "IllegalActionError"),
        ({"position": position("tic_tac_toe", "z9")}, "ActionTextError"),
        ({"position": {"game": "go", "moves": "a1"}}, "MessageError"),
        ({}, "MessageError"),
    ],
)
def test_a_position_that_is_none_is_refused_by_name(page: Page, fields: dict[str, Any], error: str) -> None:
    answer = page.ask("show", **fields)
    assert (answer["type"], answer["error"]) == ("error", error)
    assert answer["message"]


# --- Searches


def expected(
    server: Server, where: dict[str, Any], model: str, simulations: int
) -> tuple[Engine, tengen.engine.Analysis]:
    """What an engine of its own finds in one piece."""
    state = server.service.games.state(tengen.interfaces.web.shapes.Position(**where))
    engine = new_engine(server.service.models.get(model, state.game), state, None)
    return engine, engine.think(Limit(simulations))


@pytest.mark.parametrize("model", ["connect_four", "rollout", "uniform"])
def test_an_analysis_has_the_numbers_of_the_engine(server: Server, page: Page, model: str) -> None:
    where = position("connect_four", "4 4 3")
    found = page.answers(page.send("analyse", position=where, model=model, simulations=1500))
    engine, analysis = expected(server, where, model, 1500)
    last = found[-1]
    assert last["final"]
    assert not any(answer["final"] for answer in found[:-1])
    assert (last["simulations"], last["value"], last["model"]) == (1500, analysis.value, model)
    assert [(move["action"], move["text"], move["visits"], move["value"], move["prior"]) for move in last["moves"]] == [
        (move.action, move.text, move.visits, move.value, move.prior) for move in analysis.moves
    ]
    assert [" ".join(move["line"]) for move in last["moves"]] == [analysis.line_text(move) for move in analysis.moves]
    sight = engine.first_sight()
    assert {entry["action"]: entry["prior"] for entry in last["policy"]} == sight.priors
    if model == "connect_four":
        assert (last["win"], last["draw"], last["loss"]) == (sight.win, sight.draw, sight.loss)
        assert all(answer["win"] == last["win"] and answer["policy"] == last["policy"] for answer in found)
    else:
        assert last["win"] - last["loss"] == pytest.approx(last["value"])


def test_the_same_position_again_is_searched_further(page: Page) -> None:
    asked = {"position": position("connect_four", "4"), "model": "connect_four", "simulations": 100}
    first, second = (sum(move["visits"] for move in page.ask("analyse", **asked)["moves"]) for _ in range(2))
    assert (first, second) == (100, 200)


def test_an_analysis_ends_when_it_is_stopped(page: Page) -> None:
    request = page.send("analyse", position=position("go"), model="uniform")
    assert not page.hear()["final"]
    stop = page.send("stop", target=request)
    answers = [page.hear()]
    while {"analysis", "stopped"} - {answer["type"] for answer in answers} or not any(a.get("final") for a in answers):
        answers.append(page.hear())
    assert [answer["re"] for answer in answers if answer["type"] == "stopped"] == [stop]
    assert page.ask("stop", target=request)["error"] == "UnknownRequestError"


def test_an_analysis_by_the_clock_ends(page: Page) -> None:
    answer = page.ask("analyse", position=position("gomoku"), model="uniform", seconds=0.2)
    assert answer["final"]
    assert answer["simulations"] > 0


def test_an_analysis_of_a_finished_game_says_how_it_ended(page: Page) -> None:
    answer = page.ask("analyse", position=position("tic_tac_toe", "a1 b1 a2 b2 a3"), model="tic_tac_toe")
    assert answer["proven"] == X_WINS
    assert (answer["win"], answer["value"], answer["moves"]) == (0.0, -1.0, [])


def test_a_proof_is_said(page: Page) -> None:
    answer = page.ask("analyse", position=position("tic_tac_toe", "a1 b1 a2 b2"), model="uniform")
    assert (answer["proven"]["winner"], answer["proven"]["text"]) == (0, "X wins")
    assert answer["moves"][0]["text"] == "a3"


@pytest.mark.parametrize("game", ["connect_four", "othello"])
def test_the_default_level_chooses_a_move(server: Server, page: Page, game: str) -> None:
    described = next(entry for entry in server.get("/api/games").json() if entry["name"] == game)
    level = described["default_level"]
    moved = page.ask("choose", position=position(game), model=described["models"][0], level=level)
    assert moved["type"] == "move"
    assert moved["state"] == without(page.ask("play", position=position(game), action=moved["text"]))
    assert moved["analysis"]["simulations"] == next(level.simulations for level in LEVELS if level.name == "medium")


def test_without_temperature_the_best_move_is_chosen(page: Page) -> None:
    moved = page.ask("choose", position=position("connect_four", "1 4 1 4 1"), model="connect_four", simulations=50)
    assert moved["text"] == "1"
    assert moved["analysis"]["moves"][0]["action"] == moved["action"]


def test_temperature_makes_other_moves_likely(page: Page) -> None:
    asked = {"position": position("connect_four"), "model": "uniform", "simulations": 60, "temperature": 5.0}
    assert len({page.ask("choose", **asked)["action"] for _ in range(30)}) > 1


@pytest.mark.parametrize(
    ("kind", "fields", "error"),
    [
        ("choose", {"model": "nobody", "level": "easy"}, "UnknownModelError"),
        ("choose", {"model": "tic_tac_toe", "level": "easy"}, "NetworkFileError"),
        ("choose", {"model": "uniform", "level": "grandmaster"}, "UnknownLevelError"),
        ("choose", {"model": "uniform"}, "MessageError"),
        ("choose", {"model": "uniform", "level": "easy", "simulations": 5}, "MessageError"),
        ("choose", {"model": "uniform", "simulations": 10**9}, "SimulationsLimitError"),
        ("choose", {"model": "uniform", "simulations": 0}, "MessageError"),
        ("analyse", {"model": "uniform", "simulations": 10**9}, "SimulationsLimitError"),
        ("analyse", {"model": "uniform", "seconds": 1e9}, "SecondsLimitError"),
        ("analyse", {"model": "../models/connect_four"}, "UnknownModelError"),
        ("explore", {"model": "uniform", "params": {"c_punct": 1.0}}, "SearchParamError"),
        ("explore", {"model": "uniform", "params": {"cache_entries": 10**9}}, "SearchParamError"),
        ("explore", {"model": "uniform", "params": {"simulations": 10**6}}, "SearchParamError"),
    ],
)
def test_a_search_that_can_not_be_is_refused_by_name(page: Page, kind: str, fields: dict[str, Any], error: str) -> None:
    answer = page.ask(kind, position=position("connect_four"), **fields)
    assert (answer["type"], answer["error"]) == ("error", error)


def test_nothing_is_chosen_when_the_game_is_over(page: Page) -> None:
    where = position("tic_tac_toe", "a1 b1 a2 b2 a3")
    assert page.ask("choose", position=where, model="tic_tac_toe", level="easy")["error"] == "EngineError"


# --- The explorer


@pytest.mark.parametrize(
    ("model", "params"),
    [
        ("tic_tac_toe", {}),
        ("tic_tac_toe", {"c_puct": 3.0}),
        ("tic_tac_toe", {"exact_leaf_nodes": 100}),
        ("rollout", {}),
    ],
)
def test_ten_steps_are_those_of_the_stepper(server: Server, page: Page, model: str, params: dict[str, float]) -> None:
    opened = page.ask("explore", position=position("tic_tac_toe", "b2"), model=model, params=params, seed=3)
    assert (opened["type"], opened["finished"]) == ("explorer", False)
    assert opened["tree"]["nodes"][0]["visits"] == 0
    answer = page.ask("step", explorer=opened["explorer"], count=10)
    state = tengen.load("tic_tac_toe").state("b2")
    used = server.service.models.get(model, state.game)
    without_exact: dict[str, float] = {"exact_leaf_nodes": 0, "exact_root_nodes": 0}  # unless they are asked for
    expected = used.params.replace(**{"simulations": 10_000, **without_exact, **params})
    stepper = Stepper(state, used.evaluator, expected, seed=3)
    for number, said in enumerate(answer["traces"], 1):
        check_trace(stepper, number, said)
    assert len(answer["traces"]) == 10
    check_tree(stepper, answer["tree"])
    assert page.ask("close", explorer=opened["explorer"])["type"] == "closed"
    assert page.ask("step", explorer=opened["explorer"], count=1)["error"] == "UnknownExplorerError"


def test_all_nodes_of_a_tree_and_only_the_last_trace(page: Page) -> None:
    opened = page.ask("explore", position=position("connect_four"), model="uniform", params={}, seed=0)
    for done in range(100, 601, 100):
        answer = page.ask("step", explorer=opened["explorer"], count=100, last=True)
        assert (answer["simulations"], len(answer["traces"])) == (done, 1)
        assert answer["traces"][0]["simulation"] == done
        assert answer["tree"]["rest"] is None
    whole = page.ask("step", explorer=opened["explorer"], count=0, whole=True)
    assert (whole["simulations"], whole["traces"]) == (600, [])
    rest = whole["tree"]["rest"]
    nodes = {node["node"]: node["visits"] for node in whole["tree"]["nodes"]}
    assert len({len(rest[name]) for name in ("node", "parent", "action", "visits", "q")}) == 1
    assert len(nodes) + len(rest["node"]) == 600
    assert not set(nodes) & set(rest["node"])
    assert set(rest["parent"]) <= set(nodes) | set(rest["node"])
    assert max(rest["visits"]) <= min(nodes.values())
    assert all(-1.0 <= q <= 1.0 for q in rest["q"])


@pytest.mark.parametrize(("game", "moves"), [("go", ["E5"]), ("othello", ["d3"])])
def test_the_lead_is_the_networks_for_the_player_to_move(
    server: Server, page: Page, game: str, moves: list[str]
) -> None:
    said = page.ask(
        "analyse", position=position(game, *moves), model=f"{game}_9x9" if game == "go" else game, simulations=1
    )
    state = tengen.load(game).state(moves)
    model = server.service.models.get(said["model"], state.game)
    assert said["lead"] == pytest.approx(model.lead(state))
    assert abs(said["lead"]) < 20  # points or discs, not shares of the board
    assert page.ask("analyse", position=position("connect_four"), model="uniform", simulations=1)["lead"] is None


def check_trace(stepper: Stepper, number: int, said: dict[str, Any]) -> None:
    trace = stepper.step()
    assert (said["simulation"], said["leaf"], said["kind"], said["value"]) == (
        number,
        trace.leaf,
        trace.kind,
        trace.value,
    )
    assert [(entry["action"], entry["prior"]) for entry in said["priors"]] == list(
        zip(trace.actions, trace.priors, strict=True)
    )
    assert [
        (step["node"], step["chosen"], [tuple(child[k] for k in CHILD) for child in step["children"]])
        for step in said["path"]
    ] == [
        (step.node, step.chosen, [tuple(as_said(getattr(child, k)) for k in CHILD) for child in step.children])
        for step in trace.steps
    ]
    state = stepper.state
    for step in said["path"]:
        assert (step["state_text"], step["to_move"]) == (str(state), state.to_move)
        chosen = next(child for child in step["children"] if child["action"] == step["chosen"])
        compared = [child["score"] for child in step["children"] if child["standing"] == "compared"]
        assert chosen["standing"] == "untried" or chosen["score"] == max(compared)
        state = state.play(step["chosen"])
    assert [(change["node"], change["visits"], change["value_sum"]) for change in said["changes"]] == [
        (c.node, [c.visits_before, c.visits_after], [c.value_sum_before, c.value_sum_after]) for c in trace.changes
    ]


def as_said(number: object) -> object:
    """JSON has no infinity."""
    return None if number == math.inf else number


CHILD = ("action", "visits", "q", "prior", "bonus", "score", "standing")


def check_tree(stepper: Stepper, said: dict[str, Any]) -> None:
    tree = stepper.tree
    visited = [tree.node(number) for number in range(len(tree)) if tree.arrays.visits[number]]
    assert said["nodes_total"] == len(tree)
    assert [tuple(node[k] for k in NODE) for node in said["nodes"]] == [
        (
            node.node,
            None if node.parent is None else node.parent.node,
            node.action,
            node.action_text,
            node.to_move,
            node.visits,
            node.q,
            node.prior,
            node.value,
        )
        for node in visited
    ]


NODE = ("node", "parent", "action", "text", "to_move", "visits", "q", "prior", "value")


def test_the_tree_is_cut_to_its_most_visited_nodes(page: Page) -> None:
    explorer = page.ask("explore", position=position("connect_four"), model="uniform", params={})["explorer"]
    for _ in range(4):
        tree = page.ask("step", explorer=explorer, count=100)["tree"]
    assert tree["nodes_total"] > len(tree["nodes"]) == 300
    seen: set[int] = set()
    for node in tree["nodes"]:
        assert node["parent"] is None or node["parent"] in seen
        seen.add(node["node"])


def test_noise_changes_the_priors_of_the_root(page: Page) -> None:
    said = []
    for params in ({}, {"noise_fraction": 0.5}):
        explorer = page.ask("explore", position=position("tic_tac_toe"), model="uniform", params=params)["explorer"]
        traces = page.ask("step", explorer=explorer, count=2)["traces"]
        said.append({child["prior"] for child in traces[1]["path"][0]["children"]})
    assert len(said[0]) == 1
    assert len(said[1]) == 9


def test_an_explorer_ends_with_its_search(page: Page) -> None:
    opened = page.ask("explore", position=position("tic_tac_toe", "a1 b1 a2 b2 a3"), model="uniform", params={})
    assert opened["finished"]
    assert page.ask("step", explorer=opened["explorer"], count=5)["traces"] == []


def test_a_page_has_so_many_explorers(server: Server, page: Page) -> None:
    asked = {"position": position("tic_tac_toe"), "model": "uniform", "params": {}}
    answers = [page.ask("explore", **asked) for _ in range(server.service.limits.explorers + 1)]
    assert [answer["type"] for answer in answers] == ["explorer"] * server.service.limits.explorers + ["error"]
    assert answers[-1]["error"] == "TooManyExplorersError"


# --- HTTP


def test_the_games_are_described(server: Server) -> None:
    games = {game["name"]: game for game in server.get("/api/games").json()}
    assert set(games) == set(tengen.games.names())
    assert games["connect_four"]["title"] == "Connect Four"
    assert games["connect_four"]["models"] == ["connect_four", "rollout", "uniform"]
    assert games["go"]["models"][0] == "go_9x9"
    assert games["go"]["options"]["komi"] == 7  # as its network knows it, not 7.5
    assert games["gomoku"]["options"]["size"] == 9
    for game in games.values():
        assert game["default_level"] in [level["name"] for level in game["levels"]]


def test_limits_are_stated(server: Server) -> None:
    about = server.get("/api/about").json()
    assert about["version"] == tengen.__version__
    assert about["limits"]["message_bytes"] == server.service.limits.message_bytes


def test_rules_of_a_user_get_a_page(rules_file: Path) -> None:
    with served(files=[tengen.load(str(rules_file), size=5)]) as server, server.page() as page:
        described = server.get("/api/games").json()[-1]
        assert (described["name"], described["board"]["width"]) == ("hex", 5)
        state = page.ask("play", position=position("hex", "c3"), action="a1")
        assert state["board"]["shape"] == "hex"
        assert {cell: piece for cell, piece in enumerate(state["cells"]) if piece} == {12: 1, 20: 2}
        assert page.ask("choose", position=position("hex"), model="rollout", simulations=20)["type"] == "move"


def test_records_become_positions_and_positions_records(server: Server) -> None:
    text = "(;GM[1]SZ[5]KM[6.5];B[cc];W[](;B[dd])(;B[bb]C[instead]))"
    read = server.post("/api/records/read", {"text": text}).json()
    where = read["position"]
    assert (where["game"], where["moves"]) == ("go", ["C3", "pass", "D2"])
    assert (where["options"]["size"], where["options"]["komi"]) == (5, 6.5)
    assert [(one["parent"], one["text"], one["comment"]) for one in read["tree"]][2:] == [
        (1, "pass", ""),
        (2, "D2", ""),
        (2, "B4", "instead"),
    ]
    written = server.post("/api/records/write", read).json()["text"]
    assert read_tree(written) == read_tree(text)
    for wrong, error in (
        ({"text": "(;GM[1]SZ[5];B[zz])"}, "SgfError"),
        ({"text": "(;GM[1]SZ[5];B[cc](;W[dd])(;W[cc]))"}, "SgfError"),
        ({"text": "1. e4 e5 2. Ke3"}, "PgnError"),
    ):
        refused = server.post("/api/records/read", wrong)
        assert (refused.status_code, refused.json()["error"]) == (400, error)
    for parent, move in ((0, "Z9"), (5, "C3")):
        tree = [*read["tree"], {"parent": parent, "text": move}]
        refused = server.post("/api/records/write", {"position": where, "tree": tree})
        assert (refused.status_code, refused.json()["error"]) == (400, "TreeError")


def test_a_game_may_start_elsewhere(server: Server) -> None:
    read = server.post("/api/records/read", {"text": "(;GM[1]SZ[5]AB[cc][dd]PL[W];W[bb])"}).json()
    assert read["position"]["start"]
    with server.page() as page:
        state = page.ask("show", position=read["position"])
        assert [cell for cell, code in enumerate(state["cells"]) if code] == [6, 12, 18]
        assert state["notations"] == ["B4"]
        fen = "8/4P1k1/8/8/8/8/6K1/8 w - - 0 1"
        asked = {"game": "chess", "start": fen, "moves": ["e7e8q"]}
        state = page.ask("show", position=asked)
        assert state["notations"] == ["e8=Q"]
        assert state["board_text"].startswith("4Q3/")
        assert page.ask("show", position={**asked, "start": "nonsense"})["type"] == "error"
        found = page.ask("analyse", position=asked, model="uniform", simulations=20)
        assert found["moves"][0]["line"][0] == found["moves"][0]["notation"]
