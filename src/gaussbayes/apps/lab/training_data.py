"""The rows that the lab looks at: features, classes, which of them are held out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.apps.lab.messages import Split
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray
from gaussbayes.data.categories import Categories
from gaussbayes.data.encoder import Encoder
from gaussbayes.data.rows import UNLABELLED, LabelledRows, Rows, Targets, number_rows
from gaussbayes.model.settings import cut_rows


@dataclass(frozen=True, slots=True, eq=False)
class TrueGaussians:
    """What rows were drawn from."""

    priors: Sequence[float] | str  # (k,), or "uniform"
    means: ArrayLike  # (k, d)
    covariances: ArrayLike  # (k, d, d), or (d, d) of all classes
    classes: tuple[object, ...]  # k
    features: tuple[str, ...]  # d


@dataclass(frozen=True, slots=True)
class ShownFeatures:
    """The features that a model is seen through, numbered among numbers and among categories."""

    numbers: tuple[int, ...]
    axes: tuple[int, ...]  # which coordinate of the pair each of the numbers is
    categories: tuple[int, ...] = ()

    @property
    def is_nothing(self) -> bool:
        """Whether no feature is seen."""
        return not (self.numbers or self.categories)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
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
    def features(self) -> tuple[str, ...]:
        """The names of the features that hold numbers (g)."""
        return self._names(self.encoder.numeric)

    @property
    def categorical(self) -> tuple[str, ...]:
        """The names of the features that hold categories (q)."""
        return self._names(self.encoder.categorical)

    @property
    def categories(self) -> tuple[Categories, ...]:
        """The categories of each of them."""
        return self.rows.categories

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
        codes = rank[self.codes[numbers]]
        k, n_unlabelled = self.labels.shape[0], int(np.count_nonzero(codes == UNLABELLED))
        targets = Targets(codes, k, None, n_unlabelled)
        return LabelledRows(self.rows[numbers], targets, self.labels[self.order])

    def part(self, shown: ShownFeatures) -> Rows:
        """All rows, by some of the features."""
        return cut_rows(self.rows, self.schema, self.columns_of(shown))

    def columns_of(self, shown: ShownFeatures) -> list[int]:
        """Where some features are among all: numbers in the order of the figure, then categories.

        Examples
        --------
        >>> rows = Rows(np.ones((1, 2)), np.zeros((1, 1), np.int32), (("u",),))
        >>> encoder = Encoder(3, ("x", "town", "y"), (1,))
        >>> table = Table("one", rows, np.zeros(1, np.int32), np.array(["a"]), encoder)
        >>> table.columns_of(ShownFeatures((1, 0), (0, 1), (0,)))
        [2, 0, 1]
        """
        numbers = [self.encoder.numeric[j] for j in shown.numbers]
        return numbers + [self.encoder.categorical[j] for j in shown.categories]

    def _names(self, columns: tuple[int, ...]) -> tuple[str, ...]:
        assert self.encoder.names is not None
        return tuple(self.encoder.names[column] for column in columns)


def number_table(
    name: str,
    X: FloatArray,
    codes: CodeArray,
    labels: LabelArray,
    features: Sequence[str],
    target: str = "class",
    truth: TrueGaussians | None = None,
) -> Table:
    """A table whose features all hold numbers.

    Examples
    --------
    >>> codes = np.array([1, 0, -1], np.int32)
    >>> table = number_table("three", np.eye(3), codes, np.array(["q", "p"]), ("x", "y", "z"))
    >>> table.schema.classes.tolist(), table.labelled(np.arange(3)).targets.codes.tolist()
    (['p', 'q'], [0, 1, -1])
    """
    encoder = Encoder(len(features), tuple(features))
    return Table(name, number_rows(X), codes, labels, encoder, target, truth=truth)


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A table, and which of its rows are held out."""

    key: str  # what requests call it
    table: Table
    split: Split  # how they were chosen
    test: NDArray[np.bool_]  # (n,)
    note: str | None = None  # what was left out, why no rows are held out, and the like

    @property
    def n_classes(self) -> int:
        """How many classes there are, with rows or without."""
        return int(self.table.labels.shape[0])

    @property
    def classes(self) -> tuple[str, ...]:
        """What the page calls the classes."""
        return tuple(str(label) for label in self.table.labels.tolist())

    @property
    def target_name(self) -> str:
        """What the column of the classes is called in a file; no feature has the same name."""
        name = self.table.target
        while name in (self.table.encoder.names or ()):
            name += "_"
        return name

    @property
    def n_bytes(self) -> int:
        """How much memory the rows take."""
        rows = self.table.rows
        arrays = (rows.matrix, rows.codes, self.table.codes, self.test)
        return sum(int(array.nbytes) for array in arrays)

    @property
    def pair(self) -> tuple[int, int]:
        """The features to show first; one feature is there twice."""
        return 0, min(1, max(0, len(self.table.features) - 1))

    @property
    def every_feature(self) -> ShownFeatures:
        """All features of the table."""
        numbers = tuple(range(len(self.table.features)))
        return ShownFeatures(numbers, numbers, tuple(range(len(self.table.categories))))

    def training(self, first: int | None = None) -> NDArray[np.intp]:
        """The numbers of the rows that models learn from, or of the first of them."""
        return np.flatnonzero(~self.test)[:first]

    def check_features(self, *columns: int) -> None:
        """Raise for feature numbers that there are not; without any, 0 stands for none."""
        d = max(1, len(self.table.features))
        for column in columns:
            if column >= d:
                msg = f"there is no feature {column}: they are numbered from 0 to {d - 1}"
                raise MessageError(msg)

    def check_row(self, number: int) -> None:
        """Raise for the number of a row that there is not."""
        n = self.table.codes.size
        if number >= n:
            msg = f"there is no row {number}: there are {n}, numbered from 0"
            raise MessageError(msg)
