"""The most likely model of rows with missing features, and of rows without labels.

What is maximised is the likelihood of what was observed,

    Σ w log p(x_o, c)  over labelled rows  +  u Σ w log Σ_c p(x_o, c)  over unlabelled ones,

where x_o are the features a row has and u the weight of the unlabelled part. With labels and
without correlations the maximum has a closed form; otherwise EM climbs to it. Features must be
missing for reasons that do not depend on their values, given the others; then nothing is biased.

The result are completed moments: those of the rows that the observed ones are expected to come
from. Everything else follows from them as from the moments of complete rows, and with
``divisor="mle"`` and without shrinkage the parameters are the most likely ones.

For covariances drawn towards a shared one, the likelihood of own ones is maximised, and the two
are mixed in the end, from the completed moments.

Shrinkage is applied to the completed moments in the end; EM maximises the plain likelihood. Only
if that has no maximum, because a covariance becomes singular, and shrinkage is given, EM maximises
the likelihood with a penalty that shrinks alike (`penalty`), and the record says so.
"""

from dataclasses import dataclass

import numpy as np

from gaussbayes.base.anderson import total_objective
from gaussbayes.base.checks import positive_number, integer
from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import n_threads
from gaussbayes.base.types import CodeArray, FloatArray, RealArray
from gaussbayes.families.gaussian.factor import check_variances
from gaussbayes.families.gaussian.missing.available import Available, variances
from gaussbayes.families.gaussian.missing.cells import IncompleteCells, Observed, incomplete_cells
from gaussbayes.families.gaussian.missing.climbs import (
    Limits,
    Task,
    joined,
    labelled_climbs,
    membership_climb,
)
from gaussbayes.families.gaussian.missing.featurewise import closed_form, log_likelihood_of
from gaussbayes.families.gaussian.missing.full import Completed
from gaussbayes.families.gaussian.missing.penalty import no_penalty, penalty_of
from gaussbayes.families.gaussian.missing.points import Frame, frame_of
from gaussbayes.families.gaussian.missing.rows import IncompleteRows, incomplete_rows
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.model.labelled import LabelledMoments
from gaussbayes.model.prior import class_priors
from gaussbayes.model.settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class Convergence:
    """How EM climbed.

    The log-likelihood is that of the parameters before each step and never falls; the model is one
    step beyond its last entry. It is penalised if `penalised` says so.
    """

    log_likelihood: FloatArray  # (iterations + 1,)
    converged: bool
    remaining: float  # estimated error of a parameter, in standard deviations or as a share of one
    penalised: bool = False

    @property
    def n_iterations(self) -> int:
        """How many steps were made; 0 for a closed form."""
        return self.log_likelihood.size - 1


@dataclass(frozen=True, slots=True, eq=False)
class Incomplete:
    """What was learnt from incomplete rows."""

    moments: ClassMoments  # completed
    convergence: Convergence


def fit_incomplete(
    X: RealArray,
    codes: CodeArray,
    weights: FloatArray | None,
    n_classes: int,
    schema: Schema,
    settings: Settings,
    *,
    unlabelled_weight: float = 1.0,
    tolerance: float = 1e-11,
    max_iterations: int = 10_000,
    n_jobs: int | None = None,
) -> Incomplete:
    """The completed moments of rows with missing features, missing labels, or both.

    Parameters
    ----------
    X : (n, d), NaN where a feature is missing. A row without any feature counts for the weight of
        its class.
    codes : (n,) class numbers, −1 for a row without label
    weights : (n,) or None
    settings : the structure decides what is maximised, and the layout of the result; priors that
        are given are held, others are found together with the rest
    unlabelled_weight : how much an unlabelled row counts beside a labelled one
    tolerance : estimated error of the parameters at which EM stops
    max_iterations : after how many steps it stops anyway; the record says that it did
    n_jobs : threads; the result does not depend on their number

    Raises
    ------
    DataError
        If a class has no labelled row, or none that has a certain feature.
    SingularCovarianceError
        If the likelihood has no maximum; names class and features, and ways out.

    Examples
    --------
    >>> from gaussbayes.model.settings import check_settings
    >>> X = np.array([[1.0, 2.0], [2.0, 2.0], [3.0, 5.0], [4.0, np.nan]])
    >>> fit = fit_incomplete(
    ...     X, np.zeros(4, np.int32), None, 1, Schema(np.array(["a"]), 2),
    ...     check_settings("full", False, None, "mle", None),
    ... )
    >>> fit.moments.mean.round(6).tolist()  # 3 + 1.5 · (2.5 − 2), the regression on feature 0
    [[2.5, 3.75]]
    >>> fit.convergence.converged
    True
    """
    share = positive_number("unlabelled_weight", unlabelled_weight)
    rows = incomplete_rows(X, codes, weights, n_classes, schema, share)
    return _penalised_if_needed(rows, schema, settings, _limits(tolerance, max_iterations, n_jobs))


