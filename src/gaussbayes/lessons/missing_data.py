"""Missing features and labels: integrated out, learnt from, and when that is not allowed."""

import numpy as np

from gaussbayes.base.types import FloatArray
from gaussbayes.classifier import GaussianClassifier
from gaussbayes.lessons import diabetes, incomplete, sampling, two_gaussians
from gaussbayes.lessons.lesson import Figure, Lesson, Numbers
from gaussbayes.lessons.pictures.missing_data import pictures
from gaussbayes.lessons.sheets import diabetes as sheet
from gaussbayes.lessons.sheets.two_gaussians import COVARIANCES, MEANS

SOURCE = (
    "after H. Xue, Generative Models for Classification, UNC Charlotte, 2024, which names it; the "
    "apples are from R. J. A. Little and D. B. Rubin, Statistical Analysis with Missing Data, 1987"
)

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

GLUCOSE = sheet.MEANS[1][1]
GLUCOSE_OF_COMPLETE = 125.2127
GLUCOSE_HIDDEN_BY_ITSELF = 112.9446
"""Means of endless rows: of half a Gaussian, and extrapolated from there along its regression."""
GLUCOSE_ERRORS = {"count": 0.50, "complete": 0.30, "glucose": 0.19}
"""Standard errors of the three, from the regression behind them."""


def healthy(*patient: float) -> float:
    """``p(C = 0 | x)`` of one patient by the doctor's prior; NaN is what is not known."""
    return diabetes.healthy(doctor(), *patient)


def doctor() -> GaussianClassifier:
    """The classifier of the lesson on diabetes, of count and glucose."""
    return diabetes.known(2).with_priors(sheet.DOCTOR)


def best() -> GaussianClassifier:
    """The rule that knows the parameters of the rows with few labels."""
    return GaussianClassifier.from_parameters("uniform", MEANS, COVARIANCES, classes=[1, 2])


def lesson(seed: int = 0) -> Lesson:
    """The lesson, its rows drawn with this seed."""
    apples, few = incomplete.apples(), incomplete.few_labels(seed)
    by_count, by_glucose = incomplete.patients(seed, "count"), incomplete.patients(seed, "glucose")
    known = (sheet.COUNT, MEAN_GLUCOSE)
    return Lesson(
        name="missing_data",
        title="Missing features and missing labels",
        source=SOURCE,
        text=(
            "A Gaussian without one of its features is the Gaussian of the others, so what a row "
            "lacks is integrated out exactly. If of the doctor's patient only the count of 48 is "
            f"known, no diabetes has probability {HEALTHY_BY_COUNT:.2f}, and if nothing is known "
            f"the prior's 0.8; with the mean glucose of {MEAN_GLUCOSE:g} filled in it would be "
            f"{HEALTHY_WITH_MEAN_GLUCOSE:.2f}, as sure as if it had been measured. In learning, "
            "too, rows with gaps say something: of eighteen apple trees, the six whose wormy "
            "fruits nobody counted have small crops, and small crops are the wormy ones. Without "
            f"these trees the mean is {COMPLETE_MEAN[1]:g} % wormy, with the mean filled in it "
            f"stays there and the variance falls to {FILLED_COVARIANCE[1][1]:.0f}; the most likely "
            f"Gaussian, to which EM climbs, has {APPLES_MEAN[1]:.1f} % and "
            f"{APPLES_COVARIANCE[1][1]:.0f}. A label may be missing like any other value: 24 "
            f"labelled rows alone make {ERROR_BY_LABELS:.1f} % mistakes in the median draw, and "
            f"with 500 rows without label {ERROR_WITH_ALL:.1f} %, near the "
            f"{100 - two_gaussians.ACCURACY:.1f} % of the best rule; in about 1 draw of "
            f"{1 / (1 - BETTER):.0f} they do harm. All this asks that values are missing for "
            "reasons that the others tell. A glucose hidden where the count is high is found at "
            f"its true mean of {GLUCOSE:g}; hidden where it is high itself, it would be found at "
            f"{GLUCOSE_HIDDEN_BY_ITSELF:.0f}, however many rows there are."
        ),
        data=(apples, few, by_count, by_glucose),
        figures=(
            *_predictions(),
            *_trees(apples.rows),
            *_labels(seed),
            *_reasons(by_count.rows, by_glucose.rows),
        ),
        pictures=pictures(doctor(), best(), known, (apples, few, by_count, by_glucose), seed),
    )


