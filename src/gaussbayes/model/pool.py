"""A pool of two members: the selected model, and pairs of levels of all columns.

Gaussians follow smooth trends with few rows; pairs (AODE) represent interactions, point masses and
several modes, and need more rows. Their calibrated log-likelihoods l and l' are weighed::

    log p(c | x) = log prior_c + v l_c(x) + v' l'_c(x) − log Z

Log-odds, and so explanations, stay sums. The prior enters once, outside the members, so that other
priors mean the same for both. The statistics of both members are sums: a pool merges, forgets and
updates as any model does, while its weights are settings (see `gaussbayes.model.calibration`).

The pairs are selected, and both weights fitted, by held-out rows. The pool is kept if its log loss
on rows that its weights were not fitted to is lower by more than one standard error of the gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gaussbayes.base.errors import DataError, GaussBayesError
from gaussbayes.base.notices import Notice
from gaussbayes.base.types import FloatArray
from gaussbayes.families.pairs import Pairs
from gaussbayes.model.calibration import Calibration, score_of_classes, sum_and_error
from gaussbayes.model.held_out import HeldOutRows, calibrated, hold_out
from gaussbayes.model.select import Trial, calibrated_loss
from gaussbayes.model.settings import Component, Settings
from gaussbayes.model.statistics import SufficientStatistics

_COMPARED = 500, 1500
"""Held-out rows by which the bins and the back-off of pairs are selected, at least and at most."""

_MOST_TERMS = 6_000_000
"""Terms ``k d²`` of a row in all of these rows together, unless there are too few."""


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """A selected model with its calibration, and perhaps a second member."""

    settings: Settings  # with the second member, if it is kept
    calibration: Calibration
    log_posterior: FloatArray  # (m, k) of held-out rows, calibrated on other rows
    part: Any = None  # the statistics of the second member
    notices: tuple[Notice, ...] = ()


def pool(trial: Trial, n_jobs: int | None = None) -> Pooled:
    """The selected model, calibrated, with pairs as a second member if they help."""
    data, settings = trial.data, trial.settings
    alone = Pooled(settings, *calibrated(data, settings, trial.log_posterior))
    if trial.log_posterior is None or not data.held.size:
        return alone
    few = data.schema.n_features > data.codes.size  # rows for pairs of so many columns
    if few or any(family.name == Pairs.name for family in settings.families):
        return alone
    try:
        (family,) = Pairs("auto").fix(data.rows, data.targets, data.schema)
    except DataError as problem:
        return replace(alone, notices=(Notice("no pairs", str(problem)),))
    second, outcome = _best(data, family, n_jobs)
    calibration, posterior = calibrated(data, settings, trial.log_posterior, outcome)
    proportions, weights = data.truth.proportions(), data.truth.total_weights()
    gain = score_of_classes(posterior, proportions)
    gain -= score_of_classes(alone.log_posterior, proportions)
    total, error = sum_and_error(gain, weights)
    if total <= error or calibration.second == 0:
        return alone
    (component,), (part,) = second.settings.components, second.statistics.parts
    settings = replace(settings, components=(*settings.components, component))
    part = component.family.adapted(part)
    return Pooled(settings, calibration, posterior, part)


def _best(data: HeldOutRows, family: Pairs, n_jobs: int | None) -> tuple[HeldOutRows, FloatArray]:
    """The pairs with the least calibrated loss, and log posteriors (m, k) of the held-out rows."""
    columns = tuple(range(data.schema.n_features))
    component = Component(family, columns, second=True)
    settings = Settings((component,), data.settings.priors, 0.0)
    part = family.observe(data.rows, data.targets, data.schema)
    statistics = SufficientStatistics(data.classes, (part,))
    data = replace(data, settings=settings, statistics=statistics)
    affordable = _MOST_TERMS // (data.classes.size * data.schema.n_features**2)
    sample = data.sampled(min(max(affordable, _COMPARED[0]), _COMPARED[1]))

    def best(families: Sequence[Pairs]) -> tuple[float, Pairs]:
        path = [settings.with_families([each]) for each in families]
        outcomes = _held_out(sample, path, n_jobs)
        losses = [calibrated_loss(sample, settings, outcome) for outcome in outcomes]
        number = int(np.argmin(losses))
        return losses[number], families[number]

    # The bins first, each with the same back-off.
    paths = list(family.variants(part, data.schema))
    first = [best(path[:1]) for path in paths]
    number = int(np.argmin([loss for loss, _ in first]))
    candidates = [first[number], *([best(paths[number][1:])] if paths[number][1:] else [])]
    _, chosen = min(candidates, key=lambda each: each[0])
    data = replace(data, settings=settings.with_families([chosen]))
    (outcome,) = _held_out(data, [data.settings], n_jobs)
    return data, outcome


def _held_out(data: HeldOutRows, path: Sequence[Settings], n_jobs: int | None) -> list[FloatArray]:
    """Log posteriors of held-out rows, in closed form unless labels are soft."""
    outcomes, _ = hold_out(data, path, n_jobs, exact=not data.targets.is_soft)
    for outcome in outcomes:
        if isinstance(outcome, GaussBayesError):
            raise outcome
    return [outcome for outcome in outcomes if not isinstance(outcome, GaussBayesError)]
