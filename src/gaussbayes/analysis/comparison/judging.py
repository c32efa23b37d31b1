"""Fitting a model to one part of the rows, asking it about the other, and keeping the time."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Integral
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier

from gaussbayes.analysis.comparison.candidate import Candidate
from gaussbayes.analysis.comparison.held_out import HeldOut
from gaussbayes.analysis.comparison.labelled_rows import Places
from gaussbayes.analysis.evaluation import evaluate
from gaussbayes.base.errors import (
    DataError,
    GaussBayesError,
    ParameterError,
    SingularCovarianceError,
)
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import LabelArray, RealArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.data.category_warnings import ManyCategoriesWarning, UnseenCategoryWarning
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.families.gaussian.structures import STRUCTURES, name_of
from gaussbayes.model.selection import is_automatic
from gaussbayes.model.settings import structure_of


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Rows to fit to and rows to predict."""

    rows: RealArray  # (n, d) to fit to
    codes: Places  # (n,)
    asked: RealArray  # (m, d) to predict
    schema: Schema


def folds(parts: HeldOut) -> Iterator[Fold]:
    """The parts one after the other, each copied out only when it is needed."""
    for train, test in parts.splits:
        yield Fold(parts.rows[train], parts.codes[train], parts.rows[test], parts.schema)


@dataclass(slots=True, eq=False)
class Method:
    """A candidate while it is being judged, fold by fold."""

    name: str
    estimator: Any
    structure: Structure | None = None
    neighbors: int | None = None
    n_parameters: int | None = None
    told: list[RealArray] = field(default_factory=list)  # log posteriors of held-out rows
    seconds: list[tuple[float, float]] = field(default_factory=list)  # to fit and to predict
    problem: str | None = None
    fits: bool = False  # whether the problem is with the rows held out, not with those fitted to

    def judge(self, fold: Fold) -> None:
        """Fit and predict, unless an earlier fold has shown that it cannot be done."""
        if self.problem is not None:
            return
        if self.neighbors is not None and self.neighbors > fold.codes.size:
            self.problem = f"there are only {fold.codes.size} rows to find neighbours among"
            return
        # Our models take labels, for priors may be given by label; scikit-learn's take numbers,
        # for it does not know labels of every kind.
        classes = fold.schema.classes
        ours = isinstance(self.estimator, GaussianClassifier)
        targets = classes[fold.codes] if ours else fold.codes
        present = np.unique(fold.codes)
        began = perf_counter()
        try:
            with quiet_about_categories():
                self.estimator.fit(fold.rows, targets)
        except GaussBayesError as error:
            of_rows = isinstance(error, SingularCovarianceError | DataError)
            if not of_rows and present.size == classes.size:
                raise  # a setting is wrong, whatever the rows
            self.problem = _with_names(error, self.estimator, fold, targets)
            return
        fitted = perf_counter()
        try:
            with quiet_about_categories():
                told = _log_posterior(self.estimator, fold.asked)
        except DataError as error:
            if not fold.schema.categorical:
                raise
            # Its categories rule a row out of every class.
            self.problem, self.fits = f"of the rows held out together, {error}", True
            return
        self.seconds.append((fitted - began, perf_counter() - fitted))
        every = np.full((told.shape[0], classes.size), -np.inf, told.dtype)
        every[:, present] = told
        self.told.append(every)

    def candidate(self, truth: Places, classes: LabelArray) -> Candidate:
        """The judgement on the predictions of all folds together."""
        known = (self.name, self.structure, self.neighbors, self.n_parameters)
        if self.problem is not None:
            return Candidate(*known, None, np.nan, np.nan, self.problem)
        fit, predict = np.median(self.seconds, axis=0).tolist()
        return Candidate(*known, evaluate(np.concatenate(self.told), truth, classes), fit, predict)


