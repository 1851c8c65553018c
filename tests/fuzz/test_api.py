"""Thousands of calls of the Python API with arguments good and bad. Each must answer or raise an error of ours (or
TypeError, for an argument of a wrong type), and none may crash: `make sanitize` runs this file with a core that reports
every wrong memory access.

TENGEN_FUZZ_CALLS sets the number of calls.
"""

import functools
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tengen
from tengen.games import game_entries, names
from tengen.games.rules import load_interpreted

CALLS = int(os.environ.get("TENGEN_FUZZ_CALLS", "10000"))
SEEDS = 4

NUMBERS: list[Any] = [
    *(-1, 0, 1, 2, 5, 8, 64, 361, 2**31 - 1, 2**31, -(2**31) - 1, 2**63, 2**64, -(2**200), True, -0.0, 0.5, 7.5, 1e308),
    *(float("nan"), float("inf"), np.int64(3), np.uint8(200), np.float32(2.5), np.array(4), np.array([1, 2])),
]
TEXTS: list[str] = [
    *(
        "",
        " ",
        "a1",
        "A1",
        "a01",
        "a0",
        "a-1",
        "a+1",
        "z9",
        "T19",
        "i1",
        "pass",
        "PASS",
        "4",
        "0",
        "99999999999999999999",
    ),
    *("\0", "a1\0", "é", "●●●", "\ud800", "a\udfff", "\uff11", "💥", "a" * 5000, "é" * 39 + "x", "\n\n\n", "X to move"),
]
OTHERS: list[Any] = [None, b"a1", [], {}, (), object(), ["a1", 2], [None], np.zeros(3), 1j, tengen.load, tengen.State]
CELLS = "XO.XO.●#abc0123 \n\t\r\0\ud800"


@functools.cache
def rules_games() -> list[tengen.Game]:
    """A game of Python rules, compiled and interpreted."""
    path = str(Path(__file__).parents[2] / "examples" / "connect_four.py")
    return [tengen.load(path), load_interpreted(path)]


