"""The file of a rollout policy: its weights as safetensors, with the game that they are of in the header.

A run of the method `alphago` writes one; a player that mixes play-outs of the policy into its search reads it.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import safetensors
from numpy.typing import NDArray

from tengen._core import ArgumentError, Game, RolloutPolicy
from tengen.base.durable import write_bytes
from tengen.network.checkpoint import NetworkFileError, safetensors_bytes

__all__ = ["load_rollout", "save_rollout"]

FORMAT = "tengen rollout 1"


def save_rollout(path: Path, game: Game, weights: NDArray[np.float32], *, share_players: bool) -> None:
    """Whole or not at all. weights: [banks, weights]"""
    header = json.dumps({**_identity(game), "share_players": share_players}, sort_keys=True)
    write_bytes(path, safetensors_bytes({"weights": weights}, {"format": FORMAT, "header": header}))


def load_rollout(path: Path, game: Game) -> RolloutPolicy:
    """The policy of a file; NetworkFileError if there is none, or if it is of another game."""
    try:
        with safetensors.safe_open(path, framework="np") as content:
            metadata = content.metadata() or {}
            weights = content.get_tensor("weights")
        header = json.loads(metadata["header"])
        share_players = bool(header.pop("share_players"))
    except (OSError, KeyError, ValueError, AttributeError, safetensors.SafetensorError) as error:
        raise NetworkFileError(
            f"There is no rollout policy in {path} that can be read ({error}); a run of the method 'alphago' writes "
            "one in its second stage."
        ) from error
    if metadata.get("format") != FORMAT or header != _identity(game):
        raise NetworkFileError(
            f"The rollout policy {path} is of {header.get('source')} {header.get('options')}, not of "
            f"{game.spec.source} {dict(game.spec.options)}."
        )
    try:
        return RolloutPolicy(game, np.ascontiguousarray(weights, np.float32), share_players)
    except ArgumentError as error:
        raise NetworkFileError(f"The rollout policy {path} can't be used: {error}") from error


def _identity(game: Game) -> dict[str, object]:
    spec = game.spec
    source = spec.name if spec.rules_digest else spec.source
    return {"source": source, "options": dict(spec.options), "rules_digest": spec.rules_digest}
