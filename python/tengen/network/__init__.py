"""Networks and what evaluates them. Importing this package does not import torch, OpenVINO or nncf."""

from tengen.network.checkpoint import NetworkFile, NetworkFileError, check_fits, load_network, save_network
from tengen.network.evaluator import Evaluation, Evaluator, NetworkEvaluator, UniformEvaluator, make_evaluator

__all__ = [
    "Evaluation",
    "Evaluator",
    "NetworkEvaluator",
    "NetworkFile",
    "NetworkFileError",
    "UniformEvaluator",
    "check_fits",
    "load_network",
    "make_evaluator",
    "save_network",
]
