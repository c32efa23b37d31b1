"""The parameters of a model that saw no rows ↔ JSON."""

from typing import Any

import numpy as np

from gaussbayes.base.errors import ModelFileError, ParameterError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.parameters import Parameters, Structure
from gaussbayes.families.gaussian.shapes import Full, Shape, diagonal, full, spherical
from gaussbayes.model.file import triangle
from gaussbayes.model.file.choices import as_priors
from gaussbayes.model.file.fields import floats, members, refuse

_NAMES = ("prior", "center", "offset", "covariance")


def write(parameters: Parameters) -> dict[str, Any]:
    """The parameters with flat arrays; full covariances as lower triangles."""
    shape = parameters.covariance
    if isinstance(shape, Full):
        values = triangle.pack(shape.covariance, "parameters.covariance")
    else:
        values = shape.variance
    return {
        "prior": parameters.prior,
        "center": parameters.center,
        "offset": parameters.offset,
        "covariance": values,
    }


def read(value: object, schema: Schema, structure: Structure) -> Parameters:
    """The parameters of the classes and features of the schema."""
    k, d = schema.classes.shape[0], schema.n_features
    prior, center, offset, covariance = members(value, "parameters", _NAMES)
    if k < 2:
        refuse("classes.labels", "at least two classes where there are parameters", f"{k} of them")
    found = Parameters(
        as_priors(floats(prior, "parameters.prior", k), schema, "parameters.prior"),
        floats(center, "parameters.center", d, ", one for each feature"),
        floats(offset, "parameters.offset", k * d, ", one for each class and feature").reshape(
            k, d
        ),
        _read_covariance(covariance, schema, structure),
    )
    with np.errstate(over="ignore"):
        mean = found.mean
    if not np.isfinite(mean).all():
        at = int(np.argmin(np.isfinite(mean)))
        refuse(f"parameters.offset[{at}]", "a finite mean, center + offset", mean.flat[at])
    return found


def _read_covariance(value: object, schema: Schema, structure: Structure) -> Shape:
    place = "parameters.covariance"
    d, m = schema.n_features, 1 if structure.shared else schema.classes.shape[0]
    kind = structure.covariance
    count = m * {"full": triangle.size(d), "diagonal": d, "spherical": 1}[kind]
    values = floats(value, place, count, f", {m} {kind} covariance{'' if m == 1 else 's'}")
    if kind == "full":
        values = triangle.unpack(values, m, d)
        triangle.refuse_impossible(values, place)
    try:
        with np.errstate(all="ignore"):
            shape = _shape(values, schema, structure)
    except (ParameterError, np.linalg.LinAlgError) as error:
        msg = f"{place}: expected covariances that are positive definite: {error}"
        raise ModelFileError(msg) from None
    if not (np.isfinite(shape.whitener).all() and np.isfinite(shape.log_det).all()):
        msg = f"{place}: expected covariances that can be inverted; these are too large or small"
        raise ModelFileError(msg)
    return shape


def _shape(values: FloatArray, schema: Schema, structure: Structure) -> Shape:
    if structure.covariance == "spherical":
        return spherical(values, schema)
    if structure.covariance == "diagonal":
        return diagonal(values.reshape(-1, schema.n_features), schema)
    return full(values, schema)
