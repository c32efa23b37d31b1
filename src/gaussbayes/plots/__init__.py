"""Figures of models and data, drawn with matplotlib.

Each function takes a fitted classifier, rows, or a result, draws on the axes given as `ax` or on
new ones, and returns the axes. Models of more than two features are shown through one or two of
them, the others integrated out exactly. Features may be numbers, categories or counts; values and
labels may be missing. Regions, predictions, posteriors, confusion matrices, calibration and ROC
curves can be drawn of any fitted classifier with scikit-learn's methods.
Matplotlib is imported with the first function.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gaussbayes.plots.evaluation_plots import (
        calibration,
        comparison,
        confusion,
        importance,
        qq,
        roc,
    )
    from gaussbayes.plots.explanation_plot import explanation
    from gaussbayes.plots.line_plots import densities
    from gaussbayes.plots.pair_plots import scatter_matrix
    from gaussbayes.plots.probability_maps import evidence, joint, posterior
    from gaussbayes.plots.region_plots import ellipses, regions
    from gaussbayes.plots.row_plots import dataset, predictions

__all__ = [
    "calibration",
    "comparison",
    "confusion",
    "dataset",
    "densities",
    "ellipses",
    "evidence",
    "explanation",
    "importance",
    "joint",
    "posterior",
    "predictions",
    "qq",
    "regions",
    "roc",
    "scatter_matrix",
]

_MODULES = (
    *("evaluation_plots", "explanation_plot", "line_plots", "pair_plots", "probability_maps"),
    *("region_plots", "row_plots"),
)


def __getattr__(name: str) -> object:
    if name not in __all__:
        msg = f"module 'gaussbayes.plots' has no attribute {name!r}"
        raise AttributeError(msg)
    import_module(f"{__name__}.style").pyplot()  # or an error that names the extra
    for module in _MODULES:
        defined = vars(import_module(f"{__name__}.{module}"))
        globals().update({public: defined[public] for public in __all__ if public in defined})
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
