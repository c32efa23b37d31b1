"""Course, document 004: missing features and labels, against scipy, fractions and a plain EM."""

from fractions import Fraction

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm, truncnorm

from gaussbayes import lessons
from gaussbayes.lessons import missing_data, two_gaussians
from gaussbayes.lessons.handouts import COUNT, DIABETES, GLUCOSE, TWO_GAUSSIANS
from gaussbayes.lessons.missing_data import MISSING

Array = NDArray[np.float64]
Theta = tuple[Array, Array, Array]

MEANS, COVARIANCES = np.array(DIABETES.means), np.array(DIABETES.covariances)
DEVIATIONS = np.sqrt(np.einsum("kii->ki", COVARIANCES))
PRIORS = np.array([0.8, 0.2])
HALF_NORMAL = truncnorm(-np.inf, 0)
"""Below its mean, in standard deviations."""


def healthy(densities: list[float]) -> float:
    joint = PRIORS * densities
    return float(joint[0] / joint.sum())


# At prediction


def test_one_value_is_judged_by_its_own_normal_distributions() -> None:
    for column, value, right in (
        (0, COUNT, missing_data.HEALTHY_BY_COUNT),
        (1, GLUCOSE, missing_data.HEALTHY_BY_GLUCOSE),
    ):
        expected = healthy(norm(MEANS[:, column], DEVIATIONS[:, column]).pdf(value))
        assert right == pytest.approx(expected, abs=5e-7)
        patient = [MISSING, MISSING]
        patient[column] = value
        assert missing_data.healthy(*patient) == pytest.approx(expected, rel=1e-12)


def test_a_mean_filled_in_gives_another_answer() -> None:
    np.testing.assert_allclose(
        PRIORS @ MEANS, [missing_data.MEAN_COUNT, missing_data.MEAN_GLUCOSE], rtol=1e-14
    )
    for patient, right in (
        ((COUNT, 102.0), missing_data.HEALTHY_WITH_MEAN_GLUCOSE),
        ((42.4, GLUCOSE), missing_data.HEALTHY_WITH_MEAN_COUNT),
    ):
        both = [multivariate_normal(MEANS[c], COVARIANCES[c]).pdf(patient) for c in (0, 1)]
        assert right == pytest.approx(healthy(both), abs=5e-7)


def test_the_exact_answer_is_the_mean_over_what_is_hidden() -> None:
    def part(glucose: float) -> float:
        posterior, density = missing_data.along(missing_data.doctor(), COUNT, np.array([glucose]))
        return float(posterior[0] * density[0])

    mean, _ = quad(part, 0, 300, epsabs=1e-12)
    assert mean == pytest.approx(missing_data.HEALTHY_BY_COUNT, abs=5e-7)


def test_nothing_known_is_the_prior() -> None:
    assert missing_data.healthy(MISSING, MISSING) == pytest.approx(0.8, rel=1e-14)


# In learning


def moments(rows: list[tuple[Fraction, Fraction]]) -> tuple[list[Fraction], list[list[Fraction]]]:
    """Mean and covariance, divided by N, in fractions."""
    n = len(rows)
    mean = [sum(column, Fraction()) / n for column in zip(*rows, strict=True)]
    away = [[value - middle for value, middle in zip(row, mean, strict=True)] for row in rows]
    covariance = [
        [sum((row[i] * row[j] for row in away), Fraction()) / n for j in (0, 1)] for i in (0, 1)
    ]
    return mean, covariance


def test_the_apples_in_fractions() -> None:
    crop, wormy = map(Fraction, missing_data.CROP), map(Fraction, missing_data.WORMY)
    sizes = list(crop)
    trees = list(zip(sizes, wormy, strict=False))
    assert (len(sizes), len(trees)) == (18, 12)
    mean, covariance = moments(trees)
    every, spread = moments([(size, size) for size in sizes])
    # Anderson's closed form: the regression on the crop, carried over to all eighteen trees.
    slope = covariance[0][1] / covariance[0][0]
    residual = covariance[1][1] - slope * covariance[0][1]
    likely = [every[0], mean[1] + slope * (every[0] - mean[0])]
    shared = slope * spread[0][0]
    wide = residual + slope**2 * spread[0][0]
    assert likely == [Fraction(265, 18), Fraction(148, 3)]
    assert [spread[0][0], shared, wide] == [
        Fraction(29009, 324),
        Fraction(-377117, 4158),
        Fraction(12240475, 106722),
    ]
    filled, narrow = moments([*trees, *((size, mean[1]) for size in sizes[12:])])
    rows = missing_data.apple_trees().rows
    for seen, expected, matrix, name in (
        (rows, likely, [[spread[0][0], shared], [shared, wide]], "APPLES"),
        (missing_data.complete(rows), mean, covariance, "COMPLETE"),
        (missing_data.filled(rows), filled, narrow, "FILLED"),
    ):
        found = missing_data.one_gaussian(seen)
        np.testing.assert_allclose(found.mean, np.array(expected, float), rtol=1e-10)
        np.testing.assert_allclose(found.covariance, np.array(matrix, float), rtol=1e-10)
        written = getattr(missing_data, f"{name}_MEAN"), getattr(missing_data, f"{name}_COVARIANCE")
        np.testing.assert_allclose(written[0], np.array(expected, float), rtol=1e-14)
        np.testing.assert_allclose(written[1], np.array(matrix, float), rtol=1e-14)


