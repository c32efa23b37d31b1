"""Which structure and which shrinkage: every candidate judged by rows left out, or by BIC.

One set of full moments gives all candidates: nothing is read twice. Leave-one-out asks how well a
model predicts the class of a row that it has not seen, and can weigh shrinkage against none. The
Bayesian information criterion asks how well a model explains the rows it was fitted to, less a
charge for each parameter, and needs the moments alone. It is not for covariances drawn towards the
shared one: how many free parameters these have, between those of the two, nobody can say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan, nan
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from gaussbayes.analysis.evaluation import evaluate
from gaussbayes.base.errors import DataError, GaussBayesError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, CovarianceName, FloatArray, RealArray, ScatterLayout
from gaussbayes.families.gaussian import structures
from gaussbayes.families.gaussian.leave_one_out import shrinkage_path
from gaussbayes.families.gaussian.leave_one_out.frame import scatters
from gaussbayes.families.gaussian.leave_one_out.toward_shared import has_closed_form
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.parameters import Parameters, Structure, given
from gaussbayes.families.gaussian.shrinkage import Shrinkage
from gaussbayes.model.settings import Settings, check_settings, one_of

Criterion: TypeAlias = Literal["leave_one_out", "bic"]
AUTOMATIC = "auto"

STRUCTURES = (*structures.STRUCTURES.values(), *structures.MIXTURES)
SHRINKAGES: tuple[Shrinkage, ...] = (
    *(None, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0),
    "oas",
)

_TIE = 1e-9
"""Share of a criterion by which equal models may differ in rounding."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A structure and a shrinkage, and how they did; NaN where that was not looked at."""

    structure: Structure
    shrinkage: Shrinkage
    log_loss: float  # mean of −log p(true class | x) over the rows left out, by their weights
    error: float  # share of wrong predictions among them, each counted once
    brier: float  # mean of Σ_c (p(c | x) − [c is true])², likewise
    bic: float
    n_parameters: int
    refused: str | None = None  # why it cannot be judged


@dataclass(frozen=True, slots=True)
class Selection:
    """All candidates, and the best of them."""

    candidates: tuple[Candidate, ...]
    best: Candidate
    criterion: Criterion

    def chosen(self, settings: Settings) -> Settings:
        """The settings with the structure and the shrinkage of the best."""
        return replace(settings, structure=self.best.structure, shrinkage=self.best.shrinkage)


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalTerms:
    """What categorical features add to every candidate, whatever its structure."""

    log_likelihood: float  # of all rows with their classes
    n_parameters: int
    left_out: FloatArray | None = None  # (n, k) log likelihood of each row without it; not for BIC


NO_CATEGORIES = CategoricalTerms(0.0, 0)


@dataclass(frozen=True, slots=True)
class Choice:
    """What may be chosen, and how."""

    settings: Settings  # of which priors and divisor are kept
    structures: tuple[Structure, ...] = STRUCTURES
    shrinkages: tuple[Shrinkage, ...] = SHRINKAGES  # not of spherical covariances
    criterion: Criterion = "leave_one_out"

    def candidates(
        self, weights: FloatArray | None
    ) -> Iterator[tuple[Structure, tuple[Shrinkage, ...]]]:
        """What may be chosen from rows of these weights: structures, each with its shrinkages.

        Where there is a choice of structures, those drawn towards the shared one are left out of
        BIC, and of leave-one-out where a model would have to be fitted without each row.
        """
        for structure in self.structures:
            own = (None,) if structure.covariance == "spherical" else self.shrinkages
            if structure.toward_shared and len(self.structures) > 1:
                by_rows = self.criterion == "leave_one_out"
                quick = (by_rows and has_closed_form(structure, one, weights) for one in own)
                own = tuple(one for one, there in zip(own, quick, strict=True) if there)
            if own:
                yield structure, own

    def refuse_without_rows(self) -> None:
        """Raise if the rows must be there to be left out one at a time."""
        if self.criterion == "leave_one_out":
            raise _no_rows()

    @property
    def is_open(self) -> bool:
        """Whether there is anything to choose."""
        return len(self.structures) * len(self.shrinkages) > 1

    @property
    def layout(self) -> ScatterLayout:
        """How much of the scatter the structures need."""
        layouts = {structure.layout for structure in self.structures}
        return layouts.pop() if len(layouts) == 1 else "full"


