"""The encoder's graph in two halves, and the fitted layers as a graph in int8 that goes on from the lower one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.utils import Extractor
from onnxruntime.quantization import QuantType, quantize_dynamic

#: Sizes of the encoder; the search and the router share the lower layers.
LAYERS, SHARED, WIDTH, ATTENTION_HEADS = 6, 3, 384, 12
EPSILON = 1e-12
_OPSET, _IR = 17, 8
STATES, INTENT = "states", "intent"


def split(model: Path, lower: Path, upper: Path) -> None:
    """Writes the encoder's graph as two, which give the same vectors to the last bit.

    Args:
        model: From `input_ids` and `attention_mask` to `embedding`.
        lower: From the same to `states`, shape (texts, tokens, width), those behind `SHARED` layers.
        upper: From `states` and `attention_mask` to `embedding`.
    """
    whole = onnx.load(model)
    inner = f"/pipeline/pipeline.0/encoder/layer.{SHARED - 1}/output/LayerNorm/LayerNormalization_output_0"
    for node in whole.graph.node:
        for names in (node.input, node.output):
            for place, name in enumerate(names):
                names[place] = STATES if name == inner else name
    whole.graph.value_info.append(helper.make_tensor_value_info(STATES, TensorProto.FLOAT, ["batch", "tokens", WIDTH]))
    extractor = Extractor(whole)
    onnx.save(extractor.extract_model(["input_ids", "attention_mask"], [STATES]), lower)
    onnx.save(extractor.extract_model([STATES, "attention_mask"], ["embedding"]), upper)


def write_intent(params: Any, out: Path) -> None:
    """Writes the fitted layers: from `states`, shape (1, tokens, width), to `intent`, shape (1, outputs)."""
    made = _Graph()
    states = STATES
    for tensors in params["layers"]:
        states = made.layer(tensors, states)
    head = params["head"]
    shares = made.add("Softmax", made.add("MatMul", states, made.constant(head["query"][:, None])), axis=1)
    over_tokens = made.constant(np.asarray([1], np.int64))
    pooled = made.add("ReduceSum", made.add("Mul", states, shares), over_tokens, keepdims=0)
    made.add("Add", made.add("MatMul", pooled, made.constant(head["weight"])), made.constant(head["bias"]), out=INTENT)
    graph = helper.make_graph(
        made.nodes,
        INTENT,
        [helper.make_tensor_value_info(STATES, TensorProto.FLOAT, [1, "tokens", WIDTH])],
        [helper.make_tensor_value_info(INTENT, TensorProto.FLOAT, [1, len(head["bias"])])],
        made.constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)
    onnx.checker.check_model(model)
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(model, f"{folder}/fp32.onnx")
        quantize_dynamic(f"{folder}/fp32.onnx", out, per_channel=True, weight_type=QuantType.QInt8)


class _Graph:
    """Nodes and constants as they come, with names of their own."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, values: Any) -> str:
        name = f"c{len(self.constants)}"
        array = np.asarray(values)
        array = array if array.dtype == np.int64 else array.astype(np.float32)
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, kind: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        name = out or f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=f"n{len(self.nodes)}", **attributes))
        return name

    def linear(self, tensors: dict[str, Any], name: str, values: str) -> str:
        product = self.add("MatMul", values, self.constant(tensors[f"{name}.weight"].T))
        return self.add("Add", product, self.constant(tensors[f"{name}.bias"]))

    def normal(self, tensors: dict[str, Any], name: str, left: str, right: str) -> str:
        weights = self.constant(tensors[f"{name}.weight"]), self.constant(tensors[f"{name}.bias"])
        return self.add("LayerNormalization", self.add("Add", left, right), *weights, axis=-1, epsilon=EPSILON)

    def layer(self, tensors: dict[str, Any], states: str) -> str:
        """As `encoder._layer`, for one text without padding."""
        size = WIDTH // ATTENTION_HEADS
        shape = self.constant(np.asarray([0, 0, ATTENTION_HEADS, size], np.int64))

        def split(name: str, order: list[int]) -> str:
            made = self.linear(tensors, f"attention.self.{name}", states)
            return self.add("Transpose", self.add("Reshape", made, shape), perm=order)

        query, key, value = split("query", [0, 2, 1, 3]), split("key", [0, 2, 3, 1]), split("value", [0, 2, 1, 3])
        scores = self.add("Div", self.add("MatMul", query, key), self.constant(np.sqrt(size)))
        mixed = self.add("MatMul", self.add("Softmax", scores, axis=-1), value)
        flat = self.constant(np.asarray([0, 0, WIDTH], np.int64))
        mixed = self.add("Reshape", self.add("Transpose", mixed, perm=[0, 2, 1, 3]), flat)
        states = self.normal(
            tensors, "attention.output.LayerNorm", self.linear(tensors, "attention.output.dense", mixed), states
        )
        inner = self.linear(tensors, "intermediate.dense", states)
        error = self.add("Erf", self.add("Div", inner, self.constant(np.sqrt(2.0))))
        gelu = self.add("Mul", self.add("Mul", inner, self.constant(0.5)), self.add("Add", error, self.constant(1.0)))
        return self.normal(tensors, "output.LayerNorm", self.linear(tensors, "output.dense", gelu), states)
