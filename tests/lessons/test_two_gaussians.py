"""Course, document 001: the truth, the handout's draw among many others, and its erratum."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from gaussbayes.lessons import get, two_gaussians
from gaussbayes.lessons.handouts import TWO_GAUSSIANS
from tests.lessons.truth import confusion, joint_mass

N_DRAWS = two_gaussians.N_SPREAD
HANDOUT = {result.name: result.handout for result in get("two_gaussians").results}


@pytest.fixture(scope="module")
def mass() -> np.ndarray:
    means, covariances = TWO_GAUSSIANS.means, TWO_GAUSSIANS.covariances
    return joint_mass([0.5, 0.5], means, covariances, width=12, step=0.02)


@pytest.fixture(scope="module")
def draws() -> two_gaussians.Draws:
    return two_gaussians.draws(N_DRAWS, 0)  # those of the lesson, which keeps them


def test_accuracy_of_the_optimal_rule_by_integration(mass: np.ndarray) -> None:
    counts = confusion(mass)
    assert 100 * np.trace(counts) == pytest.approx(two_gaussians.ACCURACY, abs=5e-4)
    np.testing.assert_allclose(counts * 100, two_gaussians.CONFUSION, rtol=0, atol=1e-3)


def test_accuracy_of_three_neighbours_by_integration(mass: np.ndarray) -> None:
    # A row and its three voters are independent draws of the class at the same place.
    evidence = mass.sum(axis=1)
    proportion = np.divide(mass[:, 0], evidence, out=np.zeros_like(evidence), where=evidence > 0)
    vote = proportion**3 + 3 * proportion**2 * (1 - proportion)
    right = evidence @ (proportion * vote + (1 - proportion) * (1 - vote))
    assert 100 * right == pytest.approx(two_gaussians.NEIGHBOURS_ACCURACY, abs=5e-4)


def test_accuracy_of_the_optimal_rule_over_a_million_draws() -> None:
    # The course: 92.84 % of 1,000,000 draws, itself uncertain by as much as ours.
    (result,) = [r for r in get("two_gaussians").results if "1,000,000" in r.name]
    error = 100 * np.sqrt(0.9284 * (1 - 0.9284) / 1_000_000)
    assert abs(result.value() - 92.84) <= 4 * error


def test_the_handouts_accuracies_lie_within_the_spread_over_1000_draws() -> None:
    gaussian, neighbours, difference = get("two_gaussians").spreads
    assert (gaussian.handout, neighbours.handout, difference.handout) == (90, 85, 5)
    paired = difference.values()
    np.testing.assert_array_equal(paired, gaussian.values() - neighbours.values())
    # The Gaussians are better: the mean of the paired differences is many standard errors above 0.
    assert paired.mean() > 10 * paired.std() / np.sqrt(paired.size)
    assert difference.holds(paired)
    for spread, at_least in [(gaussian, 0.05), (neighbours, 0.01)]:
        values = spread.values()
        assert values.shape == (1000,)
        assert spread.holds(values)
        # Not at the very edge either: as low a draw is no rare event.
        assert np.mean(values <= spread.handout) > at_least


def test_confusion_of_three_neighbours_by_integration(mass: np.ndarray) -> None:
    evidence = mass.sum(axis=1)
    proportion = np.divide(mass[:, 0], evidence, out=np.zeros_like(evidence), where=evidence > 0)
    vote = proportion**3 + 3 * proportion**2 * (1 - proportion)
    expected = 100 * np.stack([mass.T @ vote, mass.T @ (1 - vote)], axis=1)
    np.testing.assert_allclose(expected, two_gaussians.NEIGHBOURS_CONFUSION, rtol=0, atol=1e-3)


@pytest.mark.parametrize("n_neighbors", [1, 3, 9])
def test_votes_are_those_of_scikit_learn(n_neighbors: int) -> None:
    training, test = two_gaussians.tables(0)
    theirs = KNeighborsClassifier(n_neighbors).fit(training.rows, training.labels)
    ours = two_gaussians.neighbours(training, test, n_neighbors)
    np.testing.assert_array_equal(ours, theirs.predict(test.rows))


def test_the_gaussian_beats_the_neighbours_on_average(draws: two_gaussians.Draws) -> None:
    better = draws.gaussian - draws.neighbours
    assert better.mean() > 4 * better.std() / np.sqrt(N_DRAWS)


def test_the_handouts_estimates_lie_within_the_spread(draws: two_gaussians.Draws) -> None:
    for drawn, name in [
        (draws.means, "means"),
        (draws.covariances, "covariances, divided by N"),
    ]:
        handout = np.array(HANDOUT[name])
        assert (drawn.min(axis=0) <= handout).all()
        assert (handout <= drawn.max(axis=0)).all()


def test_estimates_scatter_about_the_parameters(draws: two_gaussians.Draws) -> None:
    n = two_gaussians.N_TRAINING
    for drawn, right in [
        (draws.means, np.array(TWO_GAUSSIANS.means)),
        # Dividing by N makes covariances too small by (N − 1) / N on average.
        (draws.covariances, np.array(TWO_GAUSSIANS.covariances) * (n - 1) / n),
    ]:
        error = drawn.std(axis=0) / np.sqrt(N_DRAWS)
        assert (abs(drawn.mean(axis=0) - right) <= 4 * error).all()


def test_confusion_counts_true_classes_by_row() -> None:
    _, test = two_gaussians.tables(0)
    predicted = test.labels.copy()
    predicted[:7] = 2  # of class 1
    predicted[-2:] = 1  # of class 2
    assert two_gaussians.confusion_counts(test, predicted).tolist() == [[43, 7], [2, 48]]


def test_erratum_a_variance_was_taken_for_a_standard_deviation() -> None:
    variance = np.diagonal(TWO_GAUSSIANS.covariances[0]).max()
    assert 2 * variance == 4  # what the handout's code draws
    assert 2 * np.sqrt(variance) == pytest.approx(2.83, abs=0.005)  # what it says
