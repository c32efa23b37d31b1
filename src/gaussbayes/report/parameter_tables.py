"""Every parameter of a model as text, in tables, and how many there are of what."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gaussbayes.analysis.class_moments import correlations
from gaussbayes.base.numerals import aligned, fixed, score
from gaussbayes.base.types import FloatArray
from gaussbayes.families.protocol import Describable, Located, Mixed, ParameterTable
from gaussbayes.model.model import Model

MOST_COLUMNS = 12
"""Features, categories or classes in the columns of a table; of more, the first are shown."""
ALL_CLASSES = -1  # in the place of a class code where classes share a parameter
_RATIO = 1e4  # variances further apart are not written with the same decimal places


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """Parameters as text; a row is that of a class, given by its code, or of a feature, by name."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[int | str, ...]
    cells: Sequence[Sequence[str]]
    owner: int | None = None  # the class whose parameters they are; its label ends the caption
    shading: FloatArray | None = None  # from −1 to 1
    n_more: int = 0  # columns that are not shown


def parameter_counts(model: Model) -> dict[str, int]:
    """How many free parameters there are, by what they are."""
    counts = {"priors": model.schema.classes.size - 1}
    for (first, *_), density in _described(model):
        n_parameters = density.n_parameters
        coded = isinstance(density, Mixed)
        parts = {"codes" if coded else "probabilities of categories": n_parameters}
        if isinstance(density, Located):
            located = min(n_parameters, density.mean.size)
            what = f"probabilities {first.title}" if _is_formula(first) else f"{first.title}s"
            parts = {what: located, "covariances": n_parameters - located}
        counts |= {what: counts.get(what, 0) + size for what, size in parts.items()}
    return {what: size for what, size in counts.items() if size}


def parameter_tables(model: Model) -> list[tuple[WrittenTable, ...]]:
    """Every parameter, of the first features and classes; tables of a group go side by side.

    The priors stand beside the means, or what the first family of numbers has instead.
    Covariances are matrices; everything else is as the families show it.
    """
    priors = [score(prior) for prior in model.prior[:MOST_COLUMNS].tolist()]
    codes = tuple(range(len(priors)))
    first = WrittenTable("Priors", ("prior",), codes, [[prior] for prior in priors])
    groups: list[tuple[WrittenTable, ...]] = []
    for component, (tables, density) in zip(model.components, _described(model), strict=True):
        rest = list(tables)
        if isinstance(density, Located) and len(first.columns) == 1:
            first = _with_priors(priors, rest.pop(0), density.deviation.min(axis=0))
        matrices = list(_matrices(model, component.columns, density))
        groups += matrices
        if not matrices:  # else they say what is left in one
            groups += [(_written(table, model.schema.classes.size),) for table in rest]
    return [(first,), *(group for group in groups if group[0].columns)]


def _described(model: Model) -> Iterator[tuple[tuple[ParameterTable, ...], Any]]:
    """The parameters of each density as its family shows them, and the density."""
    nothing = ParameterTable("parameter", (), np.empty((model.schema.classes.size, 0)))
    for component, density in zip(model.components, model.densities, strict=True):
        names = model.schema.part(component.columns)
        yield density.tables(names) if isinstance(density, Describable) else (nothing,), density


def _is_formula(table: ParameterTable) -> bool:
    return "|" in table.title


def _with_priors(priors: list[str], table: ParameterTable, sizes: FloatArray) -> WrittenTable:
    """Priors and means; the digits of a mean are counted from the deviation of the feature."""
    names = table.columns[:MOST_COLUMNS]
    columns = [
        aligned(column[:MOST_COLUMNS], digits=3, size=float(size) or None)
        for column, size, _ in zip(table.values.T, sizes, names, strict=False)
    ]
    return WrittenTable(
        caption=f"Priors and {table.title if _is_formula(table) else f'{table.title}s'}",
        columns=("prior", *(f"{table.title} of {name}" for name in names)),
        rows=tuple(range(len(priors))),
        cells=list(zip(priors, *columns, strict=True)),
        n_more=len(table.columns) - len(names),
    )


def _written(table: ParameterTable, k: int) -> WrittenTable:
    """A table of a family: a row a class, or one for all of them."""
    values, names = table.values[:MOST_COLUMNS, :MOST_COLUMNS], table.columns[:MOST_COLUMNS]
    shared = table.values.shape[0] == 1 and k > 1
    proportions = bool((values >= 0).all() and (values <= 1).all() and _is_formula(table))
    columns = [
        list(map(score, column.tolist()))
        if proportions
        else aligned(column, digits=4, size=float(np.abs(column).min()) or None)
        for column in values.T
    ]
    return WrittenTable(
        caption=table.title if _is_formula(table) else table.title[:1].upper() + table.title[1:],
        columns=names,
        rows=(ALL_CLASSES,) if shared else tuple(range(values.shape[0])),
        cells=list(zip(*columns, strict=True)),
        shading=values if proportions else None,
        n_more=len(table.columns) - len(names),
    )


def _matrices(
    model: Model, columns: Sequence[int], density: Any
) -> Iterator[tuple[WrittenTable, WrittenTable]]:
    """Covariances and correlations, side by side for each class, if features have some."""
    first, n_more = columns[:MOST_COLUMNS], max(0, len(columns) - MOST_COLUMNS)
    names = tuple(model.schema.titles[column] for column in first)
    part = density.marginal(range(len(first)), model.schema.part(first))
    if not isinstance(part, Located):
        return
    covariances = part.dense_covariance()
    if not covariances[:, ~np.eye(len(first), dtype=bool)].any():
        return
    shared = covariances.shape[0] == 1 and model.schema.classes.size > 1
    pairs = zip(covariances, correlations(covariances), strict=True)
    for code, (covariance, correlation) in zip(range(MOST_COLUMNS), pairs, strict=False):
        owner = ALL_CLASSES if shared else code
        variances = np.diag(covariance)
        if variances.max() < _RATIO * variances.min():
            size = float(variances.min())
            cells = [aligned(line, digits=3, size=size) for line in covariance]
        else:
            cells = [[aligned([x], digits=4)[0] for x in line] for line in covariance]
        written = [[fixed(x, 2) for x in line] for line in correlation.tolist()]
        yield (
            WrittenTable("Covariances of", names, names, cells, owner, None, n_more),
            WrittenTable("Correlations of", names, names, written, owner, correlation, n_more),
        )