def fit_patterns(
    learnt: LabelledMoments,
    schema: Schema,
    settings: Settings,
    *,
    tolerance: float = 1e-11,
    max_iterations: int = 10_000,
    n_jobs: int | None = None,
) -> Incomplete:
    """The same for labelled rows of which the moments of each class and pattern are known.

    Raises
    ------
    DataError, SingularCovarianceError
        As `fit_incomplete`.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.learning import learn
    >>> from gaussbayes.model.settings import check_settings
    >>> X = np.array([[1.0, 2.0], [2.0, 2.0], [3.0, 5.0], [4.0, np.nan]])
    >>> learnt = learn(X, np.zeros(4, np.int32), None, np.array(["a"]), "full")
    >>> settings = check_settings("full", False, None, "mle", None)
    >>> fit_patterns(learnt, Schema(learnt.classes, 2), settings).moments.mean.round(6).tolist()
    [[2.5, 3.75]]
    """
    cells = incomplete_cells(learnt, schema)
    return _penalised_if_needed(cells, schema, settings, _limits(tolerance, max_iterations, n_jobs))


def _limits(tolerance: float, max_iterations: int, n_jobs: int | None) -> Limits:
    return Limits(
        positive_number("tolerance", tolerance),
        integer("max_iterations", max_iterations, 1),
        n_threads(n_jobs),
    )


def _penalised_if_needed(
    rows: IncompleteRows | IncompleteCells, schema: Schema, settings: Settings, limits: Limits
) -> Incomplete:
    shrinkage = settings.shrinkage if settings.structure.covariance != "spherical" else None
    try:
        return _fit(rows, schema, settings, limits, penalised=False)
    except SingularCovarianceError as singular:
        if not shrinkage:
            msg = f"the likelihood of the incomplete rows has no maximum: {singular}"
            raise SingularCovarianceError(msg) from None
    return _fit(rows, schema, settings, limits, penalised=True)


def _fit(
    rows: IncompleteRows | IncompleteCells,
    schema: Schema,
    settings: Settings,
    limits: Limits,
    *,
    penalised: bool,
) -> Incomplete:
    structure, labels = settings.structure, rows.label_weight
    found = rows.available()
    held = None if settings.priors is None else class_priors(settings.priors, schema, labels)
    prior = labels / labels.sum() if held is None else held
    of_labels = float(labels[prior > 0] @ np.log(prior[prior > 0]))
    unlabelled = rows if isinstance(rows, IncompleteRows) and rows.unlabelled.any() else None
    blank = rows.blank_unlabelled if isinstance(rows, IncompleteRows) else 0.0
    if structure.covariance != "full" and unlabelled is None:
        done = closed_form(found, labels, structure)
        likelihood = of_labels + log_likelihood_of(found, done.covariance)
        units = Frame(found.anchor, np.ones_like(done.covariance))
        moments = _moments(done, units, blank * prior, settings)
        return Incomplete(moments, Convergence(np.array([likelihood]), True, 0.0))
    guarded = unlabelled is not None or penalised
    task = _task(rows, found, schema, settings, guarded=guarded, penalised=penalised)
    if unlabelled is not None:
        way = membership_climb(task, unlabelled, limits, prior, held)
        done, of_labels, climbs = way.last.found, 0.0, [way]
        weight = done.weight + rows.blank
        prior = weight / weight.sum() if held is None else held
    else:
        climbs = labelled_climbs(task, limits)
        done = joined(climbs)
    record = Convergence(
        of_labels + total_objective(climbs),
        all(way.converged for way in climbs),
        max(way.remaining for way in climbs),
        penalised,
    )
    return Incomplete(_moments(done, task.frame, rows.blank + blank * prior, settings), record)


def _task(
    rows: Observed,
    found: Available,
    schema: Schema,
    settings: Settings,
    *,
    guarded: bool,
    penalised: bool,
) -> Task:
    """Where to start from; guarded, also if a feature does not vary in a class."""
    structure = settings.structure
    variance, counted = found.variance(structure), rows.label_weight - rows.blank
    if structure.shared:
        counted = counted.sum(keepdims=True)
    if guarded:
        variance = _positive(variance, found, rows.together())
    check_variances(variance, schema, counted)
    frame = frame_of(found.anchor, variance)
    penalty = (
        penalty_of(settings.shrinkage, variance, counted, frame.unit)
        if penalised
        else no_penalty(*variance.shape)
    )
    return Task(rows, found, schema, structure, frame, variance, counted, penalty)


def _positive(variance: FloatArray, found: Available, together: Available) -> FloatArray:
    """Variances (m, d); for 0 that of the classes together, and if it is 0 too that of all rows."""
    pooled = variances(found.scatter, found.weight, Structure("diagonal", shared=True))
    everything = together.variance(Structure())
    return np.where(variance > 0, variance, np.where(pooled > 0, pooled, everything))


def _moments(done: Completed, frame: Frame, blank: FloatArray, settings: Settings) -> ClassMoments:
    """Moments in the rows' units; rows without any feature (k,) are expected to be like others."""
    layout, unit = settings.structure.layout, frame.unit
    scatter = done.scatter
    if layout == "full":
        scatter = scatter + blank[:, None, None] * done.covariance
        scatter = scatter * unit[:, :, None] * unit[:, None, :]
    elif layout == "pooled":
        scatter = (scatter + blank.sum() * done.covariance)[0] * unit.T * unit
    else:
        scatter = (scatter + blank[:, None] * done.covariance) * np.square(unit)
    return ClassMoments(done.weight + blank, frame.anchor, done.mean * unit, scatter, layout)
