"""The records of a model file: `of` creates one from a part of a model, `read` inverts it."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from msgspec import Meta, Raw

from gaussbayes.base.errors import OptionError
from gaussbayes.base.notices import Notice
from gaussbayes.base.records import MOST_STRINGS, Record, Scalar, encode, refuse, within
from gaussbayes.base.types import FloatArray, LabelArray
from gaussbayes.data.rows import Rows
from gaussbayes.data.schema import Column, Schema
from gaussbayes.families.removal import ROUNDING
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.select import Selection
from gaussbayes.model.settings import Priors, UnlabelledRows, class_priors
from gaussbayes.model.solution import Solution
from gaussbayes.model.statistics import MOST_KEPT_BYTES, Unlabelled

EstimatorName: TypeAlias = Literal["GaussianClassifier", "AutoClassifier"]
"""The class that saved the model, an instance of which `gaussbayes.load` returns."""

_LARGEST_LABELS = 1 << 22
"""Most characters in an array of string labels, all of which take the space of the longest."""


class LabelsRecord(Record, frozen=True):
    """Sorted distinct labels, and the NumPy type of their array."""

    dtype: Annotated[str, Meta(pattern=r"^([OT?]|U[0-9]{1,7}|[iu][1248]|f[248])$")]
    labels: Raw

    @classmethod
    def of(cls, labels: LabelArray) -> "LabelsRecord":
        kind, size = labels.dtype.kind, labels.dtype.itemsize
        width = {"O": "", "T": "", "b": "", "U": max(1, size // 4)}.get(kind, size)
        return cls(f"{kind}{width}".replace("b", "?"), _labels(labels.tolist(), "classes.labels"))

    def read(self) -> LabelArray:
        values, dtype = self.listed("labels", list[Scalar]), self.dtype
        if not values:
            refuse("labels", "at least one class: a model has the statistics of its classes")
        if dtype[0] == "U" and len(values) * int(dtype[1:]) > _LARGEST_LABELS:
            expected = f"at most {_LARGEST_LABELS:,} characters, each label as wide as the widest"
            refuse("labels", f"{expected} (labels of dtype object are not)", dtype)
        for at, (before, after) in enumerate(pairwise(values), start=1):
            # Strings and numbers have no order.
            if isinstance(before, str) != isinstance(after, str) or not before < after:  # type: ignore[operator]
                expected = f"a label that comes after {before!r:.80}: they are sorted and different"
                refuse(f"labels[{at}]", expected, f"{after!r:.80}")
        labels = np.empty(len(values), np.dtypes.StringDType() if dtype == "T" else dtype)
        try:
            labels[:] = values
        except (ValueError, TypeError, OverflowError):
            refuse("labels", f"labels of type {dtype}")
        if [*map(repr, labels.tolist())] != [*map(repr, values)]:
            refuse("labels", f"labels of type {dtype}")
        return labels


class PriorsRecord(Record, frozen=True):
    """Given priors in the order of the labels, or of the classes if there are no labels."""

    labels: Raw
    values: Raw

    @classmethod
    def of(cls, priors: Any) -> "PriorsRecord":
        labels: list[object] = []
        if isinstance(priors, Mapping):
            labels, priors = list(priors), list(priors.values())
        return cls(_labels(labels, "priors"), encode(np.asarray(priors, dtype=np.float64)))

    def read(self, classes: LabelArray) -> Priors:
        """Priors of the classes, and possibly of future ones."""
        names, values = self.listed("labels", list[Scalar]), self.floats("values", -1)
        if names and not len(names) == len(set(names)) == values.size:
            refuse("labels", f"{values.size} different labels, or none", len(names))
        absent = set(classes.tolist()) - set(names)
        if (names and absent) or values.size < len(classes):
            also = "" if not names else f", also {min(absent, key=repr)!r:.80}"
            refuse("labels", f"those of all {len(classes)} classes{also}")
        priors: list[float] = check_prior(values, "values").tolist()
        return dict(zip(names, priors, strict=True)) if names else priors


class CalibrationRecord(Record, frozen=True):
    """The calibration of log-likelihoods and posteriors, and scores of held-out rows."""

    weight: Annotated[float, Meta(gt=0, le=3)]
    second_weight: Annotated[float, Meta(ge=0, le=3)]  # of a second member; 0 without one
    offsets: Raw
    prior_proportion: Annotated[float, Meta(ge=0, le=1)]
    left_out: Raw  # held-out rows of each class
    scores: Raw  # their log posteriors, class by class; null for −∞
    tails: Raw  # numbers of tails of each class, of the nearest class, and of the evidence
    probabilities: Raw  # the tail probabilities
    alone: "CalibrationRecord | None"  # of the labelled rows alone, if posteriors are averaged

    @classmethod
    def of(cls, calibration: Calibration) -> "CalibrationRecord":
        return cls(
            float(calibration.weight),
            float(calibration.second_weight),
            encode(calibration.offsets),
            float(calibration.prior_proportion),
            encode([scores.size for scores in calibration.left_out]),
            encode(np.concatenate([np.empty(0), *calibration.left_out])),
            encode([tails.size for tails in calibration.tails]),
            encode(np.concatenate([np.empty(0), *calibration.tails])),
            None if calibration.alone is None else cls.of(calibration.alone),
        )

    def read(self, k: int) -> Calibration:
        offsets = self.floats("offsets", k)
        left_out = self._by_class("left_out", "scores", k)
        if any((scores > ROUNDING).any() for scores in left_out):
            refuse("scores", "log posteriors, at most 0")
        tails = self._by_class("tails", "probabilities", k + 2)
        if any(((each < 0) | (each > 1)).any() for each in tails):
            refuse("probabilities", "numbers from 0 to 1")
        factors = self.weight, offsets, self.prior_proportion, self.second_weight
        alone = None
        if self.alone is not None:
            with within("alone"):
                alone = self.alone.read(k)
                if alone.alone is not None:
                    refuse("alone", "null")
        return Calibration(*factors, left_out, tails, alone)

    def _by_class(self, counts: str, values: str, n: int) -> tuple[FloatArray, ...]:
        """Sorted numbers of each class, or none; null is −∞."""
        sizes = self.integers(counts, -1, most=1 << 23)
        if sizes.size not in {0, n}:
            refuse(counts, f"{n:,} integers, or none", sizes.size)
        numbers = self.floats(values, int(sizes.sum()), missing=True)
        numbers[np.isnan(numbers)] = -np.inf
        split = tuple(np.split(numbers, np.cumsum(sizes)[:-1])) if sizes.size else ()
        if any((some[1:] < some[:-1]).any() for some in split):
            refuse(values, "numbers in increasing order in each class")
        return split


class FamilyRecord(Record, frozen=True):
    """A family: its features and its statistics.

    The last of several may be the second member of a pool, whose density follows from its
    statistics. The last three are records of the family, see `gaussbayes.families.family_records`,
    or null.
    """

    family: str
    second: bool  # whether it is the second member of a pool
    columns: Raw
    settings: Raw
    statistics: Raw
    density: Raw


class RowsRecord(Record, frozen=True):
    """Rows: numbers and categories, row by row; a code below 0 is a missing or unseen category."""

    dtype: Literal["float32", "float64"]
    numbers: Raw
    categories: Raw
    codes: Raw
    weight: Raw

    @classmethod
    def of(cls, unlabelled: Unlabelled) -> "RowsRecord":
        rows = unlabelled.kept("saving them")
        arrays = (rows.matrix, rows.categories, rows.codes, unlabelled.weights)
        return cls("float32" if rows.dtype == np.float32 else "float64", *map(encode, arrays))

    def read(self, n: int, schema: Schema) -> Unlabelled:
        """The rows, if they are not too many for a model."""
        q = len(schema.categorical)
        d = schema.n_features - q
        if n * (8 * d + 4 * q + 8) > MOST_KEPT_BYTES:
            refuse("", f"null or rows that take at most {MOST_KEPT_BYTES >> 20} MB", f"{n:,} rows")
        weight = self.weights("weight", n)
        numbers = self.floats("numbers", n, d, missing=True).astype(self.dtype)
        if not (weight > 0).all() or np.isinf(numbers).any():
            refuse("", f"rows with weights above 0 and numbers of type {self.dtype}")
        categories = self.categories_of(q)
        codes = self.integers("codes", n, q, least=-2, most=MOST_STRINGS).astype(np.int32)
        if not (codes < [len(column) for column in categories]).all():
            refuse("codes", "the numbers of categories of each feature")
        return Unlabelled(n, Rows(numbers, codes, categories), weight)


class UnlabelledRecord(Record, frozen=True):
    """Rows without labels: their number, and the rows if they are kept."""

    n_rows: Annotated[int, Meta(ge=1, lt=1 << 62)]
    rows: RowsRecord | None


class SolutionRecord(Record, frozen=True):
    """Parameters that need more than the statistics; densities are stored with the families."""

    prior: Raw
    weight: Raw  # of the rows of each class; null if the parameters were given

    @classmethod
    def of(cls, solution: Solution) -> "SolutionRecord":
        return cls(encode(solution.prior), encode(solution.weight))

    def read(self, densities: tuple[Any, ...], k: int) -> Solution:
        if k < 2:
            refuse("", "null where there are less than two classes")
        prior = check_prior(self.floats("prior", k), "prior")
        weight = None if bytes(self.weight) == b"null" else self.weights("weight", k)
        if weight is not None and not weight.any():
            refuse("weight", "null or weights that are not all 0")
        return Solution(prior, densities, weight)


class MemberRecord(Record, frozen=True):
    """The families with their statistics, and the settings."""

    priors: PriorsRecord | Literal["uniform"] | None
    unlabelled_rows: UnlabelledRows
    calibration: CalibrationRecord | None
    families: Annotated[list[FamilyRecord], Meta(min_length=1)]
    unlabelled: UnlabelledRecord | None
    solution: SolutionRecord | None


class MarksRecord(Record, frozen=True):
    """The marks of missing values in tables, as in `Columns`."""

    na_values: list[str | dict[str, list[str]]]
    keep_default_na: bool


class ModelRecord(Record, frozen=True):
    """A model, its classes and its features."""

    format: Literal["gaussbayes model"]
    version: Literal[3]
    estimator: EstimatorName
    classes: LabelsRecord
    features: list[str] | None
    columns: list[Column] | None
    target: str | None
    missing: MarksRecord
    notices: list[Notice]
    selection: Selection | None
    model: MemberRecord
    checksum: Annotated[str, Meta(pattern="^sha256:[0-9a-f]{64}$")]


def check_prior(prior: FloatArray, place: str) -> FloatArray:
    """Priors of classes (k,), if they are a distribution over them."""
    try:
        return class_priors(prior, Schema(np.arange(prior.size), 0), prior)
    except OptionError as error:
        refuse(place, f"finite priors, none below 0, that sum to 1: {error}")


def _labels(values: list[Any], place: str) -> Raw:
    """Labels as an array; msgspec would write bytes and dates as strings."""
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    for at, value in enumerate(plain):
        if not isinstance(value, Scalar):
            refuse(f"{place}[{at}]", "a string, a number or a boolean", f"{value!r:.80}")
    return encode(plain)
