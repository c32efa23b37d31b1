"""P-values of distances: scipy, mpmath, draws."""

import subprocess
import sys
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.stats import chi2

from gaussbayes.analysis.novelty import class_p_values, distance_p_values, novel
from gaussbayes.analysis.synthesis import draw
from gaussbayes.base.errors import OptionError
from gaussbayes.data.rows import number_rows
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.model.model import Model
from tests.gaussians import COVARIANCES, MEANS, PRIORS, model_of, structured_model
from tests.strategies import STRUCTURES, name_of

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.fixture(scope="module")
def three() -> Model:
    return model_of(PRIORS, MEANS, COVARIANCES)


@pytest.mark.parametrize("d", [1, 2, 7, 100])
def test_the_tail_in_fifty_digits(d: int) -> None:
    squares = np.array([0.0, 1e-9, 0.5, 10.0, 100.0, 700.0, 1300.0])
    with mpmath.workdps(50):
        exact = [
            float(mpmath.gammainc(mpmath.mpf(d) / 2, mpmath.mpf(s) / 2, mpmath.inf, True))
            for s in squares.tolist()
        ]
    # The exponent −m² / 2, of up to 650, is rounded: that makes 650 ε of the tail.
    np.testing.assert_allclose(distance_p_values(squares, d), exact, rtol=1e-12)


def test_degrees_of_freedom_may_differ_from_row_to_row() -> None:
    squares = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = distance_p_values(squares, np.array([[2], [5]]))
    np.testing.assert_allclose(found, chi2.sf(squares, [[2], [5]]), rtol=1e-13)


def test_p_values_of_classes_by_scipy(three: Model) -> None:
    X = np.random.default_rng(0).normal(size=(50, 2)) * 5
    expected = np.empty((50, 3))
    for c in range(3):
        away = X - MEANS[c]
        squares = np.einsum("ni,ij,nj->n", away, np.linalg.inv(COVARIANCES[c]), away)
        expected[:, c] = chi2.sf(squares, 2)
    np.testing.assert_allclose(class_p_values(three, number_rows(X)), expected, rtol=1e-11)


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
def test_p_values_of_a_class_are_uniform_for_its_rows(structure: Structure) -> None:
    model = structured_model(PRIORS, MEANS, COVARIANCES, structure)
    rows, codes = draw(model, 20_000, np.random.default_rng(1))
    own = class_p_values(model, rows)[np.arange(20_000), codes]
    for level in (0.01, 0.1, 0.5):
        share = (own < level).mean()
        assert abs(share - level) < 4 * np.sqrt(level * (1 - level) / 20_000)


def test_narrow_rows(three: Model) -> None:
    X = np.array([[0.5, 1.0], [4.0, 4.0]])
    narrow = class_p_values(three, number_rows(X.astype(np.float32)))
    assert narrow.dtype == np.float64
    np.testing.assert_allclose(narrow, class_p_values(three, number_rows(X)), rtol=1e-4)


def test_novel_is_below_the_level_for_every_class() -> None:
    p_values = np.array([[0.04, 0.05], [0.04, 0.049], [0.9, 0.0], [0.0, 0.0]])
    assert novel(p_values, 0.05).tolist() == [False, True, False, True]
    assert novel(p_values, 0.0).tolist() == [False] * 4
    assert novel(p_values, 1.0).tolist() == [True] * 4
    assert novel(p_values[:, 1], 0.05).tolist() == [False, True, True, True]
    # A row like a class that cannot occur is like none that can.
    assert novel(p_values, 0.05, np.array([0.0, 1.0])).tolist() == [False, True, True, True]
    assert novel(p_values[:0], 0.05, np.array([0.5, 0.5])).tolist() == []


@pytest.mark.parametrize("level", [-0.01, 1.01, np.nan, None])
def test_a_level_is_a_probability(level: Any) -> None:
    with pytest.raises(OptionError, match="is novel must be a probability from 0 to 1, got"):
        novel(np.ones((1, 2)), level)


def test_priors_fit_the_p_values() -> None:
    with pytest.raises(OptionError, match=r"of 2 classes need as many priors, got \(3,\)"):
        novel(np.ones((1, 2)), 0.5, np.ones(3))


def test_scipy_is_loaded_when_it_is_needed() -> None:
    imports = "import sys, gaussbayes.analysis.novelty, gaussbayes.analysis.bayes_error"
    code = f"{imports}; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
