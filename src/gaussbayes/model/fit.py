"""What was learnt → parameters, whatever is missing."""

from collections.abc import Sequence

import numpy as np

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.base.threads import n_threads
from gaussbayes.base.types import FloatArray
from gaussbayes.families.protocol import Convergence, Fit
from gaussbayes.model.em import expectation_maximisation
from gaussbayes.model.prior import class_priors
from gaussbayes.model.settings import Settings
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import Learnt, RowReduction


def solve(
    learnt: Learnt,
    settings: Settings,
    schema: Schema,
    n_jobs: int | None = 1,
    start: Solution | None = None,
    rows: RowReduction | None = None,
) -> Solution:
    """The parameters of at least two classes.

    Labelled rows alone leave every family to itself; unlabelled ones join them in EM.

    Parameters
    ----------
    start : parameters near the result, from which EM starts if it has to
    rows : the unlabelled rows, if they are not kept in memory
    """
    weight: FloatArray = learnt.parts[0].weight
    _check_classes(weight, schema)
    # Nearly always a number of threads that is known already.
    threads = n_jobs if type(n_jobs) is int and n_jobs > 0 else n_threads(n_jobs)
    unlabelled = learnt.unlabelled
    if unlabelled is not None and settings.unlabelled_weight > 0:
        reduction = unlabelled.kept("estimating the parameters") if rows is None else rows
        return expectation_maximisation(
            learnt, reduction, settings, schema, threads=threads, start=start
        )
    if settings.priors is None:
        prior: FloatArray = weight / weight.sum()
    else:
        prior = class_priors(settings.priors, schema, weight)
    starts = [None] * len(learnt.parts) if start is None else start.densities
    names = (schema,) if len(settings.components) == 1 else settings.names(schema)
    columns = zip(settings.components, learnt.parts, names, starts, strict=True)
    fits = [
        component.family.estimate(part, name, threads, density)
        for component, part, name, density in columns
    ]
    densities = tuple(fit.density for fit in fits)
    return Solution(prior, densities, weight, _convergence(fits, learnt, settings, prior))


def _check_classes(weight: FloatArray, schema: Schema) -> None:
    k = weight.shape[0]
    if k < 2:
        which = f"1 class: {schema.class_name(0)}" if k else "0 classes"
        msg = f"a classifier needs at least two classes with rows, got {which}"
        raise DataError(msg)
    if not weight.min() > 0:
        code = int(np.argmin(weight > 0))
        msg = (
            f"class {schema.class_name(code)} has no rows of positive weight, so that it has no "
            "mean: give it rows, or leave it out of the classes"
        )
        raise DataError(msg)


def _convergence(
    fits: Sequence[Fit], learnt: Learnt, settings: Settings, prior: FloatArray
) -> Convergence | None:
    """How EM proceeded in all families together; None if none needed it."""
    records = [fit.convergence for fit in fits if fit.convergence is not None]
    if not records:
        return None
    length = max(record.log_likelihood.size for record in records)
    possible = prior > 0
    total = np.full(length, float(learnt.weight[possible] @ np.log(prior[possible])))
    for family, fit, part in zip(settings.families, fits, learnt.parts, strict=True):
        if fit.convergence is None:
            total += fit.density.log_likelihood(part) + family.log_penalty(fit.density)
        else:
            curve = fit.convergence.log_likelihood
            total += np.pad(curve, (0, length - curve.size), mode="edge")
    return Convergence(
        total,
        all(record.converged for record in records),
        max(record.remaining for record in records),
        any(record.penalised for record in records),
    )
