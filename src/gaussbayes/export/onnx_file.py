"""A model as an ONNX file: numbers and categories in; label, posteriors and log evidence out.

Inputs
    ``X`` (n, g), the features that are numbers, in their order; NaN is missing. Dates are days
    since 1970. Each categorical feature is a separate input (n, 1) with its name, of strings,
    64-bit integers or booleans; the empty string and the smallest integer are missing.
Outputs
    ``label`` (n,) of the type of the classes, ``probabilities`` (n, k) and ``log_evidence`` (n,).
    A row without a score (infinity, a negative count, a probability of 0 in every class) has NaN,
    and the label ``""``, the smallest integer, or NaN.
"""

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import FloatArray
from gaussbayes.export.density_formulas import of_distance
from gaussbayes.export.model_formulas import Scores, input_columns, model_scores
from gaussbayes.export.ops import InputColumn, Operand, Ops, Value, join
from gaussbayes.families.expression import QuadraticForm, student_constant
from gaussbayes.model.model import Model

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ModuleNotFoundError as error:
    msg = "ONNX files are written with onnx: pip install 'gaussbayes[export]'"
    raise ModuleNotFoundError(msg, name="onnx") from error

OPSET, ML_OPSET, IR_VERSION = 18, 2, 8
"""Versions that runtimes have supported since 2023."""

LARGEST_FILE = 2**31 - 1
"""Largest number of bytes of a file that contains all tensors."""

SMALLEST = -(2**63)
"""The integer for a missing category, and for no label."""

TYPES = {"float64": "double", "float32": "float"}
"""The types of the computation, and their names in ONNX."""

_KINDS: dict[type, tuple[Any, Any, Any]] = {
    str: (TensorProto.STRING, object, ""),
    int: (TensorProto.INT64, np.int64, SMALLEST),
    bool: (TensorProto.BOOL, np.bool_, False),
    float: (TensorProto.DOUBLE, np.float64, np.nan),
}
"""How ONNX and NumPy call the types of labels and categories, and what stands for none."""

_INCOMPLETE = Path(__file__).with_name("incomplete_rows.onnxtxt").read_text()
"""Squared distances (r, k) and log lengths (r, m) of rows with missing values, in any pattern.

With the whitener W of the complete row, the least ``|W (x − mean)|²`` over the missing columns
follows by removing the directions of their columns of W from all others, one after the other
(modified Gram-Schmidt). The product of their lengths is the root of the determinant of the
precision matrix of the missing columns, by which the constant of the density is divided. The graph
does this for all incomplete rows at once. An observed column has the direction 0 and the length 1.
Names with $ are internal names of this graph, names with @ are inputs.
"""


