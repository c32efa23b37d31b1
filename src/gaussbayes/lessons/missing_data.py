"""Missing features and labels: integrated out, learnt from, and when that is not allowed."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from gaussbayes.analysis.ellipse import ellipse
from gaussbayes.analysis.grid import grid_over, limits, line_over
from gaussbayes.analysis.synthesis import make_gaussian_dataset
from gaussbayes.base.progress import track
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, LabelArray, RealArray
from gaussbayes.data.rows import Targets, number_rows
from gaussbayes.families.gaussian import family as gaussian_family
from gaussbayes.families.protocol import Convergence, Fit
from gaussbayes.lessons import diabetes, standard_errors, two_gaussians
from gaussbayes.lessons.lesson import Figure, Lesson, Numbers, Result, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

    from gaussbayes.classifier import GaussianClassifier

SOURCE = (
    "after H. Xue, Generative Models for Classification, UNC Charlotte, 2024, which names it; the "
    "apples are from R. J. A. Little and D. B. Rubin, Statistical Analysis with Missing Data, 1987"
)

CROP = (8, 6, 11, 22, 14, 17, 18, 24, 19, 23, 26, 40, 4, 4, 5, 6, 8, 10)
WORMY = (59, 58, 56, 53, 50, 45, 43, 42, 39, 38, 30, 27)
"""Of the first twelve trees; nobody counted those of the last six."""

N_LABELLED = 12
N_UNLABELLED = 250
N_TEST = 5_000
"""Rows of each class."""

N_PATIENTS = 10_000

_N_TEST_DRAWN = 100_000
"""Rows of each class behind the figure, so that the first decimal of an error is right."""
_RESOLUTION = 300
_DIGITS = 1e-13
"""Below this proportion of a log-likelihood, a difference is rounding."""

MISSING = float("nan")
MEAN_COUNT, MEAN_GLUCOSE = 42.4, 102.0
"""Of the doctor's patients."""

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

GLUCOSE = diabetes.MEANS[1][1]
GLUCOSE_OF_COMPLETE = 125.2127
GLUCOSE_HIDDEN_BY_ITSELF = 112.9446
"""Means of endless rows: of half a Gaussian, and extrapolated from there along its regression."""
GLUCOSE_ERRORS = {"count": 0.50, "complete": 0.30, "glucose": 0.19}
"""Standard errors of the three, from the regression behind them."""


def healthy(*patient: float) -> float:
    """``p(C = 0 | x)`` of one patient by the doctor's prior; NaN is what is not known."""
    return diabetes.healthy(doctor(), *patient)


def doctor() -> "GaussianClassifier":
    """The classifier of the lesson on diabetes, of count and glucose."""
    return diabetes.known(2).with_priors(diabetes.DOCTOR)


def best() -> "GaussianClassifier":
    """The rule that knows the parameters of the rows with few labels."""
    from gaussbayes.classifier import GaussianClassifier

    means, covariances = two_gaussians.MEANS, two_gaussians.COVARIANCES
    return GaussianClassifier.from_parameters("uniform", means, covariances, classes=[1, 2])


class FittedGaussian(NamedTuple):
    """A mean (d,) and a covariance (d, d)."""

    mean: FloatArray
    covariance: FloatArray


class Errors(NamedTuple):
    """Errors in per cent, by the labelled rows alone and with the others."""

    labelled: float
    all_rows: float


def one_gaussian(rows: FloatArray) -> FittedGaussian:
    """The most likely Gaussian of rows (n, d) in which values may be missing.

    Examples
    --------
    >>> one_gaussian(np.array([[1.0, 1.0], [2.0, 4.0], [3.0, 4.0]])).mean.tolist()
    [2.0, 3.0]
    """
    density = _fit(rows).density
    return FittedGaussian(density.mean[0], density.dense_covariance()[0])


def convergence(rows: FloatArray) -> Convergence:
    """How EM came to the most likely Gaussian of rows (n, d) in which values are missing."""
    record = _fit(rows).convergence
    assert record is not None
    return record


def _fit(rows: FloatArray) -> Fit:
    """All rows as one class: a classifier would ask for two."""
    schema, family = Schema(np.array(["all"]), rows.shape[1]), gaussian_family.Gaussian()
    targets = Targets(np.zeros(rows.shape[0], dtype=np.int32), 1)
    return family.estimate(family.observe(number_rows(rows), targets, schema), schema)


