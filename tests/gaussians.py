"""Given Gaussians that several tests are about."""

from typing import Any

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.families.gaussian.parameters import Parameters, Structure, given

PRIORS, MEANS = [0.7, 0.2, 0.1], np.array([[0.0, 0.0], [3.0, 1.0], [-2.0, 6.0]])
COVARIANCES = np.array([[[2.0, -1.0], [-1.0, 2.0]], [[1.0, 0.3], [0.3, 0.5]], [[9.0, 0], [0, 4.0]]])


def model_of(priors: Any, means: Any, covariances: Any, *structure: Any) -> Parameters:
    """The parameters of classes called 0, 1, …"""
    k, d = np.shape(means)
    return given(Schema(np.arange(k), d), Structure(*structure), priors, means, covariances)
