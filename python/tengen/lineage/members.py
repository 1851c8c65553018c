"""Who takes part in a lineage: how each one is trained, how it plays, and what it uses.

A member whose method is not registered (methods/__init__.py) takes no part. To add one: an entry in MEMBERS.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tengen._core import TengenError
from tengen.base.spelling import did_you_mean
from tengen.methods import METHODS

__all__ = ["MEMBERS", "Member", "Uses", "members_named"]


@dataclass(frozen=True)
class Uses:
    """What a member is made of, in words for a table; empty: nothing of the kind."""

    peoples_games: str = ""
    self_play: str = ""
    networks: str = ""
    search: str = ""
    rollouts: str = ""
    gate: str = ""
    noise: str = ""  # what makes its games differ


@dataclass(frozen=True)
class Member:
    """One method. `player` is a text of players.py with {model}, {simulations}, {rollouts} and {depth} to be filled."""

    name: str
    year: str
    player: str
    uses: Uses
    method: str = ""  # empty: there is nothing to learn
    preset: str | None = None
    sets: tuple[str, ...] = ()
    source: str = ""  # the paper
    needs_records: bool = False  # learns from games that exist
    is_pipeline: bool = False  # plays with its whole run folder, so only when it is finished

    @property
    def learns(self) -> bool:
        return bool(self.method)

    @property
    def key(self) -> str:
        """For folders and files."""
        return self.name.lower().replace(" ", "_").replace("-", "_")

    @property
    def is_there(self) -> bool:
        return not self.learns or self.method in METHODS


MEMBERS: tuple[Member, ...] = (
    Member("random", "", "random", Uses()),
    Member(
        "alpha-beta",
        "1975",
        "alphabeta:{depth}",
        Uses(search="minimax, {depth} plies", rollouts="at the leaves, where the game has no score"),
        source="Knuth and Moore 1975",
    ),
    Member(
        "classic MCTS",
        "2006",
        "rollout:{rollouts}",
        Uses(search="UCT, {rollouts} simulations", rollouts="random, to the end"),
        source="Coulom 2006; Kocsis and Szepesvári 2006",
    ),
    Member(
        "REINFORCE",
        "1992",
        "network:{model}",
        Uses(
            self_play="moves drawn from the policy, also against older selves",
            networks="one: policy, and value as baseline",
            noise="the policy itself",
        ),
        method="reinforce",
        source="Williams 1992",
    ),
    Member(
        "DQN",
        "2015",
        "network:{model}",
        Uses(self_play="best move by Q, or a random one", networks="one: Q", noise="epsilon"),
        method="dqn",
        source="Mnih et al. 2015; van Hasselt et al. 2016",
    ),
    Member(
        "imitation",
        "2014",
        "network:{model}",
        Uses(peoples_games="policy and value", networks="one: policy and value"),
        method="imitation",
        source="Clark and Storkey 2014; Maddison et al. 2014",
        needs_records=True,
    ),
    Member(
        "AlphaGo",
        "2016",
        "alphago:{model}:{simulations}",
        Uses(
            peoples_games="policy, rollout policy",
            self_play="policy gradient against older selves; one position a game for the value",
            networks="two: policy, value",
            search="PUCT, {simulations} simulations",
            rollouts="pattern policy, half of a leaf's value",
            noise="the policy itself",
        ),
        method="alphago",
        source="Silver et al. 2016",
        needs_records=True,
        is_pipeline=True,
    ),
    Member(
        "AlphaGo Zero",
        "2017",
        "search:{model}:{simulations}",
        Uses(
            self_play="with search",
            networks="one: policy and value",
            search="PUCT, {simulations} simulations",
            gate="55 % against the champion",
            noise="Dirichlet at the root, temperature",
        ),
        method="alphazero",
        preset="paper",
        source="Silver et al. 2017",
    ),
    Member(
        "AlphaZero",
        "2018",
        "search:{model}:{simulations}",
        Uses(
            self_play="with search",
            networks="one: policy and value",
            search="PUCT, {simulations} simulations",
            noise="Dirichlet at the root, temperature",
        ),
        method="alphazero",
        preset="paper",
        sets=("arena.gating=false",),
        source="Silver et al. 2018",
    ),
    Member(
        "tengen",
        "today",
        "search:{model}:{simulations}",
        Uses(
            self_play="Gumbel search, few simulations, random starts",
            networks="one: policy, value, reply",
            search="PUCT with proofs, {simulations} simulations",
            noise="Gumbel at the root, random first plies",
        ),
        method="alphazero",
        source="Danihelka et al. 2022; Wu 2019; docs/ablations.md",
    ),
)


def members_named(names: Sequence[str]) -> tuple[Member, ...]:
    """The members with these names, in the order of MEMBERS; without names all of them."""
    known = {member.key: member for member in MEMBERS}
    wanted = set()
    for name in names:
        key = name.strip().lower().replace(" ", "_").replace("-", "_")
        if key not in known:
            raise TengenError(f"There is no member '{name}' of the lineage; {did_you_mean(key, known)}")
        if not known[key].is_there:
            raise TengenError(f"The member '{name}' needs the method '{known[key].method}', which is not there.")
        wanted.add(key)
    return tuple(member for member in MEMBERS if (member.key in wanted if wanted else member.is_there))