def complete(rows: FloatArray) -> FloatArray:
    """The rows in which no value is missing."""
    return rows[~np.isnan(rows).any(axis=1)]


def filled(rows: FloatArray) -> FloatArray:
    """The rows with the mean of a feature where it is missing.

    Examples
    --------
    >>> filled(np.array([[1.0], [np.nan], [3.0]])).ravel().tolist()
    [1.0, 2.0, 3.0]
    """
    return np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)


def apples() -> Table:
    """Eighteen apple trees; of six the percentage of wormy fruits is missing."""
    wormy = [*WORMY, *[np.nan] * (len(CROP) - len(WORMY))]
    rows = np.array([CROP, wormy], dtype=np.float64).T
    features = ("crop (hundreds of fruits)", "wormy fruits (%)")
    return Table("apples", rows, np.full(len(CROP), "tree"), features, "listed by Little and Rubin")


def few_labels(seed: int) -> Table:
    """Rows of the two Gaussians of the course, a few with labels, the others with None."""
    generator = np.random.default_rng(seed)
    known, y = _two_gaussians(N_LABELLED, generator)
    others, _ = _two_gaussians(N_UNLABELLED, generator)
    labels = np.array([*y.tolist(), *[None] * others.shape[0]], dtype=object)
    source = f"drawn with seed {seed}; {y.size} have a label"
    return Table("few labels", np.vstack([known, others]), labels, ("x1", "x2"), source)


def _two_gaussians(n: int, generator: np.random.Generator) -> tuple[FloatArray, LabelArray]:
    means, covariances = two_gaussians.MEANS, two_gaussians.COVARIANCES
    X, y = make_gaussian_dataset(n, means, covariances, random_state=generator)
    return X, y + 1


def without_unlabelled(table: Table) -> Table:
    """The labelled rows alone."""
    known = np.array([label is not None for label in table.labels])
    labels = np.array(table.labels[known].tolist())
    return Table(table.name, table.rows[known], labels, table.features, table.source)


def fit(table: Table) -> "GaussianClassifier":
    """One Gaussian a class, by all rows that there are, with and without label."""
    from gaussbayes.classifier import GaussianClassifier

    return GaussianClassifier().fit(table.rows, table.labels)


def errors(table: Table, seed: int, n_test: int = N_TEST) -> Errors:
    """The errors of both classifiers on `n_test` new rows of each class."""
    X, y = _two_gaussians(n_test, np.random.default_rng([seed, 1]))
    models = fit(without_unlabelled(table)), fit(table)
    return Errors(*(100.0 * float(np.mean(model.predict(X) != y)) for model in models))


@lru_cache(maxsize=1)
def draws(n_draws: int, seed: int = 0) -> FloatArray:
    """The errors (draws, 2) of many such tables; kept, for it takes seconds."""
    seeds = np.random.SeedSequence(seed).generate_state(n_draws).tolist()
    return np.array([errors(few_labels(s), s) for s in track(seeds, "drawing few labels")])


def true_patients() -> FittedGaussian:
    """Of patients with diabetes, as the lesson on diabetes has them."""
    return FittedGaussian(np.array(diabetes.MEANS[1]), np.array(diabetes.COVARIANCES[1]))


def patients(seed: int, hidden_by: Literal["count", "glucose"]) -> Table:
    """Patients with diabetes; the glucose is hidden where count, or glucose, is above its mean.

    Either way it is missing for about half of them.
    """
    truth = true_patients()
    X, y = make_gaussian_dataset(N_PATIENTS, truth.mean[None], truth.covariance, random_state=seed)
    column = ("count", "glucose").index(hidden_by)
    X[X[:, column] > truth.mean[column], 1] = np.nan
    source = f"drawn with seed {seed}, no glucose where the {hidden_by} is above its mean"
    return Table(f"hidden by {hidden_by}", X, y, diabetes.FEATURES, source)


def along(
    model: "GaussianClassifier", count: float, glucose: FloatArray
) -> tuple[RealArray, RealArray]:
    """``p(C = 0 | count, glucose)`` and ``p(glucose | count)`` (n,) where only the count is known.

    The second, as a weight, makes the mean of the first: that is ``p(C = 0 | count)``.
    """
    rows = np.column_stack([np.full(glucose.size, count), glucose])
    density = model.evidence(rows) / model.evidence([[count, np.nan]])
    return model.predict_proba(rows)[:, 0], density


