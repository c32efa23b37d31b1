"""Figures of models and data, drawn with matplotlib.

Each function takes a fitted classifier, rows, or a result, draws on the axes given as `ax` or on
new ones, and returns the axes. Models of more than two features are shown through one or two of
them, the others integrated out exactly. Features may be numbers, categories or counts; values and
labels may be missing. Regions, predictions, posteriors, confusion matrices, calibration and ROC
curves can be drawn of any fitted classifier with scikit-learn's methods.
"""

from importlib.util import find_spec

if find_spec("matplotlib") is None:
    msg = "figures need matplotlib, which is not installed: pip install 'gaussbayes[plot]'"
    raise ImportError(msg)

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
