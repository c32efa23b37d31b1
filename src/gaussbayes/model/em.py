"""EM for missing labels: labelled and unlabelled rows together, for any families.

The objective is the likelihood of the observed data,

    Σ w log p(x, y)  over labelled rows  +  Σ w log Σ_c p(x, c)  over unlabelled ones.

E-step: the posteriors of the unlabelled rows, and every
family's expected sufficient statistics under them. M-step: every family's maximum-likelihood
estimate from the sum of these and the expected statistics of the labelled rows, in which values may
be missing too. Iterations are accelerated by Anderson's method on the parameters of all families
joined in one vector; a step that would lower the likelihood is not taken.

Regularisation (divisor, shrinkage) acts once, on the expected statistics at the end. If the
likelihood has no maximum and a family has a penalty that represents its shrinkage, the penalised
likelihood is maximised instead, and the record reports this.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from gaussbayes.base.anderson import Goal, Step, accelerate
from gaussbayes.base.errors import DataError, GaussBayesError, SingularCovarianceError
from gaussbayes.base.notices import AUTOMATIC_MODEL, Remedy
from gaussbayes.base.threads import one_blas_thread
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.data.schema import Schema
from gaussbayes.families.protocol import TRIAL, AnyFamily, Convergence, Restartable
from gaussbayes.kernels.reference import log_sum_exp
from gaussbayes.model.settings import Settings, class_priors
from gaussbayes.model.solution import Solution, score
from gaussbayes.model.statistics import SufficientStatistics, Unlabelled, observe_parts

EXACT, ROUGH = Goal(1e-9), Goal(1e-3, most=50)
"""Goals of EM, by the estimated error of parameters, in standard deviations or as proportions: for
a model, and for comparing models by their predictions."""

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """Expected sufficient statistics of rows, and their log-likelihood."""

    parts: tuple[Any, ...]  # Statistics
    weight: FloatArray  # (k,)
    log_likelihood: float

    def __add__(self, other: "Expected") -> "Expected":
        parts = tuple(a + b for a, b in zip(self.parts, other.parts, strict=True))
        total = self.log_likelihood + other.log_likelihood
        return Expected(parts, self.weight + other.weight, total)


@one_blas_thread()
def expectation_maximisation(
    statistics: SufficientStatistics,
    unlabelled: Unlabelled,
    settings: Settings,
    schema: Schema,
    *,
    threads: int = 1,
    start: Solution | None = None,
    goal: Goal = EXACT,
) -> Solution:
    """The model of labelled rows, given by their statistics, and of unlabelled ones.

    A likelihood without a maximum raises a SingularCovarianceError. EM starts from `start`, or from
    the estimate of the labelled rows, and stops at the `goal`; the record reports whether it
    reached it.
    """
    names, prior = settings.names(schema), None
    if settings.priors is not None:
        prior = class_priors(settings.priors, schema, statistics.weight)
    families = settings.families
    problem = _Problem(statistics, unlabelled, settings, schema, families, names, prior, threads)
    try:
        return _maximum(problem, start, goal)
    except (DataError, SingularCovarianceError) as error:
        if isinstance(error, SingularCovarianceError):
            msg = f"the likelihood of the rows has no maximum: {error.problem}"
            error = SingularCovarianceError(msg + _without_unlabelled(problem))
        raise error.with_remedies(remedies(settings, problem.attempt)) from None


def _without_unlabelled(problem: "_Problem") -> str:
    """The addition to a message if the labelled rows alone have a maximum."""
    try:
        problem.attempt(replace(problem.settings, unlabelled_rows="unused"))
    except GaussBayesError:
        return ""
    return ". The labelled rows alone have one: drop the unlabelled rows"


def _maximum(problem: "_Problem", start: Solution | None, goal: Goal) -> Solution:
    """The solution of a problem, with a penalty only if it is necessary."""
    families = problem.settings.families
    try:
        return problem.solution(start, goal)
    except SingularCovarianceError:
        columns = zip(families, problem.statistics.parts, problem.names, strict=True)
        penalised = [family.penalised(part, name) for family, part, name in columns]
        if all(family is None for family in penalised):
            raise
    pairs = zip(penalised, families, strict=True)
    families = tuple(plain if family is None else family for family, plain in pairs)
    solution = replace(problem, families=families).solution(None, goal)
    assert solution.convergence is not None
    return replace(solution, convergence=replace(solution.convergence, penalised=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """The objective and its parameters."""

    statistics: SufficientStatistics
    unlabelled: Unlabelled
    settings: Settings
    schema: Schema
    families: tuple[AnyFamily, ...]  # for the M-step; with a penalty if necessary
    names: tuple[Schema, ...]
    given_prior: FloatArray | None  # (k,) None if they are estimated
    threads: int

    def attempt(self, settings: Settings) -> None:
        """Raise the error of other settings, or one if their EM takes long."""
        if settings.unlabelled_rows == "unused":
            columns = zip(settings.families, self.statistics.parts, self.names, strict=True)
            for family, part, names in columns:
                family.attempt(part, names)
        else:
            changed = replace(self, settings=settings, families=settings.families)
            record = _maximum(changed, None, replace(EXACT, most=TRIAL)).convergence
            assert record is not None
            record.check()

    def solution(self, near: Solution | None, goal: Goal) -> Solution:
        """The parameters at the maximum."""
        first = self.start(near)
        pairs = zip(first.densities, self.names, strict=True)
        coordinates = [density.coordinates(names) for density, names in pairs]

        def vector(weight: FloatArray, densities: Sequence[Any]) -> list[FloatArray]:
            """Logarithms of the priors if these are estimated, then each density's coordinates."""
            prior = np.empty(0) if self.given_prior is not None else np.log(weight / weight.sum())
            charts = zip(coordinates, densities, strict=True)
            return [prior, *(chart.vector(density) for chart, density in charts)]

        pieces_of_first = vector(first.prior, first.densities)
        ends = np.cumsum([piece.size for piece in pieces_of_first])

        def iterate(x: FloatArray) -> Step[Expected]:
            log_prior, *pieces = np.split(x, ends[:-1])
            charts = zip(coordinates, pieces, strict=True)
            densities = tuple(chart.density(piece) for chart, piece in charts)
            here = Solution(
                self.prior(np.exp(log_prior - log_prior.max(initial=-np.inf))), densities
            )
            expected = self.expected(here)
            columns = zip(self.families, expected.parts, self.names, strict=True)
            maximal = [family.maximise(part, names) for family, part, names in columns]
            image = np.concatenate(vector(expected.weight, maximal))
            known = zip(coordinates, densities, strict=True)
            noise = max([8 * _EPS] + [chart.rounding(density) for chart, density in known])
            return Step(image, expected.log_likelihood, noise, expected)

        path = accelerate(iterate, np.concatenate(pieces_of_first), goal)
        expected = path.last.result
        columns = zip(self.settings.families, expected.parts, self.names, strict=True)
        densities = tuple(family.estimate(part, names).density for family, part, names in columns)
        record = Convergence(path.objective, path.converged, path.remaining)
        solution = Solution(self.prior(expected.weight), densities, expected.weight, record)
        if goal == EXACT:
            return solution
        columns = zip(self.families, expected.parts, self.names, strict=True)
        maximal = tuple(family.maximise(part, names) for family, part, names in columns)
        return replace(solution, maximal=maximal)

    def prior(self, weight: FloatArray) -> FloatArray:
        """The priors (k,): the given ones, or the proportions of the weight."""
        return np.asarray(weight / weight.sum()) if self.given_prior is None else self.given_prior

    def start(self, near: Solution | None) -> Solution:
        """Parameters to start from: the given ones, or estimates from the labelled rows."""
        parts, densities = self.statistics.parts, []
        given = [None] * len(parts) if near is None else near.maximal or near.densities
        columns = zip(self.families, parts, self.as_one_class(), self.names, given, strict=True)
        for family, part, unlabelled, names, density in columns:
            together = unlabelled + part.together()
            if density is None:
                densities.append(family.start(part, together, names, self.threads))
            elif isinstance(density, Restartable):
                densities.append(density.restarted(together))
            else:
                densities.append(density)
        prior = self.prior(self.statistics.weight) if near is None else near.prior
        return Solution(prior, tuple(densities))

    def as_one_class(self) -> tuple[Any, ...]:
        """The statistics of the unlabelled rows of each family, as those of one class."""
        schema = replace(self.schema, classes=np.array(["unlabelled"]))

        def observe(rows: Rows, weights: FloatArray) -> Expected:
            targets = Targets(np.zeros(rows.n_rows, np.int32), 1, weights)
            parts = observe_parts(rows, targets, self.settings, schema)
            return Expected(parts, np.zeros(1), 0.0)

        return self.unlabelled.reduce(observe, self.threads).parts

    def expected_of_rows(self, here: Solution, rows: Rows, weights: FloatArray) -> Expected:
        """The E-step for unlabelled rows (n) with `weights` (n,)."""
        parts = self.settings.parts(rows, self.schema)
        joint = score(here, parts, "log_joint").astype(np.float64, copy=False)
        evidence = log_sum_exp(joint)
        if np.isneginf(evidence).any():
            # Impossible in every class under these parameters: the step is not taken.
            msg = "an unlabelled row has probability 0 in every class"
            raise SingularCovarianceError(msg)
        responsibility = np.exp(joint - evidence[:, None]) * weights[:, None]
        pairs = zip(here.densities, parts, strict=True)
        expected = tuple(density.expect(part, responsibility) for density, part in pairs)
        return Expected(expected, responsibility.sum(axis=0), float(weights @ evidence))

    def expected(self, here: Solution) -> Expected:
        """Expected statistics of all rows under these parameters, and the objective."""
        weight = self.statistics.weight
        unlabelled = self.unlabelled.reduce(partial(self.expected_of_rows, here), self.threads)
        possible = here.prior > 0
        objective = unlabelled.log_likelihood
        objective += float(weight[possible] @ here.log_prior[possible])
        parts = []
        columns = zip(
            self.families, here.densities, self.statistics.parts, unlabelled.parts, strict=True
        )
        for family, density, labelled, rest in columns:
            complete, log_likelihood = density.expect_statistics(labelled)
            objective += log_likelihood + family.log_penalty(density)
            parts.append(complete + rest)
        return Expected(tuple(parts), weight + unlabelled.weight, objective)


def remedies(settings: Settings, attempt: Callable[[Settings], object]) -> Iterator[Remedy]:
    """Changes of settings under which `attempt` succeeds, the automatic model first.

    The automatic model may leave unlabelled rows unused.
    """
    alternatives = [family.alternatives() for family in settings.families]
    for remedy in dict.fromkeys(chain.from_iterable(alternatives)):
        pairs = zip(alternatives, settings.families, strict=True)
        changed = settings.with_families([others.get(remedy, family) for others, family in pairs])
        if remedy == AUTOMATIC_MODEL:
            changed = replace(changed, unlabelled_rows="unused")
        with suppress(GaussBayesError):
            attempt(changed)
            yield remedy