def lesson(seed: int = 0) -> Lesson:
    """The lesson, its rows drawn with this seed."""
    trees, few = apples(), few_labels(seed)
    by_count, by_glucose = patients(seed, "count"), patients(seed, "glucose")
    return Lesson(
        name="missing_data",
        title="Missing features and missing labels",
        source=SOURCE,
        text=(
            "A Gaussian without one of its features is the Gaussian of the others, so what is "
            "missing in a row is integrated out exactly. If of the doctor's patient only the count "
            f"of 48 is known, no diabetes has probability {HEALTHY_BY_COUNT:.2f}, and if nothing "
            f"is known the prior's 0.8; with the mean glucose of {MEAN_GLUCOSE:g} filled in it "
            f"would be {HEALTHY_WITH_MEAN_GLUCOSE:.2f}, as sure as if it had been measured. In "
            "learning, too, rows with missing values say something: of eighteen apple trees, the "
            "six whose wormy fruits nobody counted have small crops, and small crops are the wormy "
            f"ones. Without these trees the mean is {COMPLETE_MEAN[1]:g} % wormy, with the mean "
            f"filled in it stays there and the variance falls to {FILLED_COVARIANCE[1][1]:.0f}; "
            f"the most likely Gaussian, to which EM converges, has {APPLES_MEAN[1]:.1f} % and "
            f"{APPLES_COVARIANCE[1][1]:.0f}. A label may be missing like any other value: 24 "
            f"labelled rows alone err in {ERROR_BY_LABELS:.1f} % in the median draw, and with 500 "
            f"rows without label {ERROR_WITH_ALL:.1f} %, near the "
            f"{100 - two_gaussians.ACCURACY:.1f} % of the best rule; in about 1 draw of "
            f"{1 / (1 - BETTER):.0f} they do harm. All this asks that values are missing for "
            "reasons that the others tell. A glucose hidden where the count is high is found at "
            f"its true mean of {GLUCOSE:g}; hidden where it is high itself, it would be found at "
            f"{GLUCOSE_HIDDEN_BY_ITSELF:.0f}, however many rows there are."
        ),
        data=(trees, few, by_count, by_glucose),
        results=(
            *_predictions(),
            *_trees(trees.rows),
            *_labels(seed),
            *_reasons(by_count.rows, by_glucose.rows),
        ),
        figures=_figures(trees, few, by_count, by_glucose, seed),
    )


def _predictions() -> tuple[Result, ...]:
    """A patient of whom everything, one value, or nothing is known."""
    count, glucose = diabetes.COUNT, diabetes.GLUCOSE

    def posterior(name: str, right: float, *patient: float) -> Result:
        return Result(f"p(C = 0 | {name})", lambda: healthy(*patient), right, decimals=6)

    return (
        posterior("count 48, glucose 125", diabetes.HEALTHY_WITH_GLUCOSE, count, glucose),
        posterior("count 48", HEALTHY_BY_COUNT, count, MISSING),
        posterior(
            "count 48, mean glucose 102 filled in", HEALTHY_WITH_MEAN_GLUCOSE, count, MEAN_GLUCOSE
        ),
        posterior("glucose 125", HEALTHY_BY_GLUCOSE, MISSING, glucose),
        posterior(
            "mean count 42.4 filled in, glucose 125", HEALTHY_WITH_MEAN_COUNT, MEAN_COUNT, glucose
        ),
        posterior("nothing", diabetes.DOCTOR[0], MISSING, MISSING),
    )


def _trees(rows: FloatArray) -> tuple[Result, ...]:
    """The Gaussian of the apples in three ways, and how EM finds the first."""
    record = convergence(rows)

    def both(name: str, seen: FloatArray, mean: Numbers, covariance: Numbers) -> tuple[Result, ...]:
        gaussian = one_gaussian(seen)
        return (
            Result(f"mean of the trees {name}", lambda: gaussian.mean, mean, decimals=6),
            Result(
                f"covariance of the trees {name}",
                lambda: gaussian.covariance,
                covariance,
                decimals=6,
            ),
        )

    return (
        *both("by maximum likelihood", rows, APPLES_MEAN, APPLES_COVARIANCE),
        Result(
            f"log-likelihood after {record.n_iterations} iterations",
            lambda: record.log_likelihood[-1],
            APPLES_LOG_LIKELIHOOD,
            decimals=6,
        ),
        *both("without the six", complete(rows), COMPLETE_MEAN, COMPLETE_COVARIANCE),
        *both("with means filled in", filled(rows), FILLED_MEAN, FILLED_COVARIANCE),
    )


