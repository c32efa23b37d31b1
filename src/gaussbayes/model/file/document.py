"""The types of a model file, the JSON Schema that follows from them, and how large all may be.

Whoever sends a file must not fill the memory.
"""

import json
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Literal, TypeAlias, get_type_hints

import msgspec
from msgspec import Meta, Raw

from gaussbayes.base.notices import NoticeKind
from gaussbayes.base.records import (
    CategoriesRecord,
    Codes,
    Integers,
    Labels,
    Numbers,
    NumbersOrNull,
    Record,
    Weights,
)
from gaussbayes.families import RECORDED, family_records

ISO_DATE: Final = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"

FORMAT: Final = "gaussbayes model"
VERSION: Final = 3

EstimatorName: TypeAlias = Literal["GaussianClassifier", "AutoClassifier"]
"""The class that saved the model, an instance of which `gaussbayes.load` returns."""

LARGEST_FILE = 1 << 30
"""Bytes of a file: a gigabyte, some 4,500 features with a full covariance in 5 classes."""

MOST_PLAIN_BYTES = 64 << 20
"""Bytes of all strings that are ASCII, which take no more memory than in the file."""

MOST_OTHER_BYTES = 8 << 20
"""Bytes of all other strings, which take up to four times as much."""

LARGEST_LABELS = 1 << 22
"""Characters in an array of string labels, which gives each of them as much room as the longest."""