def check_choice(
    covariance: Any,
    shared: Any,
    priors: Any,
    divisor: Any,
    shrinkage: Any,
    criterion: Any,
    smoothing: Any = 0.0,
) -> Choice:
    """What ``"auto"`` leaves open, if all that is said is possible.

    Examples
    --------
    >>> choice = check_choice("full", True, None, "mle", "auto", "bic")
    >>> choice.structures, len(choice.shrinkages)
    ((Structure(covariance='full', shared=True),), 11)
    """
    one_of("covariance", covariance, (*get_args(CovarianceName), AUTOMATIC))
    one_of("selection", criterion, get_args(Criterion))
    any_structure, any_shrinkage = covariance == AUTOMATIC, is_automatic(shrinkage)
    settings = check_settings(
        "full" if any_structure else covariance,
        shared,
        priors,
        divisor,
        None if any_shrinkage else shrinkage,
        smoothing,
    )
    return Choice(
        settings,
        STRUCTURES if any_structure else (settings.structure,),
        SHRINKAGES if any_shrinkage else (settings.shrinkage,),
        criterion,
    )


def is_automatic(setting: object) -> bool:
    """Whether a setting is left to be chosen.

    Examples
    --------
    >>> is_automatic("auto"), is_automatic(0.5)
    (True, False)
    """
    return isinstance(setting, str) and setting == AUTOMATIC


def select(
    X: RealArray | None,
    codes: CodeArray | None,
    weights: FloatArray | None,
    moments: ClassMoments,
    schema: Schema,
    choice: Choice,
    n_jobs: int | None = None,
    categories: CategoricalTerms = NO_CATEGORIES,
) -> Selection:
    """Judge every structure with every shrinkage, and find the best.

    Parameters
    ----------
    X, codes, weights : the rows (n, d), their class numbers (n,), and their weights (n,) or None;
        by BIC all three may be None
    moments : of these rows, full or of the layout of the choice
    choice : what may be chosen, by the least log loss of rows left out, exactly as if n models were
        fitted, or by the least BIC. Of equal candidates the one with fewest parameters wins.
    categories : of further features of the rows, which hold categories, if there are any

    Notes
    -----
    The only row of a class is called impossible by every model without it, so that it tells none
    from another, and is not counted.

    Examples
    --------
    >>> from gaussbayes.datasets import load_iris
    >>> from gaussbayes.data.labels import encode
    >>> from gaussbayes.model.settings import check_settings
    >>> from gaussbayes.families.gaussian.summarise import summarise
    >>> data = load_iris()
    >>> codes, classes = encode(data.labels)
    >>> moments, schema = summarise(data.rows, codes, None, 3), Schema(classes, 4)
    >>> choice = Choice(check_settings("full", False, None, "mle", None))
    >>> found = select(data.rows, codes, None, moments, schema, choice)
    >>> found.best.structure, found.best.shrinkage
    (Structure(covariance='full', shared=False, toward_shared=0.5), None)
    """
    candidates: list[Candidate] = []
    for structure, own in choice.candidates(weights):
        chosen = replace(choice.settings, structure=structure)
        fitted = [_fitted(moments, schema, replace(chosen, shrinkage=s), categories) for s in own]
        if choice.criterion == "bic":
            candidates += fitted
            continue
        if X is None or codes is None:
            raise _no_rows()
        path = shrinkage_path(
            X, codes, weights, moments, schema, chosen, own, n_jobs, categories.left_out
        )
        rows = _counted(codes, weights)
        candidates += [
            _judged(candidate, told, codes, weights, rows, schema)
            for candidate, told in zip(fitted, path, strict=True)
        ]
    return Selection(tuple(candidates), _best(candidates, choice.criterion), choice.criterion)