def _labels(seed: int) -> tuple[Result, ...]:
    """How much rows without label help, in the median of many draws; one draw says little."""

    def error(name: str, column: int, right: float, spread: float) -> Result:
        return Result(
            f"error {name}, median of {N_DRAWS} draws",
            lambda: np.median(draws(N_DRAWS, seed)[:, column]),
            right,
            decimals=2,
            standard_error=spread / N_DRAWS**0.5,
            unit="%",
        )

    def better() -> float:
        labelled, with_all = draws(N_DRAWS, seed).T
        return float((with_all < labelled).mean())

    return (
        error("by 24 labelled rows", 0, ERROR_BY_LABELS, ITS_SPREAD),
        error("with 500 rows without label", 1, ERROR_WITH_ALL, SPREAD_WITH_ALL),
        Result(
            "proportion of the draws in which these help",
            better,
            BETTER,
            decimals=2,
            standard_error=standard_errors.of_proportion(BETTER, N_DRAWS),
        ),
    )


def _reasons(by_count: FloatArray, by_glucose: FloatArray) -> tuple[Result, ...]:
    """The mean glucose where it is missing for a good and for a bad reason."""

    def mean(name: str, rows: FloatArray, right: float, error: float) -> Result:
        return Result(
            f"mean glucose, {name}",
            lambda: one_gaussian(rows).mean[1],
            right,
            decimals=4,
            standard_error=error,
        )

    errors = GLUCOSE_ERRORS
    return (
        mean("hidden where the count is above 52", by_count, GLUCOSE, errors["count"]),
        mean(
            "the same without these rows",
            complete(by_count),
            GLUCOSE_OF_COMPLETE,
            errors["complete"],
        ),
        mean("hidden above 130", by_glucose, GLUCOSE_HIDDEN_BY_ITSELF, errors["glucose"]),
    )


def _figures(
    trees: Table, few: Table, by_count: Table, by_glucose: Table, seed: int
) -> tuple[Figure, ...]:
    """The figures, in the order of the lesson's text."""

    @cache
    def fitted() -> "tuple[GaussianClassifier, GaussianClassifier]":
        return fit(without_unlabelled(few)), fit(few)

    def estimates() -> "MatplotlibFigure":
        methods = {
            "maximum likelihood": trees.rows,
            "without the six": complete(trees.rows),
            "mean filled in": filled(trees.rows),
        }
        return _draw_estimates(trees, {name: one_gaussian(rows) for name, rows in methods.items()})

    def labels() -> "MatplotlibFigure":
        percent = errors(few, seed, n_test=_N_TEST_DRAWN)
        n = without_unlabelled(few).labels.size
        names = (
            f"{n} labelled rows: {percent.labelled:.1f} % wrong",
            f"and {few.labels.size - n} without label: {percent.all_rows:.1f} %",
        )
        return _draw_few_labels(dict(zip(names, fitted(), strict=True)), few)

    return (
        Figure(
            "hidden_feature",
            "Of a patient the count is known and the glucose is not. The exact answer is the mean "
            "over all glucoses, each as probable as it is beside this count; a glucose filled in "
            "is one point of the curve.",
            lambda: _draw_hidden_feature(doctor(), diabetes.COUNT, MEAN_GLUCOSE),
        ),
        Figure(
            "apples",
            "Eighteen apple trees, six without a percentage of wormy fruits, all with small crops. "
            "Without them the mean moves down along the slope; with means filled in the slope "
            "itself is lost.",
            estimates,
        ),
        Figure(
            "convergence",
            "EM makes the likelihood larger with every iteration, until its digits end.",
            lambda: _draw_convergence(
                {"apples": convergence(trees.rows), "few labels": fitted()[1].convergence_}
            ),
        ),
        Figure(
            "few_labels",
            "The boundary by the labelled rows alone, and with the rows that have no label; dashed "
            "the boundary of the rule that knows the parameters.",
            labels,
        ),
        Figure(
            "hidden_values",
            "The same patients twice. Left the glucose is missing where the count is high, and the "
            "most likely Gaussian is nearly the true one; right it is missing where it is high "
            "itself, and no row is left to tell of it.",
            lambda: _draw_hidden_values(
                {"hidden by the count": by_count, "hidden by itself": by_glucose}
            ),
        ),
    )


