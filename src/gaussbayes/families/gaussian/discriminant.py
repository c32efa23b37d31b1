"""Parameters → the form in which rows are scored: the Gaussian density, written down once.

    log p(x, c) = log prior_c − ½ (d log 2π + log |Σ_c| + |W_c (x − mean_c)|²)

is quadratic in x. With one covariance for all classes the square of x is the same for each of them
and cancels in the posterior: what is left is linear, and d times cheaper. Of rows with missing
features the same density is taken of those that are there: the form is masked.
"""

from dataclasses import replace
from typing import Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from gaussbayes import kernels
from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.parameters import Parameters
from gaussbayes.families.gaussian.shapes import Full, correlation
from gaussbayes.kernels.forms import Form, Linear, Masked, Quadratic

Purpose: TypeAlias = Literal["log_joint", "log_likelihood", "distance", "posterior", "logarithm"]
"""What the scores are for: the last two are the posterior and its logarithm."""

_ROUNDING: dict[tuple[str, str], float] = {
    ("posterior", "d"): 2e-12,
    ("logarithm", "d"): 2e-14,
    ("posterior", "f"): 1e-5,
    ("logarithm", "f"): 1e-6,
}
"""What the linear form may lose, for float64 (d) and float32 (f) rows.

A posterior is judged by its absolute error, a log posterior, which may be near 0, by its relative
one.
"""

_prepared: "WeakKeyDictionary[Parameters, dict[tuple[str, ...], Any]]" = WeakKeyDictionary()


def prepared(
    parameters: Parameters, purpose: Purpose, dtype: "np.dtype[Any]", *, masked: bool = False
) -> Any:
    """The form laid out for the active kernels; kept for as long as the parameters live.

    A stream of single rows would otherwise spend its time laying out the same matrices.
    """
    active = kernels.active()
    known = _prepared.setdefault(parameters, {})
    key = (purpose, "masked" if masked else dtype.char, active.NAME, active.instruction_set())
    if key not in known:
        form = masked_form(parameters, purpose) if masked else form_for(parameters, purpose, dtype)
        known[key] = active.prepare(form, dtype)
    return known[key]


def form_for(parameters: Parameters, purpose: Purpose, dtype: "np.dtype[Any]") -> Form:
    """The cheapest form that is exact enough for its purpose and rows of `dtype`.

    Of two neighbours among far-off classes the linear form keeps but few digits: its terms grow
    with the squared distances of the means from the centre, and cancel. The quadratic form's terms
    are small near a mean, wherever that lies.
    """
    if purpose == "log_likelihood":
        return quadratic_form(parameters, 0.0)
    if purpose == "distance":
        form = quadratic_form(parameters, 0.0)
        return Quadratic(form.center, form.offset, form.whitener, np.zeros_like(form.log_constant))
    if purpose != "log_joint" and parameters.shared:
        white = _white_offset(parameters)
        spread = np.einsum("cj,cj->c", white, white).max()
        if spread * np.finfo(dtype).eps <= _ROUNDING[purpose, dtype.char]:
            return linear_form(parameters)
    return quadratic_form(parameters, parameters.log_prior)


def quadratic_form(parameters: Parameters, log_prior: FloatArray | float) -> Quadratic:
    """The log of prior times density.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.parameters import Structure, given
    >>> from gaussbayes.base.schema import Schema
    >>> schema = Schema(np.array(["a", "b"]), 1)
    >>> standard = given(schema, Structure(), "uniform", [[0], [0]], [[[1]], [[1]]])
    >>> quadratic_form(standard, 0.0).log_constant.round(6).tolist()  # −½ log 2π
    [-0.918939, -0.918939]
    """
    k, d = parameters.offset.shape
    shape = parameters.covariance
    log_constant = np.broadcast_to(log_prior - 0.5 * (d * np.log(2 * np.pi) + shape.log_det), (k,))
    return Quadratic(
        parameters.center, parameters.offset, shape.whitener, np.ascontiguousarray(log_constant)
    )


def linear_form(parameters: Parameters) -> Linear:
    """The score up to a term without the class, for a shared covariance.

    ``coefficient_c = Σ⁻¹ offset_c``, ``log_constant_c = log prior_c − ½ offset_cᵀ Σ⁻¹ offset_c``.
    """
    whitener = parameters.covariance.whitener[0]
    white = _white_offset(parameters)
    coefficient = white * whitener if whitener.ndim == 1 else white @ whitener
    log_constant = parameters.log_prior - 0.5 * np.einsum("cj,cj->c", white, white)
    return Linear(parameters.center, coefficient, log_constant)


def masked_form(parameters: Parameters, purpose: Purpose) -> Masked:
    """The form for rows with missing features, whatever they lack.

    Examples
    --------
    >>> from gaussbayes.families.gaussian.parameters import Structure, given
    >>> from gaussbayes.base.schema import Schema
    >>> covariance = [[4.0, 3.0], [3.0, 9.0]]
    >>> shared = Structure(shared=True)
    >>> model = given(Schema(np.array(["a", "b"]), 2), shared, None, np.zeros((2, 2)), covariance)
    >>> form = masked_form(model, "log_likelihood")
    >>> form.scale.round(4).tolist(), float(form.correlation[0, 0, 1])
    ([[0.5, 0.3333]], 0.5)
    """
    shape = parameters.covariance
    m, d = shape.log_det.shape[0], parameters.center.shape[0]
    if isinstance(shape, Full):
        scale = 1.0 / np.sqrt(np.einsum("mii->mi", shape.covariance))
        correlations = correlation(shape.covariance)
    else:
        scale, correlations = shape.whitener, np.empty((m, 0, 0))
    density = purpose != "distance"
    log_feature = np.log(scale) - 0.5 * np.log(2 * np.pi) if density else np.zeros((m, d))
    with_prior = purpose not in {"distance", "log_likelihood"}
    log_constant = parameters.log_prior if with_prior else np.zeros(parameters.prior.shape)
    return Masked(
        parameters.center,
        parameters.offset,
        scale,
        correlations,
        log_feature,
        log_constant,
        density,
    )


def only(form: Form, classes: list[int]) -> Form:
    """The form of some of the classes."""
    if isinstance(form, Masked):
        own = slice(None) if form.scale.shape[0] == 1 else classes
        return replace(
            form,
            offset=form.offset[classes],
            scale=form.scale[own],
            correlation=form.correlation[own],
            log_feature=form.log_feature[own],
            log_constant=form.log_constant[classes],
        )
    if isinstance(form, Linear):
        return Linear(form.center, form.coefficient[classes], form.log_constant[classes])
    whitener = form.whitener if form.whitener.shape[0] == 1 else form.whitener[classes]
    return Quadratic(form.center, form.offset[classes], whitener, form.log_constant[classes])


def _white_offset(parameters: Parameters) -> FloatArray:
    """The means' offsets from the centre in units of a shared covariance: ``W offset_c`` (k, d)."""
    whitener = parameters.covariance.whitener[0]
    white: FloatArray = (
        parameters.offset * whitener if whitener.ndim == 1 else parameters.offset @ whitener.T
    )
    return white