def test_the_apples_converge_to_their_largest_likelihood() -> None:
    rows, mean = missing_data.apple_trees().rows, np.array(missing_data.APPLES_MEAN)
    matrix = np.array(missing_data.APPLES_COVARIANCE)
    largest = multivariate_normal(mean, matrix).logpdf(rows[:12]).sum()
    largest += norm(mean[0], np.sqrt(matrix[0, 0])).logpdf(rows[12:, 0]).sum()
    assert largest == pytest.approx(-101.7856321278233, rel=1e-13)
    record = missing_data.one_gaussian(rows).convergence
    assert record.converged
    assert record.log_likelihood[-1] == pytest.approx(largest, rel=1e-13)
    assert (np.diff(record.log_likelihood) >= -1e-12 * abs(largest)).all()


# Rows without labels


def log_joint(X: Array, theta: Theta) -> Array:
    parts = zip(*theta, strict=True)
    return np.column_stack(
        [np.log(p) + multivariate_normal(m, matrix).logpdf(X) for p, m, matrix in parts]
    )


def weighted(X: Array, responsibilities: Array) -> Theta:
    weight = responsibilities.sum(axis=0)
    means = responsibilities.T @ X / weight[:, None]
    covariances = [
        (X - mean).T * weights @ (X - mean) / weights.sum()
        for mean, weights in zip(means, responsibilities.T, strict=True)
    ]
    return weight / weight.sum(), means, np.array(covariances)


def plain_em(X: Array, responsibilities: Array, n_labelled: int, tolerance: float) -> Theta:
    """EM as books have it, from the labelled rows; `responsibilities` are theirs, then any."""
    theta = weighted(X[:n_labelled], responsibilities[:n_labelled])
    for _ in range(5000):
        joint = np.exp(log_joint(X[n_labelled:], theta))
        responsibilities[n_labelled:] = joint / joint.sum(axis=1, keepdims=True)
        before, theta = theta, weighted(X, responsibilities)
        if max(abs(a - b).max() for a, b in zip(before, theta, strict=True)) < tolerance:
            break
    return theta


def drawn(rng: np.random.Generator, n: int) -> tuple[Array, NDArray[np.intp]]:
    each = zip(TWO_GAUSSIANS.means, TWO_GAUSSIANS.covariances, strict=True)
    X = np.concatenate([rng.multivariate_normal(mean, matrix, n) for mean, matrix in each])
    return X, np.repeat([0, 1], n)


def errors(rng: np.random.Generator) -> tuple[float, float]:
    """In per cent, by 12 labelled rows of each class, and with 250 others of each."""
    X, y = drawn(rng, 12)
    more, _ = drawn(rng, 250)
    responsibilities = np.vstack([np.eye(2)[y], np.ones((500, 2))])
    few, every = (
        weighted(X, np.eye(2)[y]),
        plain_em(np.vstack([X, more]), responsibilities, 24, 1e-5),
    )
    test, truth = drawn(rng, 5000)
    one, two = (100 * np.mean(log_joint(test, t).argmax(1) != truth) for t in (few, every))
    return float(one), float(two)


