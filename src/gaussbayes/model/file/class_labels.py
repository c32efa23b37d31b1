"""Labels of classes, of a closed list of types, and priors that were given ↔ records."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, get_args

import numpy as np
from msgspec import Raw

from gaussbayes.base.errors import PriorError
from gaussbayes.base.records import (
    MOST_STRINGS,
    check_label,
    floats,
    is_null,
    labels,
    numbers,
    refuse,
    scalars,
)
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.model.file.document import LARGEST_LABELS, ClassesRecord, LabelType, PriorsRecord
from gaussbayes.model.settings import Priors, class_priors


def write_classes(classes: LabelArray) -> ClassesRecord:
    """The labels as a record."""
    name: Any = {"U": "str", "O": "object", "T": "string"}.get(
        classes.dtype.kind, classes.dtype.name
    )
    plain = name != "string" or classes.dtype == np.dtypes.StringDType()
    if name not in get_args(LabelType) or not plain:
        refuse("type", "labels that are strings, numbers or booleans; convert them", name)
    width = max(1, classes.dtype.itemsize // 4) if name == "str" else None
    _check_number(len(classes), width)
    return ClassesRecord(name, width, labels(classes, "labels"))


def read_classes(record: ClassesRecord) -> LabelArray:
    """The array of labels, sorted and all different."""
    kind, width = record.type, record.width
    if (kind == "str") != (width is not None):
        refuse("width", "the number of characters of type str, else null", repr(width))
    values = scalars(record.labels, "labels", "labels")
    _check_number(len(values), width)
    for c, label in enumerate(values):
        check_label(label, f"labels[{c}]")
    for c, (before, after) in enumerate(pairwise(values), start=1):
        if not _sorted(before, after):
            expected = f"a label that comes after {before!r:.80}: they are sorted and different"
            refuse(f"labels[{c}]", expected, f"{after!r:.80}")
    array = _array(values, kind, width)
    for c, (label, back) in enumerate(zip(values, array.tolist(), strict=True)):
        # Out of range, or wider than the array.
        fits = type(back) is type(label) or (kind.startswith("float") and type(label) is int)
        if not fits or back != label:
            wide = "" if width is None else f" and up to {width} characters"
            refuse(f"labels[{c}]", f"a label of type {kind}{wide}", f"{label!r:.80}")
    return array


def _sorted(before: Any, after: Any) -> bool:
    try:
        return bool(before < after)
    except TypeError:
        return False


def _array(values: Sequence[Any], kind: LabelType, width: int | None) -> LabelArray:
    """Labels as an array of a type, which they may not fit."""
    if kind == "object":
        return np.fromiter(values, dtype=object, count=len(values))
    held: dict[str, tuple[Any, type]] = {
        "str": (f"U{width}", str),
        "string": (np.dtypes.StringDType(), str),
        "bool": (np.bool_, bool),
    }
    dtype, allowed = held.get(kind, (kind, int))
    floating = kind.startswith("float")
    for c, label in enumerate(values):
        good = type(label) is allowed or (floating and type(label) is float and label.is_integer())
        if good and kind[:3] in {"int", "uin"}:
            good = np.iinfo(kind).min <= label <= np.iinfo(kind).max
        if not good:
            what = "an integer" if allowed is int else "a label"
            refuse(f"labels[{c}]", f"{what} of type {kind}", f"{label!r:.80}")
    with np.errstate(over="ignore"):
        return np.array([float(v) for v in values] if floating else values, dtype)


def _check_number(count: int, width: int | None) -> None:
    if count == 0:
        refuse("labels", "at least one class: a model keeps what it has learnt from rows", "none")
    if count > MOST_STRINGS or count * (width or 0) > LARGEST_LABELS:
        expected = (
            f"at most {MOST_STRINGS:,} classes, and {LARGEST_LABELS:,} characters with every label "
            "as wide as the widest (labels of dtype object are not)"
        )
        refuse("labels", expected, f"{count:,} classes of {width or 1:,} characters")


# Priors.


def write_priors(priors: Priors, classes: LabelArray) -> Any:
    """Priors as a record: null, "uniform", or numbers by label in the order of the labels."""
    if priors is None or isinstance(priors, str):
        if priors not in {None, "uniform"}:
            refuse("", "null, 'uniform' or numbers", f"{priors!r:.80}")
        return priors
    if not isinstance(priors, Mapping):
        return PriorsRecord(Raw(b"null"), numbers(_numbers(priors), "values"))
    known = {label: label for label in classes.tolist()}  # 1 and 1.0 are one label: the model's
    plain = [_plain(known.get(label, label)) for label in priors]
    for at, label in enumerate(plain):
        check_label(label, f"labels[{at}]")
    values = _numbers(list(priors.values())).tolist()
    # Numbers before strings: labels of one kind have an order, those of both have this one.
    pairs = sorted(zip(plain, values, strict=True), key=lambda p: (isinstance(p[0], str), p[0]))
    return PriorsRecord(
        labels([label for label, _ in pairs], "labels"),
        numbers(np.array([prior for _, prior in pairs]), "values"),
    )


def read_priors(record: PriorsRecord | str | None, classes: LabelArray) -> Priors:
    """Priors of the classes, and perhaps of some that are still to come."""
    if record is None or isinstance(record, str):
        return record
    if is_null(record.labels):
        values = floats(record.values, "values", None, longest=MOST_STRINGS)
        if values.size < len(classes):
            refuse("values", f"a prior for each of the {len(classes)} classes", str(values.size))
        return list(_checked(values).tolist())
    known = scalars(record.labels, "labels", "labels")
    for at, label in enumerate(known):
        check_label(label, f"labels[{at}]")
    values = floats(record.values, "values", len(known), ", one for each label")
    if len(set(known)) < len(known):
        refuse("labels", "labels that are all different")
    absent = [label for label in classes.tolist() if label not in set(known)]
    if absent:
        refuse("labels", f"those of all classes, also {absent[0]!r:.80}")
    return dict(zip(known, _checked(values).tolist(), strict=True))


def check_prior(prior: FloatArray, schema: Schema, place: str) -> FloatArray:
    """Priors of classes (k,), if they are a distribution over them."""
    try:
        with np.errstate(over="ignore"):
            return class_priors(prior, schema, prior)
    except PriorError as error:
        refuse(place, f"finite priors, none below 0, that sum to 1: {error}")


def _checked(values: FloatArray) -> FloatArray:
    return check_prior(values, Schema(np.arange(values.size), 0), "values")


def _numbers(priors: object) -> FloatArray:
    try:
        return np.array(priors, dtype=np.float64)
    except (TypeError, ValueError):
        refuse("", "null, 'uniform' or numbers", f"{priors!r:.80}")


def _plain(label: object) -> Any:
    return label.item() if isinstance(label, np.generic) else label
