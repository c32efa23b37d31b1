"""Given models that several tests are about."""

from typing import Any

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import LabelledRows, Targets, number_rows
from gaussbayes.families.gaussian.density import given
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.structure import Structure, structure_of
from gaussbayes.model.fit import fit_model
from gaussbayes.model.model import Model
from gaussbayes.model.options import internal_options
from gaussbayes.model.settings import Component, Settings, class_priors
from gaussbayes.model.solution import Solution
from tests.strategies import Rows as LabelledNumbers


def model_of(
    priors: Any, means: Any, covariances: Any, covariance: str = "full", shared: Any = False
) -> Model:
    """Gaussians of classes called 0, 1, …"""
    k, d = np.shape(means)
    schema, structure = Schema(np.arange(k), d), structure_of(covariance, shared)
    density = given(schema, structure, means, covariances)
    settings = Settings((Component(Gaussian(structure), tuple(range(d))),))
    solution = Solution(class_priors(priors, schema, np.ones(k)), (density,))
    return Model(settings, schema, None, solution)


def fitted_model(rows: LabelledNumbers, structure: Structure) -> Model:
    """The model of labelled rows that Hypothesis drew, with its parameters."""
    options = internal_options(covariance=structure.covariance, shared=structure.shared_setting)
    targets = Targets(rows.codes, rows.n_classes, rows.weights)
    table = LabelledRows(number_rows(rows.X), targets, rows.schema.classes)
    return fit_model(table, rows.schema, options)[0]
