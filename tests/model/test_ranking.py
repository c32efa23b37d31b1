"""The area under the ROC curve: that of scikit-learn, with ties, part by part, and its variance."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from gaussbayes.model import ranking
from gaussbayes.model.ranking import Ranking, log_odds_against_rest, rank


def sample(n: int = 300, k: int = 4, digits: int = 12) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(5)
    y = generator.integers(0, k, n)
    scores = generator.normal(size=(n, k)) + np.eye(k)[y]
    posterior = np.exp(scores).round(digits) + 10.0**-digits
    return np.log(posterior / posterior.sum(axis=1, keepdims=True)), y


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("digits", [12, 0])
def test_areas_are_those_of_scikit_learn(k: int, digits: int) -> None:
    log_posterior, y = sample(k=k, digits=digits)
    scores = log_odds_against_rest(log_posterior)
    expected = [roc_auc_score(y == c, scores[:, c]) for c in range(k)]
    np.testing.assert_allclose(rank(log_posterior, y).auc, expected, rtol=1e-12)


def test_parts_give_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    log_posterior, y = sample()
    whole = rank(log_posterior, y)

    def by_parts(places: list[slice]) -> Ranking:
        first, *rest = [rank(log_posterior[place], y[place]) for place in places]
        return sum(rest, first)

    places = [slice(start, start + 70) for start in range(0, 300, 70)]
    np.testing.assert_array_equal(by_parts(places).areas, whole.areas)
    # With few scores kept they are rounded, alike in any order, and the areas hardly change.
    monkeypatch.setattr(ranking, "MOST_SCORES", 160)
    monkeypatch.setattr(ranking, "_FEWEST", 10)
    coarse = by_parts(places)
    assert max(keys.size for keys, _ in coarse.of_classes) <= 40
    assert sum(weights.sum() for _, weights in coarse.of_classes) == 4 * 300
    np.testing.assert_array_equal(by_parts(places[::-1]).areas, coarse.areas)
    np.testing.assert_allclose(coarse.auc, whole.auc, atol=0.02)


def test_variance_is_delongs() -> None:
    """By placements: V₁ᵢ and V₀ⱼ from all pairs, and their variances over n₁ and n₀."""
    log_posterior, y = sample(n=90, digits=1)
    scores = log_odds_against_rest(log_posterior)
    _, errors = rank(log_posterior, y).areas
    for c in range(4):
        pairs = np.subtract.outer(scores[y == c, c], scores[y != c, c])
        wins = (pairs > 0) + 0.5 * (pairs == 0)
        first, second = wins.mean(axis=1), wins.mean(axis=0)
        variance = first.var(ddof=1) / first.size + second.var(ddof=1) / second.size
        assert errors[c] == pytest.approx(np.sqrt(variance), rel=1e-10)


def test_certain_rows_are_told_apart() -> None:
    """Posteriors that round to 1 are ties for scikit-learn, but their log-odds are not."""
    others = np.array([-800.0, -50.0, -45.0, -40.0])
    log_posterior = np.stack([np.zeros(4), others], axis=1)
    np.testing.assert_array_equal(log_odds_against_rest(log_posterior)[:, 0], -others)
    assert rank(log_posterior, np.array([0, 0, 1, 1])).auc.tolist() == [1.0, 1.0]


def test_one_sided_and_impossible_classes() -> None:
    log_posterior = np.array([[0.0, -np.inf], [0.0, -np.inf]])
    assert np.isnan(rank(log_posterior, np.array([0, 0])).auc).all()
    areas, errors = rank(log_posterior, np.array([0, 1])).areas
    assert areas.tolist() == [0.5, 0.5]
    # One row a side: each may vary by A (1 − A).
    np.testing.assert_allclose(errors, np.sqrt(0.5))
    soft = np.array([[0.75, 0.25], [0.25, 0.75]])
    ranked = rank(np.log([[0.9, 0.1], [0.2, 0.8]]), soft)
    # Pairs weigh ¾·¾ right, ¼·¼ wrong, and twice ¾·¼ ties of a row with itself.
    np.testing.assert_allclose(ranked.auc, 9 / 16 + 3 / 16)
