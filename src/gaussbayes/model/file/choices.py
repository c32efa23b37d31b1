"""The settings that turn moments into parameters ↔ JSON."""

import sys
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from gaussbayes.base.errors import ParameterError, PriorError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CovarianceName, Divisor, FloatArray, LabelArray
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.families.gaussian.shrinkage import Shrinkage, check_shrinkage
from gaussbayes.model.file.classes import read_label, write_label
from gaussbayes.model.file.fields import choice, entries, floats, members, refuse
from gaussbayes.model.file.numbers import Numbers
from gaussbayes.model.prior import Priors, class_priors
from gaussbayes.model.settings import Settings, structure_of

_NAMES = ("covariance", "shared", "priors", "divisor", "shrinkage")
_OPTIONAL = ("smoothing",)
"""Left out where it is 0, as in files of models of numbers alone."""

_PRIORS = "settings.priors"


def write(settings: Settings, classes: LabelArray) -> dict[str, Any]:
    """The settings as plain values; priors by label in the order of the labels.

    Examples
    --------
    >>> chosen = Settings(Structure(), {"b": 0.25, "a": 0.75}, "mle", None)
    >>> write(chosen, np.array(["a", "b"]))["priors"]
    {'labels': ['a', 'b'], 'values': [0.75, 0.25]}
    """
    written: dict[str, Any] = {
        "covariance": settings.structure.covariance,
        "shared": settings.structure.sharing,
        "priors": _write_priors(settings.priors, classes),
        "divisor": settings.divisor,
        "shrinkage": settings.shrinkage,
    }
    if settings.smoothing:
        written["smoothing"] = _smoothing(float(settings.smoothing))
    return written


def read(value: object, classes: LabelArray) -> Settings:
    """The settings of a model of these classes."""
    found = members(value, "settings", _NAMES, _OPTIONAL)
    covariance, shared, priors, divisor, shrinkage, smoothing = found
    choice(covariance, "settings.covariance", get_args(CovarianceName))
    choice(divisor, "settings.divisor", get_args(Divisor))
    return Settings(
        _structure(covariance, shared),
        _read_priors(priors, classes),
        divisor,
        _shrinkage(shrinkage),
        0.0 if smoothing is None else _smoothing(smoothing),
    )


def _smoothing(value: Any) -> float:
    """Smoothing that a file spells out; 0 is left out, so that there is one way to say it."""
    if type(value) not in {int, float} or not 0 < value <= sys.float_info.max:
        refuse("settings.smoothing", "a finite number above 0, or no such member", value)
    return float(value)


def _structure(covariance: CovarianceName, shared: object) -> Structure:
    # 0 and 1 are written as false and true: a model has one file.
    if not isinstance(shared, bool) and not (isinstance(shared, float) and 0 < shared < 1):
        refuse("settings.shared", "true, false or a number between 0 and 1", shared)
    return structure_of(covariance, shared)


def _shrinkage(value: object) -> Shrinkage:
    try:
        return check_shrinkage(value)
    except (ParameterError, OverflowError):
        refuse("settings.shrinkage", "null, 'oas' or a number from 0 to 1", value)


def _write_priors(priors: Priors, classes: LabelArray) -> Any:
    if priors is None or isinstance(priors, str):
        return _word(priors)
    if not isinstance(priors, Mapping):
        return _checked(_numbers(priors), _PRIORS, len(classes)).tolist()
    own = dict(zip(classes.tolist(), classes, strict=True))  # 1 and 1.0 are one label: the model's
    labels = [write_label(own.get(label, label), f"{_PRIORS}.labels") for label in priors]
    values = _checked(_numbers(list(priors.values())), f"{_PRIORS}.values", 0)
    pairs = sorted(zip(labels, values.tolist(), strict=True), key=_rank)
    _refuse_absent([label for label, _ in pairs], classes)
    return {"labels": [label for label, _ in pairs], "values": [prior for _, prior in pairs]}


def _read_priors(value: object, classes: LabelArray) -> Priors:
    if value is None or isinstance(value, str):
        return _word(value)
    if isinstance(value, Numbers):
        numbers = floats(value, _PRIORS, None)
        return list(_checked(numbers, _PRIORS, len(classes)).tolist())
    if not isinstance(value, dict):
        refuse(_PRIORS, "null, 'uniform', an array of numbers, or labels and values", value)
    found, shares = members(value, _PRIORS, ["labels", "values"])
    labels = entries(found, f"{_PRIORS}.labels", "an array of labels")
    for number, label in enumerate(labels):
        read_label(label, f"{_PRIORS}.labels[{number}]")
    priors = floats(shares, f"{_PRIORS}.values", len(labels), ", one for each label")
    _checked(priors, f"{_PRIORS}.values", 0)
    if len(set(labels)) < len(labels):
        refuse(f"{_PRIORS}.labels", "labels that are all different", labels)
    _refuse_absent(labels, classes)
    return dict(zip(labels, priors.tolist(), strict=True))


def _word(priors: str | None) -> str | None:
    if priors not in {None, "uniform"}:
        refuse(_PRIORS, "null, 'uniform' or numbers", priors)
    return priors


def _numbers(priors: object) -> FloatArray:
    try:
        return np.array(priors, dtype=np.float64)
    except (TypeError, ValueError):
        refuse(_PRIORS, "null, 'uniform' or numbers", priors)


def _checked(priors: FloatArray, place: str, least: int) -> FloatArray:
    """Priors that sum to 1, of the classes seen so far and perhaps some that are still to come."""
    if priors.ndim != 1 or priors.size < least:
        refuse(place, f"a prior for each of the {least} classes", f"{priors.size} of them")
    return as_priors(priors, Schema(np.arange(priors.size), 0), place)


def as_priors(priors: FloatArray, schema: Schema, place: str) -> FloatArray:
    """Priors of classes, if they are a distribution over them."""
    try:
        with np.errstate(over="ignore"):
            return class_priors(priors, schema, priors)
    except PriorError as error:
        refuse(place, "finite priors, none below 0, that sum to 1", f"others: {error}")


def _refuse_absent(labels: list[Any], classes: LabelArray) -> None:
    known = set(labels)
    absent = [label for label in classes.tolist() if label not in known]
    if absent:
        refuse(f"{_PRIORS}.labels", f"a prior for each class, also {absent[0]!r:.80}", labels)


def _rank(pair: tuple[Any, float]) -> tuple[bool, Any]:
    """Numbers before texts: labels of one kind have an order, those of both have this one."""
    return isinstance(pair[0], str), pair[0]
