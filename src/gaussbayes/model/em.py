"""EM for missing labels: labelled and unlabelled rows together, whatever the families are.

What is maximised is the likelihood of what was observed,

    Σ w log p(x, y)  over labelled rows  +  u Σ w log Σ_c p(x, c)  over unlabelled ones,

with the weight u of an unlabelled row. E-step: the posteriors of the unlabelled rows, and every
family's expected sufficient statistics under them. M-step: every family's maximum-likelihood
estimate from the sum of these and the expected statistics of the labelled rows, in which values may
be missing too. Iterations are accelerated by Anderson's method on the parameters of all families
joined in one vector; a step that would lower the likelihood is not taken.

What regularises (divisor, shrinkage) acts once, on the expected statistics in the end; only where
the likelihood has no maximum and a family has a penalty that stands for its shrinkage is that
maximised instead, and the record says so.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from gaussbayes.base.anderson import Step, accelerate
from gaussbayes.base.errors import GaussBayesError, SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows
from gaussbayes.families.protocol import TRIAL, Convergence, Restartable
from gaussbayes.kernels.normaliser import log_sum_exp
from gaussbayes.model.prior import class_priors
from gaussbayes.model.settings import Settings
from gaussbayes.model.solution import Solution, score
from gaussbayes.model.statistics import KeptRows, Learnt, RowReduction

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """Expected sufficient statistics of unlabelled rows, and their log-likelihood."""

    parts: tuple[Any, ...]  # Statistics
    weight: FloatArray  # (k,)
    log_likelihood: float

    def __add__(self, other: "Expected") -> "Expected":
        parts = tuple(a + b for a, b in zip(self.parts, other.parts, strict=True))
        return Expected(
            parts, self.weight + other.weight, self.log_likelihood + other.log_likelihood
        )


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """The E-step for a block of unlabelled rows; it can be sent to other processes."""

    solution: Solution
    settings: Settings
    schema: Schema

    def __call__(self, rows: Rows, weights: FloatArray) -> Expected:
        """The expected statistics of rows (n) that count `weights` (n,)."""
        parts = self.settings.parts(rows, self.schema)
        joint = score(self.solution, parts, "log_joint").astype(np.float64, copy=False)
        evidence = log_sum_exp(joint)
        if np.isneginf(evidence).any():
            # Impossible in every class under these parameters: the step is not taken.
            msg = "an unlabelled row has probability 0 in every class"
            raise SingularCovarianceError(msg)
        responsibility = np.exp(joint - evidence[:, None]) * weights[:, None]
        pairs = zip(self.solution.densities, parts, strict=True)
        expected = tuple(density.expect(part, responsibility) for density, part in pairs)
        return Expected(expected, responsibility.sum(axis=0), float(weights @ evidence))


def expectation_maximisation(
    learnt: Learnt,
    rows: RowReduction,
    settings: Settings,
    schema: Schema,
    *,
    threads: int = 1,
    start: Solution | None = None,
    tolerance: float = 1e-11,
    max_iterations: int = 10_000,
) -> Solution:
    """The model of labelled rows, known by their statistics, and of unlabelled ones.

    Parameters
    ----------
    rows : the unlabelled rows, which are read once an iteration
    start : parameters from which to start; None estimates them from the labelled rows
    tolerance : estimated error of the parameters at which to stop
    max_iterations : after how many iterations to stop anyway; the record says so

    Raises
    ------
    SingularCovarianceError
        If the likelihood has no maximum.
    """
    options = (threads, tolerance, max_iterations)
    try:
        return _maximum(learnt, rows, settings, schema, start, options)
    except SingularCovarianceError as error:
        remedies = "; ".join(_remedies(learnt, rows, settings, schema, threads))
        msg = f"the likelihood of the rows has no maximum: {error}. Remedies: {remedies}"
        raise SingularCovarianceError(msg) from None


def _maximum(
    learnt: Learnt,
    rows: RowReduction,
    settings: Settings,
    schema: Schema,
    start: Solution | None,
    options: tuple[int, float, int],
) -> Solution:
    """`expectation_maximisation`, with errors that do not say what to do."""
    try:
        return _run(_problem(learnt, rows, settings, schema, settings.families), start, *options)
    except SingularCovarianceError:
        pairs = zip(settings.families, learnt.parts, settings.names(schema), strict=True)
        penalised = [family.penalised(part, name) for family, part, name in pairs]
        if not any(family is not None for family in penalised):
            raise
    families = [
        family if with_penalty is None else with_penalty
        for family, with_penalty in zip(settings.families, penalised, strict=True)
    ]
    problem = _problem(learnt, rows, settings, schema, families)
    solution = _run(problem, None, *options)
    assert solution.convergence is not None
    return replace(solution, convergence=replace(solution.convergence, penalised=True))


def _remedies(
    learnt: Learnt, rows: RowReduction, settings: Settings, schema: Schema, threads: int
) -> Iterator[str]:
    """What makes the likelihood have a maximum: each was tried."""
    kept = isinstance(rows, KeptRows)  # others are read anew in each iteration: that takes too long
    alternatives = [family.alternatives() for family in settings.families] if kept else []
    for remedy in dict.fromkeys(chain.from_iterable(alternatives)):
        pairs = zip(alternatives, settings.families, strict=True)
        families = [others.get(remedy, family) for others, family in pairs]
        changed = replace(settings, components=settings.with_families(families))
        with suppress(GaussBayesError):
            _maximum(learnt, rows, changed, schema, None, (threads, 1e-3, TRIAL))
            yield remedy
    columns = zip(settings.families, learnt.parts, settings.names(schema), strict=True)
    with suppress(GaussBayesError):
        for family, part, names in columns:
            family.estimate(part, names, threads)
        yield "leave the unlabelled rows out (unlabelled_weight=0)"
    yield "leave such features out"


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """What is maximised, and over which parameters."""

    learnt: Learnt
    rows: RowReduction
    settings: Settings
    schema: Schema
    families: tuple[Any, ...]  # those that maximise; with a penalty if need be
    names: tuple[Schema, ...]
    held: FloatArray | None  # (k,) priors that are given; None: to be estimated


@dataclass(frozen=True, slots=True, eq=False)
class _Estimate:
    """Expected statistics of all rows, from which the parameters follow."""

    parts: tuple[Any, ...]
    weight: FloatArray  # (k,)


def _problem(
    learnt: Learnt,
    rows: RowReduction,
    settings: Settings,
    schema: Schema,
    families: Sequence[Any],
) -> _Problem:
    held = None
    if settings.priors is not None:
        held = class_priors(settings.priors, schema, learnt.weight)
    names = settings.names(schema)
    return _Problem(learnt, rows, settings, schema, tuple(families), names, held)


def _run(
    problem: _Problem,
    start: Solution | None,
    threads: int,
    tolerance: float,
    max_iterations: int,
) -> Solution:
    first = _start(problem, threads, start)
    columns = zip(problem.families, first.densities, problem.names, strict=True)
    coordinates = [family.coordinates(density, names) for family, density, names in columns]
    first_vector = _vector(problem, coordinates, first.prior, first.densities)
    ends = np.cumsum(
        [0 if problem.held is not None else first.prior.size]
        + [
            chart.vector(density).size
            for chart, density in zip(coordinates, first.densities, strict=True)
        ]
    )

    def at(vector: FloatArray) -> Solution:
        """The parameters with these coordinates."""
        prior, *pieces = np.split(vector, ends[:-1])
        densities = (chart.density(piece) for chart, piece in zip(coordinates, pieces, strict=True))
        return Solution(_shares(prior) if problem.held is None else problem.held, tuple(densities))

    def iterate(vector: FloatArray) -> Step[_Estimate]:
        here = at(vector)
        estimate, objective = _expected(problem, here, threads)
        pairs = zip(problem.families, estimate.parts, problem.names, strict=True)
        densities = [family.maximise(part, names) for family, part, names in pairs]
        image = _vector(problem, coordinates, estimate.weight, densities)
        charts = zip(coordinates, here.densities, strict=True)
        noise = max([8 * _EPS] + [chart.rounding(density) for chart, density in charts])
        return Step(image, objective, noise, estimate)

    path = accelerate(iterate, first_vector, tolerance, max_iterations)
    estimate = path.last.result
    columns = zip(problem.settings.families, estimate.parts, problem.names, strict=True)
    densities = tuple(family.estimate(part, names).density for family, part, names in columns)
    prior = estimate.weight / estimate.weight.sum() if problem.held is None else problem.held
    record = Convergence(path.objective, path.converged, path.remaining)
    return Solution(prior, densities, estimate.weight, record)


def _start(problem: _Problem, threads: int, near: Solution | None) -> Solution:
    """Parameters to start from: those given, or of the labelled rows as far as they have any."""
    learnt, rest = problem.learnt, problem.learnt.unlabelled
    assert rest is not None
    densities = []
    given = [None] * len(learnt.parts) if near is None else near.densities
    columns = zip(problem.families, learnt.parts, rest.together, problem.names, given, strict=True)
    for family, part, unlabelled, names, start in columns:
        together = unlabelled.scaled(problem.settings.unlabelled_weight) + part.together()
        if start is None:
            densities.append(family.start(part, together, names, threads))
        else:
            densities.append(start.restarted(together) if isinstance(start, Restartable) else start)
    if near is not None:
        return replace(near, densities=tuple(densities))
    prior = learnt.weight / learnt.weight.sum() if problem.held is None else problem.held
    return Solution(prior, tuple(densities))


def _expected(problem: _Problem, here: Solution, threads: int) -> tuple[_Estimate, float]:
    """Expected statistics of all rows under some parameters, and the objective there."""
    share, labels = problem.settings.unlabelled_weight, problem.learnt.weight
    step = Expectation(here, problem.settings, problem.schema)
    unlabelled = problem.rows.reduce(step, threads)
    possible = here.prior > 0
    objective = share * unlabelled.log_likelihood
    objective += float(labels[possible] @ here.log_prior[possible])
    parts = []
    columns = zip(
        problem.families, here.densities, problem.learnt.parts, unlabelled.parts, strict=True
    )
    for family, density, labelled, rest in columns:
        complete, log_likelihood = density.expect_statistics(labelled)
        objective += log_likelihood + family.log_penalty(density)
        parts.append(complete + (rest if share == 1.0 else rest.scaled(share)))
    weight = labels + share * unlabelled.weight
    return _Estimate(tuple(parts), weight), objective


def _vector(
    problem: _Problem, coordinates: Sequence[Any], weight: FloatArray, densities: Sequence[Any]
) -> FloatArray:
    """Parameters as one vector: logarithms of the priors if these are estimated, then densities."""
    shares = np.empty(0) if problem.held is not None else np.log(weight / weight.sum())
    charts = zip(coordinates, densities, strict=True)
    return np.concatenate([shares, *(chart.vector(density) for chart, density in charts)])


def _shares(logarithms: FloatArray) -> FloatArray:
    """Priors (k,) from any numbers that stand for their logarithms."""
    shares = np.exp(logarithms - logarithms.max())
    return np.asarray(shares / shares.sum())
