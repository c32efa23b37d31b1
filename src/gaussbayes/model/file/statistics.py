"""What was learnt from rows, the moments of the classes ↔ JSON."""

from functools import partial
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import ModelFileError
from gaussbayes.base.types import FloatArray, ScatterLayout
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.model.file import triangle
from gaussbayes.model.file.fields import choice, floats, members
from gaussbayes.model.file.numbers import refuse_not_finite

_NAMES = ("layout", "weight", "anchor", "offset", "scatter")


def write(moments: ClassMoments) -> dict[str, Any]:
    """The moments with flat arrays; a full scatter as lower triangles.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.moments import empty
    >>> write(empty(1, 2, "full"))["scatter"].tolist()
    [[0.0, 0.0, 0.0]]
    """
    scatter = moments.scatter
    if moments.layout != "diagonal":
        scatter = triangle.pack(_matrices(moments), "moments.scatter")
    arrays = {
        "weight": moments.weight,
        "anchor": moments.anchor,
        "offset": moments.offset,
        "scatter": scatter,
    }
    for name, values in arrays.items():
        refuse_not_finite(values.ravel(), f"moments.{name}")
    refuse_impossible(moments, "moments")
    return {"layout": moments.layout, **arrays}


def read(value: object, k: int, d: int, structure: Structure) -> ClassMoments:
    """The moments of `k` classes and `d` features, of which the structure can be had."""
    layout, weight, anchor, offset, scatter = members(value, "moments", _NAMES)
    able = [name for name in get_args(ScatterLayout) if name in {"full", structure.layout}]
    choice(layout, "moments.layout", able)
    each = ", one for each class and feature"
    moments = ClassMoments(
        floats(weight, "moments.weight", k, ", one for each class"),
        floats(anchor, "moments.anchor", k * d, each).reshape(k, d),
        floats(offset, "moments.offset", k * d, each).reshape(k, d),
        _read_scatter(scatter, k, d, layout),
        layout,
    )
    refuse_impossible(moments, "moments")
    return moments


def _read_scatter(value: object, k: int, d: int, layout: ScatterLayout) -> FloatArray:
    place = "moments.scatter"
    if layout == "diagonal":
        return floats(value, place, k * d, ", one for each class and feature").reshape(k, d)
    m = 1 if layout == "pooled" else k
    meaning = f", {m} lower triangle{'' if m == 1 else 's'} of {d} features"
    matrices = triangle.unpack(floats(value, place, m * triangle.size(d), meaning), m, d)
    return matrices[0] if layout == "pooled" else matrices


def refuse_impossible(
    moments: ClassMoments, part: str, observed: NDArray[np.bool_] | None = None
) -> None:
    """Raise for weights, means and scatters that no rows have.

    Parameters
    ----------
    part : the member of the file that the moments are
    observed : (k, d) which features the file has of each class; None is all
    """
    there = np.ones(moments.anchor.shape, dtype=bool) if observed is None else observed
    wrong = ~(moments.weight >= 0)
    if wrong.any():
        c = int(np.argmax(wrong))
        msg = f"{part}.weight[{c}]: expected a weight, not negative, got {moments.weight[c]}"
        raise ModelFileError(msg)
    with np.errstate(over="ignore"):
        total, mean = moments.weight.sum(), moments.mean
    if not np.isfinite(total):
        msg = f"{part}.weight: expected weights with a finite sum"
        raise ModelFileError(msg)
    if not np.isfinite(mean).all():
        c, i = np.argwhere(~np.isfinite(mean))[0].tolist()
        at = _position(there, c, i)
        msg = f"{part}.offset[{at}]: expected a finite mean, anchor + offset, got {mean[c, i]}"
        raise ModelFileError(msg)
    if moments.layout != "diagonal":
        triangle.refuse_indefinite(
            _matrices(moments), f"{part}.scatter", partial(_position_in_triangle, there)
        )
    elif not (moments.scatter >= 0).all():
        c, i = np.argwhere(~(moments.scatter >= 0))[0].tolist()
        msg = (
            f"{part}.scatter[{_position(there, c, i)}]: expected a sum of squares, which is not "
            f"negative, got {moments.scatter[c, i]}"
        )
        raise ModelFileError(msg)


def _position(there: NDArray[np.bool_], c: int, i: int) -> int:
    """Where feature i of class c stands in a flat array of what is there."""
    return int(np.count_nonzero(there[:c])) + int(np.count_nonzero(there[c, :i]))


def _position_in_triangle(there: NDArray[np.bool_], c: int, i: int, j: int) -> int:
    """Where entry (i, j) of the matrix of class c stands in triangles of what is there."""
    before = sum(map(triangle.size, np.count_nonzero(there[:c], axis=1).tolist()))
    row, column = (int(np.count_nonzero(there[c, :feature])) for feature in (i, j))
    return before + triangle.size(row) + column


def _matrices(moments: ClassMoments) -> FloatArray:
    return moments.scatter[None] if moments.layout == "pooled" else moments.scatter