def test_the_model_is_that_of_a_plain_em() -> None:
    table = missing_data.few_labels_table(0)
    labels = missing_data.without_unlabelled(table).labels
    responsibilities = np.vstack([np.eye(2)[labels - 1], np.ones((500, 2))])
    priors, means, covariances = plain_em(table.rows, responsibilities, 24, 1e-12)
    model = table.fit()
    assert model.convergence_.converged
    np.testing.assert_allclose(model.priors_, priors, rtol=1e-7)
    np.testing.assert_allclose(model.means_, means, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(model.covariances_, covariances, rtol=1e-7, atol=1e-8)


def test_errors_are_those_of_a_plain_em_over_other_draws() -> None:
    n = 40
    rng = np.random.default_rng(5)
    found = np.array([errors(rng) for _ in range(n)])
    right = np.array([missing_data.ERROR_BY_LABELS, missing_data.ERROR_WITH_ALL])
    spread = np.array([missing_data.ITS_SPREAD, missing_data.SPREAD_WITH_ALL])
    assert (abs(np.median(found, axis=0) - right) <= 4 * spread / np.sqrt(n)).all()
    better = (found[:, 1] < found[:, 0]).mean()
    proportion = missing_data.BETTER
    assert abs(better - proportion) <= 4 * np.sqrt(proportion * (1 - proportion) / n)


# When it is not allowed


def test_glucose_hidden_by_the_count_is_found_and_hidden_by_itself_is_not() -> None:
    mean, matrix = MEANS[1], COVARIANCES[1]
    below, width = HALF_NORMAL.mean(), HALF_NORMAL.var()
    slope = matrix[0, 1] / matrix[0, 0]
    complete = mean[1] + slope * DEVIATIONS[1, 0] * below
    assert complete == pytest.approx(missing_data.GLUCOSE_OF_COMPLETE, abs=5e-5)
    # Hidden by itself: the moments of half the Gaussian, and the regression on the count there.
    seen = mean[1] + DEVIATIONS[1, 1] * below
    count = mean[0] + matrix[0, 1] / matrix[1, 1] * (seen - mean[1])
    inverse = matrix[0, 1] / matrix[1, 1]
    count_variance = matrix[0, 0] - inverse**2 * matrix[1, 1] * (1 - width)
    found = seen + inverse * matrix[1, 1] * width / count_variance * (mean[0] - count)
    assert found == pytest.approx(missing_data.GLUCOSE_HIDDEN_BY_ITSELF, abs=5e-5)


def test_standard_errors_are_those_of_many_rows() -> None:
    n, rng = missing_data.N_PATIENTS, np.random.default_rng(2)
    means: dict[str, list[float]] = {"count": [], "complete": [], "glucose": []}
    for _ in range(300):
        X = rng.multivariate_normal(MEANS[1], COVARIANCES[1], n)
        for column, name in ((0, "count"), (1, "glucose")):
            x, y = X[X[:, column] <= MEANS[1, column]].T
            slope = np.cov(x, y)[0, 1] / x.var(ddof=1)
            means[name].append(y.mean() + slope * (X[:, 0].mean() - x.mean()))
            if name == "count":
                means["complete"].append(y.mean())
    for name, values in means.items():
        # A standard deviation from 300 values is known to 1 / √600, 4 %.
        assert np.std(values) == pytest.approx(missing_data.GLUCOSE_ERRORS[name], rel=0.16)


def test_half_of_the_patients_lack_their_glucose() -> None:
    for by, column in (("count", 0), ("glucose", 1)):
        rows = missing_data.patients(0, by).rows  # type: ignore[arg-type]
        assert not np.isnan(rows[:, 0]).any()
        lacking = np.isnan(rows[:, 1])
        assert lacking.mean() == pytest.approx(0.5, abs=0.02)
        assert (rows[~lacking, column] <= MEANS[1, column]).all()


# The lesson


def test_every_number_of_the_text_is_calculated() -> None:
    text = missing_data.lesson().text
    best = 100 - two_gaussians.ACCURACY
    for words in (
        f"probability {missing_data.healthy(COUNT, MISSING):.2f}",
        f"the prior's {missing_data.healthy(MISSING, MISSING):.1f}",
        f"glucose of {PRIORS @ MEANS[:, 1]:g} filled in",
        f"it would be {missing_data.healthy(COUNT, 102.0):.2f}",
        f"near the {best:.1f} % of the best rule",
    ):
        assert words in text, words
    rows = missing_data.apple_trees().rows
    likely = missing_data.one_gaussian(rows)
    filled = missing_data.one_gaussian(missing_data.filled(rows))
    assert f"{likely.mean[1]:.1f} % and {likely.covariance[1, 1]:.0f}" in text
    assert f"mean is {filled.mean[1]:g} % wormy" in text
    assert f"variance falls to {filled.covariance[1, 1]:.0f}" in text


def test_a_hyphen_is_as_good() -> None:
    assert lessons.get("missing-data").name == "missing_data"


def drawing(name: str) -> Figure:
    (found,) = [figure for figure in missing_data.lesson().figures if figure.name == name]
    return found.draw()


def test_the_figure_of_the_hidden_feature_writes_both_answers() -> None:
    _, right = drawing("hidden_feature").axes
    curve, exact, guess = (np.asarray(line.get_xydata()) for line in right.lines)
    np.testing.assert_allclose(exact[:, 1], missing_data.HEALTHY_BY_COUNT, atol=5e-7)
    np.testing.assert_allclose(guess, [[102, missing_data.HEALTHY_WITH_MEAN_GLUCOSE]], atol=5e-7)
    assert [text.get_text() for text in right.texts] == ["0.713, exact", "0.893, filled in"]
    for glucose, height in curve[::100]:
        patient = COUNT, glucose
        both = [multivariate_normal(MEANS[c], COVARIANCES[c]).pdf(patient) for c in (0, 1)]
        assert height == pytest.approx(healthy(both), rel=1e-9)


def test_the_figure_of_the_apples_has_the_three_ellipses() -> None:
    (ax,) = drawing("apples").axes
    lines = [np.asarray(line.get_xydata()) for line in ax.lines if line.get_gid() == "ellipse"]
    for points, name in zip(lines, ("APPLES", "COMPLETE", "FILLED"), strict=True):
        away = points - getattr(missing_data, f"{name}_MEAN")
        inverse = np.linalg.inv(getattr(missing_data, f"{name}_COVARIANCE"))
        np.testing.assert_allclose(np.einsum("ni,ij,nj->n", away, inverse, away), 4, rtol=1e-8)


def test_the_figure_of_convergence_falls_with_every_iteration() -> None:
    for ax in drawing("convergence").axes:
        (line,) = ax.lines
        assert (np.diff(np.asarray(line.get_ydata(), dtype=np.float64)) < 0).all()
