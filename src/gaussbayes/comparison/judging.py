"""Fitting a model to one part of the rows, asking it about the other, and keeping the time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from numbers import Integral
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier

from gaussbayes.comparison.candidate import Candidate
from gaussbayes.comparison.held_out import HeldOut, Places
from gaussbayes.errors import DataError, GaussBayesError, ParameterError, SingularCovarianceError
from gaussbayes.estimator import GaussianClassifier
from gaussbayes.evaluation import evaluate
from gaussbayes.parameters import Structure
from gaussbayes.schema import Schema
from gaussbayes.settings import structure_of
from gaussbayes.structures import STRUCTURES, name_of
from gaussbayes.types import LabelArray, RealArray


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
            self.estimator.fit(fold.rows, targets)
        except GaussBayesError as error:
            of_rows = isinstance(error, SingularCovarianceError | DataError)
            if not of_rows and present.size == classes.size:
                raise  # a setting is wrong, whatever the rows
            self.problem = _with_names(error, self.estimator, fold, targets)
            return
        fitted = perf_counter()
        told = _log_posterior(self.estimator, fold.asked)
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


def gaussians(settings: GaussianClassifier, schema: Schema) -> Iterator[Method]:
    """The six structures with the other settings of a model, and its own if that is another."""
    k, d = schema.classes.size, schema.n_features
    for name, structure in (STRUCTURES | _another(settings)).items():
        choice: dict[str, Any] = {"covariance": structure.covariance, "shared": structure.sharing}
        # The number of parameters depends on the shapes alone: it is known even if no fit succeeds.
        one = {"full": np.eye(d), "diagonal": np.ones(d), "spherical": np.ones(())}
        unit = one[structure.covariance]
        every = unit if structure.shared else np.broadcast_to(unit, (k, *unit.shape))
        like = GaussianClassifier.from_parameters(
            None, np.zeros((k, d)), every, covariance=structure.covariance, shared=structure.shared
        )
        model = clone(settings).set_params(**choice)
        yield Method(name, model, structure, n_parameters=like.n_parameters_)


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


def _log_posterior(estimator: Any, rows: RealArray) -> RealArray:
    if isinstance(estimator, GaussianClassifier):
        return estimator.predict_log_proba(rows)
    with np.errstate(divide="ignore"):  # a class without a vote is called impossible
        told: RealArray = np.log(estimator.predict_proba(rows))
    return told


def _with_names(error: GaussBayesError, model: GaussianClassifier, fold: Fold, y: Any) -> str:
    """The message of an error, with the names of the features where they are known."""
    if isinstance(error, SingularCovarianceError) and fold.schema.features is not None:
        learnt = clone(model).partial_fit(fold.rows, y).with_feature_names(fold.schema.features)
        try:
            _ = learnt.parameters_
        except NotFittedError as named:
            return str(named)
    return str(error)
