"""Gaussian Bayes classifiers: exact, fast, and open to inspection.

The public names are loaded when they are first used, so that ``import gaussbayes`` costs next to
nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gaussbayes import datasets, lessons, plots
    from gaussbayes.comparison import compare
    from gaussbayes.errors import (
        DataError,
        GaussBayesError,
        MissingLabelError,
        ModelFileError,
        NonFiniteError,
        ParameterError,
        PriorError,
        RemovalError,
        SchemaError,
        SingularCovarianceError,
    )
    from gaussbayes.estimator import GaussianClassifier
    from gaussbayes.kernels import show_config
    from gaussbayes.moments import ClassMoments
    from gaussbayes.parameters import Parameters
    from gaussbayes.report import write_report
    from gaussbayes.synthesis import make_gaussian_dataset

    __version__: str

__all__ = [
    "ClassMoments",
    "DataError",
    "GaussBayesError",
    "GaussianClassifier",
    "MissingLabelError",
    "ModelFileError",
    "NonFiniteError",
    "ParameterError",
    "Parameters",
    "PriorError",
    "RemovalError",
    "SchemaError",
    "SingularCovarianceError",
    "__version__",
    "compare",
    "datasets",
    "lessons",
    "make_gaussian_dataset",
    "plots",
    "show_config",
    "write_report",
]

_HOME = {
    "ClassMoments": "moments",
    "DataError": "errors",
    "GaussBayesError": "errors",
    "GaussianClassifier": "estimator",
    "ModelFileError": "errors",
    "MissingLabelError": "errors",
    "NonFiniteError": "errors",
    "ParameterError": "errors",
    "Parameters": "parameters",
    "PriorError": "errors",
    "RemovalError": "errors",
    "SchemaError": "errors",
    "SingularCovarianceError": "errors",
    "compare": "comparison",
    "make_gaussian_dataset": "synthesis",
    "show_config": "kernels",
    "write_report": "report",
}
"""The module that each public name lives in."""

_PACKAGES = {"datasets", "lessons", "plots"}
"""Those that are public as a whole."""


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
