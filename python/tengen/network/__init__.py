"""Networks and what evaluates them. Importing this package does not import torch."""

from tengen.network.evaluator import Evaluation, Evaluator, UniformEvaluator

__all__ = ["Evaluation", "Evaluator", "UniformEvaluator"]
