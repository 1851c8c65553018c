"""A network as an ONNX file: the layers of its description as they play, with the normalisation folded.

    planes [batch, C, height, width] -> policy_logits [batch, A], wdl_logits [batch, 3]: win, draw, loss of the player
                                        to move

The batch is free unless a number is asked for, and so is the size of the board where the heads allow it (all but
"dense" actions). A network with one head has one output. What the network is for stands in the file's metadata.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from tengen._core import Game
from tengen.export import ExportError
from tengen.network.architecture import LOGITS, WDL
from tengen.network.checkpoint import NetworkFile, check_fits, check_whole, game_of
from tengen.network.folding import folded
from tengen.network.layers import walk

__all__ = ["IR_VERSION", "OPSET", "onnx_model"]

OPSET = 17  # read by onnxruntime from 1.12 on; the newest in which reductions have their axes as an attribute
IR_VERSION = 8  # of the same release


def onnx_model(file: NetworkFile, batch: int | None = None, *, game: Game | None = None) -> bytes:
    """The file's content, checked; `batch` None leaves it free. A network of a rules file is told the `game` for the
    names of its planes; without it they are left out."""
    if file.architecture.module is not None:
        raise ExportError(
            f"This network is a torch module of its maker's own ({file.architecture.module.name}), not made of layers "
            "that tengen can write; torch.onnx.export writes the module itself."
        )
    if file.architecture.tables is not None:
        raise ExportError(
            "This is an n-tuple network: it plays every move to know its prior, and ONNX has no rules of games; it "
            "plays in tengen (Agent, gtp, serve)."
        )
    check_whole(file)
    planes, height, width = file.planes_shape
    size: list[int | str] = ["height", "width"] if file.plays_any_size else [height, width]
    rows: int | str = "batch" if batch is None else batch
    actions: int | str = "actions" if file.plays_any_size else file.num_actions
    operations = OnnxOperations(file)
    answers = walk(operations, file.architecture, "planes", (LOGITS, WDL))
    outputs = []
    for name, written_as, length in ((LOGITS, "policy_logits", actions), (WDL, "wdl_logits", 3)):
        if name in answers:
            operations.node("Identity", [answers[name]], output=written_as)
            outputs.append(helper.make_tensor_value_info(written_as, TensorProto.FLOAT, [rows, length]))
    model = helper.make_model(
        helper.make_graph(
            operations.nodes,
            "tengen",
            [helper.make_tensor_value_info("planes", TensorProto.FLOAT, [rows, planes, *size])],
            outputs,
            list(operations.weights.values()),
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="tengen",
    )
    helper.set_model_props(model, _metadata(file, game))
    onnx.checker.check_model(model, full_check=True)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def _metadata(file: NetworkFile, game: Game | None) -> dict[str, str]:
    if game is not None:
        check_fits(file, game)
    elif not file.is_of_rules_file:
        game = game_of(file)
    return {
        "game": file.game,
        "options": file.options_text,
        "rules": file.rules_digest,
        "planes": json.dumps(list(game.spec.plane_names) if game is not None else []),
        "board": f"{file.planes_shape[1]}x{file.planes_shape[2]}",  # that it was trained on
        "action_layout": file.action_layout,
        "num_actions": str(file.num_actions),
        "weights": file.digest,
        "discount": str(file.discount),
        "iteration": str(file.iteration),
        "made_by": json.dumps(file.made_by, sort_keys=True),
    }


class OnnxOperations:
    """The operations of `network.operations`, as nodes and weights in the order they are computed.

    A board is [B, C, H, W], a vector [B, C]; both are the names of values.
    """

    def __init__(self, file: NetworkFile) -> None:
        self._file = file
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, onnx.TensorProto] = {}

    def node(self, operation: str, inputs: list[str], output: str | None = None, **attributes: Any) -> str:
        output = output or f"{operation.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, inputs, [output], **attributes))
        return output

    def conv_norm(self, name: str, x: str, outputs: int, kernel: int) -> str:
        return self._convolution(name, x, *folded(self._file.weights, name))

    def pointwise(self, name: str, x: str, outputs: int) -> str:
        return self._convolution(name, x, *self._weight_and_bias(name))

    def linear(self, name: str, x: str, outputs: int) -> str:
        weight, bias = self._weight_and_bias(name)
        return self.node(
            "Gemm", [x, self._weight(f"{name}.weight", weight), self._weight(f"{name}.bias", bias)], transB=1
        )

    def entering(self, name: str, x: str) -> str:
        return x

    def pool(self, x: str) -> str:
        return self._mean_and_maximum(x, axes=[2, 3], keepdims=0)

    def pool_columns(self, x: str) -> str:
        return self._mean_and_maximum(x, axes=[2], keepdims=1)

    def split(self, x: str, first: int) -> tuple[str, str]:
        start, middle, end, channels = (
            self._weight(f"at_{place}", np.array([place])) for place in (0, first, 2**31 - 1, 1)
        )
        return self.node("Slice", [x, start, middle, channels]), self.node("Slice", [x, middle, end, channels])

    def spread(self, x: str) -> str:
        return self.node("Unsqueeze", [x, self._weight("cell", np.array([2, 3]))])

    def flat(self, x: str) -> str:
        return self.node("Flatten", [x], axis=1)

    def join(self, parts: Iterable[str]) -> str:
        return self.node("Concat", list(parts), axis=1)

    def relu(self, x: str) -> str:
        return self.node("Relu", [x])

    def sigmoid(self, x: str) -> str:
        return self.node("Sigmoid", [x])

    def add(self, x: str, y: str) -> str:
        return self.node("Add", [x, y])

    def multiply(self, x: str, y: str) -> str:
        return self.node("Mul", [x, y])

    def _convolution(self, name: str, x: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        size = weight.shape[2]
        inputs = [x, self._weight(f"{name}.weight", weight), self._weight(f"{name}.bias", bias)]
        return self.node("Conv", inputs, kernel_shape=[size, size], pads=[size // 2] * 4)

    def _mean_and_maximum(self, x: str, **attributes: Any) -> str:
        return self.join([self.node(operation, [x], **attributes) for operation in ("ReduceMean", "ReduceMax")])

    def _weight_and_bias(self, name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return self._file.weights[f"{name}.weight"], self._file.weights[f"{name}.bias"]

    def _weight(self, name: str, values: NDArray[Any]) -> str:
        self.weights[name] = numpy_helper.from_array(values, name)
        return name