def for_parts(settings: GaussianClassifier, parts: HeldOut) -> GaussianClassifier:
    """A model of the same settings, not fitted, for rows that are read: no names, no types."""
    model: GaussianClassifier = clone(settings)
    model.set_params(categorical_features=list(parts.schema.categorical) or None)
    return model


def gaussians(settings: GaussianClassifier, parts: HeldOut) -> Iterator[Method]:
    """The six structures with the other settings of a model, and its own if that is another."""
    k = parts.schema.classes.size
    of_categories = k * sum(max(0, len(own) - 1) for own in parts.categories)
    for name, structure in (STRUCTURES | _another(settings)).items():
        choice: dict[str, Any] = {"covariance": structure.covariance, "shared": structure.sharing}
        model = for_parts(settings, parts).set_params(**choice)
        n_parameters = of_categories + _of_numbers(structure, k, parts.schema.of_numbers.n_features)
        yield Method(name, model, structure, n_parameters=n_parameters)


def _of_numbers(structure: Structure, k: int, d: int) -> int:
    """How many parameters there are beside those of categories.

    It depends on the shapes alone, so that it is known even if no fit succeeds.
    """
    if d == 0:
        return k - 1  # the priors
    one = {"full": np.eye(d), "diagonal": np.ones(d), "spherical": np.ones(())}
    unit = one[structure.covariance]
    every = unit if structure.shared else np.broadcast_to(unit, (k, *unit.shape))
    like = GaussianClassifier.from_parameters(
        None, np.zeros((k, d)), every, covariance=structure.covariance, shared=structure.shared
    )
    return int(like.n_parameters_)


def _another(settings: GaussianClassifier) -> dict[str, Structure]:
    """The structure of a model by its name, if it is drawn towards a shared covariance."""
    fitted: Structure | None = getattr(settings, "structure_", None)
    if fitted is None and settings.covariance != "auto":
        fitted = structure_of(settings.covariance, settings.shared)
    return {name_of(fitted): fitted} if fitted is not None and fitted.toward_shared else {}


def nearest_neighbors(neighbors: Any) -> Iterator[Method]:
    """Nearest neighbours, once for each number of them."""
    counts = list(neighbors) if isinstance(neighbors, Iterable) else [neighbors]
    whole = (isinstance(count, Integral) and not isinstance(count, bool) for count in counts)
    if not all(whole) or any(count < 1 for count in counts):
        msg = f"neighbors are whole numbers from 1 on, got {neighbors!r:.200}"
        raise ParameterError(msg)
    for count in dict.fromkeys(counts):
        name = f"{count} nearest neighbour{'s' if count > 1 else ''}"
        yield Method(name, KNeighborsClassifier(int(count)), neighbors=int(count))


@contextmanager
def quiet_about_categories() -> Iterator[None]:
    """Leave out what is to be expected of parts of the rows, or was said of all of them.

    Some part lacks a category that others have; and categories are many numbers in every part.
    """
    with warnings.catch_warnings():
        for kind in (ManyCategoriesWarning, UnseenCategoryWarning):
            warnings.simplefilter("ignore", kind)
        yield


def _log_posterior(estimator: Any, rows: RealArray) -> RealArray:
    if isinstance(estimator, GaussianClassifier):
        return estimator.predict_log_proba(rows)
    with np.errstate(divide="ignore"):  # a class without a vote is called impossible
        told: RealArray = np.log(estimator.predict_proba(rows))
    return told


def _with_names(error: GaussBayesError, model: GaussianClassifier, fold: Fold, y: Any) -> str:
    """The message of an error, with the names of the features where they are known."""
    automatic = is_automatic(model.covariance) or is_automatic(model.shrinkage)
    about_features = isinstance(error, SingularCovarianceError) or fold.schema.categorical
    if about_features and fold.schema.features is not None and not automatic:
        with quiet_about_categories():
            learnt = clone(model).partial_fit(fold.rows, y).with_feature_names(fold.schema.features)
        try:
            _ = learnt.parameters_
        except NotFittedError as named:
            return str(named)
    return str(error)
