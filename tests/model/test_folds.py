"""Folds: how rows are spread, and that a row has no part in what stands for missing values."""

from typing import Any

import numpy as np
import pytest

from gaussbayes.data.rows import LabelledRows, Targets, number_rows
from gaussbayes.data.schema import Schema
from gaussbayes.model import held_out
from gaussbayes.model.held_out import fold_numbers
from gaussbayes.model.model import solve
from gaussbayes.model.options import internal_options
from gaussbayes.model.solution import score
from gaussbayes.model.statistics import observe


def some_rows(codes: Any, d: int) -> Any:
    """Rows of overlapping classes with correlated features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(codes.size, d)) @ rng.normal(size=(d, d))
    return X + rng.normal(size=(3, d))[codes]


def test_a_row_has_no_part_in_what_stands_for_missing_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each row by itself a fold is as if refitted, up to the rough end of EM near its maximum."""
    codes = np.arange(30, dtype=np.int32) % 3
    X = some_rows(codes, 5)
    X[np.random.default_rng(1).random(X.shape) < 0.3] = np.nan
    schema = Schema(np.arange(3), 5)
    settings = internal_options(estimate="predictive", shared=0.5, shrinkage=1e-9).settings(schema)

    def table(which: Any) -> LabelledRows:
        return LabelledRows(number_rows(X[which]), Targets(codes[which], 3), schema.classes)

    expected = np.empty((30, 3))
    for row in range(30):
        others = observe(table(np.arange(30) != row), settings, schema)
        parts = settings.parts(number_rows(X[[row]]), schema)
        expected[row] = score(solve(others, settings, schema), parts, "log_posterior")
    everything = table(slice(None))
    statistics = observe(everything, settings, schema)

    def gap() -> float:
        rows = held_out.held_out_rows(everything, statistics, schema, settings)
        (outcome,), folds = held_out.hold_out(rows, [settings])
        assert folds == 30
        return float(np.abs(np.exp(outcome) - np.exp(expected)).max())

    monkeypatch.setattr(held_out, "FOLDS", 30)
    assert gap() < 1e-3
    alike = property(lambda _: [(np.array([row]), statistics.parts) for row in range(30)])
    monkeypatch.setattr(held_out.HeldOutRows, "folds", alike)
    assert gap() > 0.1


def test_folds_spread_the_classes_evenly() -> None:
    """Also where rows are equal, so that nothing tells them apart."""
    codes = np.random.default_rng(0).permutation(np.repeat(np.arange(3), [7, 20, 33]))
    targets = Targets(codes.astype(np.int32), 3)
    for X in (some_rows(codes, 3), np.ones((60, 2))):
        fold = fold_numbers(number_rows(X), targets, 5)
        assert np.bincount(fold).tolist() == [12] * 5
        for code in range(3):
            assert np.ptp(np.bincount(fold[codes == code], minlength=5)) <= 1
    assert sorted(fold_numbers(number_rows(X[:3]), targets[:3], 9).tolist()) == [0, 1, 2]
