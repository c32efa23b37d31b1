"""Ellipses of Gaussians in the plane, and their axes, which the page has handles on."""

from typing import Any

import numpy as np

from gaussbayes.analysis.ellipse import ellipse, half_axes
from gaussbayes.apps.lab.work.sight import Gaussians
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.parameters import Parameters

SIGMAS = (1, 2, 3)
_N_POINTS = 61
"""Six degrees between neighbours: they go with every frame, and the page draws them smoothly."""

_DIGITS = 6


def covariances(parameters: Parameters) -> FloatArray:
    """The covariance of each class (k, d, d), also where they share one."""
    k, d = parameters.offset.shape
    return np.broadcast_to(parameters.covariance.dense(), (k, d, d))


def ellipses(found: Gaussians) -> list[dict[str, Any]]:
    """The ellipses of 1, 2 and 3 standard deviations of every class."""
    gaussians = found.parameters
    drawn = []
    for code, mean, covariance in zip(
        found.classes.tolist(), gaussians.mean, covariances(gaussians), strict=True
    ):
        # All are the first one, stretched.
        about = ellipse(np.zeros(2), covariance, 1.0, _N_POINTS)
        digits = _decimals(float(np.abs(about).max()))
        for sigma in SIGMAS:
            points = (mean + sigma * about).round(digits)
            x, y = points.T.tolist()
            drawn.append({"class": code, "sigma": sigma, "x": x, "y": y})
    return drawn


def axes(found: Gaussians) -> list[dict[str, Any]]:
    """The centre of every class and the ends of its half axes, the longer one first."""
    gaussians = found.parameters
    drawn = []
    for code, mean, covariance in zip(
        found.classes.tolist(), gaussians.mean, covariances(gaussians), strict=True
    ):
        ends = mean + half_axes(covariance)
        drawn.append({"class": code, "center": mean.tolist(), "ends": ends.tolist()})
    return drawn


def _decimals(size: float) -> int:
    """Decimals that show so many digits of numbers of this size."""
    return _DIGITS - int(np.floor(np.log10(size))) if size > 0 else _DIGITS
