"""How strong the networks are against opponents that anyone can install: the tables of docs/strength.md.

    apt-get install -y gnugo grhino && pip install bitbully
    python benchmarks/strength.py othello            # a bundled network; --model RUN for another one

There are three parts (`--parts opponents,ladder` plays only some). `--games` is the number of games of each pairing:

opponents   the network with search against other programs and players, with swapped colours and varied openings
ladder      the network alone and with 16 to 1600 simulations, each against the next
starts      Connect Four only: as first player against the solver, from the empty board (which is won) and from
            random positions that are won

A stopped or killed command continues when it is run again, also with more `--games`. The name of a network's folder
contains its checksum, so that games of two networks are never mixed. No opponent chooses its moves by the clock, so a
busy machine does not change the results. gtp-rhino takes minutes for a game at level 5: `--opponents 1,2,6` plays only
some opponents, by their numbers in the list; the others can be played later.
"""

import argparse
import hashlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import tengen
from tengen.arena import MatchResult
from tengen.external.solvers import find_solver
from tengen.network.checkpoint import find_network
from tengen.strength.tournament import Plan, Tournament, TournamentGame, neighbours, play_tournament

# Our rules count area with all stones alive, so GNU Go must play on until dead stones are captured.
GNU_GO = (
    "gtp:gnugo --mode gtp --level {} --chinese-rules --positional-superko --never-resign "
    "--play-out-aftermath --capture-all-dead"
)
RHINO = "gtp:1800s:gtp-rhino -l {}"  # level 5 solves endgames, and took more than a minute for one move
LADDER = (16, 50, 150, 500, 1600)  # simulations
WON_START_PLIES = (2, 4, 6, 8)


@dataclass(frozen=True)
class Measured:
    """What is measured for a bundled network."""

    game: tengen.Game
    simulations: int
    opponents: tuple[str, ...]
    parts: tuple[str, ...] = ("opponents", "ladder")


def measured(name: str) -> Measured:
    if name == "othello":
        rhinos = tuple(RHINO.format(level) for level in range(1, 6))
        return Measured(tengen.load("othello"), 400, (*rhinos, "greedy", "rollout:1000"))
    if name == "go_9x9":
        return Measured(tengen.load("go", size=9, komi=7), 400, (GNU_GO.format(1), GNU_GO.format(10)))
    if name == "gomoku_9x9":
        return Measured(tengen.load("gomoku", size=9), 400, ("rollout:5000",))
    if name == "connect_four":
        parts = ("starts", "opponents", "ladder")
        return Measured(tengen.load("connect_four"), 800, ("rollout:1000",), parts)
    return Measured(tengen.load("tic_tac_toe"), 50, ("solver", "rollout:1000"))


def main(arguments: argparse.Namespace) -> None:
    what = measured(arguments.name)
    model = arguments.model or arguments.name
    ours = arguments.player or f"search:{model}:{what.simulations}"
    folder = arguments.folder / f"{arguments.name}-{marked(model, arguments.player)}"
    parts = arguments.parts.split(",") if arguments.parts else what.parts
    texts = []
    for part in parts:
        if part == "ladder" and arguments.player:
            continue  # a player without a network
        done = [
            play_tournament(plan, folder / where, threads=arguments.threads, on_game=say)
            for where, plan in plans_of(part, what, ours, model, arguments).items()
        ]
        texts.append(f"{title(part, ours)}\n\n{results(done)}\n")
        (folder / "strength.md").write_text("\n".join(texts))
    print("\n".join(texts))


def marked(model: str, player: str | None) -> str:
    """The mark of this player in the name of its folder: the checksum of its network."""
    if player:
        return player.replace(":", "_").replace("/", "_")
    return hashlib.sha256(Path(find_network(model)).read_bytes()).hexdigest()[:8]


def plans_of(part: str, what: Measured, ours: str, model: str, arguments: argparse.Namespace) -> dict[str, Plan]:
    """Plans by folder. Every opponent has its own folder, so that some can be played now and others later."""
    game, games, seed = what.game, arguments.games, arguments.seed
    if part == "starts":
        kinds = {"start": (game.initial_state(),) * games, "won-starts": won_starts(game, games, seed)}
        return {
            kind: Plan(game, (ours, "solver"), ((0, 1),), games, seed, openings=openings, swapped=False)
            for kind, openings in kinds.items()
        }
    if part == "ladder":
        players = (*(f"search:{model}:{simulations}" for simulations in reversed(LADDER)), f"network:{model}")
        return {part: Plan(game, players, neighbours(players), games, seed)}
    places = [int(place) for place in arguments.opponents.split(",") if place] or range(1, len(what.opponents) + 1)
    return {
        f"opponent-{place}": Plan(game, (ours, what.opponents[place - 1]), ((0, 1),), games, seed) for place in places
    }


def won_starts(game: tengen.Game, count: int, seed: int) -> tuple[tengen.State, ...]:
    """Different random positions that the first player can still win, often by only one move."""
    solver = find_solver(game)
    rng = np.random.default_rng(seed)
    found: dict[tengen.State, None] = {}
    while len(found) < count:
        state = game.initial_state()
        plies = int(rng.choice(WON_START_PLIES))
        while len(state.moves) < plies and state.outcome is None:
            state = state.play(int(rng.choice(state.legal_actions)))
        if state.outcome is None and np.nanmax(solver.scores(state)) > 0:
            found[state] = None
    return tuple(found)


def title(part: str, ours: str) -> str:
    return {
        "opponents": f"### {ours} against others",
        "ladder": "### Search against less search",
        "starts": f"### {ours} as first player against the solver: the empty board, then random positions that are won",
    }[part]


def results(tournaments: Sequence[Tournament]) -> str:
    """A table with a row for each pairing."""
    rows = [
        "| player | opponent | games | different | won | drawn | lost | score | 95 % interval |",
        "|---|---|" + "---:|" * 7,
    ]
    early = []
    for done, meeting in [(one, meeting) for one in tournaments for meeting in one.plan.meetings]:
        names = done.plan.players[meeting[0]], done.plan.players[meeting[1]]
        match = MatchResult(names, tuple(g.played for g in done.games if g.meeting == meeting), done.plan.seed)
        low, high = match.interval
        different = len({played.final.moves for played in match.games})
        rows.append(
            f"| `{names[0]}` | `{names[1]}` | {len(match.games)} | {different} | {match.wins} "
            f"| {match.draws} | {match.losses} | {match.score:.1%} | {low:.1%} to {high:.1%} |"
        )
        early += [f"- {number} ended early: {reason}" for reason, number in match.reasons.items()]
    return "\n".join([*rows, *([""] if early else []), *early])


def say(game: TournamentGame) -> None:
    points = game.played.points(0)
    print(f"{game.players[0]} - {game.players[1]}, game {game.played.number + 1}: {points:g}", file=sys.stderr)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], epilog=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=["connect_four", "othello", "go_9x9", "gomoku_9x9", "tic_tac_toe"])
    parser.add_argument("--model", help="a network's file or a run, instead of the bundled one")
    parser.add_argument(
        "--player", help="any player instead of the network with search; the part ladder is then left out"
    )
    parser.add_argument("--games", type=int, default=100, help="number of games of each pairing")
    parser.add_argument("--parts", help="play only these parts, as in opponents,ladder")
    parser.add_argument(
        "--opponents", default="", help="play only these opponents, by their numbers in the list, as in 1,2,6"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--folder", type=Path, default=Path("strength"))
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main(parse(sys.argv[1:]))
