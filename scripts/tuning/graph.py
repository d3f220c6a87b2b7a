"""The encoder's graph in two halves, and the fitted layers as a graph in int8 that goes on from the lower one."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from scripts.tuning.e5_weights import E5Weights

#: Sizes of the encoder; the search and the router share the lower layers.
LAYERS, SHARED, WIDTH, ATTENTION_HEADS = 12, 6, 384, 12
#: Layers fitted to the types, which begin as the first ones above the shared layers.
FITTED = 3
EPSILON = 1e-12
_OPSET, _IR = 17, 8
#: Bytes of a constant from which it is read out of another file rather than kept twice.
_WORTH_SHARING = 64
WORDS, STATES, SEGMENTS, EMBEDDING, TYPES, RELATIONS = "words", "states", "segments", "embedding", "types", "relations"


def write_lower(weights: E5Weights, positions: int, out: Path) -> None:
    """Writes the layers that search and router share, in float32.

    From `words`, the pieces' embeddings of shape (1, tokens, width), to `states` of the same shape.

    Args:
        weights: The encoder as published.
        positions: The most tokens of a text.
        out: File to write.
    """
    made = _Graph()
    table = weights.tensors["emb.pos"].reshape(-1, WIDTH)[:positions] + weights.tensors["emb.type"][:WIDTH]
    tokens = made.add("Shape", WORDS, start=1, end=2)
    zero = made.constant(np.asarray([0], np.int64))
    placed = made.add("Slice", made.constant(table), zero, tokens, zero)
    norm = {"norm.weight": weights.tensors["emb.ln.w"], "norm.bias": weights.tensors["emb.ln.b"]}
    states = made.normal(norm, "norm", WORDS, placed)
    for number in range(SHARED):
        states = made.layer(weights.layer(number), states, out=STATES if number == SHARED - 1 else "")
    made.write(WORDS, STATES, [1, "tokens", WIDTH], out)


def write_upper(layers: Sequence[dict[str, Any]], out: Path) -> None:
    """Writes the layers of the search, in float32: from `states` to `embedding`, shape (1, width), of length 1.

    Args:
        layers: The tensors of each, as `encoder.layer` takes them.
        out: File to write.
    """
    made = _Graph()
    states = STATES
    for tensors in layers:
        states = made.layer(tensors, states)
    pooled = made.add("ReduceMean", states, axes=[1], keepdims=0)
    length = made.add("ReduceL2", pooled, axes=[1], keepdims=1)
    made.add("Div", pooled, length, out=EMBEDDING)
    made.write(STATES, EMBEDDING, [1, WIDTH], out)


def quantised(model: Path, out: Path) -> None:
    """Writes `model` with its matrices in int8, one scale for each column."""
    quantize_dynamic(model, out, per_channel=True, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul"])


def share(model: Path, other: Path) -> None:
    """Takes out of a graph what stands in another file as well, and has it read there: ONNX's external data.

    Args:
        model: The graph, which is written anew.
        other: A graph in the same folder.
    """
    made, content = onnx.load(model), other.read_bytes()
    for tensor in made.graph.initializer:
        raw = numpy_helper.to_array(tensor).tobytes()
        at = content.find(raw) if len(raw) >= _WORTH_SHARING else -1
        if at >= 0:
            name, kind, shape = tensor.name, tensor.data_type, list(tensor.dims)
            tensor.Clear()
            tensor.name, tensor.data_type, tensor.data_location = name, kind, TensorProto.EXTERNAL
            tensor.dims.extend(shape)
            for key, value in (("location", other.name), ("offset", at), ("length", len(raw))):
                tensor.external_data.add(key=key, value=str(value))
    model.write_bytes(made.SerializeToString())


def write_fitted(params: Any, target: str, out: Path) -> None:
    """Writes fitted layers: from `states`, shape (1, tokens, width), to `target`, shape (1, outputs).

    Layers that read several texts together also want `segments`, int64 of shape (1, tokens).
    """
    made = _Graph()
    head, states = params["head"], STATES
    if "segments" in head:
        told = made.add("Gather", made.constant(head["segments"]), SEGMENTS, axis=0)
        states = made.add("Add", states, told)
    for tensors in params["layers"]:
        states = made.layer(tensors, states)
    shares = made.add("Softmax", made.add("MatMul", states, made.constant(head["query"][:, None])), axis=1)
    over_tokens = made.constant(np.asarray([1], np.int64))
    pooled = made.add("ReduceSum", made.add("Mul", states, shares), over_tokens, keepdims=0)
    made.add("Add", made.add("MatMul", pooled, made.constant(head["weight"])), made.constant(head["bias"]), out=target)
    with tempfile.TemporaryDirectory() as folder:
        exact = Path(folder) / "fp32.onnx"
        made.write(STATES, target, [1, len(head["bias"])], exact, segments="segments" in head)
        quantised(exact, out)


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

    def write(self, source: str, target: str, shape: list[int | str], out: Path, *, segments: bool = False) -> None:
        """Writes the graph from `source`, shape (1, tokens, width), to `target`, float32 of `shape`."""
        inputs = [helper.make_tensor_value_info(source, TensorProto.FLOAT, [1, "tokens", WIDTH])]
        if segments:
            inputs.append(helper.make_tensor_value_info(SEGMENTS, TensorProto.INT64, [1, "tokens"]))
        graph = helper.make_graph(
            self.nodes,
            target,
            inputs,
            [helper.make_tensor_value_info(target, TensorProto.FLOAT, shape)],
            self.constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)
        onnx.checker.check_model(model)
        onnx.save(model, out)

    def linear(self, tensors: dict[str, Any], name: str, values: str) -> str:
        product = self.add("MatMul", values, self.constant(tensors[f"{name}.weight"].T))
        made = self.add("Add", product, self.constant(tensors[f"{name}.bias"]))
        if f"{name}.down" not in tensors:
            return made
        low = self.add("MatMul", values, self.constant(tensors[f"{name}.down"].T))
        return self.add("Add", made, self.add("MatMul", low, self.constant(tensors[f"{name}.up"].T)))

    def normal(self, tensors: dict[str, Any], name: str, left: str, right: str, out: str = "") -> str:
        weights = self.constant(tensors[f"{name}.weight"]), self.constant(tensors[f"{name}.bias"])
        return self.add("LayerNormalization", self.add("Add", left, right), *weights, out=out, axis=-1, epsilon=EPSILON)

    def layer(self, tensors: dict[str, Any], states: str, out: str = "") -> str:
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
        return self.normal(tensors, "output.LayerNorm", self.linear(tensors, "output.dense", gelu), states, out)
