"""Networks and what evaluates them. Importing this package does not import torch, OpenVINO or nncf."""

from tengen.network.checkpoint import NetworkFile, NetworkFileError, check_fits, load_network, save_network
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
    "NetworkFile",
    "NetworkFileError",
    "UniformEvaluator",
    "agreement",
    "check_fits",
    "load_network",
    "make_evaluator",
    "save_network",
]
