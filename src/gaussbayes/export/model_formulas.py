"""The formulas of posteriors and log evidence of a row, once for all families and engines.

    log p(x, c) = log prior_c + Σ_f log p_f(x_f | c)

The normaliser is ``log Σ exp(s_c)``, with the largest s_c taken off first. A calibration t, b, e
(`gaussbayes.model.calibration`) converts log-likelihoods l_c to the posteriors
``(1 − e) softmax(log prior_c + t l_c + b_c) + e prior_c``; in a pool ``t' l'_c`` is added, with the
log-likelihoods and the weight of the second member. Posteriors with and without unlabelled
rows may be averaged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal

import numpy as np

from gaussbayes.data.categories import kind as type_of
from gaussbayes.data.tables import day_number
from gaussbayes.export.density_formulas import Terms, density_terms
from gaussbayes.export.ops import InputColumn, Ops, Value, choose, total
from gaussbayes.families.protocol import AnyDensity, Expressible, require
from gaussbayes.model.model import Model
from gaussbayes.model.solution import Solution

PREDICTION, PROBABILITY, EVIDENCE = "prediction", "proba", "log_evidence"
"""Names of the columns with results; those of posteriors continue with ``_`` and the class."""


def probability_columns(classes: Sequence[Any]) -> list[str]:
    """The names of the columns of posteriors."""
    return [f"{PROBABILITY}_{label}" for label in classes]


def input_columns(model: Model) -> tuple[InputColumn, ...]:
    """The features that a model takes from a table; without names they are x0, x1, …."""
    schema, columns = model.schema, []
    names = schema.features or tuple(f"x{j}" for j in range(schema.n_features))
    for j, name in enumerate(names):
        marks, origin = schema.missing.of(name), schema.origins.get(name)
        kind: Literal["number", "category", "date"] = "number" if origin is None else "date"
        text = False
        if j in schema.categorical:
            kind = "category"
            text = type_of(model.categories[schema.categorical.index(j)]) is str
        days = 0.0 if origin is None else day_number(origin)
        columns.append(InputColumn(name, kind, marks, days, text))
    return tuple(columns)


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of rows; posteriors and evidence are missing if a row has none."""

    is_scored: Value  # (n, 1) 1, or missing
    decisive: Value  # (n, k) the largest is that of the predicted class
    posteriors: Value  # (n, k)
    evidence: Value  # (n, 1)


def model_scores(model: Model, ops: Ops) -> Scores:
    """The scores of the rows of an engine; an OptionError names parts that cannot be exported."""
    solution, second = model.parameters, None
    parts = _density_terms(model, solution.densities, ops)
    if solution.second is not None:
        (part,) = _density_terms(model, [solution.second], ops, len(parts))
        second = part.by_class.bind()
    likelihood = total([part.by_class for part in parts]).bind()
    decisive = (likelihood + np.maximum(solution.log_prior, ops.impossible)).bind()
    posteriors, evidence = _normalised(decisive)
    evidence = total([evidence, *(term for part in parts for term in part.common)]).bind()
    if solution.calibration is not None:
        decisive, posteriors = _calibrated(solution, likelihood, second, ops)
    if solution.alone is not None:
        parts_alone = _density_terms(model, solution.alone.densities, ops)
        likelihood = total([part.by_class for part in parts_alone]).bind()
        _, posteriors_alone = _calibrated(solution.alone, likelihood, second, ops)
        posteriors = decisive = (0.5 * posteriors + 0.5 * posteriors_alone).bind()
        parts += parts_alone
    # A row has no score if a value is invalid, or all classes are impossible.
    conditions = [condition for part in parts for condition in part.excluded]
    numbers = [j for j, column in enumerate(ops.inputs) if column.kind != "category"]
    if numbers:
        sizes = ops.numbers(numbers).abs().otherwise(0.0)
        conditions.append(sizes.largest() > ops.largest)
    is_sound = (evidence > 1e-8 * ops.impossible) & (evidence < ops.largest)
    cases = [*((condition.bind(), np.nan) for condition in conditions), (is_sound, 1.0)]
    is_scored = choose(cases, np.nan).bind()
    return Scores(is_scored, decisive, posteriors * is_scored, evidence * is_scored)


def _density_terms(
    model: Model, densities: Sequence[AnyDensity], ops: Ops, start: int = 0
) -> list[Terms]:
    """The terms of densities, the first of which is that of component `start`."""
    components = model.settings.components[start:]
    parts = () if model.statistics is None else model.statistics.parts[start:]
    terms = []
    for component, density, statistics in zip_longest(components, densities, parts):
        if density is not None:
            described = require(density, Expressible, component.family, "an export")
            terms.append(density_terms(described.expression(statistics), ops, component.columns))
    return terms


def _calibrated(
    solution: Solution, likelihood: Value, second: Value | None, ops: Ops
) -> tuple[Value, Value]:
    """Scores (n, k) the largest of which is that of the predicted class, and posteriors (n, k).

    `likelihood` are the log-likelihoods, `second` those of the second member of a pool.
    """
    calibration = solution.calibration
    assert calibration is not None
    pooled = calibration.weight * likelihood
    if second is not None:
        pooled = pooled + calibration.second_weight * second
    shift = np.maximum(solution.log_prior + calibration.offsets, ops.impossible)
    decisive = (pooled + shift).bind()
    posteriors, _ = _normalised(decisive)
    proportion = calibration.prior_proportion
    if proportion > 0:
        mixed = (1.0 - proportion) * posteriors + proportion * np.exp(solution.log_prior)
        posteriors = decisive = mixed.bind()
    return decisive, posteriors


def _normalised(scores: Value) -> tuple[Value, Value]:
    """Exponentials of scores (n, k) over their sum, and the logarithm of the sum (n, 1)."""
    top = scores.largest().bind()
    exponentials = (scores - top).bind().exp().bind()
    added = exponentials.sum().bind()
    return exponentials / added, top + added.log()
