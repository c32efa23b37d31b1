"""A dataset of the lab: rows, their classes, which of them are held out, and the truth if known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.lab.messages.error import MessageError
from gaussbayes.apps.lab.messages.fields import shown
from gaussbayes.apps.lab.messages.sources import Split
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray, LabelArray
from gaussbayes.families.gaussian.parameters import Parameters


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Labelled rows before any are held out."""

    name: str  # for the page
    X: FloatArray  # (n, d), NaN where a value is missing
    codes: CodeArray  # (n,)
    labels: LabelArray  # (k,) the classes as they came: text, whole numbers or truth values
    features: tuple[str, ...]  # d
    target: str = "class"  # what the column of the classes is called
    columns: tuple[str, ...] = ()  # of the file, if there is one
    note: str | None = None  # what the page should say of how the file was read
    truth: Parameters | None = None  # of all features, if the rows were drawn from Gaussians


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A table, and which of its rows are held out."""

    key: str  # what requests call it
    table: Table
    split: Split  # how they were chosen
    test: NDArray[np.bool_]  # (n,)
    problem: str | None = None  # why no rows are held out although that was asked for, and the like

    @property
    def n_classes(self) -> int:
        """How many classes there are, with rows or without."""
        return int(self.table.labels.shape[0])

    @property
    def classes(self) -> tuple[str, ...]:
        """What the page calls the classes."""
        return tuple(str(label) for label in self.table.labels.tolist())

    @property
    def schema(self) -> Schema:
        """The classes by name, and the features."""
        features = self.table.features
        return Schema(np.array(self.classes), len(features), features)

    @property
    def training(self) -> NDArray[np.intp]:
        """The numbers of the rows that models learn from."""
        return np.flatnonzero(~self.test)

    @property
    def n_bytes(self) -> int:
        """How much memory the rows take."""
        return int(self.table.X.nbytes + self.table.codes.nbytes + self.test.nbytes)

    @property
    def pair(self) -> tuple[int, int]:
        """The features to show first; one feature is there twice."""
        return 0, min(1, len(self.table.features) - 1)

    def refuse_strange(self, *columns: int) -> None:
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
            msg = f"there is no row {shown(number)}: there are {n}, numbered from 0"
            raise MessageError(msg)
        row: FloatArray = self.table.X[number]
        return row
