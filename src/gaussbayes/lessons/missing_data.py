"""Missing features and missing labels.

A Gaussian without one of its features is the Gaussian of the others, so what is missing in a row is
integrated out exactly. If of the doctor's patient only the count of 48 is known, no diabetes has
probability 0.71, and if nothing is known the prior's 0.8; with the mean glucose of 102 filled in it
would be 0.89, as sure as if it had been measured. In learning, too, rows with missing values say
something: of eighteen apple trees, the six whose wormy fruits nobody counted have small crops, and
small crops are the wormy ones. Without these trees the mean is 45 % wormy, with the mean filled in
it stays there and the variance falls to 68; the most likely Gaussian, to which EM converges, has
49.3 % and 115. A label may be missing like any other value: 24 labelled rows alone err in 8.5 % in
the median draw, and with 500 rows without label 7.4 %, near the 7.2 % of the best rule; in about 1
draw of 10 they do harm. All this asks that values are missing for reasons that the others tell. A
glucose hidden where the count is high is found at its true mean of 130; hidden where it is high
itself, it would be found at 113, however many rows there are.
"""

from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from gaussbayes import plots
from gaussbayes.analysis.grid import grid_over, limits, line_over, region_map
from gaussbayes.analysis.synthesis import make_gaussian_dataset
from gaussbayes.analysis.view import pair_view
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, RealArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.data.rows import Targets, number_rows
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.lessons import diabetes
from gaussbayes.lessons import figure_parts as parts
from gaussbayes.lessons.handouts import COUNT, DIABETES, DOCTOR, GLUCOSE, TWO_GAUSSIANS, Table
from gaussbayes.lessons.lesson import Lesson, Numbers, Result, proportion_error, seeds
from gaussbayes.plots import style
from gaussbayes.plots.style import Look

SOURCE = (
    "after H. Xue, Generative Models for Classification, UNC Charlotte, 2024, which names it; the "
    "apples are from R. J. A. Little and D. B. Rubin, Statistical Analysis with Missing Data, 1987"
)

CROP = (8, 6, 11, 22, 14, 17, 18, 24, 19, 23, 26, 40, 4, 4, 5, 6, 8, 10)
WORMY = (59, 58, 56, 53, 50, 45, 43, 42, 39, 38, 30, 27)
"""Of the first twelve trees; nobody counted those of the last six."""

N_LABELLED, N_UNLABELLED, N_TEST = 12, 250, 5_000  # rows of each class
N_PATIENTS = 10_000
_N_TEST_DRAWN = 100_000  # of each class, so that the first decimal of an error in a figure is right
_RESOLUTION = 300
_DIGITS = 1e-13  # below this proportion of a log-likelihood, a difference is rounding

MISSING = float("nan")
MEAN_COUNT, MEAN_GLUCOSE = 42.4, 102.0  # of the doctor's patients
HEALTHY_BY_COUNT = diabetes.HEALTHY_BY_DOCTOR
HEALTHY_WITH_MEAN_GLUCOSE = 0.893037
HEALTHY_BY_GLUCOSE = 0.248479
HEALTHY_WITH_MEAN_COUNT = 0.464015

APPLES_MEAN = (265 / 18, 148 / 3)
APPLES_COVARIANCE = ((29009 / 324, -377117 / 4158), (-377117 / 4158, 12240475 / 106722))
"""The exact maximum, in closed form because only one of the features is ever missing."""
APPLES_LOG_LIKELIHOOD = -101.7856321278
COMPLETE_MEAN = (19.0, 45.0)
COMPLETE_COVARIANCE = ((77.0, -78.0), (-78.0, 611 / 6))
FILLED_MEAN = (265 / 18, 45.0)
FILLED_COVARIANCE = ((29009 / 324, -52.0), (-52.0, 611 / 9))

N_DRAWS = 50
ERROR_BY_LABELS, ITS_SPREAD = 8.49, 1.56
ERROR_WITH_ALL, SPREAD_WITH_ALL = 7.42, 0.43
BETTER = 0.90
"""Median errors in per cent, √n times the standard error of a median of n, and how often the second
error is the smaller one: by another EM over 1,500 draws."""

