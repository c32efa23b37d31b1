"""A graph of tensor operations, written node by node as ONNX.

Results are named as they come; constants are kept inside the file, and each only once. Arithmetic
is in one float type. Numbers that are subtracted first, such as a centre far from 0, are written as
two floats where one has too few digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ModuleNotFoundError as error:
    msg = "ONNX files are written with onnx: pip install 'gaussbayes[onnx]'"
    raise ModuleNotFoundError(msg, name="onnx") from error

OPSET, ML_OPSET, IR_VERSION = 18, 2, 8
"""Versions that runtimes have known since 2023."""

LARGEST_FILE = 2**31 - 1
"""Bytes that a file may have if all tensors are inside it."""


@dataclass(slots=True, eq=False)
class TensorGraph:
    """Nodes and constants of a graph that is being written."""

    dtype: "np.dtype[Any]"  # float32 or float64
    nodes: list[Any] = field(default_factory=list)
    constants: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    n_values: int = 0

    def node(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add an operation; its result."""
        name = f"gaussbayes/v{self.n_values}"
        self.n_values += 1
        # Runtimes that put nodes together name the result after them, and need different names.
        node = helper.make_node(kind, list(inputs), [name], name, domain=domain, **attributes)
        self.nodes.append(node)
        return name

    def constant(self, array: NDArray[Any]) -> str:
        """A constant tensor as it is; strings are given as objects."""
        array = np.asarray(array)
        # By their bytes, as NaN is unlike itself; strings have none.
        content = tuple(array.ravel().tolist()) if array.dtype.kind == "O" else array.tobytes()
        key = (array.dtype.str, array.shape, content)
        if key not in self.constants:
            name = f"gaussbayes/c{len(self.constants)}"
            self.constants[key] = numpy_helper.from_array(array, name)
        return str(self.constants[key].name)

    def real(self, values: Any) -> str:
        """A constant in the float type of the graph."""
        with np.errstate(over="ignore"):
            return self.constant(np.asarray(values, np.float64).astype(self.dtype))

    def integers(self, values: Any) -> str:
        """A constant of 64-bit integers."""
        return self.constant(np.asarray(values, np.int64))

    # Arithmetic, in short.

    def add(self, a: str, b: str) -> str:
        return self.node("Add", a, b)

    def times(self, a: str, b: str) -> str:
        return self.node("Mul", a, b)

    def over(self, a: str, b: str) -> str:
        return self.node("Div", a, b)

    def minus(self, a: str, b: str) -> str:
        return self.node("Sub", a, b)

    def less_constant(self, x: str, values: FloatArray | float) -> str:
        """``x − values``, to all digits: what a float of the graph has no room for comes after."""
        whole = np.asarray(values, np.float64)
        rounded = whole.astype(self.dtype)
        result = self.minus(x, self.constant(rounded))
        rest = whole - rounded.astype(np.float64)
        return self.minus(result, self.real(rest)) if rest.any() else result

    def where(self, condition: str, a: str, b: str) -> str:
        return self.node("Where", condition, a, b)

    def cast(self, x: str, dtype: "np.dtype[Any] | None" = None) -> str:
        """As numbers of another type: by default the float type of the graph."""
        kind = helper.np_dtype_to_tensor_dtype(self.dtype if dtype is None else dtype)
        return self.node("Cast", x, to=kind)

    def reduced(self, kind: str, x: str, axis: int, *, keep: bool = True) -> str:
        """A reduction over one axis, such as ReduceSum."""
        return self.node(kind, x, self.integers([axis]), keepdims=int(keep))

    def is_nan(self, x: str) -> str:
        return self.node("IsNaN", x)

    def as_real(self, condition: str) -> str:
        """1 where a condition holds, else 0."""
        return self.cast(condition)

    def columns(self, x: str, places: Sequence[int], width: int) -> str:
        """Some columns of a tensor (n, width), in this order."""
        if list(places) == list(range(width)):
            return x
        return self.node("Gather", x, self.integers(places), axis=1)

    def joined(self, parts: Sequence[str], axis: int = 1) -> str:
        return parts[0] if len(parts) == 1 else self.node("Concat", *parts, axis=axis)

    def expm1(self, x: str) -> str:
        """``exp(x) − 1``, also near 0: ``2 t / (1 − t)`` with ``t = tanh(x / 2)``."""
        half = self.times(x, self.real(0.5))
        t = self.node("Tanh", half)
        near = self.over(self.times(self.real(2.0), t), self.minus(self.real(1.0), t))
        far = self.minus(self.node("Exp", x), self.real(1.0))
        small = self.node("Less", self.node("Abs", x), self.real(0.5))
        return self.where(small, near, far)

    def log1p(self, x: str) -> str:
        """``log(1 + x)``: 2 artanh(x / (2 + x)) near 0, by its series."""
        ratio = self.over(x, self.add(x, self.real(2.0)))
        square = self.times(ratio, ratio)
        series = self.real(1.0 / 21)
        for odd in range(19, 0, -2):
            series = self.add(self.times(series, square), self.real(1.0 / odd))
        near = self.times(self.times(ratio, self.real(2.0)), series)
        far = self.node("Log", self.add(x, self.real(1.0)))
        small = self.node("Less", self.node("Abs", x), self.real(0.25))
        return self.where(small, near, far)

    def log_sum_exp(self, x: str, axis: int) -> str:
        """``log Σ exp x`` over an axis, which stays; NaN if all are −∞."""
        top = self.reduced("ReduceMax", x, axis)
        total = self.reduced("ReduceSum", self.node("Exp", self.minus(x, top)), axis)
        return self.add(top, self.node("Log", total))

    def model(
        self,
        inputs: Sequence[tuple[str, Any, int]],
        outputs: Sequence[tuple[str, str, Any, int | None]],
        **about: str,
    ) -> Any:
        """The ONNX model: inputs (name, type, columns), outputs (name, result, type, columns)."""
        for name, result, _, _ in outputs:
            self.nodes.append(helper.make_node("Identity", [result], [name], name))

        def described(name: str, kind: Any, columns: int | None) -> Any:
            shape: list[str | int | None] = ["n"] if columns is None else ["n", columns]
            return helper.make_tensor_value_info(name, kind, shape)

        graph = helper.make_graph(
            self.nodes,
            "gaussbayes",
            [described(*each) for each in inputs],
            [described(name, kind, columns) for name, _, kind, columns in outputs],
            list(self.constants.values()),
        )
        versions = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        model = helper.make_model(
            graph, opset_imports=versions, ir_version=IR_VERSION, producer_name="gaussbayes"
        )
        helper.set_model_props(model, about)
        onnx.checker.check_model(model)
        return model


def tensor_type(dtype: "np.dtype[Any]") -> Any:
    """The element type of a tensor; objects are strings."""
    return TensorProto.STRING if dtype.kind == "O" else helper.np_dtype_to_tensor_dtype(dtype)