_Integer = Literal["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
_Number = Literal[_Integer, "float16", "float32", "float64"]
LabelType: TypeAlias = Literal["str", "string", "object", "bool", _Number]
"""Strings of a fixed width, NumPy's StringDType, Python objects, booleans, numbers."""

Part: TypeAlias = Annotated[Raw, Meta(extra_json_schema={"type": ["object", "null"]})]
"""A record of a family, which decodes it; or null."""


class LabelsRecord(Record, frozen=True):
    """Labels, sorted, no two alike, and their type."""

    type: LabelType
    width: Annotated[int, Meta(ge=1, le=LARGEST_LABELS)] | None
    labels: Labels


class ClassesRecord(LabelsRecord, frozen=True, omit_defaults=True):
    """The labels of the classes, and those that may occur if some of them have no rows yet."""

    announced: LabelsRecord | None = None


class PriorsRecord(Record, frozen=True):
    """Priors that were given: in the order of the classes, or of these labels."""

    labels: Annotated[Labels, Meta(extra_json_schema={"type": ["array", "null"]})]
    values: Weights


class FamilyRecord(Record, frozen=True):
    """A family: the features it is a distribution of, and what was learnt of them."""

    family: str
    columns: Integers
    settings: Part
    statistics: Part
    unlabelled: Part
    density: Part


class RowsRecord(Record, frozen=True):
    """Rows: numbers and categories, row by row; a code below 0 is a missing or unseen category."""

    dtype: Literal["float32", "float64"]
    numbers: NumbersOrNull
    categories: CategoriesRecord
    codes: Codes
    weights: Weights


class UnlabelledRecord(Record, frozen=True):
    """Rows without labels: how many there are, and the rows themselves if they are kept."""

    n_rows: Annotated[int, Meta(ge=1, lt=1 << 62)]
    rows: RowsRecord | None


class SolutionRecord(Record, frozen=True):
    """Parameters that do not simply follow from statistics; the densities are with the families."""

    prior: Weights
    weight: Annotated[Weights, Meta(extra_json_schema={"type": ["array", "null"]})]


class CalibrationRecord(Record, frozen=True):
    """What is done to log-likelihoods and posteriors, and scores of rows left out."""

    temperature: Annotated[float, Meta(gt=0, le=1)]
    offsets: Numbers
    prior_proportion: Annotated[float, Meta(ge=0, le=1)]
    left_out: Annotated[Integers, Meta(description="rows of each class that were left out")]
    scores: Annotated[
        NumbersOrNull, Meta(description="their log posteriors, class by class; null for −∞")
    ]


class MemberRecord(Record, frozen=True):
    """One of several models whose posteriors are averaged: what it has of its own."""

    weight: Annotated[float, Meta(gt=0, le=1)]
    priors: PriorsRecord | Literal["uniform"] | None
    unlabelled_weight: Annotated[float, Meta(ge=0)]
    families: Annotated[list[FamilyRecord], Meta(min_length=1)]
    unlabelled: UnlabelledRecord | None
    solution: SolutionRecord | None


class AverageRecord(Record, frozen=True):
    """Models whose posteriors are averaged, and the priors if they were changed since."""

    prior: Annotated[Weights, Meta(extra_json_schema={"type": ["array", "null"]})]
    members: Annotated[list[MemberRecord], Meta(min_length=1)]


class ColumnRecord(Record, frozen=True):
    """A column of the table that was learnt from: what it is to the model, or why it is nothing."""

    name: str
    kind: Literal["number", "category", "count", "date", "excluded"]
    reason: Annotated[str, Meta(description="why it is left out, or what is doubtful")] | None
    origin: Annotated[str, Meta(pattern=ISO_DATE, description="of dates: the day that is 0")] | None


class MarkedColumnRecord(Record, frozen=True):
    """A column, and what stands for missing values in it beside what does so everywhere."""

    name: str
    marks: list[str]


class MissingRecord(Record, frozen=True):
    """Strings, some of which may write numbers, that stand for missing values in tables."""

    everywhere: list[str]
    columns: list[MarkedColumnRecord]


class NoticeRecord(Record, frozen=True):
    """What users should know about the reading of the rows."""

    kind: NoticeKind
    message: str


class ModelRecord(Record, frozen=True):
    """A model: what was learnt from rows by each family of distributions, and its settings."""

    format: Literal["gaussbayes model"]
    version: Literal[3]
    estimator: Annotated[EstimatorName, Meta(description="the class that saved the model")]
    classes: ClassesRecord
    features: Annotated[list[str], Meta(description="their names")] | None
    columns: (
        Annotated[
            list[ColumnRecord],
            Meta(description="all but the target, those that are no features among them"),
        ]
        | None
    )
    target: Annotated[str, Meta(description="the column that the labels came from")] | None
    missing: Annotated[MissingRecord, Meta(description="null for the usual marks")] | None
    priors: PriorsRecord | Literal["uniform"] | None
    unlabelled_weight: Annotated[float, Meta(ge=0)]
    calibration: CalibrationRecord | None
    families: Annotated[list[FamilyRecord], Meta(description="none if models are averaged")]
    unlabelled: UnlabelledRecord | None
    solution: SolutionRecord | None
    average: AverageRecord | None
    notices: Annotated[list[NoticeRecord], Meta(max_length=100)]
    checksum: Annotated[str, Meta(pattern="^sha256:[0-9a-f]{64}$")]


def schema_text() -> str:
    """The JSON Schema of model files, as docs/model.schema.json and the package have it."""
    families = reduce(or_, [_family_type(name) for name in RECORDED])
    member = _with_types(MemberRecord, families=Annotated[list[families], Meta(min_length=1)])  # type: ignore[valid-type]
    average = _with_types(AverageRecord, members=Annotated[list[member], Meta(min_length=1)])  # type: ignore[valid-type]
    of_whole = {"families": list[families], "average": average | None}  # type: ignore[valid-type]
    whole = _with_types(ModelRecord, "model", **of_whole)
    text = msgspec.json.encode(msgspec.json.schema(whole)).decode()
    schema: dict[str, Any] = msgspec.json.decode(text.replace("Record", ""))
    definitions = schema["$defs"]
    whole_schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **definitions.pop("model"),
        "title": FORMAT,
        "description": f"{ModelRecord.__doc__} Lengths of arrays, order, definiteness and the "
        "checksum are described in model-format.md.",
        "$defs": definitions,
    }
    return json.dumps(whole_schema, indent=2, ensure_ascii=False) + "\n"


def _with_types(record: type[Record], name: str | None = None, **types: Any) -> Any:
    """A record whose members of these names have other types."""
    members = get_type_hints(record, include_extras=True) | types
    return msgspec.defstruct(
        name or record.__name__,
        members.items(),
        namespace={"__doc__": record.__doc__},
        forbid_unknown_fields=True,
    )


def _family_type(name: str) -> type[Any]:
    """The record of one family, with the types of its parts."""
    records = family_records(name)
    members = [
        ("columns", Integers),
        ("settings", records.SettingsRecord),
        ("statistics", records.StatisticsRecord | None),
        ("unlabelled", records.StatisticsRecord | None),
        ("density", records.DensityRecord | None),
    ]
    return msgspec.defstruct(
        name, members, tag_field="family", tag=name, forbid_unknown_fields=True
    )
