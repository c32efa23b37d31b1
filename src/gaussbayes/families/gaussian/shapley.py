"""What each feature adds to the log-odds of two classes, compared with a reference point.

The log-odds are a quadratic of the row, ``g(x) = ½ xᵀA x + bᵀx + c``. What feature i adds to them
on the way from a reference point r to x is its Shapley value: the mean, over all orders in which
the features may change from r's values to x's one after the other, of the change that i brings.
For a quadratic that mean has a closed form, by the gradient of g halfway between the two points:

    φᵢ = (xᵢ − rᵢ)(bᵢ + ½ Σⱼ Aᵢⱼ (xⱼ + rⱼ)) = (xᵢ − rᵢ) ∂g/∂xᵢ((x + r) / 2),   Σ φᵢ = g(x) − g(r)

Priors shift g as a whole and are in no φ.
"""

from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.parameters import Parameters


def shapley_values(
    parameters: Parameters, a: int, b: int, place: FloatArray, reference: FloatArray
) -> FloatArray:
    """The Shapley values (d,) of ``log p(a | x) − log p(b | x)`` for classes given by number.

    They sum to the difference of the log-odds but for rounding, a few ε of the values themselves
    and of the squared distances of both points; where features are nearly collinear these are far
    larger than their sum.

    Parameters
    ----------
    place, reference : (d,) the two points, as offsets from the model's centre

    Examples
    --------
    >>> import numpy as np
    >>> from gaussbayes.families.gaussian.parameters import Structure, given
    >>> from gaussbayes.base.schema import Schema
    >>> schema = Schema(np.array(["no", "yes"]), 2)
    >>> model = given(schema, Structure("diagonal"), None, [[0, 0], [2, 4]], np.ones((2, 2)))
    >>> row, reference = np.array([2.0, 3.0]), np.array([1.0, 2.0])
    >>> shapley_values(model, 1, 0, row - model.center, reference - model.center).tolist()
    [2.0, 4.0]
    """
    halfway = place + (reference - place) / 2
    values: FloatArray = (place - reference) * _gradient(parameters, a, b, halfway)
    return values


def _gradient(parameters: Parameters, a: int, b: int, point: FloatArray) -> FloatArray:
    """``∂g/∂x = Σ_b⁻¹ (x − mean_b) − Σ_a⁻¹ (x − mean_a)`` (d,) at an offset from the centre."""
    whitener, offset = parameters.covariance.whitener, parameters.offset
    if parameters.shared:  # x cancels: the log-odds are linear
        return _times_precision(whitener[0], offset[a] - offset[b])
    towards_a = _times_precision(whitener[a], offset[a] - point)
    return towards_a - _times_precision(whitener[b], offset[b] - point)


def _times_precision(whitener: FloatArray, vector: FloatArray) -> FloatArray:
    """``Σ⁻¹ v = Wᵀ W v`` (d,), with W a matrix or the diagonal of one."""
    white: FloatArray = whitener * vector if whitener.ndim == 1 else whitener @ vector
    back: FloatArray = whitener * white if whitener.ndim == 1 else whitener.T @ white
    return back
