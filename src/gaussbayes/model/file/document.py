"""The records of a model file, and how large it may be: no file must fill the memory."""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Raw

from gaussbayes.base.notices import Notice
from gaussbayes.base.records import CategoriesRecord, Record
from gaussbayes.base.schema import Column

FORMAT: Final = "gaussbayes model"
VERSION: Final = 3

EstimatorName: TypeAlias = Literal["GaussianClassifier", "AutoClassifier"]
"""The class that saved the model, an instance of which `gaussbayes.load` returns."""

LARGEST_FILE = 1 << 30
"""Bytes of a file: a gigabyte, some 4,500 features with a full covariance in 5 classes."""

MOST_TEXT = 16 << 20
"""Bytes of all strings together, which take up to four times as much in memory."""

LARGEST_LABELS = 1 << 22
"""Characters in an array of string labels, which gives each of them as much room as the longest."""


class LabelsRecord(Record, frozen=True):
    """Labels, sorted, no two alike, and the NumPy type of their array."""

    dtype: Annotated[str, Meta(pattern=r"^([OT?]|U[0-9]{1,7}|[iu][1248]|f[248])$")]
    labels: Raw


class MarksRecord(Record, frozen=True):
    """What stands for missing values in tables, as in `Columns`."""

    na_values: list[str | dict[str, list[str]]]
    keep_default_na: bool


class PriorsRecord(Record, frozen=True):
    """Priors that were given: in the order of the classes, or of these labels."""

    labels: Raw  # none: in the order of the classes
    values: Raw


class CalibrationRecord(Record, frozen=True):
    """What is done to log-likelihoods and posteriors, and scores of held-out rows."""

    temperature: Annotated[float, Meta(gt=0, le=1)]
    offsets: Raw
    prior_proportion: Annotated[float, Meta(ge=0, le=1)]
    left_out: Raw  # rows of each class that were held out
    scores: Raw  # their log posteriors, class by class; null for −∞


class FamilyRecord(Record, frozen=True):
    """A family: the features it is a distribution of, and what was learnt of them.

    The last four are records of the family, see `gaussbayes.families.family_records`, or null.
    """

    family: str
    columns: Raw
    settings: Raw
    statistics: Raw
    unlabelled: Raw
    density: Raw


class RowsRecord(Record, frozen=True):
    """Rows: numbers and categories, row by row; a code below 0 is a missing or unseen category."""

    dtype: Literal["float32", "float64"]
    numbers: Raw
    categories: CategoriesRecord
    codes: Raw
    weight: Raw


class UnlabelledRecord(Record, frozen=True):
    """Rows without labels: how many there are, and the rows themselves if they are kept."""

    n_rows: Annotated[int, Meta(ge=1, lt=1 << 62)]
    rows: RowsRecord | None


class SolutionRecord(Record, frozen=True):
    """Parameters that do not simply follow from statistics; the densities are with the families."""

    prior: Raw
    weight: Raw  # of the rows of each class; none if the parameters were given


class MemberRecord(Record, frozen=True):
    """What was learnt from rows by each family of distributions, and the settings."""

    priors: PriorsRecord | Literal["uniform"] | None
    unlabelled_weight: Annotated[float, Meta(ge=0)]
    calibration: CalibrationRecord | None
    families: Annotated[list[FamilyRecord], Meta(min_length=1)]
    unlabelled: UnlabelledRecord | None
    solution: SolutionRecord | None


class AverageRecord(Record, frozen=True):
    """How the posteriors of several models are averaged."""

    weight: Raw  # of each of them
    priors: PriorsRecord | Literal["uniform"] | None
    prior: Raw  # of each class, if it was changed since; else none
    calibration: CalibrationRecord | None


class ModelRecord(Record, frozen=True):
    """A model, or several whose posteriors are averaged, of the same classes and features."""

    format: Literal["gaussbayes model"]
    version: Literal[3]
    estimator: EstimatorName
    classes: LabelsRecord
    announced: LabelsRecord | None  # labels that may occur, if some of them have no rows yet
    features: list[str] | None
    columns: list[Column] | None
    target: str | None
    missing: MarksRecord
    notices: list[Notice]
    average: AverageRecord | None
    members: Annotated[list[MemberRecord], Meta(min_length=1)]
    checksum: Annotated[str, Meta(pattern="^sha256:[0-9a-f]{64}$")]
