"""Figures of models and data, with matplotlib.

Each function takes a fitted classifier, or the rows, and draws on the axes given as `ax` (figures
of several panels: in the figure given as `figure`) or on new ones, which it returns. Models of
more than two features are shown through one or two of them, the others integrated out exactly.
Features may be numbers, categories or counts; rows may have missing values and missing labels.
Regions, predictions, confusion matrices, posteriors and calibration can be drawn of any fitted
classifier with scikit-learn's methods.
Matplotlib is imported when the first function is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gaussbayes.plots.covariance_plots import ellipses, shapes, sharing
    from gaussbayes.plots.discriminant_plots import discriminant_plane
    from gaussbayes.plots.evaluation_plots import (
        calibration,
        comparison,
        confusion,
        confusion_matrix,
        neighbors_error,
        posterior_histogram,
    )
    from gaussbayes.plots.explanation_plot import explanation
    from gaussbayes.plots.line_plots import densities, generative_and_discriminative, univariate
    from gaussbayes.plots.pair_plots import pairs
    from gaussbayes.plots.probability_maps import (
        evidence,
        joint,
        joints,
        posterior,
        posteriors,
    )
    from gaussbayes.plots.region_plots import regions
    from gaussbayes.plots.row_plots import dataset, predictions

__all__ = [
    "calibration",
    "comparison",
    "confusion",
    "confusion_matrix",
    "dataset",
    "densities",
    "discriminant_plane",
    "ellipses",
    "evidence",
    "explanation",
    "generative_and_discriminative",
    "joint",
    "joints",
    "neighbors_error",
    "pairs",
    "posterior",
    "posterior_histogram",
    "posteriors",
    "predictions",
    "regions",
    "shapes",
    "sharing",
    "univariate",
]

_MODULES = (
    "covariance_plots discriminant_plots evaluation_plots explanation_plot line_plots pair_plots "
)
_MODULES += "probability_maps region_plots row_plots"


def __getattr__(name: str) -> Any:
    if name in _MODULES.split():
        return import_module(f"{__name__}.{name}")
    if name not in __all__:
        msg = f"module 'gaussbayes.plots' has no attribute {name!r}"
        raise AttributeError(msg)
    import_module(f"{__name__}.style").pyplot()  # or an error that says how to get it
    for module in _MODULES.split():
        defined = vars(import_module(f"{__name__}.{module}"))
        globals().update({each: defined[each] for each in __all__ if each in defined})
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
