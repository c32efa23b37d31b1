"""The NumAcc sets of NIST's Statistical Reference Datasets, made from their formulas.

Run as a module, it prints the table of correct digits (LRE: the negative decimal logarithm of the
relative error), against the exact answer for the binary64 input and against the certified value.
The certified value belongs to the decimal data: rounding them to binary64 moves the answer, so that
no program can come nearer to it than the last column but one says.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import mpmath
import numpy as np

from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.types import FloatArray, RealArray, ScatterLayout
from gaussbayes.families.gaussian.statistics import ClassMoments, empty, summarise
from tests.oracles import exact_scatter

EXACT = 17.0
"""What is written for an answer without any error: more digits than a float has."""


@dataclass(frozen=True, slots=True)
class ReferenceSet:
    """Numbers with the certified mean and standard deviation (divisor n − 1)."""

    name: str
    values: FloatArray  # (n,)
    mean: Fraction
    standard_deviation: Fraction


def _alternating(first: float, low: float, high: float) -> FloatArray:
    """One number, then two others in turn, 500 times."""
    return np.array([first] + [low, high] * 500)


SETS = (
    ReferenceSet(
        "NumAcc1", np.array([10000001.0, 10000003.0, 10000002.0]), Fraction(10000002), Fraction(1)
    ),
    ReferenceSet("NumAcc2", _alternating(1.2, 1.1, 1.3), Fraction("1.2"), Fraction("0.1")),
    ReferenceSet(
        "NumAcc3",
        _alternating(1000000.2, 1000000.1, 1000000.3),
        Fraction("1000000.2"),
        Fraction("0.1"),
    ),
    ReferenceSet(
        "NumAcc4",
        _alternating(10000000.2, 10000000.1, 10000000.3),
        Fraction("10000000.2"),
        Fraction("0.1"),
    ),
)


def _moments(X: RealArray, layout: ScatterLayout) -> ClassMoments:
    return summarise(X, np.zeros(X.shape[0], dtype=np.int32), None, 1, layout)


def batch(X: RealArray, layout: ScatterLayout) -> ClassMoments:
    """All rows at once."""
    return _moments(X, layout)


def streamed(X: RealArray, layout: ScatterLayout) -> ClassMoments:
    """One row after the other."""
    total = empty(1, X.shape[1], layout)
    for row in X:
        total += _moments(row[None], layout)
    return total


def merged(X: RealArray, layout: ScatterLayout) -> ClassMoments:
    """64 parts (or as many as there are rows), merged in the fixed tree."""
    tree = MergeTree()
    for number, part in enumerate(np.array_split(X, min(64, X.shape[0]))):
        tree.add(number, _moments(part, layout))
    return tree.result()


WAYS: dict[str, Callable[[RealArray, ScatterLayout], ClassMoments]] = {
    "batch": batch,
    "row by row": streamed,
    "64 merged": merged,
}


def standard_deviation(moments: ClassMoments) -> float:
    """The root of scatter / (n − 1) of the one class and feature."""
    return float(np.sqrt(moments.scatter.reshape(-1)[0] / (moments.weight[0] - 1)))


def correct_digits(value: float, truth: mpmath.mpf | Fraction) -> float:
    """LRE = −log₁₀ |value − truth| / |truth|, at most `EXACT`; of 0, all digits or none."""
    with mpmath.workdps(50):
        exact = _number(truth)
        if exact == 0:
            return EXACT if value == 0 else 0.0
        error = abs((mpmath.mpf(value) - exact) / exact)
        return EXACT if error == 0 else min(EXACT, float(-mpmath.log10(error)))


def exact_answers(values: RealArray) -> tuple[Fraction, mpmath.mpf]:
    """Mean and standard deviation (n − 1) of floats, to 50 digits."""
    (mean,), ((squares,),) = exact_scatter(values[:, None])
    with mpmath.workdps(50):
        return mean, mpmath.sqrt(_number(squares / (len(values) - 1)))


def _number(value: mpmath.mpf | Fraction) -> mpmath.mpf:
    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    return value


def table() -> str:
    """Correct digits of each set, way and statistic, as a Markdown table."""
    lines = [
        "| set | way | mean | sd | mean, certified | sd, certified | sd, best possible |",
        "|---|---|---|---|---|---|---|",
    ]
    for own in SETS:
        mean, deviation = exact_answers(own.values)
        best = correct_digits(float(deviation), own.standard_deviation)
        for way, moments_of in WAYS.items():
            moments = moments_of(own.values[:, None], "full")
            found = float(moments.mean[0, 0]), standard_deviation(moments)
            digits = [
                correct_digits(found[0], mean),
                correct_digits(found[1], deviation),
                correct_digits(found[0], own.mean),
                correct_digits(found[1], own.standard_deviation),
                best,
            ]
            written = " | ".join("exact" if d == EXACT else f"{d:.1f}" for d in digits)
            lines.append(f"| {own.name} | {way} | {written} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