GLUCOSE_OF_COMPLETE = 125.2127
GLUCOSE_HIDDEN_BY_ITSELF = 112.9446
"""Means of endless rows: of half a Gaussian, and extrapolated from there along its regression."""
GLUCOSE_ERRORS = {"count": 0.50, "complete": 0.30, "glucose": 0.19}
"""Standard errors of the three, from the regression behind them."""


class FittedGaussian(NamedTuple):
    """A mean (d,), a covariance (d, d), and how EM came to them, if values are missing."""

    mean: FloatArray
    covariance: FloatArray
    convergence: Any = None


TRUE_PATIENTS = FittedGaussian(np.array(DIABETES.means[1]), np.array(DIABETES.covariances[1]))
"""Those with diabetes."""


def doctor() -> GaussianClassifier:
    """The classifier of the lesson on diabetes, of count and glucose."""
    return diabetes.known(2).with_priors(DOCTOR)


def healthy(*patient: float) -> float:
    """``p(C = 0 | x)`` of one patient by the doctor's prior; NaN is what is not known."""
    return diabetes.healthy(doctor(), *patient)


def one_gaussian(rows: FloatArray) -> FittedGaussian:
    """The most likely Gaussian of rows (n, d) in which values may be missing, all of one class."""
    schema, family = Schema(np.array(["all"]), rows.shape[1]), Gaussian()
    targets = Targets(np.zeros(rows.shape[0], dtype=np.int32), 1)
    fit = family.estimate(family.observe(number_rows(rows), targets, schema), schema)
    density = fit.density
    return FittedGaussian(density.mean[0], density.dense_covariance()[0], fit.convergence)


def complete(rows: FloatArray) -> FloatArray:
    """The rows in which no value is missing."""
    return rows[~np.isnan(rows).any(axis=1)]


def filled(rows: FloatArray) -> FloatArray:
    """The rows with the mean of a feature where it is missing."""
    return np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)


def apple_trees() -> Table:
    """Eighteen apple trees; of six the percentage of wormy fruits is missing."""
    wormy = [*WORMY, *[np.nan] * (len(CROP) - len(WORMY))]
    rows = np.array([CROP, wormy], dtype=np.float64).T
    features = ("crop (hundreds of fruits)", "wormy fruits (%)")
    return Table("apples", rows, np.full(len(CROP), "tree"), features, "listed by Little and Rubin")


def few_labels_table(seed: int) -> Table:
    """Rows of the two Gaussians of the course, a few with labels, the others with None."""
    generator = np.random.default_rng(seed)
    known = TWO_GAUSSIANS.draw("known", N_LABELLED, generator)
    others = TWO_GAUSSIANS.draw("others", N_UNLABELLED, generator)
    labels = np.array([*known.labels.tolist(), *[None] * others.labels.size], dtype=object)
    source = f"drawn with seed {seed}; {known.labels.size} have a label"
    return Table("few labels", np.vstack([known.rows, others.rows]), labels, source=source)


def without_unlabelled(table: Table) -> Table:
    """The labelled rows alone."""
    known = np.array([label is not None for label in table.labels])
    return Table(table.name, table.rows[known], np.array(table.labels[known].tolist()))


def errors(table: Table, seed: int, n_test: int = N_TEST) -> tuple[float, float]:
    """The errors in per cent on new rows, by the labelled rows alone and with the others."""
    test = TWO_GAUSSIANS.draw("test", n_test, np.random.default_rng([seed, 1]))
    return test.error(without_unlabelled(table).fit()), test.error(table.fit())


@lru_cache(maxsize=1)
def draws(n_draws: int, seed: int = 0) -> FloatArray:
    """The errors (draws, 2) of many such tables; kept, for it takes seconds."""
    drawn = seeds(n_draws, seed, "drawing few labels")
    return np.array([errors(few_labels_table(each), each) for each in drawn])


def patients(seed: int, hidden_by: Literal["count", "glucose"]) -> Table:
    """Patients with diabetes; the glucose is hidden where count, or glucose, is above its mean."""
    mean, covariance, _ = TRUE_PATIENTS
    X, y = make_gaussian_dataset(N_PATIENTS, mean[None], covariance, random_state=seed)
    column = ("count", "glucose").index(hidden_by)
    X[X[:, column] > mean[column], 1] = np.nan
    source = f"drawn with seed {seed}, no glucose where the {hidden_by} is above its mean"
    return Table(f"hidden by {hidden_by}", X, y, DIABETES.features, source)


