"""What was learnt from rows, the moments of the classes ↔ JSON."""

from typing import Any, get_args

import numpy as np

from gaussbayes.errors import ModelFileError
from gaussbayes.moments import ClassMoments
from gaussbayes.parameters import Structure
from gaussbayes.storage import triangle
from gaussbayes.storage.fields import choice, floats, members
from gaussbayes.storage.numbers import refuse_not_finite
from gaussbayes.types import FloatArray, ScatterLayout

_NAMES = ("layout", "weight", "anchor", "offset", "scatter")


def write(moments: ClassMoments) -> dict[str, Any]:
    """The moments with flat arrays; a full scatter as lower triangles.

    Examples
    --------
    >>> from gaussbayes.moments import empty
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
    _refuse_impossible(moments)
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
    _refuse_impossible(moments)
    return moments


def _read_scatter(value: object, k: int, d: int, layout: ScatterLayout) -> FloatArray:
    place = "moments.scatter"
    if layout == "diagonal":
        return floats(value, place, k * d, ", one for each class and feature").reshape(k, d)
    m = 1 if layout == "pooled" else k
    meaning = f", {m} lower triangle{'' if m == 1 else 's'} of {d} features"
    matrices = triangle.unpack(floats(value, place, m * triangle.size(d), meaning), m, d)
    return matrices[0] if layout == "pooled" else matrices


def _refuse_impossible(moments: ClassMoments) -> None:
    """Raise for weights, means and scatters that no rows have."""
    wrong = ~(moments.weight >= 0)
    if wrong.any():
        c = int(np.argmax(wrong))
        msg = f"moments.weight[{c}]: expected a weight, not negative, got {moments.weight[c]}"
        raise ModelFileError(msg)
    with np.errstate(over="ignore"):
        total, mean = moments.weight.sum(), moments.mean
    if not np.isfinite(total):
        msg = "moments.weight: expected weights with a finite sum"
        raise ModelFileError(msg)
    if not np.isfinite(mean).all():
        at = int(np.argmin(np.isfinite(mean)))
        msg = f"moments.offset[{at}]: expected a finite mean, anchor + offset, got {mean.flat[at]}"
        raise ModelFileError(msg)
    if moments.layout != "diagonal":
        triangle.refuse_indefinite(_matrices(moments), "moments.scatter")
    elif not (moments.scatter >= 0).all():
        at = int(np.argmin(moments.scatter >= 0))
        got = moments.scatter.flat[at]
        msg = f"moments.scatter[{at}]: expected a sum of squares, which is not negative, got {got}"
        raise ModelFileError(msg)


def _matrices(moments: ClassMoments) -> FloatArray:
    return moments.scatter[None] if moments.layout == "pooled" else moments.scatter
