"""Trees of searches and explorers share one bound of memory, and what a page had comes back when it closes."""

import time

from servers import PATIENCE, Page, Server, position, served

from tengen.interfaces.web.limits import Limits


def explore(page: Page, game: str = "gomoku") -> int:
    answer = page.ask("explore", position=position(game), model="uniform")
    assert answer["type"] == "explorer", answer
    number: int = answer["explorer"]
    return number


def wait_for_trees(server: Server, count: int) -> int:
    end = time.monotonic() + PATIENCE
    while server.service.trees.alive() != count and time.monotonic() < end:
        time.sleep(0.01)
    return server.service.trees.alive()


def test_explorers_share_the_bound_of_all_trees() -> None:
    with served(limits=Limits(tree_bytes=2 << 20)) as server, server.page() as page:
        numbers = [explore(page) for _ in range(4)]
        for number in numbers:
            answers = [page.ask("step", explorer=number, count=100) for _ in range(12)]
            assert answers[0]["type"] == "steps"
            assert answers[-1]["error"] == "TreesFullError"
        for number in numbers[:-1]:
            assert page.ask("close", explorer=number)["type"] == "closed"
        assert wait_for_trees(server, 1) == 1
        assert page.ask("step", explorer=numbers[-1], count=1)["type"] == "steps"  # there is room again


def test_explorers_leave_less_for_searches() -> None:
    with served(limits=Limits(tree_bytes=2 << 20)) as server, server.page() as page:
        alone = server.service.trees.largest()
        for _ in range(3):
            explore(page)
        assert server.service.trees.largest() < alone / 2


def test_a_closed_page_gives_its_trees_back() -> None:
    with served() as server:
        with server.page() as page:
            for _ in range(4):
                page.ask("step", explorer=explore(page), count=5)
            page.send("explore", position=position("go"), model="uniform")  # refused, or made after the page has gone
            page.send("analyse", position=position("othello"), model="uniform")
            page.hear()
            assert server.service.trees.alive() >= 4
        assert server.service.pool.wait_until_idle(PATIENCE)
        assert wait_for_trees(server, 0) == 0
