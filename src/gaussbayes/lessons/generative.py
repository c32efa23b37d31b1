"""Generative and discriminative.

A generative model learns how each class looks, p(x | c), and turns it round by Bayes' rule;
logistic regression learns p(c | x) alone. Where the classes are Gaussian with one covariance both
have the same boundary to learn, and the generative model needs fewer rows: LDA is ahead with 8 of
each class, and level with 120. Where the assumption is wrong, as with rows that were stretched by
an exponential, logistic regression is the better one. Densities may be complicated and the
posterior simple: two classes of two humps each have a posterior that is nearly one step.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from gaussbayes.analysis.grid import line_over
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons import figure_parts as parts
from gaussbayes.lessons.lesson import XUE, Lesson, Result, seeds
from gaussbayes.plots import style

SIZES = (8, 15, 30, 60, 120)
"""Training rows of each class."""
N_TABLES = 20
N_FEATURES = 5
N_TEST = 2000
HUMPS = GaussianClassifier.from_parameters(
    [0.3, 0.2, 0.25, 0.25],
    [[-4.0], [-1.5], [1.0], [4.5]],
    np.array([0.7, 0.15, 0.3, 1.2])[:, None, None],
    ["A, first group", "A, second group", "B, first group", "B, second group"],
)
"""Two classes of two groups each, along one feature."""


def gaussian_rows(n: int, seed: int) -> tuple[FloatArray, LabelArray]:
    """Two Gaussian classes with one covariance, correlated features."""
    generator = np.random.default_rng(seed)
    y = np.repeat([0, 1], n)
    direction = np.array([1.6, 1.2, 0.8, 0.4, 0.0])
    common = 0.5 * generator.normal(size=(2 * n, 1))
    return generator.normal(size=(2 * n, N_FEATURES)) + common + y[:, None] * direction, y


def skewed_rows(n: int, seed: int) -> tuple[FloatArray, LabelArray]:
    """Rows as before, stretched: of each feature and class a few values are very large."""
    X, y = gaussian_rows(n, seed)
    return np.exp(X), y


def two_groups_posterior(x: FloatArray) -> FloatArray:
    """``p(B | x)`` (n,) of the classes made of two groups: that of both groups together."""
    posterior = HUMPS.predict_proba(x[:, None])
    return np.asarray(posterior[:, 2:].sum(axis=1))


@lru_cache(maxsize=4)
def learning_curves(
    draw: Callable[[int, int], tuple[FloatArray, LabelArray]], seed: int
) -> dict[str, FloatArray]:
    """Mean errors (sizes,) of four classifiers by training rows, in per cent."""
    from sklearn.linear_model import LogisticRegression

    models: dict[str, Any] = {
        "logistic regression": LogisticRegression(C=100.0, max_iter=500),
        "LDA": GaussianClassifier(shared=True),
        "QDA": GaussianClassifier(),
        "naive Bayes": GaussianClassifier("diagonal"),
    }
    X_test, y_test = draw(N_TEST, seed + 1)
    # In units of its deviation each feature is a number of moderate size, which the search for
    # the most likely weights needs; the Gaussian models do not care.
    scale = X_test.std(axis=0)
    totals = {name: np.zeros(len(SIZES)) for name in models}
    for table in seeds(N_TABLES, seed, "drawing tables"):
        for place, size in enumerate(SIZES):
            X, y = draw(size, table)
            for name, model in models.items():
                score = model.fit(X / scale, y).score(X_test / scale, y_test)
                totals[name][place] += 100.0 * (1.0 - score) / N_TABLES
    return totals


def lesson(seed: int = 0) -> Lesson:
    """The lesson, its rows drawn with this seed."""

    def by_rows() -> Any:
        """The test error by the number of training rows. Left, Gaussian classes with one
        covariance; right, the same rows stretched, so that no class is Gaussian any more."""
        return _draw_learning_curves(seed)

    x = np.array([0.0])
    # By hand: weights × densities of N(−4, 0.7), N(−1.5, 0.15), N(1, 0.3), N(4.5, 1.2) at 0.
    density = np.exp(-0.5 * np.array([16 / 0.7, 2.25 / 0.15, 1 / 0.3, 20.25 / 1.2]))
    joint = np.array([0.3, 0.2, 0.25, 0.25]) * density / np.sqrt([0.7, 0.15, 0.3, 1.2])
    results = (
        Result(
            "p(B | 0), two groups in each class",
            lambda: two_groups_posterior(x)[0],
            float(joint[2:].sum() / joint.sum()),
        ),
    )
    return Lesson.of(__name__, __doc__, XUE, (), results, (two_humps, by_rows))


def two_humps() -> Any:
    """Each class is a mixture of two Gaussians; the posterior is nearly one step all the same."""
    upper, lower = axes = parts.panels(2, 1, (6.8, 5.0), "x")
    x = line_over(-8.0, 9.0, parts.N_POINTS)
    joint = HUMPS.joint(x[:, None])
    for code, name in enumerate("AB"):
        groups = joint[:, 2 * code : 2 * code + 2].sum(axis=1)
        weight = float(HUMPS.priors_[2 * code : 2 * code + 2].sum())
        upper.plot(x, groups / weight, color=style.COLORS[code], label=f"p(x | {name})")
    lower.plot(x, two_groups_posterior(x), color=style.COLORS[1], label="p(B | x)")
    upper.set_ylabel("density")
    lower.set(xlabel="x", ylabel="posterior", ylim=(-0.02, 1.02))
    for ax in axes:
        style.legend_beside(ax)
    return axes


def _draw_learning_curves(seed: int) -> Any:
    axes = parts.panels(1, 2, (9.6, 3.8), "xy")
    titles = {"Gaussian classes, one covariance": gaussian_rows, "stretched": skewed_rows}
    for ax, (name, draw) in zip(axes, titles.items(), strict=True):
        for number, (model, error) in enumerate(learning_curves(draw, seed).items()):
            marker = style.MARKERS[number]
            ax.plot(SIZES, error, marker=marker, color=style.COLORS[number], label=model)
        ax.set(xscale="log", xlabel="training rows of each class", ylabel="test error, %")
        ax.set_xticks(SIZES, list(map(str, SIZES)))
        ax.minorticks_off()
        parts.title(ax, name)
        ax.label_outer()
    style.legend_beside(axes[1])
    return axes