def along(
    model: GaussianClassifier, count: float, glucose: FloatArray
) -> tuple[RealArray, RealArray]:
    """``p(C = 0 | count, glucose)`` and ``p(glucose | count)`` (n,) where only the count is known.

    The second, as a weight, makes the mean of the first: that is ``p(C = 0 | count)``.
    """
    rows = np.column_stack([np.full(glucose.size, count), glucose])
    density = model.evidence(rows) / model.evidence([[count, np.nan]])
    return model.predict_proba(rows)[:, 0], density


def lesson(seed: int = 0) -> Lesson:
    """The lesson, its rows drawn with this seed."""
    trees, few = apple_trees(), few_labels_table(seed)
    by_count, by_glucose = patients(seed, "count"), patients(seed, "glucose")
    results = (
        *_predictions(),
        *_trees(trees.rows),
        *_labels(seed),
        *_reasons(by_count.rows, by_glucose.rows),
    )

    @cache
    def fitted() -> tuple[GaussianClassifier, GaussianClassifier]:
        return without_unlabelled(few).fit(), few.fit()

    def convergence() -> Any:
        """EM makes the likelihood larger with every iteration, until its digits end."""
        axes = parts.panels(1, 2, (9.2, 3.6), "y")
        records = one_gaussian(trees.rows).convergence, fitted()[1].convergence_
        for ax, name, record in zip(axes, ("apples", "few labels"), records, strict=True):
            last = float(record.log_likelihood[-1])
            below = last - record.log_likelihood
            iterations = np.flatnonzero(below > _DIGITS * abs(last))
            ax.plot(iterations, below[iterations], "o-", color=style.COLORS[0])
            ax.set_yscale("log")
            ax.set_xlabel("iterations made")
            ax.xaxis.get_major_locator().set_params(integer=True)
            height = parts.number(last, ".6f")
            parts.title(ax, f"{name}: {record.n_iterations} iterations to {height}")
        axes[0].set_ylabel("log-likelihood below its maximum")
        return axes

    def few_labels() -> Any:
        """The boundary by the labelled rows alone, and with the rows that have no label; dashed the
        boundary of the rule that knows the parameters."""
        by_labels, with_all = errors(few, seed, n_test=_N_TEST_DRAWN)
        n = 2 * N_LABELLED
        names = (
            f"{n} labelled rows: {by_labels:.1f} % wrong",
            f"and {few.labels.size - n} without label: {with_all:.1f} %",
        )
        return _draw_few_labels(dict(zip(names, fitted(), strict=True)), few)

    def hidden_values() -> Any:
        """The same patients twice. Left the glucose is missing where the count is high, and the
        most likely Gaussian is nearly the true one; right it is missing where it is high itself,
        and no row is left to tell of it."""
        axes = parts.panels(1, 2, (10.4, 4.3), "xy")
        look: Look = {"s": 5, "color": style.FAINT, "linewidths": 0, "rasterized": True}
        for ax, name, table in zip(
            axes, ("the count", "itself"), (by_count, by_glucose), strict=True
        ):
            estimate = one_gaussian(table.rows)
            ax.scatter(*complete(table.rows).T, label="both values", **look)
            _draw_gaussian(ax, TRUE_PATIENTS, style.INK, style.LINES[1], "the truth")
            _draw_gaussian(ax, estimate, style.COLORS[2], style.LINES[0], "most likely")
            parts.title(ax, f"hidden by {name}: mean {estimate.mean[1]:.1f}", table.features)
        style.legend_beside(axes[-1], title="means, and 2 deviations")
        return axes

    figures = (hidden_feature, apples, convergence, few_labels, hidden_values)
    data = (trees, few, by_count, by_glucose)
    return Lesson.of(__name__, __doc__, SOURCE, data, results, figures)


def _predictions() -> tuple[Result, ...]:
    """A patient of whom everything, one value, or nothing is known."""

    def posterior(name: str, right: float, *patient: float) -> Result:
        return Result(f"p(C = 0 | {name})", lambda: healthy(*patient), right, 6)

    filled_glucose = "count 48, mean glucose 102 filled in"
    filled_count = "mean count 42.4 filled in, glucose 125"
    return (
        posterior("count 48, glucose 125", diabetes.HEALTHY_WITH_GLUCOSE, COUNT, GLUCOSE),
        posterior("count 48", HEALTHY_BY_COUNT, COUNT, MISSING),
        posterior(filled_glucose, HEALTHY_WITH_MEAN_GLUCOSE, COUNT, MEAN_GLUCOSE),
        posterior("glucose 125", HEALTHY_BY_GLUCOSE, MISSING, GLUCOSE),
        posterior(filled_count, HEALTHY_WITH_MEAN_COUNT, MEAN_COUNT, GLUCOSE),
        posterior("nothing", DOCTOR[0], MISSING, MISSING),
    )


