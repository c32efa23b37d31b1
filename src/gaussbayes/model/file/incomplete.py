"""What was learnt from rows of which something is missing, pattern by pattern ↔ JSON."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import ModelFileError
from gaussbayes.base.types import FloatArray, ScatterLayout
from gaussbayes.families.gaussian.moments import ClassMoments, empty
from gaussbayes.families.gaussian.pattern_moments import (
    MOST_CELL_BYTES,
    PatternMoments,
    cell_bytes,
    cell_layout,
)
from gaussbayes.model.file import statistics, triangle
from gaussbayes.model.file.fields import (
    choice,
    floats,
    in_range,
    members,
    refuse,
    texts,
    whole_numbers,
)
from gaussbayes.model.file.numbers import refuse_not_finite

_NAMES = ("layout", "classes", "observed", "weight", "anchor", "offset", "scatter")
_PATTERN = "a text of {d} characters, 1 for a feature that is there and 0 for one that is missing"
_STEP = 1 << 22
"""Entries of scatters that are picked in one step."""


def write(cells: PatternMoments, moments: ClassMoments | None) -> dict[str, Any]:
    """The moments of each class and pattern, with flat arrays of what is there.

    Parameters
    ----------
    moments : those of the complete rows of all classes

    Examples
    --------
    >>> seen = np.array([[True, False]])
    >>> one = ClassMoments(np.ones(1), np.array([[3.0, 0]]), *np.zeros((2, 1, 2)), "diagonal")
    >>> cells = PatternMoments(np.zeros(1, np.int32), seen, one)
    >>> found = write(cells, empty(1, 2, "diagonal"))
    >>> found["observed"], found["anchor"].tolist()
    (['10'], [3.0])
    """
    moments = _there(moments)
    own, there = cells.moments, cells.observed
    layout = cell_layout(moments.layout)
    if own.layout != layout:
        refuse("incomplete.layout", repr(layout), own.layout)
    _refuse_large(len(there), own.n_features, layout)
    codes, patterns = cells.codes.tolist(), _written(there)
    in_range(codes, "incomplete.classes", moments.n_classes - 1)
    _refuse_disorder(codes, patterns, own.n_features)
    for name, values in (("anchor", own.anchor), ("offset", own.offset)):
        _refuse_leftovers(values, there, name)
    if layout == "full":
        triangle.refuse_asymmetric(own.scatter, "incomplete.scatter")
    else:
        _refuse_leftovers(own.scatter, there, "scatter")
    arrays = {
        "weight": own.weight,
        "anchor": own.anchor[there],
        "offset": own.offset[there],
        "scatter": own.scatter[there] if layout == "diagonal" else _triangles(own.scatter, there),
    }
    for name, values in arrays.items():
        refuse_not_finite(values, f"incomplete.{name}")
    _refuse_impossible(cells, moments)
    return {"layout": layout, "classes": codes, "observed": patterns, **arrays}


def read(value: object, moments: ClassMoments | None) -> PatternMoments:
    """The moments of each class and pattern, beside those of the complete rows of all classes."""
    moments = _there(moments)
    k, d = moments.n_classes, moments.n_features
    kind, codes, observed, weight, anchor, offset, scatter = members(value, "incomplete", _NAMES)
    layout = cell_layout(moments.layout)
    choice(kind, "incomplete.layout", [layout])
    patterns = texts(observed, "incomplete.observed")
    q, each = len(patterns), ", one for each entry of observed"
    _refuse_large(q, d, layout)
    numbers = whole_numbers(codes, "incomplete.classes", q, each, k - 1)
    there = _read_patterns(patterns, d)
    _refuse_disorder(numbers, patterns, d)
    n_there = int(np.count_nonzero(there))
    meaning = ", one for each feature that is there"
    found = empty(q, d, layout)
    found.weight[:] = floats(weight, "incomplete.weight", q, each)
    found.anchor[there] = floats(anchor, "incomplete.anchor", n_there, meaning)
    found.offset[there] = floats(offset, "incomplete.offset", n_there, meaning)
    if layout == "diagonal":
        found.scatter[there] = floats(scatter, "incomplete.scatter", n_there, meaning)
    else:
        count = sum(map(triangle.size, np.count_nonzero(there, axis=1).tolist()))
        meaning = ", a lower triangle of the features that are there for each entry of observed"
        values = floats(scatter, "incomplete.scatter", count, meaning)
        _put_triangles(values, found.scatter, there)
    cells = PatternMoments(np.array(numbers, dtype=np.int32), there, found)
    _refuse_impossible(cells, moments)
    return cells


def _there(moments: ClassMoments | None) -> ClassMoments:
    if moments is None:
        refuse("moments", "those of the complete rows where there is incomplete", None)
    return moments


def _refuse_large(q: int, d: int, layout: ScatterLayout) -> None:
    """Raise before room is taken: a pattern takes the room of all features, there or not."""
    most = MOST_CELL_BYTES // cell_bytes(1, d, layout)
    if not 0 < q <= most:
        expected = f"1 to {most:,} patterns of {d:,} features with a {layout} scatter"
        refuse("incomplete.observed", expected, f"{q:,}")


def _written(there: NDArray[np.bool_]) -> list[str]:
    """Patterns (q, d) as texts of 0 and 1."""
    q, d = there.shape
    digits = (there.astype(np.uint8) + ord("0")).tobytes().decode("ascii")
    return [digits[at * d : (at + 1) * d] for at in range(q)]


def _read_patterns(patterns: Sequence[str], d: int) -> NDArray[np.bool_]:
    for at, pattern in enumerate(patterns):
        if len(pattern) != d or pattern.strip("01"):
            refuse(f"incomplete.observed[{at}]", _PATTERN.format(d=d), pattern)
    digits = np.frombuffer("".join(patterns).encode("ascii"), np.uint8)
    there: NDArray[np.bool_] = (digits == ord("1")).reshape(len(patterns), d)
    return there


def _refuse_disorder(codes: Sequence[int], patterns: Sequence[str], d: int) -> None:
    """Raise unless the cells are sorted, each is there once and none is complete."""
    complete = "1" * d
    if complete in patterns:
        at = patterns.index(complete)
        expected = "a pattern in which something is missing: complete rows are in moments"
        refuse(f"incomplete.observed[{at}]", expected, patterns[at])
    cells = zip(codes, patterns, strict=True)
    for at, (before, after) in enumerate(pairwise(cells), start=1):
        if not before < after:
            msg = (
                f"incomplete.observed[{at}]: expected classes, and patterns of each class, that "
                f"are sorted and different, got {after[1]!r:.80} of class {after[0]} after "
                f"{before[1]!r:.80} of class {before[0]}"
            )
            raise ModelFileError(msg)


def _refuse_impossible(cells: PatternMoments, moments: ClassMoments) -> None:
    weight = cells.moments.weight
    if not (weight > 0).all():
        at = int(np.argmin(weight > 0))
        refuse(f"incomplete.weight[{at}]", "a weight above 0", float(weight[at]))
    statistics.refuse_impossible(cells.moments, "incomplete", cells.observed)
    with np.errstate(over="ignore"):
        total = weight.sum() + moments.weight.sum()
    if not np.isfinite(total):
        msg = "incomplete.weight: expected weights with a finite sum together with moments.weight"
        raise ModelFileError(msg)


def _refuse_leftovers(values: FloatArray, there: NDArray[np.bool_], name: str) -> None:
    """Raise if there is something where nothing was observed: no file would have it."""
    wrong = ~there & (values != 0)
    if wrong.any():
        where = tuple(np.argwhere(wrong)[0].tolist())
        expected = f"0 at {where}, where a feature is missing"
        refuse(f"incomplete.{name}", expected, float(values[where]))


def _triangles(scatter: FloatArray, there: NDArray[np.bool_]) -> FloatArray:
    """The lower triangles of what is there, one after the other."""
    parts = []
    for some in _steps(there):
        lower = _lower(there[some])
        _refuse_leftovers(np.tril(scatter[some]), lower, "scatter")
        parts.append(scatter[some][lower])
    return np.concatenate(parts)


def _put_triangles(values: FloatArray, scatter: FloatArray, there: NDArray[np.bool_]) -> None:
    """Put triangles of what is there into matrices (q, d, d) that are 0 elsewhere."""
    first = 0
    for some in _steps(there):
        lower = _lower(there[some])
        count = int(np.count_nonzero(lower))
        scatter[some][lower] = values[first : first + count]
        first += count
    for i in range(1, there.shape[1]):
        scatter[:, :i, i] = scatter[:, i, :i]


def _lower(there: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which entries (q, d, d) of lower triangles have both of their features."""
    return np.tril(there[:, :, None] & there[:, None, :])


def _steps(there: NDArray[np.bool_]) -> list[slice]:
    q, d = there.shape
    step = max(1, _STEP // (d * d))
    return [slice(first, first + step) for first in range(0, q, step)]
