"""Gaussian Bayes classifiers: exact, fast, and open to inspection.

The public names are loaded when they are first used, so that ``import gaussbayes`` is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gaussbayes.base.errors import DataError, FileError, GaussBayesError, OptionError

if TYPE_CHECKING:
    from gaussbayes import datasets, plots
    from gaussbayes.analysis.compare import compare
    from gaussbayes.analysis.drift import drift
    from gaussbayes.analysis.gaussian_distribution import Gaussian
    from gaussbayes.analysis.synthesis import make_gaussian_dataset
    from gaussbayes.base.singular_covariance import SingularCovarianceError
    from gaussbayes.data.columns import Columns, DroppedColumnsWarning
    from gaussbayes.data.read import read
    from gaussbayes.estimators import AutoClassifier, GaussianClassifier, load

    __version__: str

__all__ = [
    "AutoClassifier",
    "Columns",
    "DataError",
    "DroppedColumnsWarning",
    "FileError",
    "GaussBayesError",
    "Gaussian",
    "GaussianClassifier",
    "OptionError",
    "SingularCovarianceError",
    "__version__",
    "compare",
    "datasets",
    "drift",
    "load",
    "make_gaussian_dataset",
    "plots",
    "read",
]

_HOME = {
    "AutoClassifier": "estimators",
    "Columns": "data.columns",
    "DroppedColumnsWarning": "data.columns",
    "Gaussian": "analysis.gaussian_distribution",
    "GaussianClassifier": "estimators",
    "SingularCovarianceError": "base.singular_covariance",
    "compare": "analysis.compare",
    "drift": "analysis.drift",
    "load": "estimators",
    "make_gaussian_dataset": "analysis.synthesis",
    "read": "data.read",
}
"""The module that each public name lives in."""

_PACKAGES = {"datasets", "plots", "sklearn"}
"""Public modules; ``import *`` omits the last, whose name would hide another module."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("gaussbayes")
    elif name in _HOME:
        value = getattr(import_module(f"gaussbayes.{_HOME[name]}"), name)
    elif name in _PACKAGES:
        value = import_module(f"gaussbayes.{name}")
    else:
        msg = f"module 'gaussbayes' has no attribute {name!r}"
        raise AttributeError(msg)
    globals()[name] = value  # found directly from now on
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
