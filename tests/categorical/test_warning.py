"""Warnings: categories never seen, and numbers that are hardly categories."""

import warnings

import numpy as np
import pytest

from gaussbayes.base.schema import Schema
from gaussbayes.data.category_warnings import UnseenCategoryWarning, warn_of_many, warn_of_unseen
from gaussbayes.data.coding import Unseen, code_columns

SCHEMA = Schema(np.arange(2), 2, ("wind", "humidity"))


def test_one_warning_for_all_features() -> None:
    unseen = (Unseen(0, 1234, ("X", "Y")), Unseen(1, 1, (7,)))
    with warnings.catch_warnings(record=True, action="always") as seen:
        warn_of_unseen(unseen, SCHEMA)
    assert len(seen) == 1
    assert seen[0].category is UnseenCategoryWarning
    assert seen[0].filename == __file__
    told = str(seen[0].message)
    assert "1,234 values of 'wind' ('X', 'Y'), 1 value of 'humidity' (7)" in told


def test_nothing_unseen_is_no_warning() -> None:
    warn_of_unseen((), SCHEMA)


def test_hundred_thousand_numbers() -> None:
    columns = code_columns([np.arange(100_000)], ["'wind'"])
    with pytest.warns(UserWarning, match="'wind' is categorical and has 100,000 different numbers"):
        warn_of_many(columns.categories, SCHEMA)


def test_texts_and_few_numbers_are_no_warning() -> None:
    texts = tuple(sorted(map(str, range(5000))))
    warn_of_many([texts, tuple(range(1000))], SCHEMA)
