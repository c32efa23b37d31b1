"""Pruning leaves work out, and no result changes by a bit."""

import math
from typing import Any

import numpy as np
import pytest

from gaussbayes.base.types import Task
from gaussbayes.kernels import Kernels
from gaussbayes.kernels.arrays import Quadratic
from tests.kernels.scoring import answers, each_dtype, make_form, make_rows

PRUNED: tuple[Task, ...] = ("posterior", "label")


def _ties(form: Quadratic) -> Quadratic:
    """Every class once more, so that each row has two best ones."""
    whitener = form.whitener
    return Quadratic(
        form.center,
        np.repeat(form.offset, 2, axis=0),
        whitener if whitener.shape[0] == 1 else np.repeat(whitener, 2, axis=0),
        np.repeat(form.log_constant, 2),
    )


@each_dtype
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("separation", [0.1, 1.5, 3.0, 6.0])
def test_pruning_changes_nothing(
    kernels: Kernels, separation: float, order: Any, dtype: Any
) -> None:
    for kind, k, d, rows in (
        ("full", 5, 50, 1200),
        ("full", 3, 91, 600),
        ("shared full", 4, 29, 9000),  # several groups of rows
    ):
        n = 60 if kernels.NAME == "reference" else rows  # nothing is pruned there
        form = make_form(kind, k, d, separation)
        assert isinstance(form, Quadratic)
        for own in (form, _ties(form)):
            # Rows between the classes too: their posteriors are neither 0 nor 1.
            X = make_rows(own, n, dtype)
            X[::3] = (X[::3] + X[1::3]) / 2
            X = np.asarray(X, order=order)
            for task in PRUNED:
                whole = answers(kernels, own, X, task, prune=False)
                np.testing.assert_array_equal(answers(kernels, own, X, task), whole)
                if own is not form and task == "label":
                    assert (whole % 2 == 0).all()  # the first of equal classes


@each_dtype
def test_pruning_at_the_edge_of_zero(kernels: Kernels, dtype: Any) -> None:
    """Posteriors about as small as numbers get are not pruned away."""
    d, edge = 40, 745.2 if dtype == np.float64 else 104.0
    # The second class is g nats lower, all of it in the first feature: known from the first panel.
    for gap in np.linspace(edge - 40, edge + 4, 23):
        offset = np.zeros((2, d))
        offset[1, 0] = math.sqrt(2 * gap)
        form = Quadratic(np.zeros(d), offset, np.eye(d)[None].repeat(2, axis=0), np.zeros(2))
        X = np.random.default_rng(5).normal(size=(200, d)).astype(dtype)
        X[:, 0] *= 0.01
        pruned = answers(kernels, form, X, "posterior")
        np.testing.assert_array_equal(pruned, answers(kernels, form, X, "posterior", False))
        if gap < edge - 5:
            assert (pruned > 0).all()
