"""Models fitted to the training rows of a dataset; each is fitted once and kept."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gaussbayes.apps.lab.datasets import Dataset, Store
from gaussbayes.apps.lab.messages import FromData
from gaussbayes.base.errors import GaussBayesError
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.families.gaussian.learning import learn
from gaussbayes.families.gaussian.parameters import Parameters
from gaussbayes.model.labelled import LabelledMoments
from gaussbayes.model.model import Model, learnt_model
from gaussbayes.model.prior import Priors


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A model of all features."""

    model: Model
    parameters: Parameters
    present: NDArray[np.intp]  # (m,) the classes of the dataset that the model knows, by number


@dataclass(frozen=True, slots=True)
class Problem:
    """Why something cannot be calculated for these data, and what to do."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """The rows that models learn from, and their moments, from which every structure follows."""

    rows: NDArray[np.intp]  # (n,) their numbers
    moments: LabelledMoments


def fitted(dataset: Dataset, choice: FromData, store: Store) -> Fit | Problem:
    """The model of these settings, or why there is none.

    Examples
    --------
    >>> from gaussbayes.apps.lab.messages import DataRequest, PresetSource, Split
    >>> store = Store()
    >>> data = store.dataset_of(DataRequest(1, PresetSource("petals", 0, None), None, Split()))
    >>> fitted(data, FromData(), store).parameters.mean.round(2).tolist()
    [[2.68], [6.5]]
    >>> fitted(data, FromData(first=0), store)
    Problem(text='there are no rows to learn from: add points, or hold out fewer')
    """
    return store.recall(("fit", dataset.key, choice), lambda: _fitted(dataset, choice, store))


def learnt_from(dataset: Dataset, first: int | None, store: Store) -> Learnt | Problem:
    """What the training rows teach, or the first of them."""
    return store.recall(("learnt", dataset.key, first), lambda: _learnt(dataset, first))


def rows_learnt(dataset: Dataset, first: int | None) -> NDArray[np.intp]:
    """The numbers of the rows that a model learns from."""
    return dataset.training[:first]


def _learnt(dataset: Dataset, first: int | None) -> Learnt | Problem:
    rows = rows_learnt(dataset, first)
    if not rows.size:
        return Problem("there are no rows to learn from: add points, or hold out fewer")
    table = dataset.table
    try:
        found = learn(table.X[rows], table.codes[rows], None, table.labels, "full", 1)
    except GaussBayesError as error:
        return Problem(str(error))
    return Learnt(rows, found)


def _fitted(dataset: Dataset, choice: FromData, store: Store) -> Fit | Problem:
    learnt = learnt_from(dataset, choice.first, store)
    if isinstance(learnt, Problem):
        return learnt
    present = np.flatnonzero(learnt.moments.weight > 0)
    if present.size == 1:
        return Problem(_one_class(dataset.classes[present[0]], so_far=choice.first is not None))
    settings = choice.settings
    table = dataset.table
    try:
        settings = replace(settings, priors=_among(settings.priors, present, dataset))
        model = learnt_model(settings, learnt.moments, table.features, table.target)
        solved, _ = model.solved(1)
        return Fit(solved, solved.estimate(1), present)
    except GaussBayesError as error:
        return Problem(str(error))


def _one_class(name: str, *, so_far: bool) -> str:
    if so_far:
        return f"so far all rows are of one class, {name!r}, and a classifier needs two"
    return (
        f"there are rows of one class only, {name!r}, and a classifier needs two: add points of "
        "another, or choose another column to predict"
    )


def _among(priors: Priors, present: NDArray[np.intp], dataset: Dataset) -> Priors:
    """Given priors of the classes that have rows; the others' share goes to them in proportion."""
    if priors is None or isinstance(priors, str):
        return priors
    every = np.asarray(priors, dtype=np.float64)
    if every.size != dataset.n_classes or present.size == every.size:
        return every  # if their number is wrong, the core says so
    some: FloatArray = every[present]
    return some / some.sum() if some.sum() > 0 else "uniform"


def codes_among(present: NDArray[np.intp], codes: CodeArray) -> CodeArray:
    """Class numbers of the dataset as those of a model of some of its classes.

    Examples
    --------
    >>> codes_among(np.array([0, 2]), np.array([2, 0, 2], np.int32)).tolist()
    [1, 0, 1]
    """
    return np.searchsorted(present, codes).astype(np.int32)
