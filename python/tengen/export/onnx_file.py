"""A network as an ONNX file: the function of `network/resnet.py` as it plays, with the normalisation folded.

    planes [batch, C, height, width] -> policy_logits [batch, A], wdl_logits [batch, 3]: win, draw, loss of the player
                                        to move

The batch is free unless a number is asked for, and so is the size of the board where the heads allow it (all but
"dense" actions). What the network is for stands in the file's metadata.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from tengen.games import load
from tengen.games.options import parse_options
from tengen.network.checkpoint import NetworkFile, NetworkFileError
from tengen.network.folding import folded

__all__ = ["IR_VERSION", "OPSET", "onnx_model"]

OPSET = 17  # read by onnxruntime from 1.12 on; the newest in which reductions have their axes as an attribute
IR_VERSION = 8  # of the same release


def onnx_model(file: NetworkFile, batch: int | None = None) -> bytes:
    """The file's content, checked; `batch` None leaves it free."""
    planes, height, width = file.planes_shape
    size: list[int | str] = [height, width] if file.action_layout == "dense" else ["height", "width"]
    rows: int | str = "batch" if batch is None else batch
    actions: int | str = file.num_actions if file.action_layout == "dense" else "actions"
    try:
        graph = _Graph(file)
        trunk = graph.trunk()
        graph.node("Identity", [graph.policy(trunk)], output="policy_logits")
        graph.node("Identity", [graph.value(trunk)], output="wdl_logits")
    except KeyError as error:
        raise NetworkFileError(
            f"The weights don't fit their own header ({file.config}): there is no {error}."
        ) from error
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "tengen",
            [helper.make_tensor_value_info("planes", TensorProto.FLOAT, [rows, planes, *size])],
            [
                helper.make_tensor_value_info("policy_logits", TensorProto.FLOAT, [rows, actions]),
                helper.make_tensor_value_info("wdl_logits", TensorProto.FLOAT, [rows, 3]),
            ],
            graph.weights,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="tengen",
    )
    helper.set_model_props(model, _metadata(file))
    onnx.checker.check_model(model, full_check=True)
    content: bytes = model.SerializeToString()
    return content


def _metadata(file: NetworkFile) -> dict[str, str]:
    spec = load(file.game, **parse_options(file.options)).spec
    return {
        "game": file.game,
        "options": file.options,
        "planes": json.dumps(list(spec.plane_names)),
        "board": f"{file.planes_shape[1]}x{file.planes_shape[2]}",  # that it was trained on
        "action_layout": file.action_layout,
        "num_actions": str(file.num_actions),
        "weights": file.digest,
        "made_by": json.dumps(file.made_by),
    }


class _Graph:
    """Nodes and weights, in the order they are computed. Layers are named as in `resnet.PolicyValueNet`."""

    def __init__(self, file: NetworkFile) -> None:
        self._file = file
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def node(self, operation: str, inputs: list[str], output: str | None = None, **attributes: Any) -> str:
        output = output or f"{operation.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, inputs, [output], **attributes))
        return output

    # ---- The network, as resnet.py and graph.py have it

    def trunk(self) -> str:
        """[B, channels, H, W]"""
        x = self._relu(self._conv_norm("stem", "planes"))
        for index in range(self._file.config.blocks):
            name = f"blocks.{index}"
            y = self._conv_norm(f"{name}.first", x)
            if f"{name}.bias.weight" in self._file.weights:
                quarter = self._file.config.channels // 4
                sizes = self._weight(f"{name}.sizes", np.array([quarter, self._file.config.channels - quarter]))
                pooled, others = f"{name}.pooled", f"{name}.others"
                self.nodes.append(helper.make_node("Split", [y, sizes], [pooled, others], axis=1))
                y = self._add(others, self._dense(f"{name}.bias", self._pool(self._relu(pooled), [2, 3])))
            y = self._conv_norm(f"{name}.second", self._relu(y))
            x = self._relu(self._add(y, x))
        return x

    def policy(self, trunk: str) -> str:
        local = self._conv_norm("policy.local", trunk)  # [B, P, H, W]
        if self._file.action_layout == "dense":
            weight, bias = (self._weight(f"policy.out.{part}") for part in ("weight", "bias"))
            return self.node("Gemm", [self._flat(self._relu(local)), weight, bias], transB=1)
        pooled = self._pool(self._relu(local), [2, 3])
        local = self._relu(self._add(local, self._dense("policy.bias", pooled)))
        if self._file.action_layout == "columns":
            local = self._relu(self._dense("policy.column", self._pool(local, [2])))  # [B, P, 1, W]
        logits = self._flat(self._dense("policy.out", local))
        if "policy.extra.weight" not in self._file.weights:
            return logits
        return self.node("Concat", [logits, self._flat(self._dense("policy.extra", pooled))], axis=1)

    def value(self, trunk: str) -> str:
        pooled = self._pool(self._relu(self._conv_norm("value.local", trunk)), [2, 3])
        hidden = self._relu(self._dense("value.hidden", pooled))
        return self._flat(self._dense("value.out", hidden))

    # ---- Layers

    def _conv_norm(self, name: str, x: str) -> str:
        return self._convolution(name, x, *folded(self._file, name))

    def _dense(self, name: str, x: str) -> str:
        """As a convolution of size 1, so that it takes one cell or a whole board."""
        weight = self._file.weights[f"{name}.weight"]
        return self._convolution(name, x, weight.reshape(*weight.shape[:2], 1, 1), self._file.weights[f"{name}.bias"])

    def _convolution(self, name: str, x: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        size = weight.shape[2]
        inputs = [x, self._weight(f"{name}.weight", weight), self._weight(f"{name}.bias", bias)]
        return self.node("Conv", inputs, kernel_shape=[size, size], pads=[size // 2] * 4)

    def _pool(self, x: str, axes: list[int]) -> str:
        """Mean and maximum of every channel over these axes, which are kept with length 1."""
        both = [self.node(reduction, [x], axes=axes, keepdims=1) for reduction in ("ReduceMean", "ReduceMax")]
        return self.node("Concat", both, axis=1)

    def _relu(self, x: str) -> str:
        return self.node("Relu", [x])

    def _add(self, x: str, y: str) -> str:
        return self.node("Add", [x, y])

    def _flat(self, x: str) -> str:
        """[B, ...] -> [B, n]"""
        return self.node("Flatten", [x], axis=1)

    def _weight(self, name: str, values: NDArray[Any] | None = None) -> str:
        self.weights.append(numpy_helper.from_array(self._file.weights[name] if values is None else values, name))
        return name
