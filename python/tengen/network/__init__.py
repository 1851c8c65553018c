"""Networks and what evaluates them.

Importing this package imports neither torch nor OpenVINO. Files are in `network.checkpoint`, the network as torch
trains it in `network.resnet`.
"""

from tengen.network.evaluator import (
    Agreement,
    Evaluation,
    Evaluator,
    NetworkEvaluator,
    UniformEvaluator,
    agreement,
    make_evaluator,
)

__all__ = [
    "Agreement",
    "Evaluation",
    "Evaluator",
    "NetworkEvaluator",
    "UniformEvaluator",
    "agreement",
    "make_evaluator",
]
