"""Deep Q-learning as a method: what a move is worth is learned from what the next position is worth (Mnih et al. 2015).

    Q(s, a) <- r                                  where the move ends the game, with the result r for its player
    Q(s, a) <- -discount * Q'(s', argmax Q(s', .)) otherwise: the opponent's best is our worst (+ if we move again)

Replay is the window of every run, so that old games are learned from again; Q' is the target network, which is that of
the last iteration; the argmax is the network's own (double DQN); illegal moves are masked. Self-play takes the best
move, or with probability epsilon any. The loss is in learner/q_learning.py.
"""

from __future__ import annotations

from tengen._core import Game
from tengen.config import RunConfig
from tengen.learner import Learner
from tengen.learner.q_learning import QLearner
from tengen.methods.alphazero import discount
from tengen.methods.without_search import WithoutSearch
from tengen.network.checkpoint import NetworkFile
from tengen.run.clock import Plan
from tengen.selfplay.without_search import ChooseMove, random_or_best_move

__all__ = ["Dqn"]


class Dqn(WithoutSearch):
    """Self-play with epsilon-greedy moves, and the learner of Q."""

    @staticmethod
    def new_learner(game: Game, config: RunConfig, start: NetworkFile | None = None) -> Learner:
        return QLearner(game, config.network, config.learner, seed=config.seed, discount=discount(config), start=start)

    def _rule(self, plan: Plan) -> ChooseMove:
        return random_or_best_move(self.config.dqn.epsilon_at(plan.progress[0]))
