"""No class costs less than the one decided; and what may be done to costs without any effect."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.analysis.decision import decide_by_posteriors
from gaussbayes.base.types import FloatArray
from tests.oracles import EPS


@st.composite
def posteriors(draw: st.DrawFn, k: int) -> FloatArray:
    """Rows of shares with a common whole divisor, so that ties and zeros are frequent."""
    counts = draw(hnp.arrays(np.int64, (8, k), elements=st.integers(0, 4)))
    counts[:, 0] += counts.sum(axis=1) == 0
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def log(posterior: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(posterior)


def whole_costs(k: int) -> st.SearchStrategy[FloatArray]:
    return hnp.arrays(np.float64, (k, k), elements=st.integers(-20, 20))


@given(st.integers(2, 5), st.data())
def test_no_other_class_is_expected_to_cost_less(k: int, data: st.DataObject) -> None:
    posterior, costs = data.draw(posteriors(k)), data.draw(whole_costs(k))
    found = decide_by_posteriors(log(posterior), costs)
    # k products and sums of numbers up to 20, after an exponential and a logarithm.
    bound = 8 * k * EPS * 20
    least = (posterior @ costs).min(axis=1)
    np.testing.assert_allclose(found.expected_cost, least, rtol=0, atol=bound)


@given(st.integers(2, 5), st.data())
def test_counting_errors_is_the_most_probable_class(k: int, data: st.DataObject) -> None:
    log_posterior = log(data.draw(posteriors(k)))
    counting, probable = (
        decide_by_posteriors(log_posterior, 1 - np.eye(k)),
        decide_by_posteriors(log_posterior),
    )
    np.testing.assert_array_equal(counting.codes, log_posterior.argmax(axis=1))
    np.testing.assert_array_equal(probable.codes, counting.codes)
    np.testing.assert_array_equal(probable.posterior, counting.posterior)
    bound = 8 * k * EPS
    np.testing.assert_allclose(probable.expected_cost, counting.expected_cost, rtol=0, atol=bound)


@given(st.integers(2, 5), st.data())
def test_what_a_true_class_costs_anyway_does_not_matter(k: int, data: st.DataObject) -> None:
    posterior, costs = data.draw(posteriors(k)), data.draw(whole_costs(k))
    anyway = data.draw(hnp.arrays(np.float64, (k, 1), elements=st.integers(-(2**40), 2**40)))
    np.testing.assert_array_equal(
        decide_by_posteriors(log(posterior), costs + anyway).codes,
        decide_by_posteriors(log(posterior), costs).codes,
    )


@given(st.integers(2, 5), st.integers(-60, 60), st.data())
def test_the_currency_does_not_matter(k: int, power: int, data: st.DataObject) -> None:
    posterior, costs = data.draw(posteriors(k)), data.draw(whole_costs(k))
    one, other = (
        decide_by_posteriors(log(posterior), costs),
        decide_by_posteriors(log(posterior), np.ldexp(costs, power)),
    )
    np.testing.assert_array_equal(one.codes, other.codes)
    np.testing.assert_array_equal(np.ldexp(one.expected_cost, power), other.expected_cost)


@given(st.integers(2, 5), st.floats(0, 1), st.floats(0, 1), st.data())
def test_a_stricter_threshold_refuses_more(
    k: int, one: float, other: float, data: st.DataObject
) -> None:
    log_posterior = log(data.draw(posteriors(k)))
    costs = data.draw(whole_costs(k))
    low, high = sorted([one, other])
    lax, strict = (
        decide_by_posteriors(log_posterior, costs, reject_below=level) for level in (low, high)
    )
    assert not (lax.refused & ~strict.refused).any()
    least = float(costs.min())
    strict, lax = (
        decide_by_posteriors(log_posterior, costs, reject_cost=least + 20 * share)
        for share in (low, high)
    )
    assert not (lax.refused & ~strict.refused).any()