def _trees(rows: FloatArray) -> tuple[Result, ...]:
    """The Gaussian of the apples in three ways, and how EM finds the first."""
    record = one_gaussian(rows).convergence
    likelihood = f"log-likelihood after {record.n_iterations} iterations"

    def both(name: str, seen: FloatArray, mean: Numbers, covariance: Numbers) -> tuple[Result, ...]:
        gaussian = one_gaussian(seen)
        return (
            Result(f"mean of the trees {name}", lambda: gaussian.mean, mean, 6),
            Result(f"covariance of the trees {name}", lambda: gaussian.covariance, covariance, 6),
        )

    return (
        *both("by maximum likelihood", rows, APPLES_MEAN, APPLES_COVARIANCE),
        Result(likelihood, lambda: record.log_likelihood[-1], APPLES_LOG_LIKELIHOOD, 6),
        *both("without the six", complete(rows), COMPLETE_MEAN, COMPLETE_COVARIANCE),
        *both("with means filled in", filled(rows), FILLED_MEAN, FILLED_COVARIANCE),
    )


def _labels(seed: int) -> tuple[Result, ...]:
    """How much rows without label help, in the median of many draws; one draw says little."""

    def error(name: str, column: int, right: float, spread: float) -> Result:
        def median() -> Any:
            return np.median(draws(N_DRAWS, seed)[:, column])

        name = f"error {name}, median of {N_DRAWS} draws"
        return Result(name, median, right, 2, standard_error=spread / N_DRAWS**0.5, unit="%")

    def better() -> Any:
        return np.mean(np.diff(draws(N_DRAWS, seed)) < 0)

    words = "proportion of the draws in which these help"
    return (
        error("by 24 labelled rows", 0, ERROR_BY_LABELS, ITS_SPREAD),
        error("with 500 rows without label", 1, ERROR_WITH_ALL, SPREAD_WITH_ALL),
        Result(words, better, BETTER, 2, standard_error=proportion_error(BETTER, N_DRAWS)),
    )


def _reasons(by_count: FloatArray, by_glucose: FloatArray) -> tuple[Result, ...]:
    """The mean glucose where it is missing for a good and for a bad reason."""

    def mean(words: str, rows: FloatArray, right: float, name: str) -> Result:
        words, error = f"mean glucose, {words}", GLUCOSE_ERRORS[name]
        return Result(words, lambda: one_gaussian(rows).mean[1], right, 4, standard_error=error)

    true_mean = float(TRUE_PATIENTS.mean[1])
    return (
        mean("hidden where the count is above 52", by_count, true_mean, "count"),
        mean("the same without these rows", complete(by_count), GLUCOSE_OF_COMPLETE, "complete"),
        mean("hidden above 130", by_glucose, GLUCOSE_HIDDEN_BY_ITSELF, "glucose"),
    )


def hidden_feature() -> Any:
    """Of a patient the count is known and the glucose is not. The exact answer is the mean over all
    glucoses, each as probable as it is beside this count; a glucose filled in is one point of the
    curve."""
    model = doctor()
    left, right = axes = parts.panels(1, 2, (10.8, 4.3))
    plots.regions(model, ax=left)
    left.axvline(COUNT, color=style.INK, ls=style.LINES[1], linewidth=1.2)
    parts.mark_point(left, COUNT, MEAN_GLUCOSE, f"{MEAN_GLUCOSE:g} filled in", (24.0, -62.0))
    style.name_axes(left, DIABETES.features)
    parts.title(left, f"a count of {COUNT:g}, the glucose not known")
    low, high = left.get_ylim()
    glucose = line_over(low, high, 401)
    posterior, density = along(model, COUNT, glucose)
    exact, guess = healthy(COUNT, MISSING), healthy(COUNT, MEAN_GLUCOSE)
    look = {"color": style.FAINT, "alpha": 0.35, "linewidth": 0}
    label = f"p(glucose | {COUNT:g}),\nto its own scale"
    right.fill_between(glucose, density / density.max(), label=label, **look)
    right.plot(glucose, posterior, color=style.COLORS[0], label="p(C = 0 | both)")
    right.axhline(exact, color=style.INK, ls=style.LINES[1], label="its mean:\np(C = 0 | count)")
    parts.note(right, glucose[-1], exact, f"{exact:.3f}, exact", (-4.0, 11.0))
    right.plot([MEAN_GLUCOSE], [guess], "o", color=style.INK, zorder=5)
    parts.note(right, MEAN_GLUCOSE, guess, f"{guess:.3f}, filled in", (9.0, 6.0))
    right.set(xlim=(glucose[0], glucose[-1]), ylim=(0.0, 1.05))
    parts.title(right, "along the dashed line")
    style.name_axes(right, (DIABETES.features[1], "probability of no diabetes"))
    style.legend_beside(right)
    return axes


