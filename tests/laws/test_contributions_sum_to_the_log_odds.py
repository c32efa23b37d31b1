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

from gaussbayes.analysis.contributions import LogOdds, added
from gaussbayes.analysis.explanation import explain
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.marginal import marginal
from gaussbayes.families.gaussian.parameters import Parameters, Structure, estimate
from tests.strategies import STRUCTURES, Rows, name_of, well_spread_rows

pytestmark = pytest.mark.usefixtures("kernels")
each_structure = pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)


def points(d: int) -> st.SearchStrategy[FloatArray]:
    """A row and a reference point (2, d), as far from the classes as these are from one another."""
    whole = hnp.arrays(np.int64, (2, d), elements=st.integers(-40, 40))
    return whole.map(lambda pair: pair.astype(np.float64))


def model(rows: Rows, structure: Structure) -> Parameters:
    return estimate(rows.summarise(structure.layout), rows.schema, structure)


def odds(
    parameters: Parameters, schema: Schema, row: FloatArray, a: int, b: int, reference: FloatArray
) -> LogOdds:
    told = explain(parameters, schema, row, (a, b), reference).log_odds
    assert told is not None
    return told


def amounts(told: LogOdds) -> FloatArray:
    return np.array([one.amount for one in told.contributions])


def scale(parameters: Parameters, schema: Schema, *places: FloatArray) -> float:
    """The size of what is rounded: squared distances of the places, up to 50 standard deviations.

    The covariances of these rows have condition numbers up to 50, and 4 features at most.
    """
    squares = [
        terms.squared_distance
        for place in places
        for terms in explain(parameters, schema, place).bayes.classes
    ]
    return 1.0 + max(squares)


@each_structure
@given(rows=well_spread_rows(), data=st.data())
def test_they_sum_to_the_log_odds(structure: Structure, rows: Rows, data: st.DataObject) -> None:
    parameters = model(rows, structure)
    row, reference = data.draw(points(rows.X.shape[1]))
    told = odds(parameters, rows.schema, row, 1, 0, reference)
    bound = 1e-12 * scale(parameters, rows.schema, row, reference)
    assert abs(added(told.contributions) - (told.value - told.at_reference)) <= bound


@each_structure
@given(rows=well_spread_rows(), data=st.data())
def test_exchanging_changes_the_sign(structure: Structure, rows: Rows, data: st.DataObject) -> None:
    parameters = model(rows, structure)
    row, reference = data.draw(points(rows.X.shape[1]))
    told = amounts(odds(parameters, rows.schema, row, 1, 0, reference))
    bound = 1e-12 * scale(parameters, rows.schema, row, reference)
    other = amounts(odds(parameters, rows.schema, row, 0, 1, reference))
    np.testing.assert_allclose(other, -told, rtol=0, atol=bound)
    back = amounts(odds(parameters, rows.schema, reference, 1, 0, row))
    np.testing.assert_allclose(back, -told, rtol=0, atol=bound)


@each_structure
@given(rows=well_spread_rows(), data=st.data())
def test_the_order_of_features_is_no_matter(
    structure: Structure, rows: Rows, data: st.DataObject
) -> None:
    d = rows.X.shape[1]
    row, reference = data.draw(points(d))
    order = data.draw(st.permutations(range(d)))
    parameters = model(rows, structure)
    turned = model(Rows(rows.X[:, order], rows.codes, None, rows.n_classes), structure)
    told = amounts(odds(parameters, rows.schema, row, 1, 0, reference))
    other = amounts(odds(turned, rows.schema, row[order], 1, 0, reference[order]))
    bound = 1e-12 * scale(parameters, rows.schema, row, reference)
    np.testing.assert_allclose(other, told[order], rtol=0, atol=bound)


@each_structure
@given(rows=well_spread_rows(), data=st.data())
def test_what_is_as_in_the_reference_adds_nothing(
    structure: Structure, rows: Rows, data: st.DataObject
) -> None:
    row, reference = data.draw(points(rows.X.shape[1]))
    same = data.draw(hnp.arrays(np.bool_, row.size))
    row[same] = reference[same]
    told = amounts(odds(model(rows, structure), rows.schema, row, 1, 0, reference))
    assert (told[same] == 0).all()


@each_structure
@given(rows=well_spread_rows(), data=st.data())
def test_what_is_missing_might_never_have_been_known(
    structure: Structure, rows: Rows, data: st.DataObject
) -> None:
    d = rows.X.shape[1]
    row, reference = data.draw(points(d))
    seen = sorted(data.draw(st.sets(st.integers(0, d - 1), min_size=1)))
    parameters = model(rows, structure)
    part = Schema(rows.schema.classes, len(seen))
    alone = odds(marginal(parameters, seen, part), part, row[seen], 1, 0, reference[seen])
    gaps = np.full(d, np.nan)
    gaps[seen] = row[seen]
    told = odds(parameters, rows.schema, gaps, 1, 0, reference)
    np.testing.assert_allclose(amounts(told)[seen], amounts(alone), rtol=1e-14)
    assert added(told.contributions) == pytest.approx(added(alone.contributions), rel=1e-13)
    assert told.value == pytest.approx(alone.value, rel=1e-13)
