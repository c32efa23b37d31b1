"""Bar 1: the NumAcc sets to 15 digits, at once, streamed, and merged."""

import numpy as np
import pytest

from gaussbayes.base.types import ScatterLayout
from tests.designs import all_pairs
from tests.reliability.strd import (
    SETS,
    WAYS,
    ReferenceSet,
    correct_digits,
    exact_answers,
    standard_deviation,
    table,
)
from tests.strategies import LAYOUTS

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize(
    ("own", "way", "layout", "dtype"), all_pairs(SETS, WAYS, LAYOUTS, [np.float64, np.float32])
)
def test_fifteen_digits(own: ReferenceSet, way: str, layout: ScatterLayout, dtype: type) -> None:
    values = own.values.astype(dtype)
    mean, deviation = exact_answers(values)
    moments = WAYS[way](values[:, None], layout)
    assert correct_digits(float(moments.mean[0, 0]), mean) >= 15
    assert correct_digits(standard_deviation(moments), deviation) >= 15


# "Ceilings" of the certified standard deviation as published for these sets: the exact answer for
# the numbers rounded to binary64 agrees with the certified one to no more digits than this.
@pytest.mark.parametrize(
    ("name", "digits"), [("NumAcc2", 15.7), ("NumAcc3", 9.46), ("NumAcc4", 8.25)]
)
def test_what_rounding_of_the_data_leaves(name: str, digits: float) -> None:
    (own,) = (one for one in SETS if one.name == name)
    _, deviation = exact_answers(own.values)
    assert correct_digits(float(deviation), own.standard_deviation) == pytest.approx(
        digits, abs=0.05
    )


def test_the_table_has_every_set_and_way() -> None:
    lines = table().splitlines()
    assert len(lines) == 2 + len(SETS) * len(WAYS)
    assert lines[2].startswith("| NumAcc1 | batch | exact | exact |")
