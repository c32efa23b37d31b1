"""What a model says of one row, as formulas: label, posteriors and log evidence.

Prior, calibration and average are added here, once for all families and engines. The normaliser is
``log Σ exp(s_c)``, with the largest s_c taken off first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray
from gaussbayes.export.model_expression import MemberExpression, ModelExpression, Recalibration
from gaussbayes.export.scalar import (
    IMPOSSIBLE,
    MISSING_VALUE,
    Program,
    Scalar,
    both,
    choose,
    equal,
    exp,
    largest,
    less,
    ln,
    negated,
    total,
    value,
)
from gaussbayes.export.scalar_densities import Scope, write

PREDICTION, PROBABILITY, EVIDENCE = "prediction", "proba", "log_evidence"
"""What the columns are called; those of posteriors end in ``_`` and the class."""

_LEAST_JOINT, _MOST_JOINT = -1e280, 1e300
"""Where the log joint density of the likeliest class is beyond these, a row has no score."""

_UNDERFLOW = -700.0
"""Differences of logarithms below which a probability is 0."""


@dataclass(frozen=True, slots=True)
class Scores:
    """A program, what comes out of it by name, and whether a row has scores at all."""

    program: Program
    inputs: tuple[str, ...]  # the columns of stage 0, in the order of the features
    outputs: dict[str, Scalar]
    is_valid: Scalar  # true, or false or missing
    masks: list[tuple[int, list[Scalar]]]  # see `Scope`

    def results(self, wanted: Sequence[str], condition: Scalar) -> dict[str, Scalar]:
        """Some of what comes out, by name; missing unless a condition is true."""
        return {name: choose([(condition, self.outputs[name])], MISSING_VALUE) for name in wanted}


def proba_columns(classes: Sequence[Any]) -> list[str]:
    """What the columns of posteriors are called."""
    return [f"{PROBABILITY}_{label}" for label in classes]


def write_scores(
    model: ModelExpression, patterns: str | list[NDArray[np.bool_]] = "seen"
) -> Scores:
    """The formulas of a model; for `patterns` see `Scope`."""
    program = Program()
    names = tuple(f"x{j}" for j in range(len(model.inputs)))
    columns = [program.add_input(name) for name in names]
    named = zip(names, model.inputs, strict=True)
    marks = {name: each.marks for name, each in named if each.kind == "category"}
    scope = Scope(program, marks, patterns)
    members = [_Member.of(each, scope, columns) for each in model.members]
    if len(members) == 1 and model.recalibrated is None:
        (member,) = members
        posteriors, evidence, best = member.posteriors, member.evidence, member.scores
        if member.is_mixed:
            best = posteriors
    else:
        posteriors, best = _average(members, model, scope)
        evidence = _log_average([each.evidence for each in members], model.weights, scope)
    classes = model.classes.tolist()
    most = scope.bind(largest(best), "w")
    label = choose(
        [(equal(score, most), value(each)) for score, each in zip(best, classes, strict=True)],
        MISSING_VALUE,
    )
    outputs = {PREDICTION: label}
    outputs |= dict.fromkeys(proba_columns(model.known_classes.tolist()), value(0.0))
    outputs |= dict(zip(proba_columns(classes), posteriors, strict=True))
    outputs[EVIDENCE] = evidence
    sound = [
        both([less(value(_LEAST_JOINT), each.most), less(each.most, _MOST_JOINT)])
        for each in members
    ]
    sound += [negated(choose([(each, value(True))], value(False))) for each in scope.impossible]
    return Scores(program, names, outputs, scope.bind(both(sound), "ok"), scope.masks)


@dataclass(frozen=True, slots=True)
class _Member:
    """What one model says of a row."""

    scores: list[Scalar]  # (k) of which the largest is that of the most probable class
    posteriors: list[Scalar]  # (k)
    log_posteriors: list[Scalar]  # (k)
    evidence: Scalar
    most: Scalar  # the log joint of the likeliest class
    is_mixed: bool  # whether the prior is part of the posteriors

    @classmethod
    def of(cls, member: MemberExpression, scope: Scope, columns: Sequence[Scalar]) -> "_Member":
        terms = [
            write(part.density, scope, [columns[j] for j in part.columns]) for part in member.parts
        ]
        k = member.log_prior.size
        densities = [total([each.by_class[c] for each in terms]) for c in range(k)]
        common = total([each for part in terms for each in part.common])
        joint = _joint(densities, member.log_prior, scope)
        plain = _Normalised.of(joint, scope)
        evidence = plain.log_sum + common
        if member.calibration is None:
            posteriors = [each / plain.sum for each in plain.exponentials]
            logarithms = [score - plain.log_sum for score in joint]
            return cls(joint, posteriors, logarithms, evidence, plain.most, is_mixed=False)
        scores, posteriors, logarithms = _calibrated(
            densities, member.calibration, member.log_prior, scope
        )
        mixed = member.calibration.prior_proportion > 0
        return cls(scores, posteriors, logarithms, evidence, plain.most, mixed)


@dataclass(frozen=True, slots=True)
class _Normalised:
    """Exponentials of scores over that of the largest, and their sum."""

    most: Scalar
    exponentials: list[Scalar]
    sum: Scalar
    log_sum: Scalar  # of the exponentials of the scores themselves

    @classmethod
    def of(cls, scores: Sequence[Scalar], scope: Scope) -> "_Normalised":
        most = scope.bind(largest(scores), "w")
        apart = [scope.bind(score - most, "o") for score in scores]
        # Where an exponential would underflow it is 0; a missing score is not.
        exponentials = [
            scope.bind(choose([(less(each, _UNDERFLOW), 0.0)], exp(each)), "e") for each in apart
        ]
        added = scope.bind(total(exponentials), "s")
        return cls(most, exponentials, added, scope.bind(most + ln(added), "g"))


def _joint(densities: Sequence[Scalar], log_prior: FloatArray, scope: Scope) -> list[Scalar]:
    constants = np.maximum(log_prior, IMPOSSIBLE).tolist()
    pairs = zip(densities, constants, strict=True)
    return [scope.bind(density + constant, "j") for density, constant in pairs]


def _calibrated(
    densities: Sequence[Scalar], calibration: Any, log_prior: FloatArray, scope: Scope
) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """Scores, posteriors and log posteriors (k) of log-likelihoods."""
    shift = np.maximum(log_prior + calibration.offsets, IMPOSSIBLE)
    warm = [calibration.temperature * density for density in densities]
    scores = _joint(warm, shift, scope)
    normal = _Normalised.of(scores, scope)
    posteriors = [each / normal.sum for each in normal.exponentials]
    logarithms = [score - normal.log_sum for score in scores]
    proportion = float(calibration.prior_proportion)
    if proportion > 0:
        prior = np.exp(log_prior).tolist()
        pairs = zip(posteriors, prior, strict=True)
        mixed = [(1.0 - proportion) * posterior + proportion * p for posterior, p in pairs]
        posteriors = [scope.bind(each, "h") for each in mixed]
        logarithms = [
            ln(each) if p > 0 else value(IMPOSSIBLE)
            for each, p in zip(posteriors, prior, strict=True)
        ]
    return scores, posteriors, logarithms


def _average(
    members: Sequence[_Member], model: ModelExpression, scope: Scope
) -> tuple[list[Scalar], list[Scalar]]:
    """Averaged posteriors (k), calibrated if that is asked for, and what decides for a class."""
    k = model.classes.shape[0]
    if model.recalibrated is None:
        weights = model.weights.tolist()
        averages = []
        for c in range(k):
            pairs = zip(weights, members, strict=True)
            average = total([weight * member.posteriors[c] for weight, member in pairs])
            averages.append(scope.bind(average, "h"))
        return averages, averages
    logarithms = [
        _log_average([member.log_posteriors[c] for member in members], model.weights, scope)
        for c in range(k)
    ]
    return _recalibrated(logarithms, model.recalibrated, model.members[0].log_prior, scope)


def _recalibrated(
    averages: Sequence[Scalar], again: Recalibration, before: FloatArray, scope: Scope
) -> tuple[list[Scalar], list[Scalar]]:
    densities = [
        average - float(prior) if prior > -np.inf else value(0.0)
        for average, prior in zip(averages, before.tolist(), strict=True)
    ]
    scores, posteriors, _ = _calibrated(densities, again.calibration, again.log_prior, scope)
    return posteriors, posteriors if again.calibration.prior_proportion > 0 else scores


def _log_average(logarithms: Sequence[Scalar], weights: FloatArray, scope: Scope) -> Scalar:
    """``log Σ_m w_m exp(l_m)``."""
    if len(logarithms) == 1:
        return logarithms[0]
    pairs = zip(logarithms, np.log(weights).tolist(), strict=True)
    shifted = [scope.bind(logarithm + float(weight), "a") for logarithm, weight in pairs]
    return _Normalised.of(shifted, scope).log_sum
