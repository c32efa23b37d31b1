"""What errors advise is read out of their messages and done."""

import re
import warnings
from typing import Any

import numpy as np
import pytest

from gaussbayes import GaussBayesError, GaussianClassifier
from gaussbayes.base.remedy import AUTOMATIC_CHOICE

RNG = np.random.default_rng(0)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"shared": True},
    {"covariance": "diagonal", "divisor": "unbiased"},
    {"covariance": "spherical"},
    {"estimate": "predictive"},
    {"covariance": "diagonal", "shared": 0.5, "shrinkage": "oas"},
)


def rows(n: int = 24, d: int = 3) -> tuple[Any, Any]:
    y = np.array(["u", "v"], dtype=object)[np.arange(n) % 2]
    return RNG.normal(size=(n, d)) + (y == "v")[:, None], y


def failing() -> dict[str, tuple[Any, Any]]:
    """Tables of which many models have no estimate."""
    tables: dict[str, tuple[Any, Any]] = {}
    X, y = rows()
    X[:, 1] = 2 * X[:, 0]
    tables["collinear"] = X, y
    X, y = X.copy(), y.copy()
    X[::3, 0] = np.nan
    tables["collinear, with missing values"] = X, y
    X, y = X.copy(), y.copy()
    y[5:] = None
    tables["few labels"] = X, y
    X, y = rows()
    X[y == "u", 1] = 3.0
    tables["constant in a class"] = X, y
    X, y = rows()
    X[:] = (y == "u")[:, None]
    tables["constant in all classes"] = X, y
    X, y = rows()
    X[y == "u", 0] = np.nan
    tables["missing in a class"] = X, y
    X, y = X.copy(), y.copy()
    y[::6] = None
    tables["missing in a class, some rows without label"] = X, y
    X, y = rows()
    y[0] = "w"
    tables["a class of one row"] = X, y
    tables["more features than rows"] = rows(6, 20)
    X, y = rows(2)
    tables["one row a class"] = X, y
    X, y = rows()
    tables["points of two"] = np.where((y == "u")[:, None], [1.0, 2.0, 3.0], [1.5, 2.0, 5.0]), y
    return tables


TABLES = failing()


def fitted(model: GaussianClassifier, X: Any, y: Any) -> GaussianClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that rows have no label
        return model.fit(X, y)


def error_of(model: GaussianClassifier, X: Any, y: Any) -> GaussBayesError | None:
    try:
        fitted(model, X, y)
    except GaussBayesError as error:
        return error
    return None


@pytest.mark.parametrize("name", TABLES)
def test_every_remedy_works_in_python(name: str) -> None:
    X, y = TABLES[name]
    done = set()
    for options in OPTIONS:
        error = error_of(GaussianClassifier(**options), X, y)
        if error is None:
            continue
        printed = str(error).partition(". Remedies: ")[2]
        assert printed == "; ".join(map(str, error.remedies))
        assert not error.remedies or error.remedies[0] == AUTOMATIC_CHOICE, options
        for remedy in printed.split("; ") if printed else ():
            written = re.fullmatch(r"[a-z ]+ \((.*)\)", remedy)
            assert written, remedy
            if written[1] == "GaussianClassifier.auto()":
                model = GaussianClassifier.auto()
            else:
                model = GaussianClassifier(**options | eval(f"dict({written[1]})"))
            if repr(model) in done:  # what several errors advise
                continue
            done.add(repr(model))
            assert np.isfinite(fitted(model, X, y).predict_proba(X)).all(), (options, remedy)


def test_what_always_works_is_the_automatic_choice() -> None:
    """Except where nothing varies within classes and there are more features than rows."""
    without = {
        name
        for name, (X, y) in TABLES.items()
        if (error := error_of(GaussianClassifier(), X, y)) is not None and not error.remedies
    }
    assert without == {"one row a class"}
