"""When naive Bayes is optimal.

Naive Bayes takes features as independent within each class. Where they are, it is the best rule
there is, and with few rows it beats the full covariance, which has more to estimate. Where they are
correlated it need not be. Two classes with unit variances and means two apart in the first feature
and one in the second: without correlation the best rule errs in 13.2 % of the cases, and so does
naive Bayes. With a correlation of ½ the best rule errs in 15.9 %, naive Bayes in 17.2 %; with 0.8
these are 13.2 % and 19.1 %: it counts what both features say twice, where the best rule takes their
difference. If the means differed by as much in both features, the naive rule would point in the
right direction at every correlation: its labels would be optimal, though not its probabilities.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from gaussbayes.analysis.grid import line_over
from gaussbayes.analysis.synthesis import make_gaussian_dataset
from gaussbayes.base.types import CovarianceName, FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons import figure_parts as parts
from gaussbayes.lessons.lesson import XUE, Lesson, Result, seeds
from gaussbayes.plots import style

MEANS = np.array([[0.0, 0.0], [2.0, 1.0]])
N_DRAWS = 200_000
SIZES = (3, 5, 8, 12, 20, 40, 80)
"""Training rows of each class."""
N_TABLES = 60
SHAPES: tuple[CovarianceName, ...] = ("full", "diagonal")  # and naive Bayes


def covariance(correlation: float) -> FloatArray:
    """Unit variances with this correlation (2, 2)."""
    return np.array([[1.0, correlation], [correlation, 1.0]])


def errors(correlation: float) -> tuple[float, float]:
    """The errors of the best rule and of naive Bayes with endless rows, in per cent.

    Both are linear, with weights ``w = Σ⁻¹ d`` and ``w = d`` for the difference d of the means: a
    rule errs in ``Φ(−½ wᵀd / √(wᵀ Σ w))`` of the cases.
    """
    from scipy.stats import norm

    sigma, difference = covariance(correlation), MEANS[1] - MEANS[0]
    best = norm.sf(0.5 * np.sqrt(difference @ np.linalg.solve(sigma, difference)))
    squared = float(difference @ difference)
    naive = norm.sf(0.5 * squared / np.sqrt(difference @ sigma @ difference))
    return 100.0 * float(best), 100.0 * float(naive)


def drawn_errors(correlation: float, seed: int) -> tuple[float, float]:
    """The same counted: both classifiers fitted to many rows, and tested on as many."""
    draw = [
        make_gaussian_dataset(N_DRAWS // 2, MEANS, [covariance(correlation)] * 2, random_state=s)
        for s in (seed, seed + 1)
    ]
    (rows, labels), test = draw
    full, naive = (GaussianClassifier(shape, shared=True).fit(rows, labels) for shape in SHAPES)
    return 100.0 * (1.0 - full.score(*test)), 100.0 * (1.0 - naive.score(*test))


@lru_cache(maxsize=4)
def learning_curves(correlation: float, seed: int) -> FloatArray:
    """Mean errors (2, sizes) of full covariances and of naive Bayes by training rows, in %."""
    curves = np.zeros((2, len(SIZES), N_TABLES))
    truth = [covariance(correlation)] * 2
    test = make_gaussian_dataset(20_000, MEANS, truth, random_state=seed)
    for draw, table in enumerate(seeds(N_TABLES, seed, "drawing small tables")):
        for place, size in enumerate(SIZES):
            rows = make_gaussian_dataset(size, MEANS, truth, random_state=table)
            for which, shape in enumerate(SHAPES):
                model = GaussianClassifier(shape, shared=True).fit(*rows)
                curves[which, place, draw] = 100.0 * (1.0 - model.score(*test))
    return np.asarray(curves.mean(axis=2))


def lesson(seed: int = 0) -> Lesson:
    """The lesson, its rows drawn with this seed."""

    def result(correlation: float) -> Result:
        best, naive = errors(correlation)
        spread = [100.0 * np.sqrt(p / 100 * (1 - p / 100) / N_DRAWS) for p in (best, naive)]
        name = f"errors with correlation {correlation:g}: best rule, naive Bayes"
        return Result(
            name,
            lambda: drawn_errors(correlation, seed),
            (best, naive),
            2,
            standard_error=spread,
            unit="%",
        )

    def by_rows() -> Any:
        """The errors by the number of training rows. Independent features: naive Bayes is as good
        with endless rows, and better with few. Correlated ones: it never gets as good."""
        return _draw_learning_curves(seed)

    results = (result(0.0), result(0.5), result(0.8))
    return Lesson.of(__name__, __doc__, XUE, (), results, (by_correlation, by_rows))


def by_correlation() -> Any:
    """The error of the best rule and of naive Bayes by the correlation of the features: equal
    without correlation."""
    (ax,) = parts.panels(1, 1, (6.4, 3.6))
    correlations = line_over(-0.95, 0.95, 191)
    values = np.array([errors(each) for each in correlations])
    ax.plot(correlations, values[:, 0], color=style.INK, label="best rule")
    ax.plot(correlations, values[:, 1], color=style.COLORS[1], label="naive Bayes")
    ax.set(xlabel="correlation within the classes", ylabel="error, %", ylim=(0, None))
    style.legend_beside(ax)
    return ax


def _draw_learning_curves(seed: int) -> Any:
    axes = parts.panels(1, 2, (9.6, 3.6), "xy")
    for ax, correlation in zip(axes, (0.0, 0.8), strict=True):
        full, naive = learning_curves(correlation, seed)
        ax.axhline(errors(correlation)[0], color=style.FAINT, linewidth=1, label="best rule")
        ax.plot(SIZES, full, marker="o", color=style.INK, label="full covariance")
        ax.plot(SIZES, naive, marker="s", color=style.COLORS[1], label="naive Bayes")
        ax.set(xscale="log", xlabel="training rows of each class", ylabel="error, %")
        ax.set_xticks(SIZES, list(map(str, SIZES)))
        ax.minorticks_off()
        parts.title(ax, f"correlation {correlation:g}")
    for ax in axes:
        ax.label_outer()
    style.legend_beside(axes[1])
    return axes
