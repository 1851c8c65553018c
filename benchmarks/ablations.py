"""Which settings are worth having: short Connect Four runs of equal processor time, one setting changed in each.

    python benchmarks/ablations.py                 # makes missing runs, then prints the table of docs/lab/ablations.md
    python benchmarks/ablations.py --minutes 5 --seeds 5 --variants puct forks

The base is what `tengen train connect_four` does on one core in these minutes. The runs are those of `tengen bench
learning --processor-time`, which answers one such question and stops when it is decided; here all are asked with the
same seeds. A stopped command goes on when it is run again. Strength is the share of good moves (moves that keep the
win, draw or loss) on the positions that come with tengen, or on those of a file.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import fmean, stdev

from tengen import games
from tengen.bench.learning import LearningBench
from tengen.run.compare import Group
from tengen.strength.accuracy import known_positions

SIMULATIONS = 100

# Name of a variant -> its description and the settings that it changes.
VARIANTS: dict[str, tuple[str, list[str]]] = {
    "base": ("Gumbel, 32 simulations, every position recorded", []),
    "gumbel16": ("Gumbel, 16 simulations", ["self_play.simulations=16"]),
    "gumbel64": ("Gumbel, 64 simulations", ["self_play.simulations=64"]),
    "rising": (
        "Gumbel, 16 simulations at first and 32 at the end",
        ["self_play.simulations=16", "self_play.final_simulations=32"],
    ),
    "puct": ("PUCT with noise, 100 simulations", ["self_play.simulations=100", "self_play.search.selection=puct"]),
    "puct_caps": (
        "PUCT with playout caps: 100 simulations in a quarter of the positions, 20 in the others",
        [
            "self_play.simulations=100",
            "self_play.fast_simulations=20",
            "self_play.full_share=0.25",
            "self_play.search.selection=puct",
        ],
    ),
    "caps": (
        "Gumbel with playout caps: 64 simulations in a third of the positions, 8 in the others",
        ["self_play.simulations=64", "self_play.fast_simulations=8", "self_play.full_share=0.33"],
    ),
    "gating": (
        "gating: a candidate must score 0.55 against the champion",
        ["arena.gating=true", "arena.gating_games=40", "arena.simulations=16"],
    ),
    "result_only": ("value target: the result alone", ["learner.search_value_share=0"]),
    "search_only": ("value target: the search alone", ["learner.search_value_share=1"]),
    "same_start": ("every game from the first position", ["self_play.random_start_share=0"]),
    "forks": (
        "every other game from the random starts forks off an earlier one instead",
        ["self_play.random_start_share=0.45", "self_play.archive_start_share=0.45"],
    ),
    "later_starts": ("up to 22 random plies before a game instead of 14", ["self_play.random_start_plies=22"]),
    "instant_wins": ("the search sees wins at once", ["self_play.search.instant_wins=true"]),
    "exact_1000": ("games are played out exactly where 1,000 positions settle them", ["self_play.exact_nodes=1000"]),
    "exact_3000": ("games are played out exactly where 3,000 positions settle them", ["self_play.exact_nodes=3000"]),
    "exact_10000": ("games are played out exactly where 10,000 positions settle them", ["self_play.exact_nodes=10000"]),
    "no_surprise": ("all positions drawn equally often", ["replay.surprise_weight=0"]),
    "long_average": ("a longer average of the weights: 0.7 an iteration", ["learner.average_decay=0.7"]),
    "no_average": ("the newest weights play, not their average", ["learner.average_decay=0"]),
    "fewer_samples": ("2 samples learned per position instead of 3", ["learner.samples_per_position=2"]),
    "more_samples": ("4 samples learned per position instead of 3", ["learner.samples_per_position=4"]),
    "no_reply": ("no head for the opponent's reply", ["network.reply_head=false"]),
    "larger": ("3 blocks of 48 channels", ["network.blocks=3", "network.channels=48"]),
    "growing": (
        "2 blocks of 32 channels, which grow to 3 of 48 after 0.4 of the run",
        ["network.blocks=2", "network.channels=32", "network.grow=[[0.4, 3, 48]]"],
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0, help="processor time of a run")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--positions", type=Path, help="as for `tengen evaluate`")
    parser.add_argument("--folder", type=Path, default=Path("runs/ablations"))
    chosen = parser.parse_args()
    game = games.load("connect_four")
    bench = LearningBench(
        game,
        chosen.minutes,
        chosen.folder / f"{chosen.minutes:g}",
        positions=known_positions(game, chosen.positions),
        simulations=SIMULATIONS,
        points=1,
        processor_time=True,
    )
    names = list(dict.fromkeys(["base", *chosen.variants]))
    groups: dict[str, Group] = {}
    for seed in range(1, chosen.seeds + 1):  # seeds outside: a stopped command leaves a table of fewer seeds
        for name in names:
            side = bench.train(seed, VARIANTS[name][1])
            groups[name] = bench.group(side, range(1, seed + 1))
        print(table(groups), flush=True)


def table(groups: dict[str, Group]) -> str:
    """Means over the seeds, and the mean difference from the `base` run of the same seed with its standard error."""
    lines = [
        f"| what | seeds | positions | network alone | against base | {SIMULATIONS} simulations | against base |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, group in groups.items():
        positions = fmean(sum(report.self_play.positions for report in run.reports) for run in group.runs)
        cells = [VARIANTS[name][0], str(len(group.runs)), f"{positions:,.0f}"]
        for own, base in zip(shares(group), shares(groups["base"]), strict=True):
            differences = [a - b for a, b in zip(own, base, strict=True)]
            cells += [f"{fmean(own):.1%}", "" if name == "base" else difference_text(differences)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def shares(group: Group) -> tuple[list[float], list[float]]:
    """Good moves of each seed at the end: of the network alone, and with search."""
    last = [run.reports[-1].accuracy for run in group.runs]
    return [found.network for found in last if found], [found.search or 0.0 for found in last if found]


def difference_text(differences: list[float]) -> str:
    error = f" ± {100 * stdev(differences) / len(differences) ** 0.5:.1f}" if len(differences) > 1 else ""
    return f"{100 * fmean(differences):+.1f}{error}"


if __name__ == "__main__":
    main()