class OnnxOps(Ops):
    """Columns as tensors of a graph that is being written; a block is the name of one (n, width).

    Constants are kept inside the file, each only once. Constants that are subtracted, such as a
    centre far from 0, are written as two floats if one has too few digits.
    """

    def __init__(self, inputs: Sequence[InputColumn], dtype: str) -> None:
        self.inputs, self.dtype = inputs, np.dtype(dtype)
        self.real_type = helper.np_dtype_to_tensor_dtype(self.dtype)
        self.largest = float(np.finfo(self.dtype).max)
        self.impossible = -1e290 if dtype == "float64" else -1e36
        self.nodes: list[Any] = []
        self.constants: dict[tuple[Any, ...], Any] = {}
        self.given: dict[str, tuple[Any, int]] = {}  # type and width of each input
        self._names, self._prefix = count(), "v"
        while any(column.name.startswith(self._prefix) for column in inputs):
            self._prefix += "v"
        self._places = [j for j, column in enumerate(inputs) if column.kind != "category"]
        self._numbers = self._all_numbers() if self._places else None

    # Writing the graph.

    def free_name(self, name: str, taken: Sequence[str]) -> str:
        """A name that is not taken."""
        return next(each for more in count() if (each := name + "_" * more) not in taken)

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add an operation; its result."""
        name = f"{self._prefix}{next(self._names)}"
        # Runtimes that merge nodes derive names from them, which must be distinct.
        self.nodes.append(helper.make_node(kind, inputs, [name], name, **attributes))
        return name

    def constant(self, array: NDArray[Any]) -> str:
        """A constant tensor; strings are objects."""
        # By their bytes, because NaN differs from itself; strings have none.
        content = tuple(array.ravel().tolist()) if array.dtype.kind == "O" else array.tobytes()
        key = (array.dtype.str, array.shape, content)
        if key not in self.constants:
            name = f"{self._prefix}c{len(self.constants)}"
            self.constants[key] = numpy_helper.from_array(array, name)
        return str(self.constants[key].name)

    def real(self, values: Any) -> str:
        """A constant in the float type of the graph: the nearest numbers that it has."""
        return self.constant(self._clipped(values).astype(self.dtype))

    def _clipped(self, values: Any) -> FloatArray:
        return np.clip(np.asarray(values, np.float64), -self.largest, self.largest)

    def integers(self, *values: int) -> str:
        """A constant of 64-bit integers."""
        return self.constant(np.array(values, np.int64))

    def flat(self, x: str) -> str:
        """A tensor (n, 1) as (n,)."""
        return self.node("Reshape", x, self.integers(-1))

    # Inputs.

    def _all_numbers(self) -> Value:
        """The block of all numbers, with NaN for marks of missing values."""
        names = [column.name for column in self.inputs if column.kind == "category"]
        columns = [self.inputs[j] for j in self._places]
        name = self.free_name("X", names)
        self.given[name] = self.real_type, len(columns)
        x = Value(self, name, len(columns))
        marks = [sorted(column.marks.numbers) for column in columns]
        for rank in range(max(map(len, marks))):
            values = [each[rank] if rank < len(each) else np.nan for each in marks]
            missing = self.node("Equal", x.data, self.constant(np.array(values, self.dtype)))
            x = Value(self, self.node("Where", missing, self.real(np.nan), x.data), x.width)
        origins = np.array([column.origin for column in columns])
        return x - origins if origins.any() else x

    def numbers(self, columns: Sequence[int]) -> Value:
        assert self._numbers is not None
        return self._numbers.take([self._places.index(j) for j in columns])

    def codes(self, column: int, values: Sequence[Any], *, missing: bool) -> Value:
        name, marks = self.inputs[column].name, self.inputs[column].marks
        tensor, _, none = _type_of(values or [""], f"the categories of {name!r}", is_label=False)
        self.given[name] = tensor, 1
        numbers = (int(mark) for mark in marks.numbers if mark.is_integer())
        marked: dict[Any, Any] = {"": marks.strings, SMALLEST: {SMALLEST, *numbers}, False: set()}
        absent = sorted(marked[none] - set(values)) if missing else []
        flat = self.flat(name)
        if none is False:
            flat, values = self.node("Cast", flat, to=TensorProto.INT64), [*map(int, values)]
        attributes: dict[str, Any] = {
            "keys_strings" if none == "" else "keys_int64s": [*values, *absent] or [""],
            "values_floats": [*np.arange(1.0 * len(values)), *[1.0 * len(values)] * len(absent)]
            or [np.nan],
            "default_float": np.nan,
        }
        code = self.node("LabelEncoder", flat, domain="ai.onnx.ml", **attributes)
        code = self.node("Cast", code, to=self.real_type)
        return Value(self, self.node("Reshape", code, self.integers(-1, 1)), 1)

    # Operations.

    def elementwise(self, operation: str, operands: Sequence[Operand]) -> str:
        tensors = [x.data if isinstance(x, Value) else self.real(x) for x in operands]
        if operation == "otherwise":
            return self.node("Where", self.node("IsNaN", tensors[0]), tensors[1], tensors[0])
        if operation == "choose":
            *cases, result = tensors
            for condition, value in zip(cases[-2::-2], cases[::-2], strict=True):
                result = self.node("Where", condition, value, result)
            return result
        result = self.node(operation, *tensors)
        if operation == "Sub" and not isinstance(operands[1], Value):
            whole = self._clipped(operands[1])
            remainder = whole - whole.astype(self.dtype)
            return self.node("Sub", result, self.real(remainder)) if remainder.any() else result
        return result

    def reduced(self, operation: str, block: Value) -> str:
        return self.node(operation, block.data, self.integers(1))

    def product(self, block: Value, matrix: FloatArray) -> str:
        return self.node("MatMul", block.data, self.real(matrix))

    def taken(self, block: Value, places: list[int]) -> str:
        return self.node("Gather", block.data, self.integers(*places), axis=1)

    def joined(self, blocks: Sequence[Value]) -> str:
        return self.node("Concat", *(block.data for block in blocks), axis=1)

    def looked_up(self, places: Value, table: FloatArray, otherwise: float) -> str:
        padded = np.concatenate([table, np.full((1, *table.shape[1:]), otherwise)])
        found = places.otherwise(float(len(table))).data
        index = self.node("Cast", found, to=TensorProto.INT64)
        if table.ndim > 1:
            index = self.flat(index)
        return self.node("Gather", self.real(padded), index, axis=0)

    def completed(self, form: QuadraticForm, deviations: Value, terms: Value) -> Value:
        """The log-densities with those of the incomplete rows; see `_INCOMPLETE`."""
        k, d = form.offset.shape
        given = {
            "@y": deviations.data,
            "@offset": self.real(form.offset[:, None]),
            "@whitener": self.real(form.whitener.mT),
            "@steps": self.integers(d),
            "$": f"{self._prefix}{next(self._names)}_",
            "REAL": TYPES[self.dtype.name],
        }
        text = _INCOMPLETE
        for name, replacement in given.items():
            text = text.replace(name, replacement)
        graph = onnx.parser.parse_graph(text)
        (loop,) = (node for node in graph.node if node.op_type == "Loop")
        for node in (*graph.node, *loop.attribute[0].g.node):
            node.name = node.output[0]
        self.nodes += graph.node
        squares, lengths, rows, lost = (each.name for each in graph.output)
        table = np.stack([_constants_less(form, n_lost) for n_lost in range(d + 1)])
        n_lost = Value(self, lost, 1)
        constants = n_lost.lookup(table) - Value(self, lengths, k)
        found = of_distance(Value(self, squares, k), constants, form.degrees, float(d) - n_lost)
        places = self.node("Unsqueeze", rows, self.integers(1))
        return Value(self, self.node("ScatterND", terms.data, places, found.data), k)


def _constants_less(form: QuadraticForm, n_lost: int) -> FloatArray:
    """The logarithms of the constants (k,) for this number of missing columns, without lengths."""
    d, more = form.center.size, np.asarray(0.5 * n_lost * np.log(2.0 * np.pi))
    if form.degrees is not None:
        more = student_constant(form.degrees, d - n_lost) - student_constant(form.degrees, d)
    return np.asarray(form.log_constant + more)


def onnx_file(model: Model, dtype: str = "float64") -> bytes:
    """The ONNX file of a model that computes in float64 or float32."""
    if dtype not in TYPES:
        msg = f"dtype must be one of {', '.join(map(repr, TYPES))}, got {dtype!r}"
        raise OptionError(msg)
    ops, known = OnnxOps(input_columns(model), dtype), model.known_classes.tolist()
    kind, numpy_type, none = _type_of(known, "the labels", is_label=True)
    scores = model_scores(model, ops)
    label = _label(model, scores, ops, numpy_type, none)
    posteriors = _posteriors_of_all(model, scores)
    results = (
        ("label", label, kind, ()),
        ("probabilities", posteriors.data, ops.real_type, (len(known),)),
        ("log_evidence", ops.flat(scores.evidence.data), ops.real_type, ()),
    )
    file = _file(ops, results)
    numbers = [column.name for column in ops.inputs if column.kind != "category"]
    helper.set_model_props(file, {"numbers": json.dumps(numbers), "classes": json.dumps(known)})
    if file.ByteSize() > LARGEST_FILE:
        msg = f"an ONNX file with {file.ByteSize() >> 20} MB of tensors in it is too large"
        raise OptionError(msg)
    onnx.checker.check_model(file)
    return bytes(file.SerializeToString(deterministic=True))


def _label(model: Model, scores: Scores, ops: OnnxOps, numpy_type: Any, none: Any) -> str:
    """The most probable class of each row (n,); `none` for a row without a score."""
    place = ops.node("ArgMax", scores.decisive.data, axis=1, keepdims=0)
    classes = ops.constant(np.array(model.classes.tolist(), numpy_type))
    label = ops.node("Gather", classes, place, axis=0)
    if none is False:  # there is no third boolean
        return label
    wrong = ops.flat(scores.is_scored.is_missing().data)
    return ops.node("Where", wrong, ops.constant(np.array(none, numpy_type)), label)


def _posteriors_of_all(model: Model, scores: Scores) -> Value:
    """The posteriors of all known classes; those without rows have 0."""
    places = {label: at for at, label in enumerate(model.classes.tolist())}
    known = model.known_classes.tolist()
    if len(known) == len(places):
        return scores.posteriors
    nothing = scores.is_scored * 0.0
    return join([scores.posteriors.take([places[x]]) if x in places else nothing for x in known])


def _file(ops: OnnxOps, results: Sequence[tuple[str, str, Any, tuple[int, ...]]]) -> Any:
    """The ONNX model of a graph whose results have names, types and widths."""
    outputs = []
    for name, result, kind, width in results:
        free = ops.free_name(name, list(ops.given))
        ops.nodes.append(helper.make_node("Identity", [result], [free], free))
        outputs.append(helper.make_tensor_value_info(free, kind, ["n", *width]))
    inputs = [
        helper.make_tensor_value_info(name, kind, ["n", width])
        for name, (kind, width) in ops.given.items()
    ]
    constants = list(ops.constants.values())
    graph = helper.make_graph(ops.nodes, "gaussbayes", inputs, outputs, constants)
    versions = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
    return helper.make_model(
        graph, opset_imports=versions, ir_version=IR_VERSION, producer_name="gaussbayes"
    )


def _type_of(values: Sequence[Any], what: str, *, is_label: bool) -> tuple[Any, Any, Any]:
    """How ONNX and NumPy call the type of labels or categories, and what stands for none."""
    types = set(map(type, values))
    names = ", ".join(sorted(each.__name__ for each in types))
    is_wide = types == {int} and max(values) >= 2**63
    if len(types) > 1 or is_wide or not types <= {*_KINDS} - (set() if is_label else {float}):
        problem = f"{max(values)} is beyond 2⁶³" if is_wide else f"their type is {names}"
        expected = f"strings, integers{', floats' * is_label} or booleans"
        msg = f"{what} must be {expected} in ONNX, and {problem}: make them strings before fitting"
        raise OptionError(msg)
    return _KINDS[types.pop()]
