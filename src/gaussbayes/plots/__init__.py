"""Pictures of models and data, with matplotlib.

Each function takes a fitted classifier, or the rows, and draws on the axes given as `ax` (pictures
of several panels: in the figure given as `figure`) or on new ones, which it returns. Models of
more than two features are shown through a pair of them, the others integrated out exactly.
"""

from gaussbayes.plots.calibration import calibration, posterior_histogram
from gaussbayes.plots.compared import comparison
from gaussbayes.plots.confusion import confusion, confusion_matrix
from gaussbayes.plots.dataset import dataset
from gaussbayes.plots.ellipses import ellipses
from gaussbayes.plots.explanation import explanation
from gaussbayes.plots.generative import generative_and_discriminative
from gaussbayes.plots.maps import evidence, joint, joints, posterior, posteriors
from gaussbayes.plots.neighbors import neighbors_error
from gaussbayes.plots.pairs import pairs
from gaussbayes.plots.predictions import predictions
from gaussbayes.plots.regions import regions
from gaussbayes.plots.shapes import shapes, sharing
from gaussbayes.plots.surface import evidence_surface
from gaussbayes.plots.univariate import densities, posterior_curve, univariate

__all__ = [
    "calibration",
    "comparison",
    "confusion",
    "confusion_matrix",
    "dataset",
    "densities",
    "ellipses",
    "evidence",
    "evidence_surface",
    "explanation",
    "generative_and_discriminative",
    "joint",
    "joints",
    "neighbors_error",
    "pairs",
    "posterior",
    "posterior_curve",
    "posterior_histogram",
    "posteriors",
    "predictions",
    "regions",
    "shapes",
    "sharing",
    "univariate",
]
