"""Rows with gaps, for the lesson on missing data: apple trees, few labels, and hidden glucose."""

from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from gaussbayes.analysis.synthesis import make_gaussian_dataset
from gaussbayes.base.progress import track
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.families.gaussian.missing.em import Convergence, Incomplete, fit_incomplete
from gaussbayes.lessons.lesson import Table
from gaussbayes.lessons.sheets import diabetes, two_gaussians
from gaussbayes.model.settings import check_settings

CROP = (8, 6, 11, 22, 14, 17, 18, 24, 19, 23, 26, 40, 4, 4, 5, 6, 8, 10)
WORMY = (59, 58, 56, 53, 50, 45, 43, 42, 39, 38, 30, 27)
"""Of the first twelve trees; nobody counted those of the last six."""

N_LABELLED = 12
N_UNLABELLED = 250
N_TEST = 5_000
"""Rows of each class."""

N_PATIENTS = 10_000


class Gaussian(NamedTuple):
    """A mean (d,) and a covariance (d, d)."""

    mean: FloatArray
    covariance: FloatArray


class Errors(NamedTuple):
    """Errors in per cent, by the labelled rows alone and with the others."""

    labelled: float
    all_rows: float


def one_gaussian(rows: FloatArray) -> Gaussian:
    """The most likely Gaussian of rows (n, d) in which values may be missing.

    Examples
    --------
    >>> one_gaussian(np.array([[1.0, 1.0], [2.0, 4.0], [3.0, 4.0]])).mean.tolist()
    [2.0, 3.0]
    """
    moments = _fitted(rows).moments
    return Gaussian(moments.mean[0], moments.scatter[0] / moments.weight[0])


def climb(rows: FloatArray) -> Convergence:
    """How EM climbed to the most likely Gaussian of rows (n, d) in which values may be missing."""
    return _fitted(rows).convergence


def _fitted(rows: FloatArray) -> Incomplete:
    """All rows as one class: a classifier would ask for two."""
    codes = np.zeros(rows.shape[0], dtype=np.int32)
    schema = Schema(np.array(["all"]), rows.shape[1])
    settings = check_settings("full", False, None, "mle", None)
    return fit_incomplete(rows, codes, None, 1, schema, settings)


def complete(rows: FloatArray) -> FloatArray:
    """The rows without those that lack a value."""
    return rows[~np.isnan(rows).any(axis=1)]


def filled(rows: FloatArray) -> FloatArray:
    """The rows with the mean of a feature where it is missing.

    Examples
    --------
    >>> filled(np.array([[1.0], [np.nan], [3.0]])).ravel().tolist()
    [1.0, 2.0, 3.0]
    """
    return np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)


def apples() -> Table:
    """Eighteen apple trees; six of them lack the share of wormy fruits."""
    wormy = [*WORMY, *[np.nan] * (len(CROP) - len(WORMY))]
    rows = np.array([CROP, wormy], dtype=np.float64).T
    features = ("crop (hundreds of fruits)", "wormy fruits (%)")
    return Table("apples", rows, np.full(len(CROP), "tree"), features, "listed by Little and Rubin")


def few_labels(seed: int) -> Table:
    """Rows of the two Gaussians of the course, a few with labels, the others with None."""
    generator = np.random.default_rng(seed)
    known, y = _two_gaussians(N_LABELLED, generator)
    others, _ = _two_gaussians(N_UNLABELLED, generator)
    labels = np.array([*y.tolist(), *[None] * others.shape[0]], dtype=object)
    source = f"drawn with seed {seed}; {y.size} have a label"
    return Table("few labels", np.vstack([known, others]), labels, ("x1", "x2"), source)


def _two_gaussians(n: int, generator: np.random.Generator) -> tuple[FloatArray, LabelArray]:
    means, covariances = two_gaussians.MEANS, two_gaussians.COVARIANCES
    X, y = make_gaussian_dataset(n, means, covariances, random_state=generator)
    return X, y + 1


def without_unlabelled(table: Table) -> Table:
    """The labelled rows alone."""
    there = np.array([label is not None for label in table.labels])
    labels = np.array(table.labels[there].tolist())
    return Table(table.name, table.rows[there], labels, table.features, table.source)


def fit(table: Table) -> GaussianClassifier:
    """One Gaussian a class, by all rows that there are, with and without label."""
    return GaussianClassifier().fit(table.rows, table.labels)


def errors(table: Table, seed: int, n_test: int = N_TEST) -> Errors:
    """How often both classifiers are wrong about so many new rows of each class."""
    X, y = _two_gaussians(n_test, np.random.default_rng([seed, 1]))
    models = fit(without_unlabelled(table)), fit(table)
    return Errors(*(100.0 * float(np.mean(one.predict(X) != y)) for one in models))


@lru_cache(maxsize=1)
def draws(n_draws: int, seed: int = 0) -> FloatArray:
    """The errors (draws, 2) of many such tables; kept, for it takes seconds."""
    seeds = np.random.SeedSequence(seed).generate_state(n_draws).tolist()
    steps = track(seeds, "drawing few labels")
    return np.array([errors(few_labels(own), own) for own in steps])


def true_patients() -> Gaussian:
    """Of patients with diabetes, as the lesson on diabetes has them."""
    return Gaussian(np.array(diabetes.MEANS[1]), np.array(diabetes.COVARIANCES[1]))


def patients(seed: int, hidden_by: Literal["count", "glucose"]) -> Table:
    """Patients with diabetes; the glucose is hidden where count, or glucose, is above its mean.

    Either way about half of them lack it.
    """
    truth = true_patients()
    X, y = make_gaussian_dataset(N_PATIENTS, truth.mean[None], truth.covariance, random_state=seed)
    column = ("count", "glucose").index(hidden_by)
    X[X[:, column] > truth.mean[column], 1] = np.nan
    source = f"drawn with seed {seed}, no glucose where the {hidden_by} is above its mean"
    return Table(f"hidden by {hidden_by}", X, y, diabetes.FEATURES, source)


def along(
    model: GaussianClassifier, count: float, glucose: FloatArray
) -> tuple[RealArray, RealArray]:
    """``p(C = 0 | count, glucose)`` and ``p(glucose | count)`` (n,) where only the count is known.

    The second, as a weight, makes the mean of the first: that is ``p(C = 0 | count)``.
    """
    rows = np.column_stack([np.full(glucose.size, count), glucose])
    density = model.evidence(rows) / model.evidence([[count, np.nan]])
    return model.predict_proba(rows)[:, 0], density
