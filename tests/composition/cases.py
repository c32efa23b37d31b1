"""The axes of the matrix: kinds of data, what is missing in them, and structures."""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pandas as pd
import pyarrow as pa

from gaussbayes import GaussianClassifier
from gaussbayes.families.transformed import Logarithm
from tests.composition import oracle
from tests.designs import all_pairs

KINDS = {
    "both": (2, 0, (3,)),
    "numbers": (2, 0, ()),
    "categories": (0, 0, (2, 3)),
    "counts": (2, 1, ()),
    "logarithms": (2, 0, (2,)),
}
"""How many numbers and counts there are, and how many categories each categorical feature has."""

COMPLETENESS = {
    "complete": (False, False),
    "missing": (True, False),
    "unlabelled": (False, True),
    "missing+unlabelled": (True, True),
}
"""Whether values are missing, and whether labels are."""

STRUCTURES = {
    "full": ("full", 0.0),
    "full shared": ("full", 1.0),
    "full half": ("full", 0.5),
    "diagonal": ("diagonal", 0.0),
    "diagonal shared": ("diagonal", 1.0),
    "spherical": ("spherical", 0.0),
    "spherical shared": ("spherical", 1.0),
}

SOME = ("full", "full shared", "diagonal")
"""Structures of kinds that are there for something else."""

OF_KINDS = {
    "both": STRUCTURES,
    "numbers": STRUCTURES,
    "categories": ("full",),
    "counts": SOME,
    "logarithms": SOME,
}

CLASSES = ("a", "b", "c")
SMOOTHING = 0.5


@dataclass(frozen=True)
class Case:
    """One kind of data with one completeness under one structure."""

    kind: str
    completeness: str
    structure: str

    def __str__(self):
        return f"{self.kind}-{self.completeness}-{self.structure}"

    @property
    def options(self):
        """What the classifier is told."""
        covariance, sharing = STRUCTURES[self.structure]
        families = {f"n{j}": "poisson" for j in range(KINDS[self.kind][1])}
        return {
            "covariance": covariance,
            "shared": sharing,
            "smoothing": SMOOTHING,
            "families": families or None,
            "transforms": {("x0", "x1"): Logarithm()} if self.kind == "logarithms" else None,
        }

    @property
    def settings(self):
        """What the oracle is told."""
        covariance, sharing = STRUCTURES[self.structure]
        return {"covariance": covariance, "sharing": sharing, "smoothing": SMOOTHING}

    @cached_property
    def data(self):
        """The rows to fit to."""
        return rows(self.kind, self.completeness)

    @cached_property
    def query(self):
        """Other rows, some of which lack values."""
        return queries(self.kind)

    @property
    def is_em(self):
        """Whether anything is missing."""
        return self.completeness != "complete"

    @property
    def in_few(self):
        """For what takes hundreds of fits: every kind, and every completeness, with some other."""
        some = {"missing": "numbers", "unlabelled": "counts", "missing+unlabelled": "both"}
        cheap = not self.is_em or not self.has_numbers
        return cheap or some[self.completeness] == self.kind

    @property
    def has_numbers(self):
        """Whether there are numbers."""
        return KINDS[self.kind][0] > 0

    @property
    def frame(self):
        """The rows to fit to, as a frame."""
        return frame_of(self.data)

    @property
    def labels(self):
        """Their labels, None where there is none."""
        return labels_of(self.data)

    def fit(self, data=None, **options):
        """A classifier of these rows."""
        data = self.data if data is None else data
        model = GaussianClassifier(**(self.options | options))
        weights = None if data.w is None else data.w
        return model.fit(frame_of(data), labels_of(data), weights)

    def truth_of(self, data, **settings):
        """What the oracle finds in rows."""
        return oracle.fit(data, **(self.settings | settings))


@cache
def model_of(case):
    """The classifier of a case, fitted once; operations must not change it."""
    return case.fit()


@cache
def truth_of(case):
    """What the oracle finds in the rows of a case."""
    return case.truth_of(case.data)


@cache
def labelled_of(case):
    """The rows of a case that have labels."""
    return case.data.some(case.data.y >= 0)


def pairs(*axes):
    """Cases, and values of other axes, in which any two values of two axes meet.

    Categories alone have no structure.
    """
    rows = all_pairs(
        KINDS,
        COMPLETENESS,
        STRUCTURES,
        *axes,
        where=lambda kind, _, structure, *__: structure in OF_KINDS[kind],
    )
    return [(Case(*row[:3]), *row[3:]) for row in rows]


CASES = [case for (case,) in pairs()]


@cache
def rows(kind, completeness, n=54, seed=5):
    """Rows of three classes; every class has every value, and rows that lack nothing."""
    generator = np.random.default_rng(seed)
    numbers, counts, sizes = KINDS[kind]
    y = np.arange(n) % 3
    spread = np.array([[1.0, 0.4], [0.0, 0.8]])
    centre = np.array([[0.0, 0.0], [2.2, 0.5], [0.6, 2.4]])
    X = (centre[y] + generator.normal(size=(n, 2)) @ spread * (1 + 0.3 * y[:, None]))[:, :numbers]
    chances = [generator.dirichlet(np.full(m, 2.0), size=3) for m in sizes]
    Z = np.array(
        [[generator.choice(m, p=p[c]) for m, p in zip(sizes, chances, strict=True)] for c in y]
    ).reshape(n, len(sizes))
    N = generator.poisson(1.0 + 1.5 * y[:, None], size=(n, counts)).astype(float)
    missing, unlabelled = COMPLETENESS[completeness]
    if missing:
        X = np.where(generator.random(X.shape) < 0.15, np.nan, X)
        Z = np.where(generator.random(Z.shape) < 0.15, -1, Z)
        N = np.where(generator.random(N.shape) < 0.15, np.nan, N)
    y = np.where((np.arange(n) % 4 == 3) & (np.arange(n) > 8), -1, y) if unlabelled else y
    return oracle.Data(X, N, Z, sizes, y, 3, logged=kind == "logarithms")


@cache
def queries(kind, n=24):
    """Rows to be predicted, complete ones, such as lack some values, and one that lacks all."""
    data = rows(kind, "missing", n=n, seed=11)
    X, N, Z = data.X.copy(), data.N.copy(), data.Z.copy()
    X[-1], N[-1], Z[-1] = np.nan, np.nan, -1
    return oracle.Data(X, N, Z, data.sizes, np.arange(n) % 3, 3, logged=data.logged)


def frame_of(data):
    """Rows as a frame: numbers, counts, then columns of pandas' type category."""
    numbers = np.exp(data.X) if data.logged else data.X
    columns = {f"x{j}": numbers[:, j] for j in range(data.X.shape[1])}
    columns |= {f"n{j}": data.N[:, j] for j in range(data.N.shape[1])}
    for j, m in enumerate(data.sizes):
        names = np.array([f"level {code}" for code in range(m)] + [None], dtype=object)
        columns[f"z{j}"] = pd.Categorical(names[data.Z[:, j]], [f"level {i}" for i in range(m)])
    return pd.DataFrame(columns)


def table_of(data):
    """Rows with their labels as an Arrow table; categories are strings."""
    frame = frame_of(data).assign(y=labels_of(data))
    for name in frame.columns[frame.columns.str.startswith("z")]:
        frame[name] = frame[name].astype(object)
    return pa.Table.from_pandas(frame, preserve_index=False)


def labels_of(data):
    """Labels, None where there is none."""
    return np.array([*CLASSES, None], dtype=object)[data.y]
