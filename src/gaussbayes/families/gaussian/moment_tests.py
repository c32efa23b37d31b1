"""Tests of whether two samples of each class have the same Gaussian, from their moments alone.

In sample g a class has N_g rows, the scatter A_g about its mean and n_g = N_g − 1 degrees of
freedom. With A = A_1 + A_2 and ``B = A + (N_1 N_2 / N) δδᵀ`` with the difference δ of the means:

- means and covariances: ``N log |B/N| − Σ N_g log |A_g/N_g|``,
- means, given equal covariances: ``N log (|B| / |A|)``, Hotelling's T²,
- covariances, for any means: ``n log |A/n| − Σ n_g log |A_g/n_g|``, Bartlett's statistic,
  in which degrees of freedom stand for rows.

All three have Bartlett's correction (`gaussbayes.families.likelihood_ratio`). Scatters that are
summed over m classes have n_g = N_g − m. For features that are uncorrelated by assumption, the
statistics are sums over them. Features are also compared one by one: means by the t test, variances
by the F test.

Tests of single features, and of diagonal covariances, use every observed value, which is exact if
values are missing independently of their values. Determinants use the complete rows alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.numerals import counted
from gaussbayes.base.types import FloatArray
from gaussbayes.data.schema import Schema
from gaussbayes.families.gaussian.cells import FeatureMoments, feature_moments
from gaussbayes.families.gaussian.statistics import LAYOUTS, GaussianStatistics
from gaussbayes.families.likelihood_ratio import (
    FamilyTests,
    FeatureChange,
    LikelihoodRatio,
    Ratio,
    expected_determinants,
)

_SINGULAR = 1e-12
"""Unexplained proportion of a variance below which it counts as rounding."""

_QUANTITIES = ("means and covariances", "means", "covariances")


@dataclass(frozen=True, slots=True, eq=False)
class _Scatters:
    """Two scatters of p features, and differences of means of m classes in their units."""

    p: int
    degrees: tuple[float, float]  # n_1, n_2
    weight: tuple[float, float]  # N_1, N_2
    log_determinant: tuple[float, float]  # of A_1 and A_2
    log_sum: float  # log |A_1 + A_2|
    shift: FloatArray  # (m, p) L⁻¹ δ √(N_1 N_2 / N) of each class, with A = L Lᵀ

    def compared(self, shift: FloatArray) -> list[Ratio]:
        """The likelihood ratio of each quantity, for some of the classes."""
        n, total, m = sum(self.degrees), sum(self.weight), shift.shape[0]
        gain = float(np.linalg.slogdet(np.eye(m) + shift @ shift.T)[1])
        parts = list(zip(self.degrees, self.weight, self.log_determinant, strict=True))
        both = total * (self.log_sum + gain - self.p * np.log(total))
        both -= sum(w * (log - self.p * np.log(w)) for _, w, log in parts)
        apart = n * (self.log_sum - self.p * np.log(n))
        apart -= sum(f * (log - self.p * np.log(f)) for f, _, log in parts)
        pairs = [(f, w) for f, w, _ in parts]
        expected = [
            expected_determinants(self.p, pairs, (n + m, total)),
            expected_determinants(self.p, [(n, total)], (n + m, total)),
            expected_determinants(self.p, [(f, f) for f in self.degrees], (n, n)),
        ]
        free = self.p * (self.p + 1) / 2.0
        return [
            (max(both, 0.0), m * self.p + free, expected[0]),
            (max(total * gain, 0.0), float(m * self.p), expected[1]),
            (max(apart, 0.0), free, expected[2]),
        ]


def moment_tests(
    before: GaussianStatistics, after: GaussianStatistics, names: Schema
) -> FamilyTests:
    """Likelihood ratios of means and covariances, class by class, and of each feature."""
    if before.moments.layout != after.moments.layout:
        layout = (after if before.moments.layout == "full" else before).moments.layout
        before, after = before.with_layout(layout), after.with_layout(layout)
    layout = before.moments.layout
    of_features = feature_moments(before), feature_moments(after)
    k = before.n_classes
    groups = [np.array([c]) for c in range(k)] if LAYOUTS[layout].by_class else [np.arange(k)]
    ratios: list[LikelihoodRatio] = []
    changes: list[FeatureChange] = []
    notes: list[str] = []
    for codes in groups:
        if not all(each.weight[codes].any() for each in (before, after)):
            continue
        some, varied = _feature_changes(codes, *of_features, names)
        changes += some
        if layout == "diagonal":
            blocks, left = _columns(int(codes[0]), *of_features, varied)
        else:
            blocks, left = _matrices(codes, before, after, varied)
        owner = (
            f"of class {names.class_name(int(codes[0]))}" if codes.size == 1 else "of all classes"
        )
        if left.size:
            notes.append(
                f"{names.feature_list(left.tolist())} {owner}: one by one only, as a feature does "
                f"not vary, depends on others, or {counted(left.size, 'feature')} are too many for "
                "the complete rows"
            )
        ratios += _ratios(codes, blocks)
    if not (before.is_complete and after.is_complete) and layout != "diagonal":
        notes.append(
            "values are missing: means and covariances of all features are compared by the complete"
            " rows, features one by one by all values that are there"
        )
    return FamilyTests(tuple(ratios), tuple(changes), tuple(notes))


def _ratios(codes: NDArray[np.intp], blocks: Sequence[_Scatters]) -> list[LikelihoodRatio]:
    """The statistics of some features, summed over those that are uncorrelated."""
    if not blocks:
        return []
    owner = int(codes[0]) if codes.size == 1 else None
    parts = [block.compared(block.shift) for block in blocks]
    ratios = []
    for quantity, terms in zip(_QUANTITIES, zip(*parts, strict=True), strict=True):
        statistic, degrees, expected = (sum(values) for values in zip(*terms, strict=True))
        detail = quantity != _QUANTITIES[0]
        ratios.append(LikelihoodRatio(quantity, owner, statistic, degrees, expected, detail))
    if codes.size > 1:  # the means of each class, by the common covariance
        for place, code in enumerate(codes.tolist()):
            _, of_means, _ = blocks[0].compared(blocks[0].shift[[place]])
            if blocks[0].shift[place].any():
                ratios.append(LikelihoodRatio("means", code, *of_means, is_detail=True))
    return ratios


def _feature_changes(
    codes: NDArray[np.intp], before: FeatureMoments, after: FeatureMoments, names: Schema
) -> tuple[list[FeatureChange], NDArray[np.bool_]]:
    """The changes of each mean (t test) and deviation (F test), and which features vary in both."""
    from scipy.special import betainc, fdtr

    weights = [each.weight[codes] for each in (before, after)]
    squares = [each.scatter[codes].sum(axis=0) for each in (before, after)]
    degrees = [(w - 1.0 * (w > 0)).sum(axis=0) for w in weights]
    delta = (after.anchor - before.anchor) + (after.offset - before.offset)
    common = (weights[0] > 0) & (weights[1] > 0)
    n = degrees[0] + degrees[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = (squares[0] + squares[1]) * (1.0 / weights[0] + 1.0 / weights[1])
        ratio = np.square(delta[codes]) * n / spread  # t²
        p_mean = betainc(n / 2.0, 0.5, 1.0 / (1.0 + ratio / n))
        p_mean = np.where(common & (n > 0), p_mean, np.nan)
        p_mean[common & (n > 0) & (delta[codes] == 0)] = 1.0
        deviation = [np.sqrt(s / f) for s, f in zip(squares, degrees, strict=True)]
        left = fdtr(*degrees, np.square(deviation[0] / deviation[1]))
        right = fdtr(*degrees[::-1], np.square(deviation[1] / deviation[0]))
        p_spread = np.minimum(2.0 * np.minimum(left, right), 1.0)
    flat = (squares[0] == 0) & (squares[1] == 0)
    enough = (degrees[0] > 0) & (degrees[1] > 0)
    p_spread = np.where(enough, np.where(flat, 1.0, p_spread), np.nan)
    means = [(each.anchor + each.offset)[codes] for each in (before, after)]
    titles = names.titles
    changes = [
        FeatureChange(
            titles[j], code, "mean", float(means[0][place, j]), float(means[1][place, j]), p
        )
        for place, code in enumerate(codes.tolist())
        for j, p in enumerate(p_mean[place].tolist())
        if common[place, j]
    ]
    owner = int(codes[0]) if codes.size == 1 else None
    for j in np.flatnonzero(common.any(axis=0)).tolist():
        before_after = float(deviation[0][j]), float(deviation[1][j])
        p = float(p_spread[j])
        changes.append(FeatureChange(titles[j], owner, "standard deviation", *before_after, p))
    return changes, enough & (squares[0] > 0) & (squares[1] > 0)


def _columns(
    code: int, before: FeatureMoments, after: FeatureMoments, varied: NDArray[np.bool_]
) -> tuple[list[_Scatters], NDArray[np.intp]]:
    """The features of a class one by one, and those that cannot be compared in this way."""
    delta = (after.anchor - before.anchor) + (after.offset - before.offset)
    blocks = []
    for j in np.flatnonzero(varied).tolist():
        weights = [each.weight[[code], j] for each in (before, after)]
        scatters = [each.scatter[code, j].reshape(1, 1) for each in (before, after)]
        block = _scatters(weights, scatters, delta[[code]][:, [j]])
        blocks += [] if block is None else [block]
    return blocks, np.flatnonzero(~varied)


def _matrices(
    codes: NDArray[np.intp],
    before: GaussianStatistics,
    after: GaussianStatistics,
    varied: NDArray[np.bool_],
) -> tuple[list[_Scatters], NDArray[np.intp]]:
    """The features that vary, together, and those that cannot be compared in this way."""
    moments = before.moments, after.moments
    which = np.flatnonzero(varied)
    layout = LAYOUTS[moments[0].layout]
    scatters = [
        layout.of_columns(layout.stacked(each.scatter)[codes[0] : codes[0] + 1], which)[0]
        for each in moments
    ]
    delta = (moments[1].anchor - moments[0].anchor) + (moments[1].offset - moments[0].offset)
    weights = [each.weight[codes] for each in moments]
    block = _scatters(weights, scatters, delta[np.ix_(codes, which)]) if which.size else None
    if block is None:
        return [], np.arange(varied.size)
    return [block], np.flatnonzero(~varied)


def _scatters(
    weights: Sequence[FloatArray], scatters: Sequence[FloatArray], delta: FloatArray
) -> _Scatters | None:
    """Two scatters (p, p) of classes with weights (m,) and differences of means `delta` (m, p).

    None if there are too few rows, or a feature does not vary or depends on others.
    """
    degrees = [float(w.sum() - np.count_nonzero(w)) for w in weights]
    p = delta.shape[1]
    if min(degrees) <= p - 1:
        return None
    logs = []
    for scatter in (*scatters, scatters[0] + scatters[1]):
        unit = np.sqrt(np.diagonal(scatter))
        if not unit.all():
            return None
        try:
            factor = np.linalg.cholesky(scatter / unit[:, None] / unit)
        except np.linalg.LinAlgError:
            return None
        if np.diagonal(factor).min() ** 2 < _SINGULAR:
            return None
        logs.append(float(2.0 * (np.log(np.diagonal(factor)) + np.log(unit)).sum()))
    both = (weights[0] > 0) & (weights[1] > 0)
    total = np.where(both, weights[0] + weights[1], 1.0)
    root = np.sqrt(np.where(both, weights[0] * weights[1] / total, 0.0))
    shift = np.linalg.solve(factor, (root[:, None] * delta / unit).T).T
    sizes = float(weights[0].sum()), float(weights[1].sum())
    return _Scatters(p, (degrees[0], degrees[1]), sizes, (logs[0], logs[1]), logs[2], shift)