def apples() -> Any:
    """Eighteen apple trees, six without a percentage of wormy fruits, all with small crops. Without
    them the mean moves down along the slope; with means filled in the slope itself is lost."""
    table = apple_trees()
    ax = style.axes_for(None, (8.2, 4.8))
    ax.plot(*complete(table.rows).T, "o", color=style.INK, zorder=4, label="both values")
    methods = (
        ("maximum likelihood", table.rows, style.COLORS[2]),
        ("without the six", complete(table.rows), style.COLORS[1]),
        ("mean filled in", filled(table.rows), style.COLORS[3]),
    )
    for (name, rows, color), line in zip(methods, style.LINES, strict=False):
        _draw_gaussian(ax, one_gaussian(rows), color, line, name)
    # The crop is known: these stand at the edge, where they could be at any height.
    alone = table.rows[np.isnan(table.rows[:, 1]), 0]
    look: Look = {"color": style.INK, "markerfacecolor": "white", "zorder": 6}
    look |= {"transform": ax.get_xaxis_transform(), "clip_on": False}
    ax.plot(alone, np.zeros(alone.size), "^", label="crop alone", **look)
    style.name_axes(ax, table.features)
    style.legend_beside(ax, title="means, and 2 deviations")
    return ax


def _draw_gaussian(ax: Any, gaussian: FittedGaussian, color: str, line: Any, label: str) -> None:
    """A cross at the mean, and the ellipse at 2 standard deviations."""
    parts.draw_ellipse(ax, *gaussian[:2], 2.0, color=color, ls=line, label=label)
    ax.plot(*gaussian.mean, "+", color=color, markersize=11, markeredgewidth=2.2, zorder=5)


def _draw_few_labels(models: dict[str, GaussianClassifier], table: Table) -> Any:
    """A panel for each model: its regions, the rows it was given, and the best boundary, dashed."""
    regions, marks = plots.region_plots, plots.row_plots
    axes = parts.panels(1, len(models), (10.4, 4.3), "xy")
    grid = grid_over(*limits(None, table.rows), _RESOLUTION)
    rule = TWO_GAUSSIANS.best_rule()
    by_rule, styles = region_map(pair_view(rule), grid), style.class_styles(rule.classes_)
    codes = np.array([-1 if label is None else label - 1 for label in table.labels])
    known = codes >= 0
    dashed: Look = {"linestyles": [style.LINES[1]], "linewidths": 1.2}
    for shows_all, (ax, (name, model)) in enumerate(zip(axes, models.items(), strict=True)):
        seen = pair_view(model)
        regions.draw_regions(ax, region_map(seen, grid), seen.axes, styles)
        regions.draw_boundaries(ax, by_rule, seen.axes, **dashed)
        if shows_all:
            marks.draw_points(ax, table.rows[~known], codes[~known], styles)
            ax.collections[-1].set_alpha(0.35)
        marks.draw_points(ax, table.rows[known], codes[known], styles)
        parts.title(ax, name, table.features)
    handles = [
        *marks.class_handles(styles),
        marks.marker_handle("no label", marker=".", color=style.INK, alpha=0.5),
        style.line("boundary", color=style.INK, linewidth=1.5),
        style.line("the best one", color=style.INK, linewidth=1.2, ls=style.LINES[1]),
    ]
    style.legend_beside(axes[-1], handles)
    return axes
