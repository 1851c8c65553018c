"""Networks and what evaluates them.

Importing this package imports neither torch nor OpenVINO. A network is described by `network.architecture`, kept as a
file by `network.checkpoint`, and made of `network.layers`, each written once in the `network.operations` that torch
(`torch_net`), OpenVINO (`graph`), ONNX (`export.onnx_file`) and numpy (`numpy_operations`) have.
"""

from tengen.network.evaluator import (
    Agreement,
    Evaluation,
    Evaluator,
    NetworkEvaluator,
    UniformEvaluator,
    agreement,
    check_device,
    check_has_value,
    evaluate_states,
    make_evaluator,
)

__all__ = [
    "Agreement",
    "Evaluation",
    "Evaluator",
    "NetworkEvaluator",
    "UniformEvaluator",
    "agreement",
    "check_device",
    "check_has_value",
    "evaluate_states",
    "make_evaluator",
]
