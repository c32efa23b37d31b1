"""Rows and models as plain values that the page reads.

A model of plain Gaussians is given by its parameters, from which the page computes everything. For
any other model the page gets posteriors on grids, one for each pair of its most informative
features, and the reason.
"""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from math import isqrt
from typing import Any

import numpy as np

from gaussbayes.analysis.class_moments import (
    category_probabilities,
    class_covariances,
    class_means,
)
from gaussbayes.analysis.view import (
    best_features,
    positions_of,
    view,
)
from gaussbayes.base.errors import DataError
from gaussbayes.data.rows import LabelledRows, Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.categorical.family import CategoricalDensity
from gaussbayes.families.gaussian.density import GaussianDensity
from gaussbayes.lab.page import Lab, Payload
from gaussbayes.model.held_out import pick, spread_sample
from gaussbayes.model.model import Model
from gaussbayes.model.settings import cut_rows

MOST_ROWS = 100_000
_MOST_CELLS = 3_000_000
"""Largest number of rows, and of their values, in a page; more are sampled."""

_RANKED_ROWS = 2_000
"""Number of rows used to find the most informative features."""

_MOST_COVARIANCES = 200_000
"""Largest number of entries of covariances in a page; a larger model is shown by grids."""

_MOST_FEATURES, _MANY_CLASSES = 6, 24
_MOST_POSTERIORS = 1_000_000
_WIDEST, _ROOM = 140, 0.28
"""Features whose pairs have grids (two with many classes), the posteriors of all grids together,
the points along a side of a grid, and the margin around the rows, relative to their range."""


def model_lab(model: Any, X: Any, y: Any) -> Lab:
    """The page of a fitted classifier and labelled rows with its features."""
    seen = view(model)
    record, (rows, codes) = seen.whole, seen.labelled(X, y)
    table = LabelledRows(rows, Targets(codes.astype(np.int32), record.classes.size), record.classes)
    return rows_lab(table, record.schema, record.target, record)


def rows_lab(
    table: LabelledRows, schema: Schema, target: str | None, model: Model | None = None
) -> Lab:
    """The page of labelled rows with their model; without one the page fits a model."""
    n, d = table.rows.n_rows, schema.n_features
    if not n:
        msg = "the lab needs at least one row, got none"
        raise DataError(msg)
    most = max(1, min(MOST_ROWS, _MOST_CELLS // max(d, 1)))
    if n > most:
        table = pick(table, spread_sample(table.rows, table.targets, most))
    labels = [*map(_plain, table.classes.tolist()), None]  # −1, without label, is the last
    data = {
        "columns": list(_columns(table.rows, schema)),
        "labels": [labels[code] for code in table.targets.codes.tolist()],
        "target": target or "class",
        "name": None,
        "n_rows": n,
        "sampled": table.rows.n_rows < n,
    }
    return Lab(data, None if model is None else _model_payload(model, table))


def _columns(rows: Rows, schema: Schema) -> Iterator[Payload]:
    """The features that hold numbers, then those that hold categories; missing values are None."""
    origins = {} if schema.roles is None else schema.roles.origins
    for column, numbers in zip(_numeric(schema), rows.matrix.T, strict=True):
        name = schema.titles[column]
        since = f" (days since {origins[name]})" if name in origins else ""
        values = [_number(x) if np.isfinite(x) else None for x in numbers.tolist()]
        yield {"name": f"{name}{since}", "kind": "number", "values": values}
    coded = zip(schema.categorical, rows.codes.T, rows.categories, strict=True)
    for column, codes, categories in coded:
        levels = [*map(str, categories), None]  # missing and unseen ones have negative codes
        named = [levels[max(code, -1)] for code in codes.tolist()]
        yield {"name": schema.titles[column], "kind": "category", "values": named}


def _model_payload(model: Model, table: LabelledRows) -> Payload:
    """Parameters, or grids and why."""
    reason = _why_grids(model)
    if reason is None:
        return {"parameters": _parameters(model)}
    return {"grid": _grids(model, table) | {"reason": reason}}


def _why_grids(model: Model) -> str | None:
    """The reason why the page cannot compute posteriors from parameters, or None."""
    k, g = model.classes.size, len(_numeric(model.schema))
    others = [
        each
        for each in model.densities
        if type(each) not in _PLAIN or getattr(each, "degrees", None) is not None
    ]
    integrated = any(hasattr(density, "degrees") for density in others)
    families = sorted({part.distribution for part in model.components} - _PLAIN_FAMILIES)
    reasons = {
        f"features follow other distributions ({', '.join(families)})": families,
        "its parameters are integrated out": integrated,
        "its features are transformed": others and not (integrated or families),
        "its posteriors are calibrated": model.calibration is not None,
        "it has too many parameters for a page": k * g * g > _MOST_COVARIANCES,
    }
    return " and ".join(reason for reason, holds in reasons.items() if holds) or None


_PLAIN, _PLAIN_FAMILIES = (
    (GaussianDensity, CategoricalDensity),
    {"gaussian", "categorical", "coded"},
)


def _parameters(model: Model) -> Payload:
    """Priors, means and covariances of the numbers, and probabilities of the categories."""
    means, tables = class_means(model), category_probabilities(model).values()
    shape = (*means.shape, means.shape[1])
    return {
        "classes": _labels(model),
        "priors": model.prior.tolist(),
        "means": means.tolist(),
        "covariances": np.broadcast_to(class_covariances(model), shape).tolist(),
        "probabilities": [
            {"levels": [*map(str, levels)], "table": table.tolist()}
            for levels, table in zip(model.categories, tables, strict=True)
        ],
    }


def _grids(model: Model, table: LabelledRows) -> Payload:
    """Posteriors of pairs of the most informative features that hold numbers, the best first."""
    numeric, grids = _numeric(model.schema), {}
    if len(numeric) > 1:
        part = replace(model, statistics=None).marginal(numeric)
        most = 2 if model.classes.size > _MANY_CLASSES else _MOST_FEATURES
        best = best_features(part, most)
        pairs = dict.fromkeys([tuple(best_features(part, 2)), *combinations(best, 2)])
        side = min(_WIDEST, isqrt(_MOST_POSTERIORS // (model.classes.size * len(pairs))))
        grids = {f"{i},{j}": _grid(model, table, (numeric[i], numeric[j]), side) for i, j in pairs}
    return {"classes": _labels(model), "pairs": grids}


def _grid(model: Model, table: LabelledRows, pair: tuple[int, int], side: int) -> Payload:
    """Posteriors at the centres of equal cells, class by class, in ascending order."""
    seen = view(model, pair)
    positions = positions_of(cut_rows(table.rows, model.schema, pair), seen.axes)
    grid = seen.grid(side, *seen.limits(positions, margin=_ROOM))
    posterior = np.nan_to_num(seen.score("posterior", grid.rows)).T.astype("<f4")
    left, right, bottom, top = grid.edges
    return {
        "x": [left, right],
        "y": [bottom, top],
        "width": grid.x.size,
        "height": grid.y.size,
        "posterior": b64encode(posterior.tobytes()).decode(),
    }


def _numeric(schema: Schema) -> list[int]:
    return [j for j in range(schema.n_features) if j not in schema.categorical]


def _labels(model: Model) -> list[Any]:
    return [*map(_plain, model.classes.tolist())]


def _plain(label: Any) -> Any:
    """A label for JSON: a number or a string."""
    return label if isinstance(label, int | float) and not isinstance(label, bool) else str(label)


def _number(value: float) -> float | int:
    """A number in its shortest form."""
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
