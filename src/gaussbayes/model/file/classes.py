"""The labels of the classes: an array of one of a closed list of types ↔ JSON."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gaussbayes.base.types import LabelArray
from gaussbayes.model.file.fields import choice, entries, members, refuse, writable
from gaussbayes.model.file.limits import LARGEST_LABELS, MOST_TEXTS

WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
TYPES = ("text", "string", "object", "bool", *WHOLE, *FLOATS)
"""Text of a fixed width, NumPy's StringDType, Python objects, truth values, numbers."""

_LABEL = "a text, a whole number of 64 bits, a finite number or a truth value"


def write(classes: LabelArray) -> dict[str, Any]:
    """The labels as plain values.

    Examples
    --------
    >>> write(np.array(["no", "yes"]))
    {'type': 'text', 'width': 3, 'labels': ['no', 'yes']}
    >>> write(np.array([0, 1], dtype=np.int8))
    {'type': 'int8', 'width': None, 'labels': [0, 1]}
    """
    name = _type_of(classes)
    width = max(1, classes.dtype.itemsize // 4) if name == "text" else None
    _refuse_number(len(classes), width)
    labels = [write_label(label, f"classes.labels[{c}]") for c, label in enumerate(classes)]
    _refuse_disorder(labels)
    return {"type": name, "width": width, "labels": labels}


def read(value: object) -> LabelArray:
    """The array of labels, sorted and all different.

    Examples
    --------
    >>> read({"type": "text", "width": 3, "labels": ["no", "yes"]})
    array(['no', 'yes'], dtype='<U3')
    """
    kind, width, found = members(value, "classes", ["type", "width", "labels"])
    choice(kind, "classes.type", TYPES)
    good = type(width) is int and width > 0 if kind == "text" else width is None
    if not good:
        refuse("classes.width", "the number of characters of type text, else null", width)
    labels = entries(found, "classes.labels", "an array of labels")
    _refuse_number(len(labels), width)
    for c, label in enumerate(labels):
        if not _possible(label):
            refuse(f"classes.labels[{c}]", _LABEL, label)
    _refuse_disorder(labels)
    array = _array(labels, kind, width)
    back = array.tolist()
    for c, label in enumerate(labels):  # another type, out of range, or wider than the array
        fits = type(back[c]) is type(label) or (kind in FLOATS and type(label) is int)
        if not fits or back[c] != label:
            wide = "" if width is None else f" and up to {width} characters"
            refuse(f"classes.labels[{c}]", f"a label of type {kind}{wide}", label)
    return array


def write_label(label: object, place: str) -> Any:
    """A label as a plain value."""
    if isinstance(label, np.generic):
        label = label.item()
    if type(label) is str:
        return writable(label, place)
    return read_label(label, place)


def read_label(label: object, place: str) -> Any:
    """A label, if it is of one of the kinds that a file can hold."""
    if not _possible(label):
        refuse(place, _LABEL, label)
    return label


def _possible(label: object) -> bool:
    if type(label) is int:
        return -(1 << 63) <= label < 1 << 64
    return type(label) in {str, bool} or (type(label) is float and math.isfinite(label))


def _type_of(classes: LabelArray) -> str:
    kind, name = classes.dtype.kind, classes.dtype.name
    if kind == "U":
        return "text"
    if kind == "O":
        return "object"
    if kind == "T" and classes.dtype == np.dtypes.StringDType():
        return "string"
    if name not in TYPES:
        refuse("classes.type", "labels that are text, numbers or truth values; convert them", name)
    return name


def _array(labels: Sequence[Any], kind: str, width: int | None) -> LabelArray:
    if kind == "object":
        return np.fromiter(labels, dtype=object, count=len(labels))
    if kind == "text":
        return np.array(_all(labels, str, kind), dtype=f"U{width}")
    if kind == "string":
        return np.array(_all(labels, str, kind), dtype=np.dtypes.StringDType())
    if kind == "bool":
        return np.array(_all(labels, bool, kind), dtype=np.bool_)
    if kind in WHOLE:
        least, most = np.iinfo(kind).min, np.iinfo(kind).max
        for c, label in enumerate(_all(labels, int, kind)):
            if not least <= label <= most:
                refuse(f"classes.labels[{c}]", f"a whole number of type {kind}", label)
        return np.array(labels, dtype=kind)
    for c, label in enumerate(labels):
        if type(label) not in {int, float} or label != int(label):
            refuse(f"classes.labels[{c}]", f"a whole number of type {kind}", label)
    with np.errstate(over="ignore"):
        return np.array([float(label) for label in labels]).astype(kind)


def _all(labels: Sequence[Any], kind: type, name: str) -> Sequence[Any]:
    for c, label in enumerate(labels):
        if type(label) is not kind:
            refuse(f"classes.labels[{c}]", f"a label of type {name}", label)
    return labels


def _refuse_disorder(labels: Sequence[Any]) -> None:
    for c, (before, after) in enumerate(pairwise(labels), start=1):
        try:
            ordered = before < after
        except TypeError:
            ordered = False
        if not ordered:
            expected = f"a label that comes after {before!r:.80}: they are sorted and different"
            refuse(f"classes.labels[{c}]", expected, after)


def _refuse_number(count: int, width: int | None) -> None:
    if count == 0:
        expected = "at least one class: a model keeps what it has learnt from rows"
        refuse("classes.labels", expected, "none")
    if count > MOST_TEXTS or count * (width or 0) > LARGEST_LABELS:
        expected = (
            f"at most {MOST_TEXTS:,} classes, and {LARGEST_LABELS:,} characters with every label "
            "as wide as the widest (labels of dtype object are not)"
        )
        refuse("classes.labels", expected, f"{count:,} classes of {width or 1:,} characters")
