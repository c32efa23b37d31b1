"""p-values of likelihood ratios, against laws that scipy knows and against simulation."""

import numpy as np
import pytest
from scipy import stats

from gaussbayes.families.likelihood_ratio import NullLaw, contingency, rates

P_VALUES = (0.999, 0.5, 0.05, 1e-8, 1e-60)


@pytest.mark.parametrize("degrees", [1, 2, 7, 400])
def test_chi_squared(degrees: int) -> None:
    law = NullLaw.chi_squared(degrees / 2, 1.5)
    law = NullLaw.sum([law, law])
    for p in P_VALUES:
        x = float(stats.chi2.isf(p, degrees))
        assert law.survival(1.5 * x) == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize(("p", "n"), [(1, 2), (1, 30), (4, 5), (4, 50), (12, 300), (3, 10**6)])
def test_hotelling(p: int, n: int) -> None:
    """|A| / |B| is Beta((n − p + 1)/2, p/2) if B has one degree of freedom more than A."""
    total = n + 2.0
    law = NullLaw.of_determinants(p, [(n, total)], (n + 1, total))
    beta = stats.beta((n - p + 1) / 2, p / 2)
    for q in P_VALUES:
        ratio = float(beta.ppf(q))
        if ratio > 0:
            assert law.survival(-total * np.log(ratio)) == pytest.approx(beta.cdf(ratio), rel=1e-7)


def test_two_variances() -> None:
    """Bartlett's statistic of one feature is a function of F, so that F has its law."""
    n = 4.0, 9.0
    law = NullLaw.of_determinants(1, [(f, f) for f in n], (sum(n), sum(n)))

    def statistic(share: float) -> float:
        parts = share, 1 - share
        logs = [f * np.log(part / f) for f, part in zip(n, parts, strict=True)]
        return float(-sum(n) * np.log(sum(n)) - sum(logs))

    share = stats.beta(n[0] / 2, n[1] / 2)
    low = 0.05
    # The other share with the same statistic, by bisection: it falls, then rises.
    left, right = n[0] / sum(n), 1 - 1e-12
    for _ in range(200):
        middle = (left + right) / 2
        left, right = (middle, right) if statistic(middle) < statistic(low) else (left, middle)
    expected = share.cdf(low) + share.sf(left)
    assert law.survival(statistic(low)) == pytest.approx(expected, rel=1e-9)


def test_counts() -> None:
    """G is scipy's; Williams' correction of a 2 × 2 table is his formula."""
    table = np.array([[30.0, 20.0, 0.0], [15.0, 35.0, 0.0]])
    statistic, degrees, law = contingency(table)
    expected = stats.chi2_contingency(table[:, :2], correction=False, lambda_="log-likelihood")
    assert statistic == pytest.approx(expected.statistic)
    assert degrees == 1
    q = 1 + (100 / 50 + 100 / 50 - 1) * (100 / 45 + 100 / 55 - 1) / (6 * 100)
    assert law.survival(statistic) == pytest.approx(stats.chi2.sf(statistic / q, 1))
    events = np.array([12.0, 40.0])
    statistic, _, law = rates(events, np.array([100.0, 200.0]))
    expected = stats.power_divergence(events, 52 * np.array([1, 2]) / 3, lambda_="log-likelihood")
    assert statistic == pytest.approx(expected.statistic)
    assert law.survival(statistic) == pytest.approx(stats.chi2.sf(statistic / (1 + 3.5 / 312), 1))
    nothing = contingency(np.array([[3.0], [4.0]]))
    assert nothing[:2] == (0.0, 0.0)
    assert nothing[2].survival(0.0) == 1.0
