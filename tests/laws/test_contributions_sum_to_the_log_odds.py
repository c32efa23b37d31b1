"""Shapley's axioms for what features add to the log-odds, for models of every structure.

The contributions sum to the difference of the log-odds; classes, or row and reference, exchanged
change their signs; features in another order keep theirs; a feature that is as in the reference
adds nothing; and what is missing is as if the model had never known it.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.analysis.explanation import LogOdds, explain, total_amount
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import number_rows
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.model.model import Model
from tests.gaussians import fitted_model
from tests.strategies import STRUCTURES, Rows, name_of, well_spread_rows

pytestmark = pytest.mark.usefixtures("kernels")
each_structure = pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)


def points(d: int) -> st.SearchStrategy[FloatArray]:
    """A row and a reference point (2, d), as far from the classes as these are from one another."""
    whole = hnp.arrays(np.int64, (2, d), elements=st.integers(-40, 40))
    return whole.map(lambda pair: pair.astype(np.float64))


def odds(model: Model, row: FloatArray, a: int, b: int, reference: FloatArray) -> LogOdds:
    told = explain(model, number_rows(row[None]), (a, b), reference).log_odds
    assert told is not None
    return told


def amounts(told: LogOdds) -> FloatArray:
    return np.array([one.amount for one in told.contributions])


def scale(model: Model, *places: FloatArray) -> float:
    """The size of what is rounded: squared distances of the places, up to 50 standard deviations.

    The covariances of these rows have condition numbers up to 50, and 4 features at most.
    """
    squares = [
        terms.squared_distance
        for place in places
        for terms in explain(model, number_rows(place[None])).bayes.classes
    ]
    return 1.0 + max(squares)


@each_structure
@given(rows=well_spread_rows(), data=st.data())
def test_they_sum_to_the_log_odds(structure: Structure, rows: Rows, data: st.DataObject) -> None:
    model = fitted_model(rows, structure)
    row, reference = data.draw(points(rows.X.shape[1]))
    told = odds(model, row, 1, 0, reference)
    bound = 1e-12 * scale(model, row, reference)
    assert abs(total_amount(told.contributions) - (told.value - told.at_reference)) <= bound


@each_structure
@given(rows=well_spread_rows(), data=st.data())
def test_exchanging_changes_the_sign(structure: Structure, rows: Rows, data: st.DataObject) -> None:
    model = fitted_model(rows, structure)
    row, reference = data.draw(points(rows.X.shape[1]))
    told = amounts(odds(model, row, 1, 0, reference))
    bound = 1e-12 * scale(model, row, reference)
    other = amounts(odds(model, row, 0, 1, reference))
    np.testing.assert_allclose(other, -told, rtol=0, atol=bound)
    back = amounts(odds(model, reference, 1, 0, row))
    np.testing.assert_allclose(back, -told, rtol=0, atol=bound)


@each_structure
@given(rows=well_spread_rows(), data=st.data())
def test_the_order_of_features_is_no_matter(
    structure: Structure, rows: Rows, data: st.DataObject
) -> None:
    d = rows.X.shape[1]
    row, reference = data.draw(points(d))
    order = data.draw(st.permutations(range(d)))
    model = fitted_model(rows, structure)
    turned = fitted_model(Rows(rows.X[:, order], rows.codes, None, rows.n_classes), structure)
    told = amounts(odds(model, row, 1, 0, reference))
    other = amounts(odds(turned, row[order], 1, 0, reference[order]))
    bound = 1e-12 * scale(model, row, reference)
    np.testing.assert_allclose(other, told[order], rtol=0, atol=bound)


@each_structure
@given(rows=well_spread_rows(), data=st.data())
def test_what_is_as_in_the_reference_adds_nothing(
    structure: Structure, rows: Rows, data: st.DataObject
) -> None:
    row, reference = data.draw(points(rows.X.shape[1]))
    same = data.draw(hnp.arrays(np.bool_, row.size))
    row[same] = reference[same]
    told = amounts(odds(fitted_model(rows, structure), row, 1, 0, reference))
    assert (told[same] == 0).all()


@each_structure
@given(rows=well_spread_rows(), data=st.data())
def test_what_is_missing_might_never_have_been_known(
    structure: Structure, rows: Rows, data: st.DataObject
) -> None:
    d = rows.X.shape[1]
    row, reference = data.draw(points(d))
    seen = sorted(data.draw(st.sets(st.integers(0, d - 1), min_size=1)))
    model = fitted_model(rows, structure)
    alone = odds(model.marginal(seen), row[seen], 1, 0, reference[seen])
    gaps = np.full(d, np.nan)
    gaps[seen] = row[seen]
    told = odds(model, gaps, 1, 0, reference)
    np.testing.assert_allclose(amounts(told)[seen], amounts(alone), rtol=1e-14)
    assert total_amount(told.contributions) == pytest.approx(
        total_amount(alone.contributions), rel=1e-13
    )
    assert told.value == pytest.approx(alone.value, rel=1e-13)
