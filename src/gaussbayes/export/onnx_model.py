"""A model as an ONNX file: numbers and categories in; label, posteriors and log evidence out.

Inputs
    ``X`` (n, g), the features that hold numbers, in their order; NaN is missing. Dates are days
    since 1970. Each feature that holds categories is an input (n, 1) of its own name, of strings,
    64-bit integers or booleans; what is not among the categories is unseen, the empty string and
    the smallest integer are missing.
Outputs
    ``label`` (n,) of the type of the classes, ``probabilities`` (n, k) and ``log_evidence`` (n,).
    A row without score (infinity, a count that is none, a probability of 0 in every class) has NaN,
    and the label ``""``, the smallest integer, or NaN.
"""

import json
from collections.abc import Sequence
from functools import singledispatch
from itertools import count
from typing import Any

import numpy as np

from gaussbayes.base.errors import OptionError
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.export.model_expression import InputColumn, MemberExpression, ModelExpression
from gaussbayes.export.tensor_densities import CategoryInput, Columns, density_scores, sum_of
from gaussbayes.export.tensor_graph import LARGEST_FILE, TensorGraph, tensor_type
from gaussbayes.families.expression import CodedColumns, ValueTables

SMALLEST = -(2**63)
"""The integer that stands for a missing category, and for no label."""

TYPES = ("float64", "float32")


def onnx_bytes(expression: ModelExpression, dtype: str = "float64") -> bytes:
    """The ONNX file of a model that calculates in float64 or float32."""
    if dtype not in TYPES:
        msg = f"dtype must be one of {', '.join(map(repr, TYPES))}, got {dtype!r}"
        raise OptionError(msg)
    graph = TensorGraph(np.dtype(dtype))
    classes, no_label = _label_values(expression.classes)
    inputs, columns = _inputs(graph, expression)
    members = [_member(graph, member, columns) for member in expression.members]
    if len(members) == 1:
        scores, posterior, evidence = members[0]
    else:
        logs = np.log(expression.weights / expression.weights.sum())
        posterior = _averaged(graph, [member[1] for member in members], logs)
        evidence = _averaged(graph, [member[2] for member in members], logs)
        scores = posterior
    again = expression.recalibrated
    if again is not None:
        before = expression.members[0].log_prior
        likelihood = graph.less_constant(posterior, np.where(np.isneginf(before), 0.0, before))
        likelihood = graph.where(graph.constant(np.isneginf(before)), graph.real(0.0), likelihood)
        posterior = _calibrated(graph, likelihood, again.log_prior, again.calibration)
        scores = posterior
    wrong = graph.is_nan(evidence)  # (n, 1)
    posterior = graph.where(wrong, graph.real(np.nan), posterior)
    place = graph.node("ArgMax", scores, axis=1, keepdims=0)
    label = graph.node("Gather", graph.constant(classes), place, axis=0)
    if no_label is not None:
        flat = graph.node("Squeeze", wrong, graph.integers([1]))
        label = graph.where(flat, graph.constant(no_label), label)
    taken = {name for name, _, _ in inputs}
    names = [_free(name, taken) for name in ("label", "probabilities", "log_evidence")]
    real = tensor_type(graph.dtype)
    known, _ = _label_values(expression.known_classes)
    probabilities = graph.node("Exp", posterior)
    if known.size > classes.size:
        places = np.equal.outer(classes.tolist(), known.tolist())
        probabilities = graph.node("MatMul", probabilities, graph.real(places))
    outputs = [
        (names[0], label, tensor_type(classes.dtype), None),
        (names[1], probabilities, real, known.size),
        (
            names[2],
            graph.node("Squeeze", evidence, graph.integers([1])),
            real,
            None,
        ),
    ]
    numbers = [each.name for each in expression.inputs if each.kind != "category"]
    about = {"numbers": json.dumps(numbers), "classes": json.dumps(known.tolist())}
    model = graph.model(inputs, outputs, **about)
    if model.ByteSize() > LARGEST_FILE:
        msg = f"an ONNX file with {model.ByteSize() >> 20} MB of tensors in it is too large"
        raise OptionError(msg)
    return bytes(model.SerializeToString(deterministic=True))


def _label_values(classes: LabelArray) -> tuple[Any, Any]:
    """The classes (k,) as a tensor has them, and what is no label; None if there is nothing."""
    values = classes.tolist()
    if all(isinstance(each, str) for each in values):
        return np.array(values, object), np.array("", object)
    types = set(map(type, values))
    if types == {int}:
        if max(values) >= 2**63:
            msg = f"ONNX has no labels beyond 2⁶³, got {max(values)}: make them strings"
            raise OptionError(msg)
        return np.array(values, np.int64), np.array(SMALLEST, np.int64)
    if types == {float}:
        return np.array(values), np.array(np.nan)
    if types == {bool}:
        return np.array(values), None
    msg = (
        f"ONNX has no labels of type {type(values[0]).__name__}: they must be strings, integers, "
        "booleans or floats"
    )
    raise OptionError(msg)


def _free(name: str, taken: set[str]) -> str:
    """A name that nobody has yet; it is taken then."""
    candidates = (name + "_" * more for more in count())
    chosen = next(each for each in candidates if each not in taken)
    taken.add(chosen)
    return chosen


@singledispatch
def category_values(record: Any, column: int) -> Sequence[Any]:
    """The categories of a column of a density, if it holds some."""
    del record, column
    return ()


@category_values.register
def _(record: ValueTables, column: int) -> Sequence[Any]:
    return [value for table in record.tables if table.column == column for value in table.values]


@category_values.register
def _(record: CodedColumns, column: int) -> Sequence[Any]:
    return getattr(record.codes[column], "categories", ())


