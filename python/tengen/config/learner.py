"""Which positions the learner sees, and how the network learns from them."""

from __future__ import annotations

from typing import Literal

from tengen.config.stage import MOST_THREADS, Stage, setting


class ReplayConfig(Stage):
    """Which positions the learner sees: a window over the newest that grows with the run."""

    window_start: int = setting(40_000, "positions in the window at first", unit="positions", ge=1)
    window_share: float = setting(
        0.6, "share of all positions so far that the window grows by", unit="share", ge=0, le=1
    )
    window_most: int = setting(600_000, "upper bound of the window", unit="positions", ge=1)
    surprise_weight: float = setting(
        0.5, "share of the sampling weight given to surprise (KataGo)", unit="share", ge=0, le=1
    )


class LearnerConfig(Stage):
    """How the network learns."""

    batch: int = setting(128, "samples a step; in runs of an hour small batches pay", unit="samples", ge=1)
    samples_per_position: float = setting(
        3.0, "gradient samples per new position (KataGo: at most 4)", unit="samples", gt=0
    )
    learning_rate: float = setting(2e-3, "rate of Muon and AdamW; SGD wants about ten times more", gt=0)
    warmup: float = setting(0.02, "share of the run over which the rate rises", unit="share", ge=0, le=1)
    flat_until: float = setting(
        0.6, "share of the run after which the rate falls, along a cosine", unit="share", ge=0, le=1
    )
    final_rate: float = setting(0.03, "the rate at the end, as a share of learning_rate", unit="share", gt=0, le=1)
    weight_decay: float = setting(1e-4, "c in the loss of the paper (AlphaGo Zero: 1e-4)", ge=0)
    gradient_clip: float = setting(3.0, "norm that a gradient is cut to", gt=0)
    optimizer: Literal["muon", "adamw", "sgd"] = setting(
        "muon", "optimizer of the convolutions of the blocks; muon leaves the other weights to adamw"
    )
    value_weight: float = setting(1.0, "weight of the value loss against the policy loss", ge=0)
    reply_weight: float = setting(0.15, "weight of the opponent's reply (KataGo: 0.15)", ge=0)
    ownership_weight: float = setting(0.5, "weight of whose each cell is at the end (Go, Othello)", ge=0)
    score_weight: float = setting(0.5, "weight of the final margin (Go, Othello)", ge=0)
    search_value_share: float = setting(
        0.5, "lambda in (1 - lambda) z + lambda q, the target of the value", unit="share", ge=0, le=1
    )
    search_value_ramp: float = setting(
        0.15, "share of the run over which lambda rises from 0", unit="share", ge=0, le=1
    )
    average_decay: float = setting(
        0.5, "decay an iteration of the averaged weights, which play; 0: the newest weights play", ge=0, lt=1
    )
    precision: Literal["auto", "f32", "bf16"] = setting(
        "auto", "number format of learning; auto: bf16 where the processor has it"
    )
    device: Literal["auto", "cpu", "cuda", "mps"] = setting(
        "auto", "device of learning and of self-play; auto: a GPU if there is one"
    )
    partners: int = setting(
        0, "processes of a cluster that share every batch, a node or a GPU each; 0: this machine learns", ge=0, le=1024
    )
    threads: int = setting(
        0, "replicas that share a batch, one thread each; 0: one per core", unit="threads", ge=0, le=MOST_THREADS
    )