def _draw_hidden_feature(
    model: "GaussianClassifier", count: float, filled_in: float
) -> "MatplotlibFigure":
    """Where a patient may be of whom the count alone is known, and what the answer is there.

    Left the plane with the line of all glucoses, right the posterior along it and how probable each
    glucose is. The exact answer is the mean of the curve by that density; `filled_in` is one point.
    """
    from gaussbayes import plots
    from gaussbayes.lessons.figure_parts import mark_point, note, panels, title
    from gaussbayes.plots import style

    names = diabetes.FEATURES
    figure, axes = panels(1, 2, (10.8, 4.3))
    left, right = axes[0]
    plots.regions(model, ax=left)
    left.axvline(count, color=style.INK, ls=style.LINES[1], linewidth=1.2)
    mark_point(left, count, filled_in, f"{filled_in:g} filled in", (24.0, -62.0))
    style.name_axes(left, names)
    title(left, f"a count of {count:g}, the glucose not known")
    low, high = left.get_ylim()
    glucose = line_over(low, high, 401)
    posterior, density = along(model, count, glucose)
    exact = float(model.predict_proba([[count, np.nan]])[0, 0])
    guess = float(model.predict_proba([[count, filled_in]])[0, 0])
    right.fill_between(
        glucose,
        density / density.max(),
        color=style.FAINT,
        alpha=0.35,
        linewidth=0,
        label=f"p(glucose | {count:g}),\nto its own scale",
    )
    right.plot(glucose, posterior, color=style.COLORS[0], label="p(C = 0 | both)")
    right.axhline(exact, color=style.INK, ls=style.LINES[1], label="its mean:\np(C = 0 | count)")
    note(right, glucose[-1], exact, f"{exact:.3f}, exact", (-4.0, 11.0))
    right.plot([filled_in], [guess], "o", color=style.INK, zorder=5)
    note(right, filled_in, guess, f"{guess:.3f}, filled in", (9.0, 6.0))
    right.set(xlim=(glucose[0], glucose[-1]), ylim=(0.0, 1.05))
    title(right, "along the dashed line")
    style.name_axes(right, (names[1], "probability of no diabetes"))
    style.legend_beside(right)
    return figure


def _draw_estimates(table: Table, estimates: Mapping[str, FittedGaussian]) -> "MatplotlibFigure":
    """Rows of two features, some without the second, and the Gaussian of each method."""
    from gaussbayes.lessons.figure_parts import figure_of
    from gaussbayes.plots import style

    ax = style.axes_for(None, (8.2, 4.8))
    alone = table.rows[np.isnan(table.rows[:, 1]), 0]
    ax.plot(*complete(table.rows).T, "o", color=style.INK, zorder=4, label="both values")
    colors = (style.COLORS[code] for code in (2, 1, 3))
    for (name, gaussian), color, line in zip(estimates.items(), colors, style.LINES, strict=False):
        outline = ellipse(gaussian.mean, gaussian.covariance, 2.0)
        ax.plot(*outline.T, color=color, ls=line, label=name, gid="ellipse")
        ax.plot(*gaussian.mean, "+", color=color, markersize=11, markeredgewidth=2.2, zorder=5)
    # The first feature is known: they stand at the edge, where they could be at any height.
    at_edge = ax.get_xaxis_transform()
    look: dict[str, Any] = {
        "color": style.INK,
        "markerfacecolor": "white",
        "clip_on": False,
        "zorder": 6,
    }
    ax.plot(alone, np.zeros(alone.size), "^", transform=at_edge, label="crop alone", **look)
    style.name_axes(ax, table.features)
    style.legend_beside(ax, title="means, and 2 deviations")
    return figure_of(ax)