def _inputs(
    graph: TensorGraph, expression: ModelExpression
) -> tuple[list[tuple[str, Any, int]], "list[str | CategoryInput]"]:
    """The inputs as ONNX has them, and each feature as a tensor (n, 1) or its categories."""
    columns: list[Any] = [None] * len(expression.inputs)
    inputs: list[tuple[str, Any, int]] = []
    taken: set[str] = set()
    for position, column in enumerate(expression.inputs):
        if column.kind == "category":
            name = _free(column.name, taken)
            kind, dtype = _category_kind(expression, position, column)
            inputs.append((name, tensor_type(dtype), 1))
            tensor = graph.node("Reshape", name, graph.integers([-1]))
            if kind == "bool":
                tensor = graph.cast(tensor, np.dtype(np.int64))
            columns[position] = CategoryInput(tensor, _missing_marks(column, kind), kind)
    numbers = [j for j, column in enumerate(expression.inputs) if column.kind != "category"]
    if numbers:
        name = _free("X", taken)
        inputs.insert(0, (name, tensor_type(graph.dtype), len(numbers)))
        for place, position in enumerate(numbers):
            column = expression.inputs[position]
            x = graph.columns(name, [place], len(numbers))
            for mark in sorted(column.marks.numbers):
                same = graph.node("Equal", x, graph.real(mark))
                x = graph.where(same, graph.real(np.nan), x)
            if column.kind == "date":
                x = graph.less_constant(x, column.origin)
            columns[position] = x
    return inputs, columns


def _category_kind(
    expression: ModelExpression, position: int, column: InputColumn
) -> tuple[str, "np.dtype[Any]"]:
    """Whether categories are strings, integers or booleans."""
    types = {
        type(value)
        for member in expression.members
        for part in member.parts
        if position in part.columns
        for value in category_values(part.density, part.columns.index(position))
    }
    kinds = {str: np.dtype(object), int: np.dtype(np.int64), bool: np.dtype(np.bool_)}
    if not types:
        types = {str}
    if len(types) > 1 or not types <= set(kinds):
        named = ", ".join(sorted(each.__name__ for each in types))
        msg = f"ONNX has no tensor for the categories of {column.name!r}, which are {named}"
        raise OptionError(msg)
    (kind,) = types
    return kind.__name__, kinds[kind]


def _missing_marks(column: InputColumn, kind: str) -> tuple[Any, ...]:
    """What stands for a missing category."""
    if kind == "str":
        return tuple(sorted(column.marks.strings))
    if kind == "bool":
        return ()
    marks = sorted(int(mark) for mark in column.marks.numbers if float(mark).is_integer())
    return (SMALLEST, *marks)


def _member(
    graph: TensorGraph, member: MemberExpression, columns: "Sequence[str | CategoryInput]"
) -> tuple[str, str, str]:
    """Scores (n, k) the largest of which is that of the label, log posteriors, log evidence."""
    parts: list[str | None] = []
    common: list[str | None] = []
    for part in member.parts:
        chosen = [columns[column] for column in part.columns]
        categories = {j: c for j, c in enumerate(chosen) if isinstance(c, CategoryInput)}
        tensors = [each for each in chosen if isinstance(each, str)]
        numbers = None
        if tensors:
            numbers = graph.joined(tensors)
            infinite = graph.as_real(graph.node("IsInf", numbers))
            worst = graph.reduced("ReduceMax", infinite, 1)
            bad = graph.node("Greater", worst, graph.real(0.5))
            common.append(graph.where(bad, graph.real(np.nan), graph.real(0.0)))
        scored = density_scores(part.density, graph, Columns(numbers, categories, len(chosen)))
        parts.append(scored.scores)
        common.append(scored.common)
    likelihood = sum_of(graph, parts)
    assert likelihood is not None
    joint = graph.add(likelihood, graph.real(member.log_prior))
    normaliser = graph.log_sum_exp(joint, 1)
    rest = sum_of(graph, common)
    evidence = normaliser if rest is None else graph.add(normaliser, rest)
    if member.calibration is None:
        return joint, graph.minus(joint, normaliser), evidence
    posterior = _calibrated(graph, likelihood, member.log_prior, member.calibration)
    return posterior, posterior, evidence


def _calibrated(
    graph: TensorGraph, likelihood: str, log_prior: FloatArray, calibration: Any
) -> str:
    """Calibrated log posteriors: ``log((1 − e) softmax(log prior + t l + b) + e prior)``."""
    scaled = graph.times(likelihood, graph.real(calibration.temperature))
    joint = graph.add(scaled, graph.real(log_prior + calibration.offsets))
    log_posterior = graph.minus(joint, graph.log_sum_exp(joint, 1))
    e = float(calibration.prior_proportion)
    if not e:
        return log_posterior
    mixed = graph.times(graph.node("Exp", log_posterior), graph.real(1.0 - e))
    return graph.node("Log", graph.add(mixed, graph.real(e * np.exp(log_prior))))


def _averaged(graph: TensorGraph, logarithms: Sequence[str], log_weights: FloatArray) -> str:
    """``log Σ_m w_m exp(l_m)`` of tensors (n, m); −∞ where all are."""
    weighted = [
        graph.node("Unsqueeze", graph.add(each, graph.real(w)), graph.integers([0]))
        for each, w in zip(logarithms, log_weights.tolist(), strict=True)
    ]
    stacked = graph.joined(weighted, axis=0)
    lowest = graph.real(float(np.finfo(graph.dtype).min))
    top = graph.node("Max", graph.reduced("ReduceMax", stacked, 0), lowest)
    total = graph.reduced("ReduceSum", graph.node("Exp", graph.minus(stacked, top)), 0)
    summed = graph.add(top, graph.node("Log", total))
    return graph.node("Squeeze", summed, graph.integers([0]))
