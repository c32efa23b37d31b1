"""Densities of coded rows: those of their codes.

They tell classes apart. They are no probabilities of categories, which are corners of a simplex and
not points between: categories cannot be drawn from them, nor are distances those of a Gaussian.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from gaussbayes.base.types import FloatArray
from gaussbayes.data.categories import Categories
from gaussbayes.data.rows import Rows
from gaussbayes.data.schema import Schema
from gaussbayes.families.coded.coding import CategoryCode, Coding
from gaussbayes.families.mapped import MappedDensity
from gaussbayes.families.protocol import ParameterTable, Reference


@dataclass(frozen=True, slots=True, eq=False)
class CodedDensity(MappedDensity):
    """Densities of k classes, of the codes of columns."""

    map: Coding

    @property
    def categories(self) -> tuple[Categories, ...]:
        """The categories of each column that has some."""
        return self.map.categories

    def contributions(
        self, row: Rows, pair: tuple[int, int], reference: Reference | None
    ) -> tuple[float, FloatArray]:
        """The log ratio midway between the classes, and each column's contribution (d,).

        That of a column is what its codes contribute together.
        """
        del reference  # categories have none
        amid = Reference.amid(self.n_classes)
        ratio, amounts = self.inner.contributions(self.map.mapped(row)[0], pair, amid)
        return ratio, np.add.reduceat(amounts, self.map.starts[:-1])

    @property
    def numbers(self) -> tuple[list[int], Any]:
        """The columns that hold numbers, and their density, medians in place of missing ones."""
        columns = [j for j, code in enumerate(self.map.of) if code.content == "number"]
        places = [self.map.starts[j] for j in columns]
        names = Schema(np.arange(self.n_classes), len(places))
        return columns, self.inner.marginal(places, names) if places else None

    @property
    def probabilities(self) -> dict[int, FloatArray]:
        """``p(category | class)`` (k, m) of each column of categories, where it is not missing."""
        mean, tables = self.inner.mean, {}
        for j, (code, start) in enumerate(zip(self.map.of, self.map.starts, strict=False)):
            if isinstance(code, CategoryCode):
                proportions = code.proportions(mean[:, start : start + code.n_columns])
                present = np.maximum(proportions[:, : len(code.categories)], 0.0)
                total = present.sum(axis=1, keepdims=True)
                equal = np.full_like(present, 1.0 / max(1, present.shape[1]))
                tables[j] = np.divide(present, total, out=equal, where=total > 0)
        return tables

    def tables(self, names: Schema) -> tuple[ParameterTable, ...]:
        """Means and standard deviations of the numbers, and how often categories occur."""
        mean, deviation = self.inner.mean, self.inner.deviation
        coded = zip(self.map.of, names.titles, pairwise(self.map.starts), strict=True)
        numbers, missing, shown = {}, {}, []
        for code, title, (start, stop) in coded:
            if isinstance(code, CategoryCode):
                levels = [*map(str, code.categories), *["missing"] * code.missing]
                proportions = code.proportions(mean[:, start:stop])
                table = ParameterTable(f"p({title} | class)", tuple(levels), proportions)
                shown += [table] if levels else []
                continue
            numbers[title] = start
            if code.filler is not None:
                missing[title] = start + 1
        for what, values, columns in (
            ("p(missing | class)", mean, missing),
            ("standard deviation", deviation, numbers),
            ("mean", mean, numbers),
        ):
            if columns:
                some = values[:, list(columns.values())]
                shown.insert(0, ParameterTable(what, tuple(columns), some))
        return tuple(shown)
