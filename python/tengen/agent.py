"""A network that plays, in five lines of Python.

>>> import tengen
>>> agent = tengen.Agent("tic_tac_toe", simulations=100)
>>> state = agent.game.state("b2 a1")
>>> agent.choose(state) in state.legal_actions
True
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

from tengen._core import ArgumentError, Game, State, param_specs
from tengen.base.spelling import did_you_mean
from tengen.engine import Analysis, AnalysisCallback, Engine, Limit
from tengen.network import NetworkEvaluator, make_evaluator
from tengen.players import MOST_SIMULATIONS, analysing_params, leaves_at_once, playing_evaluator

__all__ = ["DEFAULT_SIMULATIONS", "Agent"]

DEFAULT_SIMULATIONS = 400


class Agent:
    """A network with search: chooses moves and analyses positions, on all cores.

    Any thread may ask; threads that ask at the same time are answered one after the other, each about its own position.

    `model` is a bundled name ("connect_four"), a network's file or the folder of a run. A move takes `simulations`
    (400 unless something is given), or `seconds`, or whichever ends first. `game` is for another board size than the
    network was trained on, and for a network of a rules file. `module` names the file of a network that is a torch
    module of one's own ("my_net.py:MyNet"). Every other keyword is a parameter of the search: `c_puct=2`.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        game: Game | None = None,
        module: str = "",
        **search: Any,
    ) -> None:
        from tengen.network.checkpoint import check_fits, find_network, game_of, load_network

        _check_parameters(search)
        if simulations is None and seconds is None:
            simulations = DEFAULT_SIMULATIONS
        if simulations is not None and simulations < 1:
            raise ArgumentError(f"An agent needs at least 1 simulation a move, not {simulations}.")
        self.limit = Limit(simulations, seconds)
        network = load_network(find_network(model))
        self.game = game or game_of(network)
        check_fits(network, self.game)
        most = MOST_SIMULATIONS if simulations is None else simulations
        params = analysing_params(network, most, self.game).replace(leaves_per_batch=leaves_at_once(most))
        self.params = params.replace(**search)
        evaluator = make_evaluator(network, threads=os.cpu_count() or 1, game=self.game, module=module)
        self.evaluator: NetworkEvaluator = playing_evaluator(evaluator, self.game)
        self.engine = Engine(self.game, self.evaluator, self.params)
        self._answering = threading.RLock()  # from the position to its answer; `on_analysis` may not ask again

    def choose(self, state: State) -> int:
        """The action to play."""
        return self.analyse(state).best_action

    def analyse(self, state: State, on_analysis: AnalysisCallback | None = None) -> Analysis:
        """Every move worth a look, with visits, win rates and lines. `on_analysis` hears every second.

        The tree is kept: the same position again, or one that follows, is searched further.
        """
        self._check_state(state)
        with self._answering:
            self.engine.set_position(state)
            return self.engine.think(self.limit, on_analysis)

    def _check_state(self, state: State) -> None:
        """Another board of the same game will do where the network takes it; another game will not."""
        from tengen.network.checkpoint import check_fits

        if not isinstance(state, State):
            raise TypeError(f"An agent looks at a tengen.State, not at a {type(state).__name__}.")
        if state.game != self.game:
            check_fits(self.evaluator.network, state.game)

    def __repr__(self) -> str:
        return f"<Agent for {self.game.spec.name}: {self.evaluator.description}>"


def _check_parameters(search: dict[str, Any]) -> None:
    names = [spec.name for spec in param_specs()]
    for name in search:
        if name not in names:
            raise ArgumentError(f"An agent has no setting '{name}'; {did_you_mean(name, names)}")