def _draw_convergence(records: Mapping[str, Convergence]) -> "MatplotlibFigure":
    """How far the log-likelihood is below its maximum before each iteration of EM."""
    from gaussbayes.lessons.figure_parts import number, panels, title
    from gaussbayes.plots import style

    figure, axes = panels(1, len(records), (4.6 * len(records), 3.6), share_y=True)
    for ax, (name, record) in zip(axes[0], records.items(), strict=True):
        last = float(record.log_likelihood[-1])
        below = last - record.log_likelihood
        iterations = np.flatnonzero(below > _DIGITS * abs(last))
        ax.plot(iterations, below[iterations], "o-", color=style.COLORS[0])
        ax.set_yscale("log")
        ax.set_xlabel("iterations made")
        ax.xaxis.get_major_locator().set_params(integer=True)
        title(ax, f"{name}: {record.n_iterations} iterations to {number(last, '.6f')}")
    axes[0, 0].set_ylabel("log-likelihood below its maximum")
    return figure


def _draw_few_labels(
    models: "Mapping[str, GaussianClassifier]", table: Table
) -> "MatplotlibFigure":
    """A panel for each model: its regions, the rows it was given, and the best boundary, dashed.

    The first model was given the labelled rows alone, the second all of them.
    """
    from matplotlib.lines import Line2D

    from gaussbayes.analysis.region_map import region_map
    from gaussbayes.analysis.view import pair_view
    from gaussbayes.lessons.figure_parts import panels, title
    from gaussbayes.plots import plane, row_markers, style

    figure, axes = panels(1, len(models), (10.4, 4.3), share_x=True, share_y=True)
    grid = grid_over(*limits(None, table.rows), _RESOLUTION)
    rule = best()
    styles = style.class_styles(rule.classes_)
    known = np.array([label is not None for label in table.labels])
    codes = np.searchsorted(rule.classes_, table.labels[known].astype(rule.classes_.dtype))
    for shows_all, (ax, (name, model)) in enumerate(zip(axes[0], models.items(), strict=True)):
        seen = pair_view(model)
        regions, by_rule = region_map(seen, grid), region_map(pair_view(rule), grid)
        plane.draw_codes(ax, regions, [style.lighter(look.color, plane.LIGHT) for look in styles])
        plane.draw_boundaries(ax, regions, seen.axes)
        dashed: dict[str, Any] = {"linestyles": [style.LINES[1]], "linewidths": 1.2}
        plane.draw_boundaries(ax, by_rule, seen.axes, **dashed)
        if shows_all:
            row_markers.draw_unlabelled(ax, table.rows[~known])
            ax.collections[-1].set_alpha(0.35)
        row_markers.draw_points(ax, table.rows[known], codes, styles)
        title(ax, name)
        style.name_axes(ax, table.features)
        ax.label_outer()
    handles = [
        *row_markers.class_handles(styles),
        row_markers.marker_handle("no label", marker=".", color=style.INK, alpha=0.5),
        Line2D([], [], color=style.INK, linewidth=1.5, label="boundary"),
        Line2D([], [], color=style.INK, linewidth=1.2, ls=style.LINES[1], label="the best one"),
    ]
    style.legend_beside(axes[0, -1], handles)
    return figure


def _draw_hidden_values(tables: Mapping[str, Table]) -> "MatplotlibFigure":
    """A panel for each way to hide values: what is left, the estimate, and the true Gaussian."""
    from gaussbayes.lessons.figure_parts import panels, title
    from gaussbayes.plots import style

    figure, axes = panels(1, len(tables), (10.4, 4.3), share_x=True, share_y=True)
    for ax, (name, table) in zip(axes[0], tables.items(), strict=True):
        rows = complete(table.rows)
        estimate = one_gaussian(table.rows)
        ax.scatter(
            *rows.T, s=5, color=style.FAINT, linewidths=0, label="both values", rasterized=True
        )
        for words, gaussian, color, line in (
            ("the truth", true_patients(), style.INK, style.LINES[1]),
            ("most likely", estimate, style.COLORS[2], style.LINES[0]),
        ):
            outline = ellipse(gaussian.mean, gaussian.covariance, 2.0)
            ax.plot(*outline.T, color=color, ls=line, label=words, gid="ellipse")
            ax.plot(*gaussian.mean, "+", color=color, markersize=11, markeredgewidth=2.2, zorder=5)
        title(ax, f"{name}: mean {estimate.mean[1]:.1f}")
        style.name_axes(ax, table.features)
        ax.label_outer()
    style.legend_beside(axes[0, -1], title="means, and 2 deviations")
    return figure
