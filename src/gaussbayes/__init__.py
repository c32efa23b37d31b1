"""Gaussian Bayes classifiers: exact, fast, and open to inspection.

The public names are loaded when they are first used, so that ``import gaussbayes`` costs next to
nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gaussbayes.base.errors import DataError, FileError, GaussBayesError, OptionError

if TYPE_CHECKING:
    from gaussbayes import datasets, plots
    from gaussbayes.analysis.boundary import decision_boundaries
    from gaussbayes.analysis.comparison import compare
    from gaussbayes.analysis.drift import drift
    from gaussbayes.analysis.gaussian_distribution import Gaussian
    from gaussbayes.analysis.synthesis import make_gaussian_dataset
    from gaussbayes.base.singular_covariance import SingularCovarianceError
    from gaussbayes.data.columns import Columns, DroppedColumnsWarning
    from gaussbayes.estimators import AutoClassifier, GaussianClassifier, load
    from gaussbayes.families.gaussian.statistics import ClassMoments
    from gaussbayes.kernels import show_config
    from gaussbayes.model.model import Model
    from gaussbayes.model.solution import Solution
    from gaussbayes.report import write_report
    from gaussbayes.sliding_window import SlidingWindow

    __version__: str

__all__ = [
    "AutoClassifier",
    "ClassMoments",
    "Columns",
    "DataError",
    "DroppedColumnsWarning",
    "FileError",
    "GaussBayesError",
    "Gaussian",
    "GaussianClassifier",
    "Model",
    "OptionError",
    "SingularCovarianceError",
    "SlidingWindow",
    "Solution",
    "__version__",
    "compare",
    "datasets",
    "decision_boundaries",
    "drift",
    "load",
    "make_gaussian_dataset",
    "plots",
    "show_config",
    "write_report",
]

_HOME = {
    "AutoClassifier": "estimators",
    "ClassMoments": "families.gaussian.statistics",
    "Columns": "data.columns",
    "DroppedColumnsWarning": "data.columns",
    "Gaussian": "analysis.gaussian_distribution",
    "GaussianClassifier": "estimators",
    "Model": "model.model",
    "SingularCovarianceError": "base.singular_covariance",
    "SlidingWindow": "sliding_window",
    "Solution": "model.solution",
    "compare": "analysis.comparison",
    "decision_boundaries": "analysis.boundary",
    "drift": "analysis.drift",
    "load": "estimators",
    "make_gaussian_dataset": "analysis.synthesis",
    "read": "data.source",
    "show_config": "kernels",
    "write_report": "report",
}
"""The module that each public name lives in."""

_PACKAGES = {"datasets", "plots", "sklearn"}
"""Those that are public as a whole; ``import *`` leaves out the last, which would hide another."""


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
