"""Which likelihoods are climbed for a structure, and from where.

With labels, classes that have a covariance of their own have nothing in common: each is climbed
alone, from the means and variances of the rows that have each feature. Unlabelled rows join all
classes in one climb, which starts from what the labelled rows say.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaussbayes.base.anderson import Climb, climb
from gaussbayes.base.errors import SingularCovarianceError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.missing.available import Available
from gaussbayes.families.gaussian.missing.cells import Observed
from gaussbayes.families.gaussian.missing.featurewise import FeaturewiseProblem
from gaussbayes.families.gaussian.missing.full import Completed, FullProblem
from gaussbayes.families.gaussian.missing.penalty import Penalty
from gaussbayes.families.gaussian.missing.points import Block, Frame
from gaussbayes.families.gaussian.missing.rows import IncompleteRows
from gaussbayes.families.gaussian.parameters import Structure

_ROUGHLY = 1e-3
"""Error of what the labelled rows say, from where memberships are climbed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop, and on how many threads to work."""

    tolerance: float
    max_iterations: int
    threads: int


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Labelled rows, and where to start: means and variances of those that have each feature."""

    rows: Observed
    found: Available
    schema: Schema
    structure: Structure
    frame: Frame
    variance: FloatArray  # (m, d) in the rows' units, all positive
    counted: FloatArray  # (m,) how many rows each covariance has
    penalty: Penalty

    @property
    def mean(self) -> FloatArray:
        """The means (k, d) to start from, in the units of the frame."""
        mean: FloatArray = self.found.offset / self.frame.unit
        return mean

    @property
    def covariance(self) -> FloatArray:
        """The covariances (m, d, d) to start from, in the units of the frame."""
        scaled = self.variance / np.square(self.frame.unit)
        return scaled[:, :, None] * np.eye(scaled.shape[1])


def labelled_climbs(task: Task, limits: Limits) -> list[Climb[Completed]]:
    """Full covariances from labelled rows: one climb for each covariance."""
    k = task.mean.shape[0]
    if task.structure.shared:
        return [_shared(task, limits)]
    return [_alone(task, limits, c) for c in range(k)]


def membership_climb(
    task: Task,
    rows: IncompleteRows,
    limits: Limits,
    prior: FloatArray,
    held: FloatArray | None,
) -> Climb[Completed]:
    """Labelled and unlabelled rows together, from the priors (k,) given; `held` ones stay."""
    if task.structure.covariance == "full":
        full = _joint(task, rows.every_block(task.frame), limits, held)
        mean, covariance = _start(task, limits)
        return _climbed(full, full.packed(prior, mean, covariance), limits)
    out = rows.unlabelled
    featurewise = FeaturewiseProblem(
        task.found,
        rows.label_weight - rows.blank,
        rows.X[out],
        rows.weights[out],
        task.frame,
        task.structure,
        task.schema,
        held,
        rows.blank,
        task.penalty,
        limits.threads,
    )
    scaled = task.variance / np.square(task.frame.unit)
    return _climbed(featurewise, featurewise.packed(prior, task.mean, scaled), limits)


def joined(climbs: Sequence[Climb[Completed]]) -> Completed:
    """What several climbs have found, class after class.

    Examples
    --------
    >>> from gaussbayes.base.anderson import Step
    >>> one = Completed(np.ones(1), np.zeros((1, 1)), np.ones((1, 1, 1)), np.ones((1, 1, 1)))
    >>> way = Climb(Step(np.zeros(1), 0.0, 0.0, one), np.zeros(1), True, 0.0)
    >>> joined([way, way]).weight.tolist()
    [1.0, 1.0]
    """
    every = [way.last.found for way in climbs]
    return Completed(
        np.concatenate([one.weight for one in every]),
        np.concatenate([one.mean for one in every]),
        np.concatenate([one.scatter for one in every]),
        np.concatenate([one.covariance for one in every]),
    )


def _climbed(
    problem: FullProblem | FeaturewiseProblem, start: FloatArray, limits: Limits
) -> Climb[Completed]:
    return climb(problem.step, start, limits.tolerance, limits.max_iterations)


def _joint(
    task: Task, blocks: tuple[Block, ...], limits: Limits, prior: FloatArray | None
) -> FullProblem:
    """All classes in one problem."""
    return FullProblem(
        blocks,
        task.frame,
        task.schema,
        prior,
        task.rows.blank,
        task.counted,
        None,
        task.penalty,
        limits.threads,
    )


def _shared(task: Task, limits: Limits) -> Climb[Completed]:
    certain = np.ones(task.mean.shape[0])  # labels are known: they add nothing to the likelihood
    problem = _joint(task, task.rows.blocks(task.frame), limits, certain)
    return _climbed(problem, problem.packed(certain, task.mean, task.covariance), limits)


def _alone(task: Task, limits: Limits, c: int) -> Climb[Completed]:
    one, certain = slice(c, c + 1), np.ones(1)
    frame = Frame(task.frame.anchor[one], task.frame.unit[one])
    problem = FullProblem(
        task.rows.own_blocks(c, frame),
        frame,
        task.schema,
        certain,
        np.zeros(1),
        task.counted,
        c,
        Penalty(task.penalty.weight[one], task.penalty.target[one]),
        limits.threads,
    )
    start = problem.packed(certain, task.mean[one], task.covariance[one])
    return _climbed(problem, start, limits)


def _start(task: Task, limits: Limits) -> tuple[FloatArray, FloatArray]:
    """Means (k, d) and covariances (m, d, d) of the labelled rows alone, roughly.

    Where these rows are too few for a covariance, their means and the variances to start from.
    """
    mean, covariance = task.mean, task.covariance
    rough = Limits(_ROUGHLY, limits.max_iterations, limits.threads)
    for m in range(covariance.shape[0]):
        which = slice(None) if task.structure.shared else slice(m, m + 1)
        try:
            way = _shared(task, rough) if task.structure.shared else _alone(task, rough, m)
        except SingularCovarianceError:
            continue
        mean[which], covariance[m] = way.last.found.mean, way.last.found.covariance[0]
    return mean, covariance