def _predictions() -> tuple[Figure, ...]:
    """A patient of whom everything, one value, or nothing is known."""
    count, glucose = sheet.COUNT, sheet.GLUCOSE

    def one(name: str, right: float, *patient: float) -> Figure:
        return Figure(f"p(C = 0 | {name})", lambda: healthy(*patient), right, decimals=6)

    return (
        one("count 48, glucose 125", diabetes.HEALTHY_WITH_GLUCOSE, count, glucose),
        one("count 48", HEALTHY_BY_COUNT, count, MISSING),
        one("count 48, mean glucose 102 filled in", HEALTHY_WITH_MEAN_GLUCOSE, count, MEAN_GLUCOSE),
        one("glucose 125", HEALTHY_BY_GLUCOSE, MISSING, glucose),
        one("mean count 42.4 filled in, glucose 125", HEALTHY_WITH_MEAN_COUNT, MEAN_COUNT, glucose),
        one("nothing", sheet.DOCTOR[0], MISSING, MISSING),
    )


def _trees(rows: FloatArray) -> tuple[Figure, ...]:
    """The Gaussian of the apples in three ways, and how EM finds the first."""
    climb = incomplete.climb(rows)

    def both(name: str, seen: FloatArray, mean: Numbers, covariance: Numbers) -> tuple[Figure, ...]:
        found = incomplete.one_gaussian(seen)
        return (
            Figure(f"mean of the trees {name}", lambda: found.mean, mean, decimals=6),
            Figure(
                f"covariance of the trees {name}", lambda: found.covariance, covariance, decimals=6
            ),
        )

    return (
        *both("by maximum likelihood", rows, APPLES_MEAN, APPLES_COVARIANCE),
        Figure(
            f"log-likelihood after {climb.n_iterations} steps",
            lambda: climb.log_likelihood[-1],
            APPLES_LOG_LIKELIHOOD,
            decimals=6,
        ),
        *both("without the six", incomplete.complete(rows), COMPLETE_MEAN, COMPLETE_COVARIANCE),
        *both("with means filled in", incomplete.filled(rows), FILLED_MEAN, FILLED_COVARIANCE),
    )


def _labels(seed: int) -> tuple[Figure, ...]:
    """How much rows without label help, in the median of many draws; one draw says little."""

    def error(name: str, column: int, right: float, spread: float) -> Figure:
        return Figure(
            f"error {name}, median of {N_DRAWS} draws",
            lambda: np.median(incomplete.draws(N_DRAWS, seed)[:, column]),
            right,
            decimals=2,
            standard_error=spread / N_DRAWS**0.5,
            unit="%",
        )

    def better() -> float:
        labelled, with_all = incomplete.draws(N_DRAWS, seed).T
        return float((with_all < labelled).mean())

    return (
        error("by 24 labelled rows", 0, ERROR_BY_LABELS, ITS_SPREAD),
        error("with 500 rows without label", 1, ERROR_WITH_ALL, SPREAD_WITH_ALL),
        Figure(
            "share of the draws in which these help",
            better,
            BETTER,
            decimals=2,
            standard_error=sampling.of_share(BETTER, N_DRAWS),
        ),
    )


def _reasons(by_count: FloatArray, by_glucose: FloatArray) -> tuple[Figure, ...]:
    """The mean glucose of rows that lack it for a good and for a bad reason."""

    def one(name: str, rows: FloatArray, right: float, error: float) -> Figure:
        return Figure(
            f"mean glucose, {name}",
            lambda: incomplete.one_gaussian(rows).mean[1],
            right,
            decimals=4,
            standard_error=error,
        )

    complete = incomplete.complete(by_count)
    errors = GLUCOSE_ERRORS
    return (
        one("hidden where the count is above 52", by_count, GLUCOSE, errors["count"]),
        one("the same without these rows", complete, GLUCOSE_OF_COMPLETE, errors["complete"]),
        one("hidden above 130", by_glucose, GLUCOSE_HIDDEN_BY_ITSELF, errors["glucose"]),
    )
