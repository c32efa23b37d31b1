"""Course, document 003: the right values, and how the handout came by its wrong ones."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from gaussbayes import GaussianClassifier
from gaussbayes.lessons import naive_bayes
from gaussbayes.lessons.handouts import SIX_ROWS

X = SIX_ROWS.rows
CLASS_1, CLASS_2 = X[3:], X[:3]


def test_parameters_in_fractions() -> None:
    model = naive_bayes.fit("full")
    sixth, seven = Fraction(1, 6), Fraction(7, 18)
    np.testing.assert_allclose(model.means_, [[8.5, 11 / 6], [11 / 6, 7.5]], rtol=1e-15)
    expected = [[[sixth, sixth], [sixth, seven]], [[seven, -sixth], [-sixth, sixth]]]
    np.testing.assert_allclose(model.covariances_, np.array(expected, float), rtol=1e-14)


def test_log_likelihoods_are_sums_of_scipys() -> None:
    expected = [
        norm(c.mean(0), c.std(0)).logpdf(naive_bayes.QUERY).sum() for c in (CLASS_1, CLASS_2)
    ]
    ours = naive_bayes.fit().log_likelihood([naive_bayes.QUERY])[0]
    np.testing.assert_allclose(ours, expected, rtol=1e-13)


def test_a_one_hot_matrix_is_as_good_as_labels() -> None:
    by_label = GaussianClassifier("diagonal").fit(X, [1, 1, 1, 0, 0, 0])
    model = naive_bayes.fit()
    np.testing.assert_array_equal(model.means_, by_label.means_)
    np.testing.assert_array_equal(model.covariances_, by_label.covariances_)
    np.testing.assert_array_equal(model.predict(X), [1, 1, 1, 0, 0, 0])


def test_the_posterior_is_1_minus_4_9e_minus_26() -> None:
    first, second = naive_bayes.fit().predict_proba([naive_bayes.QUERY])[0]
    assert first == pytest.approx(np.exp(-408 / 7), rel=1e-12)  # log-odds are 408/7 exactly
    assert second == 1.0


def test_erratum_the_mean_of_7_5_and_neighbours() -> None:
    assert CLASS_2[:, 1].tolist() == [8.0, 7.5, 7.0]
    assert CLASS_2[:, 1].mean() == 7.5


def test_erratum_no_divisor_gives_the_printed_covariance() -> None:
    printed = np.array([[0.21, 0.14], [0.14, 0.40]])
    for lost in (0, 1):
        assert (abs(np.cov(CLASS_1.T, ddof=lost) - printed) > 0.01).all()


def test_erratum_the_features_of_class_2_do_fall_together() -> None:
    assert np.cov(CLASS_2.T, ddof=0)[0, 1] == pytest.approx(-1 / 6)


def test_erratum_the_handout_multiplied_by_the_covariance_instead_of_its_inverse() -> None:
    slipped = naive_bayes.slipped_densities()
    # By hand, from the printed parameters: deviations (−5.5, 2.17) and (1.17, −2.84).
    first = np.exp(-0.5 * (0.21 * 5.5**2 + 0.40 * 2.17**2)) / (2 * np.pi * np.sqrt(0.21 * 0.40))
    second = np.exp(-0.5 * (0.39 * 1.17**2 + 0.17 * 2.84**2)) / (2 * np.pi * np.sqrt(0.39 * 0.17))
    np.testing.assert_allclose(slipped, [first, second], rtol=1e-12)
    # The handout's 0.238 to its last digit; its 8.95e-3 up to the rounding of what it prints: half
    # a unit in the 0.21 alone moves the first by 30.25 · 0.005 / 2, or 8 %.
    assert slipped[1] == pytest.approx(0.238, abs=5e-4)
    assert slipped[0] == pytest.approx(8.95e-3, rel=0.002)
    proportion = slipped / slipped.sum()
    np.testing.assert_allclose(proportion, [0.036, 0.964], rtol=0, atol=5e-4)


def test_erratum_with_the_inverse_the_handouts_parameters_give_a_sure_answer() -> None:
    model = GaussianClassifier.from_parameters(
        [0.5, 0.5], naive_bayes.HANDOUT_MEANS, naive_bayes.HANDOUT_VARIANCES, covariance="diagonal"
    )
    posterior = model.predict_proba([naive_bayes.QUERY])[0]
    assert posterior[0] < 1e-20
    assert model.predict([naive_bayes.QUERY]).tolist() == [1]  # the label was right all the same
