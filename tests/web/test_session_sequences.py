"""A page that asks for anything in any order: every request gets its answers, and the server stays as it was."""

import atexit
import functools
import time
from contextlib import ExitStack
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule
from servers import PATIENCE, Page, Server, position, served

GAMES = st.sampled_from(["tic_tac_toe", "connect_four", "othello"])
MODELS = st.sampled_from(["uniform", "rollout"])
KINDS = {"show": "state", "play": "state", "choose": "move", "analyse": "analysis"}


@functools.cache
def server() -> Server:
    """One for all sequences: a server needs a while until its networks are warm."""
    held = ExitStack()
    atexit.register(held.close)
    return held.enter_context(served(workers=1))


class Session(RuleBasedStateMachine):
    """One connection. The model knows which explorers are open, and which position each request was about."""

    explorers = Bundle("explorers")
    positions = Bundle("positions")

    def __init__(self) -> None:
        super().__init__()
        self.server = server()
        self.held = ExitStack()
        self.page: Page = self.held.enter_context(self.server.page())
        self.open: set[int] = set()

    def teardown(self) -> None:
        """A page that has gone leaves nothing behind."""
        self.held.close()
        end = time.monotonic() + PATIENCE
        while self.server.service.trees.alive() and time.monotonic() < end:
            time.sleep(0.01)
        assert self.server.service.trees.alive() == 0

    @initialize(target=positions, game=GAMES)
    def first(self, game: str) -> dict[str, Any]:
        return position(game)

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        answer = self.page.ask(kind, **fields)
        assert answer.get("error") != "InternalError", answer
        return answer

    @rule(target=positions, game=GAMES)
    def show(self, game: str) -> dict[str, Any]:
        answer = self.ask("show", position=position(game))
        assert (answer["type"], answer["position"]["moves"]) == ("state", [])
        asked: dict[str, Any] = answer["position"]
        return asked

    @rule(target=positions, where=positions, choice=st.integers(0, 1000))
    def play(self, where: dict[str, Any], choice: int) -> Any:
        legal = self.ask("show", position=where)["legal"]
        if not legal:
            assert self.ask("play", position=where, action="a1")["error"] in ("IllegalActionError", "ActionTextError")
            return multiple()
        action = legal[choice % len(legal)]["text"]
        answer = self.ask("play", position=where, action=action)
        assert answer["position"]["moves"] == [*where["moves"], action]
        return answer["position"]

    @rule(where=positions, model=MODELS, simulations=st.integers(1, 30))
    def choose(self, where: dict[str, Any], model: str, simulations: int) -> None:
        over = self.ask("show", position=where)["outcome"] is not None
        answer = self.ask("choose", position=where, model=model, simulations=simulations)
        if over:
            assert answer["error"] == "EngineError"
        else:
            assert answer["state"]["position"]["moves"] == [*where["moves"], answer["text"]]

    @rule(where=positions, model=MODELS, simulations=st.integers(1, 60))
    def analyse(self, where: dict[str, Any], model: str, simulations: int) -> None:
        answer = self.ask("analyse", position=where, model=model, simulations=simulations)
        assert answer["final"]
        assert answer["state"]["position"]["moves"] == where["moves"]  # and not about another position
        legal = {action["action"] for action in answer["state"]["legal"]}
        assert {move["action"] for move in answer["moves"]} <= legal

    @rule(where=positions)
    def analyse_and_stop(self, where: dict[str, Any]) -> None:
        asked = self.page.send("analyse", position=where, model="uniform")
        stop = self.page.send("stop", target=asked)
        heard: dict[int, dict[str, Any]] = {}
        while not (stop in heard and heard.get(asked, {}).get("final")):
            answer = self.page.hear()
            heard[answer["re"]] = answer
        assert heard[stop]["type"] == "stopped" or heard[stop]["error"] == "UnknownRequestError"
        assert heard[asked]["state"]["position"]["moves"] == where["moves"]

    @rule(target=explorers, where=positions, model=MODELS)
    def explore(self, where: dict[str, Any], model: str) -> Any:
        answer = self.ask("explore", position=where, model=model)
        if len(self.open) == self.server.service.limits.explorers:
            assert answer["error"] == "TooManyExplorersError"
            return multiple()
        assert answer["type"] == "explorer", answer
        self.open.add(answer["explorer"])
        return answer["explorer"]

    @rule(explorer=explorers, count=st.integers(1, 20))
    def step(self, explorer: int, count: int) -> None:
        answer = self.ask("step", explorer=explorer, count=count)
        assert answer["type"] == "steps"
        assert len(answer["traces"]) == count or answer["finished"]

    @rule(explorer=consumes(explorers))
    def close(self, explorer: int) -> None:
        assert self.ask("close", explorer=explorer)["type"] == "closed"
        assert self.ask("step", explorer=explorer, count=1)["error"] == "UnknownExplorerError"
        self.open.remove(explorer)

    @rule(
        message=st.sampled_from(
            ["", "{}", "null", '{"type": "show", "id": 1}', '{"type": [], "id": "x"}', "x" * 70_000]
        )
    )
    def say_nonsense(self, message: str) -> None:
        self.page.socket.send(message)
        answer = self.page.hear()
        assert answer["error"] in ("MessageError", "MessageTooLargeError")

    @invariant()
    def nothing_is_left_over(self) -> None:
        assert self.server.service.trees.alive() <= len(self.open) + 2 + 1  # explorers, kept trees, and the last one


TestSession = Session.TestCase
TestSession.settings = settings(max_examples=8, stateful_step_count=20, deadline=None, derandomize=True)
