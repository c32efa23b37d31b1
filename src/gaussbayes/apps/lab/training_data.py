"""The rows that the lab looks at: features, classes, which of them are held out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gaussbayes.apps.lab.messages import Split
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray


@dataclass(frozen=True, slots=True, eq=False)
class TrueGaussians:
    """What rows were drawn from."""

    priors: Sequence[float] | str  # (k,), or "uniform"
    means: ArrayLike  # (k, d)
    covariances: ArrayLike  # (k, d, d), or (d, d) of all classes
    classes: tuple[object, ...]  # k
    features: tuple[str, ...]  # d


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Labelled rows before any are held out."""

    name: str  # for the page
    X: FloatArray  # (n, d), NaN where a value is missing
    codes: CodeArray  # (n,)
    labels: LabelArray  # (k,) the classes as they came: strings, integers or booleans
    features: tuple[str, ...]  # d
    target: str = "class"  # what the column of the classes is called
    columns: tuple[str, ...] = ()  # of the file, if there is one
    note: str | None = None  # what the page should say of how the file was read
    truth: TrueGaussians | None = None


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
        while name in self.table.features:
            name += "_"
        return name

    @property
    def n_bytes(self) -> int:
        """How much memory the rows take."""
        return int(self.table.X.nbytes + self.table.codes.nbytes + self.test.nbytes)

    @property
    def pair(self) -> tuple[int, int]:
        """The features to show first; one feature is there twice."""
        return 0, min(1, len(self.table.features) - 1)

    def training(self, first: int | None = None) -> NDArray[np.intp]:
        """The numbers of the rows that models learn from, or of the first of them."""
        return np.flatnonzero(~self.test)[:first]

    def check_features(self, *columns: int) -> None:
        """Raise for feature numbers that there are not."""
        d = len(self.table.features)
        for column in columns:
            if column >= d:
                msg = f"there is no feature {column}: they are numbered from 0 to {d - 1}"
                raise MessageError(msg)

    def row(self, number: int) -> FloatArray:
        """One row (d,)."""
        n = self.table.X.shape[0]
        if number >= n:
            msg = f"there is no row {number}: there are {n}, numbered from 0"
            raise MessageError(msg)
        row: FloatArray = self.table.X[number]
        return row