class Fuzzer:
    """Games and states to call, and the arguments to call them with."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.games = [tengen.load(name) for name in names()] + rules_games()
        self.states = [game.initial_state() for game in self.games]
        self.forest_game = self.games[0]
        self.forest = tengen.Forest(self.forest_game, 2, tengen.SearchParams(simulations=8), seed)

    def keep(self, state: tengen.State) -> None:
        self.states[self.random.randrange(len(names()))] = state

    # Arguments

    def pick(self, values: Any) -> Any:
        return self.random.choice(values)

    def anything(self) -> Any:
        return self.pick(self.pick([NUMBERS, TEXTS, OTHERS, self.games, self.states]))

    def text(self) -> str:
        letters = "".join(self.pick("abcdefghj0123456789 ,-paXO.é") for _ in range(self.random.randrange(6)))
        return self.pick([letters, self.pick(TEXTS)])

    def action(self, state: tengen.State) -> Any:
        usual = [self.pick(state.legal_actions or (0,)), self.random.randrange(-2, state.game.spec.num_actions + 2)]
        return self.pick([*usual, state.action_text(usual[0]), self.text(), self.anything()])

    def board(self, state: tengen.State) -> Any:
        drawing = list(str(state))
        for _ in range(self.random.randrange(4)):
            drawing[self.random.randrange(len(drawing))] = self.pick(CELLS)
        noise = "".join(self.pick(CELLS) for _ in range(self.random.randrange(80)))
        return self.pick(["".join(drawing), str(self.pick(self.states)), noise, self.text(), self.anything()])

    def array(self, shape: tuple[int, ...]) -> Any:
        wrong = tuple(self.random.randrange(6) for _ in range(self.random.randrange(5)))
        kind = self.pick([np.float32, np.float32, np.float64, np.int8, bool, complex, object, "U3"])
        array = np.zeros(self.pick([shape, shape, wrong]), dtype=kind)
        return self.pick(
            [array, array.T, np.asfortranarray(array), array[::2] if array.ndim else array, self.anything()]
        )

    def options(self, name: str) -> dict[str, Any]:
        known = [option for entry in game_entries() if entry.name == name for option in entry.options]
        options = {}
        for option in known:
            usual = self.random.randint(int(option.lowest) - 1, int(option.highest) + 1)
            if self.random.random() < 0.7:
                options[option.name] = self.pick([usual, usual, option.lowest, option.highest, self.anything()])
        if self.random.random() < 0.1:
            options[self.pick(["size", "komi", "", "é", "\ud800", "Size"])] = self.anything()
        return options

    # Calls

    def load(self) -> None:
        name = self.pick([*names(), *names(), self.text(), self.anything()])
        game = tengen.load(name, **(self.options(name) if isinstance(name, str) else {}))
        self.games[self.random.randrange(len(names()))] = game  # in the place of an engine: Python rules stay
        self.keep(game.initial_state())

    def play(self) -> None:
        place = self.random.randrange(len(self.states))
        self.states[place] = self.states[place].play(self.action(self.states[place]))

    def play_on(self) -> None:
        place = self.random.randrange(len(self.states))
        state = self.states[place]
        for _ in range(self.random.randrange(40)):
            if state.outcome is not None:
                state = state.game.initial_state()
            state = state.play(self.pick(state.legal_actions))
        self.states[place] = state

    def read_state(self) -> None:
        state = self.pick(self.states)
        assert (state.outcome is None) == bool(state.legal_actions)
        assert list(np.flatnonzero(state.legal_mask())) == list(state.legal_actions) == sorted(state.legal_actions)
        assert state.planes().shape == state.game.spec.planes_shape
        assert state.outcome is None or sum(state.outcome.returns) == 0
        assert state.game.state(state.moves) == state or "board=" in repr(state)
        assert (hash(state), state.to_move, str(state)) == (hash(state), state.to_move, str(state))

    def ask_action(self) -> None:
        state = self.pick(self.states)
        assert state.is_legal(self.action(state)) in (True, False)
        self.pick([state, state.game]).action_text(self.action(state))

    def parse_action(self) -> None:
        self.pick(self.games).parse_action(self.pick([self.text(), self.anything()]))

    def make_state(self) -> None:
        state = self.pick(self.states)
        moves = self.pick([state.moves, state.moves_text, [self.action(state)], self.text(), self.anything()])
        made = self.pick([state.game, self.pick(self.games)]).state(
            **self.pick([{"moves": moves}, {"board": self.board(state)}, {"moves": moves, "board": self.board(state)}])
        )
        self.keep(made)

    def compare(self) -> None:
        left, right = self.pick(self.states), self.pick([self.pick(self.states), self.anything()])
        assert not (isinstance(right, tengen.State) and left == right) or hash(left) == hash(right)
        if not isinstance(right, np.ndarray):  # numpy compares element by element
            assert left.game != right or isinstance(right, tengen.Game)

    def value_for(self) -> None:
        tengen.Outcome(self.pick([0, 1, None, self.anything()])).value_for(self.pick([0, 1, self.anything()]))

    def symmetry(self) -> None:
        game = self.pick(self.games)
        symmetry = self.pick(game.symmetries)
        self.pick(
            [
                lambda: symmetry.planes(self.array(game.spec.planes_shape)),
                lambda: symmetry.policy(self.array((game.spec.num_actions,))),
                lambda: symmetry.action(self.pick([self.random.randrange(game.spec.num_actions), self.anything()])),
            ]
        )()

    def game_and_state(self) -> tuple[tengen.Game, Any]:
        state = self.pick(self.states)
        return self.pick([(state.game, state), (state.game, None), (self.pick(self.games), state), (state.game, 5)])

    def perft(self) -> None:
        game, state = self.game_and_state()
        depth = self.pick([-1, 0, 1, -(2**70), 0.5, None, "2", np.int32(1)])
        if isinstance(state, tengen.State) and state.game.spec.longest_game <= 9:
            depth = self.pick([2**31, 2**70, 9])
        game.perft(depth, state)

    def random_playouts(self) -> None:
        game, state = self.game_and_state()
        games = self.pick([-1, 0, 1, 3, np.int64(2), -(2**80), 1.5, None])
        counts = game.random_playouts(games, self.pick([0, 1, -1, 2**64, self.anything()]), state)
        assert sum(counts.wins) + counts.draws == counts.games == games

    def params(self) -> dict[str, Any]:
        usual = {
            "selection": ["puct", "uct", "gumbel"],
            "simulations": [0, 1, 7, 20],
            "leaves_per_batch": [1, 4],
            "max_nodes": [2, 30, 10_000],
            "rollout_weight": [0.0, 0.5, 1.0],
            "cache_entries": [0, 16],
            "gumbel_considered": [1, 16],
            **{name: [True, False] for name in ("solve", "random_symmetry")},
        }
        chosen = {name: self.pick(values) for name, values in usual.items() if self.random.random() < 0.5}
        if self.random.random() < 0.1:
            chosen[self.pick([*usual, "discount", "c_puct", "no_such", "\ud800"])] = self.anything()
        return {"simulations": 7, "max_nodes": 1000} | chosen

    def evaluator(self, game: tengen.Game) -> Any:
        """One that knows nothing, or one that answers nonsense."""

        def answer(planes: Any) -> Any:
            logits = self.array((len(planes), game.spec.num_actions))
            return self.pick([(logits, self.array((len(planes),))), (logits, self.array((len(planes), 3))), logits])

        return self.pick([None, None, None, answer])

    def search(self) -> None:
        state = self.pick(self.states)
        states = [self.pick([state, state, self.pick(self.states)]) for _ in range(self.random.randrange(4))]
        results = tengen.search(
            state.game,
            states,
            self.evaluator(state.game),
            seed=self.pick([0, 1, self.anything()]),
            noise=self.pick([True, False]),
            max_leaves=self.pick([0, 3, -1]),
            **self.params(),
        )
        for result in results:
            assert result.state.outcome is not None or result.state.is_legal(result.best_action)

    def new_forest(self) -> None:
        game, trees = self.pick(self.games), self.pick([1, 2, 5, 0, -1, 2**31, self.anything()])
        self.forest = tengen.Forest(game, trees, tengen.SearchParams(**self.params()), 0)
        self.forest_game = game

    def use_forest(self) -> None:
        forest, some = self.forest, self.random.randrange(self.forest.num_trees)
        tree = self.pick([some, some, some, -1, 7, self.anything()])
        own_states = [state for state in self.states if state.game == self.forest_game]
        pending, num_actions = forest.num_pending, self.forest_game.spec.num_actions
        calls: list[Callable[[], object]] = [
            lambda: forest.set_root(tree, self.pick([*own_states, self.pick(self.states)])),
            lambda: forest.begin(tree, self.pick([None, 0, 5, -1]), self.pick([True, False])),
            forest.begin,
            lambda: forest.select(self.pick([0, 1, -1])),
            lambda: forest.update(np.zeros((pending, num_actions)), np.zeros(pending)),
            lambda: forest.update(self.array((pending, num_actions)), self.array((pending,))),
            lambda: forest.advance(tree, self.pick([self.random.randrange(num_actions), self.anything()])),
            *(forest.cancel, forest.clear_cache, forest.stopped_trees, forest.root_arrays, lambda: forest.last_trace),
            *(lambda: forest.result(tree), lambda: forest.tree(tree), lambda: forest.root_arrays([tree])),
            lambda: forest.trace(self.pick([True, False])),
        ]
        self.pick(calls)()

    def call(self) -> None:
        calls: list[Callable[[], None]] = [
            *(self.load, self.play, self.play, self.play_on, self.read_state, self.ask_action, self.parse_action),
            *(self.make_state, self.compare, self.value_for, self.symmetry, self.perft, self.random_playouts),
            *(self.search, self.new_forest),
            *[self.use_forest] * 6,
        ]
        self.pick(calls)()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_call_answers_or_raises_an_error_of_ours(seed: int) -> None:
    fuzzer = Fuzzer(seed)
    answered = 0
    refused: list[Exception] = []
    for _ in range(CALLS // SEEDS):
        try:
            fuzzer.call()
            answered += 1
        except (tengen.TengenError, TypeError) as error:
            refused.append(error)
    # Both kinds of call must stay common, or the fuzzing has lost its grip.
    assert answered > CALLS // SEEDS // 4
    assert len(refused) > CALLS // SEEDS // 10
    sentences = [str(error) for error in refused if isinstance(error, tengen.TengenError)]
    assert [sentence for sentence in sentences if not sentence.endswith((".", "?"))] == []
