"""The categories of the features that hold some, and what each weighs in each class ↔ JSON."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from gaussbayes.base.errors import ModelFileError
from gaussbayes.base.types import FloatArray
from gaussbayes.families.categorical.counts import ClassCounts
from gaussbayes.model.file.fields import (
    entries,
    floats,
    members,
    refuse,
    whole_numbers,
    writable,
)
from gaussbayes.model.file.limits import MOST_TEXTS
from gaussbayes.model.file.numbers import refuse_not_finite

_NAMES = ("sizes", "labels", "weight", "missing")
_LABELS = "categories.labels"
_CATEGORY = "a text, a whole number of 64 bits or a truth value"


def write(counts: ClassCounts, n_classes: int, n_features: int) -> dict[str, Any]:
    """The counts with flat arrays; the categories of all features one after the other.

    Parameters
    ----------
    n_classes, n_features : how many classes and categorical features the model has

    Examples
    --------
    >>> weight, missing = np.array([[3.0, 1.0, 2.0]]), np.array([[0.0, 2.0]])
    >>> counts = ClassCounts((("M", "S"), (1,)), weight, missing)
    >>> found = write(counts, 1, 2)
    >>> found["sizes"], found["labels"], found["missing"].tolist()
    ([2, 1], ['M', 'S', 1], [[0.0, 2.0]])
    """
    if (counts.n_classes, counts.n_features) != (n_classes, n_features):
        expected = f"counts of {n_classes} classes and {n_features} features"
        refuse("categories", expected, f"{counts.n_classes} and {counts.n_features}")
    labels = [label for own in counts.categories for label in own]
    if len(labels) > MOST_TEXTS:
        refuse(_LABELS, f"at most {MOST_TEXTS:,} categories", labels)
    sizes = [len(own) for own in counts.categories]
    _refuse_labels(labels, sizes)
    for at, label in enumerate(labels):
        if isinstance(label, str):
            writable(label, f"{_LABELS}[{at}]")
    for name, values in (("weight", counts.weight), ("missing", counts.missing)):
        refuse_not_finite(values.ravel(), f"categories.{name}")
    _refuse_impossible(counts, labels)
    return {"sizes": sizes, "labels": labels, "weight": counts.weight, "missing": counts.missing}


def read(value: object, n_classes: int, n_features: int) -> ClassCounts:
    """The counts of so many classes and categorical features."""
    k, q = n_classes, n_features
    counted, found, weight, missing = members(value, "categories", _NAMES)
    each = ", one for each feature that holds categories"
    sizes = whole_numbers(counted, "categories.sizes", q, each, MOST_TEXTS)
    labels = entries(found, _LABELS, "an array of categories")
    m = sum(sizes)
    if len(labels) != m:
        refuse(_LABELS, f"{m:,} categories, as many as the sizes say", found)
    _refuse_labels(labels, sizes)
    first = [0, *accumulate(sizes)]
    counts = ClassCounts(
        tuple(tuple(labels[start:stop]) for start, stop in pairwise(first)),
        _table(weight, "weight", k, m, "class and category"),
        _table(missing, "missing", k, q, "class and feature that holds categories"),
    )
    _refuse_impossible(counts, labels)
    return counts


def _table(value: object, name: str, k: int, columns: int, each: str) -> FloatArray:
    found = floats(value, f"categories.{name}", k * columns, f", one for each {each}")
    return found.reshape(k, columns)


def _refuse_labels(labels: Sequence[Any], sizes: Sequence[int]) -> None:
    """Raise unless those of each feature are of one type, sorted and different."""
    for at, label in enumerate(labels):
        if not _possible(label):
            refuse(f"{_LABELS}[{at}]", _CATEGORY, label)
    first = 0
    for size in sizes:
        own = labels[first : first + size]
        for at, (before, after) in enumerate(pairwise(own), start=first + 1):
            if type(before) is not type(after) or not before < after:
                expected = (
                    f"a category of the same type that comes after {before!r:.80}: those of a "
                    "feature are sorted and different"
                )
                refuse(f"{_LABELS}[{at}]", expected, after)
        first += size


def _possible(label: object) -> bool:
    if type(label) is int:
        return -(1 << 63) <= label < 1 << 64
    return type(label) in {str, bool}


def _refuse_impossible(counts: ClassCounts, labels: Sequence[Any]) -> None:
    """Raise for weights that no rows have."""
    for name, values in (("weight", counts.weight), ("missing", counts.missing)):
        wrong = ~(values >= 0).ravel()
        if wrong.any():
            at = int(np.argmax(wrong))
            expected = "a weight, not negative"
            refuse(f"categories.{name}[{at}]", expected, float(values.flat[at]))
    occurs = (counts.weight > 0).any(axis=0)
    if not occurs.all():
        at = int(np.argmin(occurs))
        refuse(f"{_LABELS}[{at}]", "a category that weighs something in a class", labels[at])
    with np.errstate(over="ignore"):
        total = counts.weight.sum() + counts.missing.sum()
    if not np.isfinite(total):
        msg = "categories.weight: expected weights with a finite sum, together with missing"
        raise ModelFileError(msg)
