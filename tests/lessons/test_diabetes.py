"""Course, document 004: a doctor's prior over the data's proportions, against scipy."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, norm

from gaussbayes.lessons import diabetes
from gaussbayes.lessons.handouts import COUNT, DIABETES, DOCTOR, GLUCOSE

MEANS, COVARIANCES = np.array(DIABETES.means), np.array(DIABETES.covariances)


def healthy(log_odds: float, prior: float) -> float:
    return 1 / (1 + np.exp(-log_odds) * (1 - prior) / prior)


def test_right_values_from_scipys_densities() -> None:
    deviations = np.sqrt(COVARIANCES[:, 0, 0])
    densities = norm(MEANS[:, 0], deviations).logpdf(COUNT)
    odds = densities[0] - densities[1]
    assert healthy(odds, 0.5) == pytest.approx(diabetes.HEALTHY_BY_TABLE, abs=5e-7)
    assert healthy(odds, 0.8) == pytest.approx(diabetes.HEALTHY_BY_DOCTOR, abs=5e-7)
    point = (COUNT, GLUCOSE)
    both = [multivariate_normal(MEANS[c], COVARIANCES[c]).logpdf(point) for c in (0, 1)]
    odds = both[0] - both[1]
    assert healthy(odds, 0.8) == pytest.approx(diabetes.HEALTHY_WITH_GLUCOSE, abs=5e-7)


def test_the_doctors_prior_turns_the_answer_round_and_glucose_turns_it_back() -> None:
    model = diabetes.fit(diabetes.table(0))
    count = [[COUNT]]
    assert model.predict(count).tolist() == [1]
    assert model.with_priors(DOCTOR).predict(count).tolist() == [0]
    both = [[COUNT, GLUCOSE]]
    assert diabetes.known(2).with_priors(DOCTOR).predict(both).tolist() == [1]


def test_errors_from_the_normal_distributions() -> None:
    none, ill = (norm(MEANS[c, 0], np.sqrt(COVARIANCES[c, 0, 0])) for c in (0, 1))

    def error_rate(prior: float) -> float:
        def odds(x: float) -> float:
            weighed = np.log(prior) - np.log(1 - prior)
            return float(weighed + none.logpdf(x) - ill.logpdf(x))

        # Class 1 is the wider one: it wins above the upper boundary and below the lower.
        low, high = brentq(odds, -200, 30), brentq(odds, 30, 80)
        wrong = [none.cdf(low) + none.sf(high), ill.cdf(high) - ill.cdf(low)]
        return float(100 * np.dot([0.8, 0.2], wrong))

    assert error_rate(0.8) == pytest.approx(diabetes.ERROR_BY_DOCTOR, abs=5e-4)
    assert error_rate(0.5) == pytest.approx(diabetes.ERROR_BY_TABLE, abs=5e-4)


def test_a_prior_leaves_the_gaussians_alone() -> None:
    model = diabetes.fit(diabetes.table(0))
    doctor = model.with_priors(DOCTOR)
    np.testing.assert_array_equal(doctor.means_, model.means_)
    np.testing.assert_array_equal(doctor.covariances_, model.covariances_)
    np.testing.assert_allclose(doctor.priors_, [0.8, 0.2], rtol=1e-15)


def test_standard_error_is_that_of_many_tables() -> None:
    posterior = [
        diabetes.fit(diabetes.table(seed)).predict_proba([[COUNT]])[0, 0] for seed in range(400)
    ]
    # A standard deviation from 400 values is known to 1 / √800, 3.5 %.
    expected = diabetes.standard_error(diabetes.HEALTHY_BY_TABLE)
    assert np.std(posterior) == pytest.approx(expected, rel=0.14)


def test_the_rows_are_marked_as_made() -> None:
    assert "made for this lesson with seed 3" in diabetes.table(3).source


def test_erratum_without_one_half_posteriors_are_too_sure() -> None:
    # The handout's exponent −(x − μ)ᵀ Σ⁻¹ (x − μ) at the patient with both values.
    point = np.array([COUNT, GLUCOSE])
    deviation = point - MEANS
    squares = np.einsum("ci,cij,cj->c", deviation, np.linalg.inv(COVARIANCES), deviation)
    height = -0.5 * np.log(np.linalg.det(2 * np.pi * COVARIANCES))
    right, slipped = height - 0.5 * squares, height - squares
    assert healthy(right[0] - right[1], 0.8) == pytest.approx(
        diabetes.HEALTHY_WITH_GLUCOSE, abs=5e-7
    )
    assert healthy(slipped[0] - slipped[1], 0.8) < diabetes.HEALTHY_WITH_GLUCOSE / 2


def test_erratum_one_sigma_in_front_favours_the_wider_class() -> None:
    deviations = np.sqrt(COVARIANCES[:, 0, 0])
    exponents = -0.5 * ((COUNT - MEANS[:, 0]) / deviations) ** 2
    # A common σ in front cancels in the odds, and log(σ_1 / σ_0) is lost for class 0.
    without = exponents[0] - exponents[1]
    proper = without - np.log(deviations[0] / deviations[1])
    assert healthy(proper, 0.5) == pytest.approx(diabetes.HEALTHY_BY_TABLE, abs=5e-7)
    assert healthy(without, 0.5) < diabetes.HEALTHY_BY_TABLE
