"""The rows that the lab looks at: features, classes, what they were drawn from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray, RealArray
from gaussbayes.data.categories import Categories
from gaussbayes.data.rows import UNLABELLED, Encoder, LabelledRows, Rows, Targets, number_rows
from gaussbayes.model.construction import given_model
from gaussbayes.model.model import Model
from gaussbayes.model.settings import cut_rows


@dataclass(frozen=True, slots=True, eq=False)
class TrueGaussians:
    """What rows were drawn from, or what was set by hand."""

    priors: Sequence[float] | str  # (k,), or "uniform"
    means: ArrayLike  # (k, d)
    covariances: ArrayLike  # (k, d, d), or (d, d) of all classes
    classes: tuple[object, ...] = ()  # k
    features: tuple[str, ...] = ()  # d

    @property
    def model(self) -> Model:
        """The model of these parameters, its classes numbered as they come."""
        how: dict[str, Any] = {"covariance": "full", "shared": np.ndim(self.covariances) == 2}
        return given_model(self.priors, self.means, self.covariances, **how, fewest_classes=1)


@dataclass(frozen=True, slots=True)
class ShownFeatures:
    """The features that a model is seen through, numbered among numbers and among categories."""

    numbers: tuple[int, ...]
    axes: tuple[int, ...]  # which coordinate of the pair each of the numbers is
    categories: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class LabTable:
    """Rows before any are held out, with a label or without.

    Figures show features that hold numbers, which are called `features` here; the others hold
    categories.
    """

    name: str  # for the page
    rows: Rows  # n
    codes: CodeArray  # (n,), −1 for a row without label
    labels: LabelArray  # (k,) the classes as they came: strings, integers or booleans
    encoder: Encoder  # which features there are, and what they hold
    target: str = "class"  # what the column of the classes is called
    columns: tuple[str, ...] = ()  # of the file, if there is one
    note: str | None = None  # what the page should say of how the file was read
    truth: TrueGaussians | None = None

    @property
    def X(self) -> FloatArray:  # noqa: N802
        """The numbers (n, g), NaN where one is missing."""
        matrix: FloatArray = self.rows.matrix.astype(np.float64, copy=False)
        return matrix

    @property
    def names(self) -> tuple[str, ...]:
        return self.encoder.names or ()

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that hold numbers (g)."""
        return tuple(self.names[column] for column in self.encoder.numeric)

    @property
    def categorical(self) -> tuple[str, ...]:
        """The names of the features that hold categories (q)."""
        return tuple(self.names[column] for column in self.encoder.categorical)

    @property
    def categories(self) -> tuple[Categories, ...]:
        return self.rows.categories

    @property
    def has_label(self) -> NDArray[np.bool_]:
        """Which rows (n,) have a label."""
        return np.not_equal(self.codes, UNLABELLED)

    @property
    def order(self) -> NDArray[np.intp]:
        """The class codes (k,) in the order in which models have the classes: sorted by label."""
        return np.argsort(self.labels, kind="stable")

    @property
    def schema(self) -> Schema:
        """Classes, sorted, and features, as models know them."""
        return self.encoder.schema(self.labels[self.order])

    def labelled(self, numbers: NDArray[np.intp]) -> LabelledRows:
        """Some of the rows, as models learn from them."""
        rank = np.append(np.argsort(self.order), UNLABELLED).astype(np.int32)
        n_unlabelled = int(np.count_nonzero(~self.has_label[numbers]))
        targets = Targets(rank[self.codes[numbers]], self.labels.shape[0], None, n_unlabelled)
        return LabelledRows(self.rows[numbers], targets, self.labels[self.order])

    def part(self, shown: ShownFeatures) -> Rows:
        """All rows, by some of the features."""
        return cut_rows(self.rows, self.schema, self.columns_of(shown))

    def columns_of(self, shown: ShownFeatures) -> list[int]:
        """Where some features are among all: numbers as the figure has them, then categories."""
        numbers = [self.encoder.numeric[j] for j in shown.numbers]
        return numbers + [self.encoder.categorical[j] for j in shown.categories]


def number_table(
    name: str,
    X: RealArray,
    codes: NDArray[np.signedinteger],
    labels: LabelArray,
    features: Sequence[str],
    target: str = "class",
    truth: TrueGaussians | None = None,
) -> LabTable:
    encoder = Encoder(len(features), tuple(features))
    rows = number_rows(X.astype(np.float64, copy=False))
    return LabTable(name, rows, codes.astype(np.int32), labels, encoder, target, truth=truth)
