"""Given models that several tests are about."""

from typing import Any

import numpy as np

from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import LabelledRows, Targets, number_rows
from gaussbayes.families.categorical.family import Categorical, CategoricalDensity
from gaussbayes.families.gaussian.density import given
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.structure import Structure, structure_of
from gaussbayes.model.fit import fit_model
from gaussbayes.model.model import Model
from gaussbayes.model.options import internal_options
from gaussbayes.model.settings import Component, Settings, class_priors
from gaussbayes.model.solution import Solution
from tests.strategies import Rows as LabelledNumbers

PRIORS, MEANS = [0.7, 0.2, 0.1], np.array([[0.0, 0.0], [3.0, 1.0], [-2.0, 6.0]])
COVARIANCES = np.array([[[2.0, -1.0], [-1.0, 2.0]], [[1.0, 0.3], [0.3, 0.5]], [[9.0, 0], [0, 4.0]]])


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


def structured_model(priors: Any, means: Any, covariances: Any, structure: Structure) -> Model:
    """The same with as much of full covariances (k, d, d) as a structure has."""
    values = {
        "full": covariances,
        "diagonal": np.einsum("mii->mi", covariances),
        "spherical": covariances[:, 0, 0],
    }[structure.covariance]
    shared = values[0] if structure.shared else values
    return model_of(priors, means, shared, structure.covariance, structure.sharing)


def fitted_model(rows: LabelledNumbers, structure: Structure) -> Model:
    """The model of labelled rows that Hypothesis drew, with its parameters."""
    options = internal_options(covariance=structure.covariance, shared=structure.shared_setting)
    targets = Targets(rows.codes, rows.n_classes, rows.weights)
    table = LabelledRows(number_rows(rows.X), targets, rows.schema.classes)
    return fit_model(table, rows.schema, options)[0]


def beside(model: Model, letters: CategoricalDensity) -> Model:
    """A model of Gaussians with categories beside them."""
    d, q = model.schema.n_features, len(letters.categories)
    components = (*model.components, Component(Categorical(), tuple(range(d, d + q))))
    schema = Schema(model.classes, d + q, None, tuple(range(d, d + q)))
    solution = Solution(model.prior, (*model.densities, letters))
    return Model(Settings(components), schema, None, solution)


def categorical_model(priors: Any, letters: CategoricalDensity) -> Model:
    """A model of categories alone."""
    k, q = letters.n_classes, len(letters.categories)
    schema = Schema(np.arange(k), q, None, tuple(range(q)))
    settings = Settings((Component(Categorical(), tuple(range(q))),))
    solution = Solution(class_priors(priors, schema, np.ones(k)), (letters,))
    return Model(settings, schema, None, solution)
