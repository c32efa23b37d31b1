"""Arrays in the records of discrete families: weights, and logarithms of probabilities."""

import numpy as np
from msgspec import Raw

from gaussbayes.base.records import floats, numbers, refuse
from gaussbayes.base.types import FloatArray


def weights(array: Raw, place: str, shape: tuple[int, ...], each: str) -> FloatArray:
    """Finite numbers of this shape, none of them negative.

    Examples
    --------
    >>> weights(Raw(b"[1, 2.5]"), "weight", (2,), "class").tolist()
    [1.0, 2.5]
    """
    values = floats(array, place, int(np.prod(shape)), f", one for each {each}")
    wrong = values < 0
    if wrong.any():
        at = int(np.argmax(wrong))
        refuse(f"{place}[{at}]", "a finite number, not negative", values[at])
    return values.reshape(shape)


def logarithms(values: FloatArray, place: str) -> Raw:
    """Logarithms of probabilities as an array, in which null stands for −∞.

    Examples
    --------
    >>> bytes(logarithms(np.array([-0.5, -np.inf]), "log_probability"))
    b'[-0.5,null]'
    """
    return numbers(np.where(np.isneginf(values), np.nan, values), place, missing=True)


def log_probabilities(array: Raw, place: str, shape: tuple[int, ...], each: str) -> FloatArray:
    """Logarithms of probabilities of this shape, none of them above 0; null is −∞.

    Examples
    --------
    >>> log_probabilities(Raw(b"[-0.5, null]"), "log_probability", (1, 2), "class").tolist()
    [[-0.5, -inf]]
    """
    count = int(np.prod(shape))
    values = floats(array, place, count, f", one for each {each}", missing=True)
    values[np.isnan(values)] = -np.inf
    wrong = values > 0
    if wrong.any():
        at = int(np.argmax(wrong))
        refuse(f"{place}[{at}]", "the logarithm of a probability, not above 0", values[at])
    return values.reshape(shape)