def bic(parameters: Parameters, moments: ClassMoments, structure: Structure) -> float:
    """``−2 log L + p log N``, for p parameters and rows of weight N in all.

    ``log L = Σ_c W_c log prior_c − ½ Σ_c (W_c (d log 2π + log |Σ_c|) + tr Σ_c⁻¹ S_c)`` is the log
    likelihood of the rows with their classes, from their weights W and scatters S alone. Shrinkage
    lowers it and is not counted as fewer parameters: where a covariance can be inverted without,
    BIC never asks for any.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.parameters import estimate
    >>> from gaussbayes.families.gaussian.summarise import summarise
    >>> X, codes = np.array([[0.0], [2.0], [5.0], [7.0]]), np.array([0, 0, 1, 1], np.int32)
    >>> moments, structure = summarise(X, codes, None, 2), Structure(shared=True)
    >>> model = estimate(moments, Schema(np.arange(2), 1), structure)
    >>> round(bic(model, moments, structure), 6)  # 4 (1 + log 2π + log 4) + 4 log 4
    22.441863
    """
    weight, d = moments.weight, moments.n_features
    scatter, whitener = scatters(moments, structure), parameters.covariance.whitener
    if whitener.ndim == 2:
        squares = float((scatter * np.square(whitener)).sum())
    else:
        squares = float(((whitener @ scatter) * whitener).sum())
    log_det = np.broadcast_to(parameters.covariance.log_det, weight.shape)
    labels = 2.0 * float(weight @ parameters.log_prior)
    features = -float(weight @ (d * np.log(2 * np.pi) + log_det)) - squares
    return parameters.n_parameters * float(np.log(weight.sum())) - labels - features


def _no_rows() -> DataError:
    return DataError(
        "selection='leave_one_out' needs the rows and their classes, all in memory: fit to arrays "
        "or a frame, or choose by selection='bic', for which their moments do"
    )


def _fitted(
    moments: ClassMoments, schema: Schema, settings: Settings, categories: CategoricalTerms
) -> Candidate:
    """A candidate before any row is left out."""
    structure, shrinkage = settings.structure, settings.shrinkage
    unseen = (nan, nan, nan)
    try:
        model = settings.estimate(moments, schema)
    except GaussBayesError as error:
        size = _n_parameters(structure, schema) + categories.n_parameters
        return Candidate(structure, shrinkage, *unseen, nan, size, str(error))
    charge = categories.n_parameters * float(np.log(moments.weight.sum()))
    own = bic(model, moments, structure) + charge - 2.0 * categories.log_likelihood
    size = model.n_parameters + categories.n_parameters
    return Candidate(structure, shrinkage, *unseen, own, size)


def _judged(
    candidate: Candidate,
    told: FloatArray | GaussBayesError,
    codes: CodeArray,
    weights: FloatArray | None,
    rows: NDArray[np.intp],
    schema: Schema,
) -> Candidate:
    """The candidate with what the rows that were left out say of it."""
    if isinstance(told, GaussBayesError):
        return replace(candidate, refused=str(told))
    if not rows.size:
        return replace(candidate, refused="no class has two rows, of which one could be left out")
    seen = evaluate(told[rows], codes[rows], schema.classes)
    loss = seen.log_loss
    if weights is not None:
        loss = -float(np.average(told[rows, codes[rows]], weights=weights[rows]))
    return replace(candidate, log_loss=loss, error=seen.error, brier=seen.brier)


def _counted(codes: CodeArray, weights: FloatArray | None) -> NDArray[np.intp]:
    """The rows that weigh something and have company in their class."""
    there = np.ones(codes.size, dtype=np.bool_) if weights is None else weights > 0
    company = np.bincount(codes[there], minlength=int(codes.max(initial=0)) + 1) > 1
    return np.flatnonzero(there & company[codes])


def _best(candidates: Sequence[Candidate], criterion: Criterion) -> Candidate:
    def value(candidate: Candidate) -> float:
        return candidate.bic if criterion == "bic" else candidate.log_loss

    judged = [one for one in candidates if one.refused is None and not isnan(value(one))]
    if not judged:
        reasons = "; ".join(dict.fromkeys(str(one.refused) for one in candidates))
        msg = f"none of {len(candidates)} candidates can be judged: {reasons:.1000}"
        raise DataError(msg)
    least = min(map(value, judged))
    most = least + _TIE * abs(least) if isfinite(least) else least
    return min((one for one in judged if value(one) <= most), key=lambda one: one.n_parameters)


def _n_parameters(structure: Structure, schema: Schema) -> int:
    """How many free parameters such a model has, whether or not it can be fitted."""
    k, d = schema.classes.shape[0], schema.n_features
    if d == 0:
        return int(k) - 1
    unit = {"full": np.eye(d), "diagonal": np.ones(d), "spherical": np.ones(())}
    one = unit[structure.covariance]
    every = one if structure.shared else np.broadcast_to(one, (k, *one.shape))
    return given(schema, structure, "uniform", np.zeros((k, d)), every).n_parameters
