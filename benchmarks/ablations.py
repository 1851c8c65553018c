"""Which settings are worth having: tiny Connect Four runs of equal processor time, one setting changed in each.

    python benchmarks/ablations.py                 # makes missing runs, then prints the table of docs/lab/ablations.md
    python benchmarks/ablations.py --seconds 300 --seeds 5 --variants base puct

The time limit is processor time, not wall-clock time, so that other work on the machine does not change the result.
Every finished run is a line of results.jsonl in the folder (--folder); a stopped command continues when it is run
again. Strength is the share of good moves (moves that keep the win, draw or loss) on the positions that come with
tengen.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from tengen import games
from tengen.config import RunConfig, load_config
from tengen.network import make_evaluator
from tengen.network.checkpoint import load_network
from tengen.strength.accuracy import evaluate_network, known_positions
from tengen.train import train

EXPERIMENT = Path(__file__).parents[1] / "experiments" / "connect_four.toml"
SIMULATIONS = 100

# A tiny run: the experiment with a small network and short iterations.
TINY: dict[str, Any] = {
    "network": {"blocks": 2, "channels": 32, "pooling": False},
    "self_play": {"positions": 4096, "games_per_unit": 64, "precision": "bf16"},
    "learner": {"batch": 256},
    "arena": {"every": 0},
}

# Name of a variant -> its description and the settings that it changes.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "base": ("Gumbel, 32 simulations, every position recorded", {}),
    "gumbel16": ("Gumbel, 16 simulations", {"self_play": {"simulations": 16}}),
    "gumbel64": ("Gumbel, 64 simulations", {"self_play": {"simulations": 64}}),
    "puct": (
        "PUCT with noise, 100 simulations",
        {"self_play": {"simulations": 100, "search": {"selection": "puct"}}},
    ),
    "puct_caps": (
        "PUCT with playout caps: 100 simulations in a quarter of the positions, 20 in the others",
        {
            "self_play": {
                "simulations": 100,
                "fast_simulations": 20,
                "full_share": 0.25,
                "search": {"selection": "puct"},
            }
        },
    ),
    "caps": (
        "Gumbel with playout caps: 64 simulations in a third of the positions, 8 in the others",
        {"self_play": {"simulations": 64, "fast_simulations": 8, "full_share": 0.33}},
    ),
    "gating": (
        "gating: a candidate must score 0.55 against the champion",
        {"arena": {"gating": True, "gating_games": 40, "simulations": 16}},
    ),
    "result_only": ("value target: the result alone", {"learner": {"search_value_share": 0.0}}),
    "search_only": ("value target: the search alone", {"learner": {"search_value_share": 1.0}}),
    "same_start": ("every game from the first position", {"self_play": {"random_start_share": 0.0}}),
    "forks": (
        "every other game from the random starts forks off an earlier one instead",
        {"self_play": {"random_start_share": 0.45, "archive_start_share": 0.45}},
    ),
    "instant_wins": ("the search sees wins at once", {"self_play": {"search": {"instant_wins": True}}}),
    "no_surprise": ("all positions drawn equally often", {"replay": {"surprise_weight": 0.0}}),
    "long_average": ("a longer average of the weights: 0.7 an iteration", {"learner": {"average_decay": 0.7}}),
    "no_average": ("the newest weights play, not their average", {"learner": {"average_decay": 0.0}}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time of a run")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--folder", type=Path, default=Path("runs/ablations"))
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    results = chosen.folder / "results.jsonl"
    known = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    done = {(found["variant"], found["seed"]) for found in known if found["seconds"] == chosen.seconds}
    for seed in range(1, chosen.seeds + 1):  # seeds outside: a stopped command leaves a table of fewer seeds
        for variant in chosen.variants:
            if (variant, seed) not in done:
                found = run(variant, seed, chosen.seconds, chosen.folder)
                known.append(found)
                with results.open("a") as file:
                    file.write(json.dumps(found) + "\n")
                print(json.dumps(found), flush=True)
    print(table([found for found in known if found["seconds"] == chosen.seconds]))


def config_of(variant: str, seed: int) -> RunConfig:
    return load_config(EXPERIMENT, **merged(merged(TINY, VARIANTS[variant][1]), {"seed": seed}))


def merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    both = dict(base)
    for key, value in over.items():
        both[key] = merged(both.get(key, {}), value) if isinstance(value, dict) else value
    return both


def run(variant: str, seed: int, seconds: float, folder: Path) -> dict[str, Any]:
    """Trains from zero and measures the network. The run's folder is deleted."""
    place = folder / f"{variant}-{seed}"
    shutil.rmtree(place, ignore_errors=True)
    began = time.process_time()
    path = train(config_of(variant, seed), place, minutes=seconds / 60.0, now=time.process_time)
    spent = time.process_time() - began
    game = games.load("connect_four")
    evaluator = make_evaluator(load_network(path), backend="openvino", precision="f32", threads=1)
    found = evaluate_network(evaluator, known_positions(game), SIMULATIONS)
    assert found.search is not None
    metrics = [json.loads(line) for line in (place / "metrics.jsonl").read_text().splitlines()]
    shutil.rmtree(place)
    return {
        "variant": variant,
        "seed": seed,
        "seconds": seconds,
        "spent": round(spent, 1),
        "positions": sum(line["self_play"]["positions"] for line in metrics),
        "raw": found.raw.good,
        "search": found.search.good,
    }


def table(results: list[dict[str, Any]]) -> str:
    """Means over the seeds, and the mean difference from the `base` run of the same seed with its standard error."""
    base = {found["seed"]: found for found in results if found["variant"] == "base"}
    lines = [
        f"| what | seeds | positions | network alone | against base | {SIMULATIONS} simulations | against base |",
        "|---|---|---|---|---|---|---|",
    ]
    for variant, (words, _) in VARIANTS.items():
        own = [found for found in results if found["variant"] == variant]
        if own:
            cells = [words, str(len(own)), f"{fmean(found['positions'] for found in own):,.0f}"]
            for key in ("raw", "search"):
                differences = [found[key] - base[found["seed"]][key] for found in own if found["seed"] in base]
                cells += [f"{fmean(found[key] for found in own):.1%}", difference_text(variant, differences)]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def difference_text(variant: str, differences: list[float]) -> str:
    if variant == "base" or not differences:
        return ""
    error = f" ± {100 * stdev(differences) / len(differences) ** 0.5:.1f}" if len(differences) > 1 else ""
    return f"{100 * fmean(differences):+.1f}{error}"


if __name__ == "__main__":
    main()
