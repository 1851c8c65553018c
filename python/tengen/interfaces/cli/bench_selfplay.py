"""`tengen bench selfplay`: our self-play beside mctx with pgx and examples/alphazero.py, and where its time goes."""

from __future__ import annotations

import importlib.util
import json
import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from tengen import TengenError
from tengen.interfaces.cli.bench_games import check_slices, cpu_name

if TYPE_CHECKING:
    from tengen.bench.selfplay import Rival, SelfPlaySpeed

MAKE_PEERS = (
    "mctx and pgx are not installed, so they are not measured; tengen bench selfplay --make-peers installs them into "
    "an environment of their own."
)


def run(
    as_json: Annotated[bool, tyro.conf.arg(name="json"), tyro.conf.FlagCreatePairsOff] = False,
    slices: int = 5,
    seconds: float = 5.0,
    only: Literal["connect_four", "go_9x9"] | None = None,
    make_peers: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False,
) -> None:
    """Measures simulations per second of self-play on all cores, side by side with mctx + pgx and a search in Python.

    Args:
        as_json: print one JSON object instead of sentences
        slices: the number of turns that each program gets; its median is reported
        seconds: the length of one turn in seconds; a turn has at least a few moves of every game
        only: measure this game alone; both if it is left out
        make_peers: install mctx and pgx first, into an environment of their own in ~/.cache/tengen
    """
    check_slices(slices, seconds)
    if importlib.util.find_spec("torch") is None or importlib.util.find_spec("openvino") is None:
        raise TengenError("Self-play needs torch and OpenVINO: pip install 'tengen[train]'.")
    from tengen.bench import peers
    from tengen.bench.selfplay import KEYS, measure

    if make_peers:
        peers.make_peers()
    elif not peers.has_peers():
        print(MAKE_PEERS, file=sys.stderr)
    speeds = measure([only] if only else KEYS, slices, seconds)
    if as_json:
        print(json.dumps({speed.key: as_dict(speed) for speed in speeds}, indent=2))
        return
    print(f"self-play with a 4x64 network, 32 simulations a move, on {cpu_name()}")
    for speed in speeds:
        print(_sentences(speed), flush=True)


def as_dict(speed: SelfPlaySpeed) -> dict[str, Any]:
    """A speed as JSON has it."""
    rivals = {name: getattr(speed, name) for name in ("mctx_pgx", "mctx_pgx_process_per_core", "one_leaf")}
    figures: dict[str, Any] = {
        "simulations_per_second": speed.simulations_per_second,
        **{f"ratio_{name}": rival and rival.ratio for name, rival in rivals.items()},
        **{f"processor_ratio_{name}": rival and rival.processor_ratio for name, rival in rivals.items()},
        **{f"{name}_simulations_per_second": rival and rival.simulations_per_second for name, rival in rivals.items()},
        "evaluations_per_second": speed.evaluations_per_second,
        "simulations_per_second_without_cache": speed.without_cache,
        "evaluator_share": speed.evaluator_share,
        "tree_share": speed.tree_share,
        "move_share": speed.move_share,
        "sampling_share_of_learning": speed.sampling_share,
        "network_ratio_to_torch_f32": speed.fastest_network,
    }
    rounded: dict[str, Any] = {name: value and round(value, 3) for name, value in figures.items()}
    rounded["positions_per_second_at_batch_64"] = {name: round(rate) for name, rate in speed.networks.items()}
    rounded["settings"] = {name: rival and rival.setting for name, rival in rivals.items()}
    return rounded | {"evaluator": speed.evaluator, "threads": speed.threads}


def _sentences(speed: SelfPlaySpeed) -> str:
    torch = speed.networks["torch f32"]
    networks = ", ".join(f"{name} {rate:,.0f} ({rate / torch:.1f}x)" for name, rate in speed.networks.items())
    rivals = [
        _against("mctx + pgx", speed.mctx_pgx),
        _against("mctx + pgx, a process per core", speed.mctx_pgx_process_per_core),
        _against("one leaf at a time, in Python", speed.one_leaf),
    ]
    return "\n".join(
        [
            f"{speed.key}: {speed.simulations_per_second:,.0f} simulations per second in {speed.threads} threads, "
            f"{speed.evaluations_per_second:,.0f} evaluations; without the cache {speed.without_cache:,.0f}",
            *filter(None, rivals),
            f"  the time goes: evaluator {speed.evaluator_share:.1%}, trees {speed.tree_share:.1%}, "
            f"moves {speed.move_share:.1%}",
            f"  positions per second of one thread, batch 64: {networks}",
            f"  {speed.sampling_share:.1%} of the learner's time is sampling",
        ]
    )


def _against(name: str, rival: Rival | None) -> str:
    if rival is None:
        return ""
    return (
        f"  {rival.ratio:.1f}x of {name} ({rival.simulations_per_second:,.0f} with {rival.setting}); "
        f"{rival.processor_ratio:.1f}x per second of processor time"
    )
