"""What the user chose: a family for every feature, priors, and the weight of unlabelled rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.data.categories import Categories
from gaussbayes.data.rows import Rows
from gaussbayes.kernels.columns import Columns
from gaussbayes.model.prior import Priors


@dataclass(frozen=True, slots=True)
class Component:
    """A family, and the features that it is a distribution of, by their positions among all."""

    family: Any  # Family
    columns: tuple[int, ...]

    @property
    def content(self) -> str:
        """What its features must hold in files; see `gaussbayes.data.roles`."""
        return str(getattr(self.family, "content", self.family.kind))


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that turns what was learnt into a model."""

    components: tuple[Component, ...]
    priors: Priors = None
    unlabelled_weight: float = 1.0  # how much an unlabelled row counts beside a labelled one

    @property
    def families(self) -> tuple[Any, ...]:
        """The family of each component."""
        return tuple(component.family for component in self.components)

    def names(self, schema: Schema) -> tuple[Schema, ...]:
        """What messages call the features of each component."""
        if len(self.components) == 1:
            return (schema,)
        # As `Schema.part`, which is not worth a call for each.
        features, classes = schema.features, schema.classes
        names = (
            None if features is None else tuple(features[j] for j in component.columns)
            for component in self.components
        )
        return tuple(
            Schema(classes, len(component.columns), some, (), component.columns)
            for component, some in zip(self.components, names, strict=True)
        )

    def parts(self, rows: Rows, schema: Schema) -> tuple[Rows, ...]:
        """The rows as each component takes them: its columns alone."""
        if len(self.components) == 1:
            return (rows,)
        return tuple(cut(rows, schema, component.columns) for component in self.components)

    def join(self, parts: Sequence[Rows], schema: Schema) -> Rows:
        """Rows from those of each component: the inverse of `parts`."""
        if len(self.components) == 1 and len(schema.categorical) in {0, schema.n_features}:
            return parts[0]
        n = parts[0].n_rows
        categorical = schema.categorical
        numeric = [j for j in range(schema.n_features) if j not in categorical]
        numbers = np.empty((n, len(numeric)))
        codes = np.empty((n, len(categorical)), dtype=np.int32, order="F")
        categories: list[Categories] = [()] * len(categorical)
        for component, part in zip(self.components, parts, strict=True):
            for place, column in enumerate(component.columns):
                if column in categorical:
                    j = categorical.index(column)
                    codes[:, j], categories[j] = part.codes[:, place], part.categories[place]
                else:
                    numbers[:, numeric.index(column)] = part.matrix[:, place]
        return Rows(numbers, codes, tuple(categories))

    def with_families(self, families: Sequence[Any]) -> tuple[Component, ...]:
        """The components with other families for the same columns."""
        pairs = zip(self.components, families, strict=True)
        return tuple(Component(family, component.columns) for component, family in pairs)


def cut(rows: Rows, schema: Schema, columns: Sequence[int]) -> Rows:
    """Some features of rows, all numbers or all categories, in this order."""
    categorical = schema.categorical
    if columns and columns[0] in categorical:
        return _categories_of(rows, [categorical.index(column) for column in columns])
    before = np.searchsorted(categorical, columns).tolist()
    return _numbers_of(rows, [j - skipped for j, skipped in zip(columns, before, strict=True)])


def cut_rows(rows: Rows, schema: Schema, columns: Sequence[int]) -> Rows:
    """Some features of rows, numbers and categories, in this order."""
    numbers = [column for column in columns if column not in schema.categorical]
    categories = [column for column in columns if column in schema.categorical]
    chosen = cut(rows, schema, numbers) if numbers else None
    coded = _categories_of(rows, [schema.categorical.index(column) for column in categories])
    if chosen is None:
        return coded
    return Rows(chosen.numbers, coded.codes, coded.categories, coded.unseen)


def _numbers_of(rows: Rows, columns: Sequence[int]) -> Rows:
    """Some of the number features, and no categories; without a copy if they are all."""
    numbers = rows.numbers
    if list(columns) != list(range(numbers.shape[1])):
        if isinstance(numbers, Columns) and columns:
            numbers = Columns(tuple(numbers.columns[j] for j in columns))
        else:
            numbers = rows.matrix[:, list(columns)]
    return Rows(numbers, np.empty((numbers.shape[0], 0), np.int32))


def _categories_of(rows: Rows, columns: Sequence[int]) -> Rows:
    """Some of the category features, and no numbers."""
    place = {column: j for j, column in enumerate(columns)}
    dtype = getattr(rows.numbers, "dtype", np.float64)
    return Rows(
        np.empty((rows.codes.shape[0], 0), dtype),
        rows.codes[:, list(columns)],
        tuple(rows.categories[j] for j in columns),
        tuple(replace(u, column=place[u.column]) for u in rows.unseen if u.column in place),
    )
