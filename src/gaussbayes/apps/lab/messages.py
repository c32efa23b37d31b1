"""What the page may ask, as types: a text is read by them, and their JSON Schema is made of them.

A request is a JSON object with ``"number"``, which the answer repeats, ``"kind"`` and the fields of
its kind. Fields with a default may be left out; a field that the kind does not have is an error.
``docs/lab-messages.schema.json`` is what ``python -m gaussbayes.apps.lab.messages`` writes.
What each kind is answered with is written where it is answered; see `gaussbayes.apps.lab.answers`.
msgspec checks a text against the types; what it objects to is put into a sentence here: the field,
what must be there, and what came.
"""

import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.base.types import CovarianceName, Divisor

# How much may be asked for at once.
LONGEST_MESSAGE = 4 << 20  # bytes of a request
LONGEST_NAME = 400  # characters
MOST_CLASSES = 50
MOST_CLASSES_BY_HAND = 12
MOST_FEATURES = 50
MOST_CATEGORIES = 100  # different values of a feature that holds categories; of more it is text
MOST_ROWS = 200_000
LARGEST = 1e100  # beyond it squares overflow
_NARROWEST = 1e-13  # of an interval, relative to its ends: there are some hundred floats in it

Seed: TypeAlias = Annotated[int, Meta(ge=0, le=(1 << 32) - 1)]
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Number: TypeAlias = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
Proportion: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Side: TypeAlias = Annotated[int, Meta(ge=2, le=400)]
FeatureNumber: TypeAlias = Annotated[int, Meta(ge=0, le=MOST_FEATURES - 1)]
CategoryCode: TypeAlias = Annotated[int, Meta(ge=0, le=MOST_CATEGORIES - 1)]
ClassCode: TypeAlias = Annotated[int, Meta(ge=0, le=MOST_CLASSES - 1)]
Neighbour: TypeAlias = Annotated[int, Meta(ge=1, le=1_000)]
# Its range is checked where it is answered: with bounds beside a tuple msgspec 0.22 crashes.
RowNumber: TypeAlias = Annotated[int, Meta(description="the number of a row")]

Two: TypeAlias = tuple[Number, Number]
Interval: TypeAlias = Annotated[Two, Meta(description="[lowest, highest] (two numbers)")]
Place: TypeAlias = Annotated[Two, Meta(description="[x, y] (two numbers)")]
MatrixRow: TypeAlias = Annotated[Two, Meta(description="two numbers")]
Matrix: TypeAlias = Annotated[tuple[MatrixRow, MatrixRow], Meta(description="a 2 × 2 matrix")]
Point: TypeAlias = Annotated[
    tuple[Number | None, Number | None, ClassCode | None],
    Meta(description="[x, y, class code] (null where a coordinate or the class is missing)"),
]
Pair: TypeAlias = Annotated[
    tuple[FeatureNumber, FeatureNumber],
    Meta(description="two feature numbers (the same one twice where there is one feature only)"),
]
_OF_CLASSES = Meta(
    min_length=1,
    max_length=MOST_CLASSES_BY_HAND,
    description=f"an array with an entry for each of 1 to {MOST_CLASSES_BY_HAND} classes",
)
Probabilities: TypeAlias = Annotated[
    tuple[Proportion, ...],
    Meta(min_length=1, max_length=MOST_CATEGORIES, description="a probability for each category"),
]
Zone: TypeAlias = Literal["reject", "novel"]  # may be named, but come with their thresholds alone
Layer: TypeAlias = Literal[
    Zone, "label", "posterior", "margin", "evidence", "joint", "density", "errors", "truth"
]


class _Record(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a request."""


class PresetSource(_Record, frozen=True, tag_field="from", tag="preset"):
    """One of the examples, drawn with a seed."""

    preset: Name
    seed: Seed = 0
    n: Annotated[int, Meta(ge=1, le=MOST_ROWS)] | None = None  # rows; None: as many as usual


class GivenSource(_Record, frozen=True, tag_field="from", tag="given"):
    """The table that the command was called with."""

    features: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=MOST_FEATURES)] | None = (
        None
    )

    def __post_init__(self) -> None:
        _check_different("features", self.features)


class UploadSource(GivenSource, frozen=True, tag="upload", kw_only=True):
    """A file that was sent before."""

    upload: Name


class PointsSource(_Record, frozen=True, tag_field="from", tag="points"):
    """Points that were painted."""

    points: Annotated[
        tuple[Point, ...],
        Meta(max_length=MOST_ROWS, description="an array of at most 200,000 points"),
    ]
    classes: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=MOST_CLASSES)]
    features: Annotated[tuple[Name, Name], Meta(description="two strings")]

    def __post_init__(self) -> None:
        _check_different("classes", self.classes)
        _check_different("features", self.features)
        k = len(self.classes)
        for row, (_, _, code) in enumerate(self.points):
            if code is not None and code >= k:
                msg = f"points[{row}] must have a class code from 0 to {k - 1}, got {code}"
                raise ValueError(msg)


Source: TypeAlias = PresetSource | UploadSource | GivenSource | PointsSource


class Split(_Record, frozen=True):
    """Which proportion of the rows is held out, class by class."""

    test: Annotated[float, Meta(ge=0, le=0.9)] = 0.0
    seed: Seed = 0


ModelPriors: TypeAlias = (
    Literal["uniform"]
    | Annotated[tuple[Proportion, ...], Meta(min_length=1, max_length=MOST_CLASSES)]
    | None
)  # of all classes of the page; None: as frequent as they are
FirstRows: TypeAlias = Annotated[int, Meta(ge=0, le=MOST_ROWS)] | None  # to train with; None: all


class FitSettings(_Record, frozen=True, tag_field="from", tag="data"):
    """Settings with which a model is fitted to the training rows, or to the first of them."""

    covariance: CovarianceName = "full"
    shared: bool | Proportion = False
    divisor: Divisor = "mle"
    shrinkage: Proportion | Literal["oas", "ledoit-wolf"] | None = None
    priors: ModelPriors = None
    smoothing: Annotated[float, Meta(ge=0, le=1_000)] = 1.0  # of categories
    unlabelled_weight: Proportion = 1.0  # how much a row without label counts
    first: FirstRows = None


class AutomaticSettings(_Record, frozen=True, tag_field="from", tag="auto"):
    """A model of the training rows, or of the first of them, that is chosen by rows left out."""

    priors: ModelPriors = None
    first: FirstRows = None


class GaussiansByHand(_Record, frozen=True, tag_field="from", tag="hand"):
    """Gaussians of the pair of features, set on the page."""

    priors: Annotated[tuple[Proportion, ...], _OF_CLASSES]
    means: Annotated[tuple[Place, ...], _OF_CLASSES]
    covariances: Annotated[tuple[Matrix, ...], _OF_CLASSES]

    def __post_init__(self) -> None:
        k = len(self.means)
        for name, values in (("priors", self.priors), ("covariances", self.covariances)):
            if len(values) != k:
                classes = "1 class" if k == 1 else f"{k} classes"
                msg = f"{name} must be those of {classes} as the means are, got {len(values)}"
                raise ValueError(msg)


class CategoriesByHand(_Record, frozen=True, tag_field="from", tag="categories"):
    """Probabilities of each feature's categories within each class, set on the page."""

    priors: Annotated[tuple[Proportion, ...], _OF_CLASSES]
    probabilities: Annotated[
        tuple[Annotated[tuple[Probabilities, ...], _OF_CLASSES], ...],
        Meta(min_length=1, max_length=MOST_FEATURES),
    ]


class Neighbours(_Record, frozen=True, tag_field="from", tag="neighbours"):
    """A vote of the nearest training rows."""

    k: Neighbour


ModelChoice: TypeAlias = (
    FitSettings | AutomaticSettings | GaussiansByHand | CategoriesByHand | Neighbours
)


class Window(_Record, frozen=True):
    """The part of the plane that a grid covers; bounds that are null are picked."""

    x: Interval | None = None
    y: Interval | None = None
    width: Side = 160
    height: Side = 120

    def __post_init__(self) -> None:
        _check_interval("x", self.x)
        _check_interval("y", self.y)


KnownCategories: TypeAlias = (
    Annotated[tuple[CategoryCode | None, ...], Meta(max_length=MOST_FEATURES)] | None
)  # of each feature that holds some, null: not known


class _Request(_Record, frozen=True, tag_field="kind"):
    number: Annotated[int, Meta(ge=0, le=(1 << 53) - 1)]  # what JavaScript counts to exactly

    @property
    def kind(self) -> str:
        """What is asked for."""
        return str(self.__struct_config__.tag)


class DataRequest(_Request, frozen=True, tag="data"):
    """Rows to look at."""

    source: Source
    target: Name | None = None
    split: Split = Split()


class NumbersRequest(_Request, frozen=True, tag="numbers"):
    """Parameters and errors."""

    data: Name  # the id that the answer to a request for data gave
    pair: Pair
    model: ModelChoice


class CurveRequest(NumbersRequest, frozen=True, tag="curve"):
    """Errors by the number of points that were learnt from."""

    steps: Annotated[int, Meta(ge=2, le=50)] = 20


class FigureRequest(NumbersRequest, frozen=True, tag="figure"):
    """A figure of rows of which some categories are known."""

    known_categories: KnownCategories = None


class SurfaceRequest(FigureRequest, frozen=True, tag="surface"):
    """The evidence as heights."""

    view: Window | None = None


class SceneRequest(SurfaceRequest, frozen=True, tag="scene"):
    """Everything in the plane of two features."""

    layers: frozenset[Layer] = frozenset({"label"})
    hide: Literal[0, 1] | None = None  # a coordinate of the pair
    reject: Proportion | None = None
    novelty: Proportion | None = None
    truth: bool = False


class LineRequest(FigureRequest, frozen=True, tag="line"):
    """Curves over one feature."""

    feature: FeatureNumber | None = None  # None: the first of the pair
    x: Interval | None = None
    points: Annotated[int, Meta(ge=2, le=2_000)] = 400

    def __post_init__(self) -> None:
        _check_interval("x", self.x)


class PointRequest(NumbersRequest, frozen=True, tag="point"):
    """Bayes' rule at one place."""

    at: Place | RowNumber
    hide: Literal[0, 1] | None = None
    known_categories: KnownCategories = None  # None: as the row has them, if any


class MultiplesRequest(SurfaceRequest, frozen=True, tag="multiples"):
    """The six structures and nearest neighbours side by side."""

    neighbours: Neighbour = 5
    hide: Literal[0, 1] | None = None


class ExportRequest(NumbersRequest, frozen=True, tag="take_away"):
    """A file to keep."""

    what: Literal["csv", "model", "python", "command"]
    escape_formulas: bool = False  # of a CSV: a spreadsheet takes no cell for a formula


class CancelRequest(_Request, frozen=True, tag="cancel"):
    """That a request is not to be answered any more; it is answered with the error "stopped"."""

    of: Name  # the kind of the request


class LessonRequest(_Request, frozen=True, tag="lesson"):
    """A lesson in steps."""

    name: Name


class Bounds(_Record, frozen=True):
    """A window of the page."""

    x: Interval
    y: Interval

    def __post_init__(self) -> None:
        _check_interval("x", self.x)
        _check_interval("y", self.y)


class Layers(_Record, frozen=True):
    """What is drawn."""

    regions: Literal["blend", "hard", "none"] = "blend"
    density: bool = True
    joint: bool = False
    evidence: bool = False
    boundary: bool = True
    reject: Proportion | None = None
    novelty: Proportion | None = None
    errors: bool = True
    truth: bool = False
    multiples: bool = False


class SavedState(_Record, frozen=True):
    """Everything that a file of the page holds of its state."""

    source: Source
    model: ModelChoice
    target: Name | None = None
    split: Split = Split()
    pair: Pair = (0, 1)
    neighbours: Neighbour = 5
    layers: Layers = Layers()
    view: Literal["plane", "line", "surface"] = "plane"
    bounds: Bounds | None = None
    hide: Literal[0, 1] | None = None
    at: Place | None = None
    categories: Annotated[tuple[CategoryCode | None, ...], Meta(max_length=MOST_FEATURES)] = ()
    filter: Annotated[tuple[CategoryCode | None, ...], Meta(max_length=MOST_FEATURES)] = ()
    stream: FirstRows = None
    lesson: tuple[Name, Annotated[int, Meta(ge=0, le=100)]] | None = None
    without: Annotated[tuple[Name, ...], Meta(max_length=200)] = ()


class OpenRequest(_Request, frozen=True, tag="open"):
    """The state of a file; the answer repeats it, with what it left out."""

    format: Literal["gaussbayes-lab"]
    version: Literal[1]
    state: SavedState


Request: TypeAlias = (
    DataRequest
    | SceneRequest
    | LineRequest
    | PointRequest
    | NumbersRequest
    | MultiplesRequest
    | CurveRequest
    | SurfaceRequest
    | ExportRequest
    | LessonRequest
    | OpenRequest
    | CancelRequest
)


def schema_text() -> str:
    """The JSON Schema of requests."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Requests of the lab's page",
        **msgspec.json.schema(Request),
    }
    return msgspec.json.format(msgspec.json.encode(schema, order="sorted")).decode() + "\n"


def _check_different(name: str, values: Sequence[str] | None) -> None:
    repeated = [value for value in values or () if (values or ()).count(value) > 1]
    if repeated:
        msg = f"{name} must be different strings, but {repeated[0]!r:.80} is there twice"
        raise ValueError(msg)


def _check_interval(name: str, interval: Interval | None) -> None:
    """Refuse bounds between which there is nothing."""
    if interval is None:
        return
    low, high = interval
    if not high - low > _NARROWEST * max(abs(low), abs(high)) or high - low < 1e-100:
        msg = f"{name} must begin below where it ends, got [{low:g}, {high:g}]"
        raise ValueError(msg)


_DECODER: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
_KINDS = msgspec.json.schema(Request)["discriminator"]["mapping"]
_FIELD = re.compile(r"Object (missing required|contains unknown) field `(.*)`", re.DOTALL)
_WORDS = {
    "int": "an integer",
    "float": "a number",
    "str": "a string",
    "bool": "a boolean",
    "array": "an array",
    "object": "an object",
}
_VERBS = {"missing required": "needs the", "contains unknown": "has no"}
_SHOWN = 80  # characters of a value in a message


def read(message: str) -> Request:
    """The record of a request; `MessageError` for anything else.

    Examples
    --------
    >>> read('{"number": 1, "kind": "lesson", "name": 3}')
    Traceback (most recent call last):
    gaussbayes.apps.lab.wire_format.MessageError: name must be a string, got 3
    """
    try:
        content = message.encode()
    except UnicodeEncodeError:
        msg = f"a request must be Unicode text, got half a character in {message!a:.80}"
        raise MessageError(msg) from None
    if len(content) > LONGEST_MESSAGE:
        msg = f"a request must have at most {LONGEST_MESSAGE:,} bytes, got {len(content):,}"
        raise MessageError(msg)
    try:
        return _DECODER.decode(content)
    except msgspec.ValidationError as error:
        raise _explained(content, str(error)) from None
    except msgspec.DecodeError as error:
        msg = f"a request must be JSON, got {message!r:.80}: {error}"
        raise MessageError(msg) from None
    except RecursionError:
        msg = "a request is nested too deep"
        raise MessageError(msg) from None


def _explained(content: bytes, complaint: str) -> MessageError:
    """What is wrong with a message of which msgspec says so, and whose answer this is."""
    reason, _, place = complaint.partition(" - at `$")
    place, got, message = place.removesuffix("`").removeprefix("."), "", None
    with suppress(msgspec.DecodeError, RecursionError, LookupError):  # more may be wrong with it
        message = value = msgspec.json.decode(content)
        for step in re.findall(r"\w+", place):
            value = value[int(step) if isinstance(value, list) else step]
        text = msgspec.json.encode(value).decode()
        got = f", got {text if len(text) <= _SHOWN else text[:_SHOWN] + '…'}"
    kind, number = (
        message.get(name) if isinstance(message, dict) else None for name in ("kind", "number")
    )
    return MessageError(
        _sentence(place, reason, got),
        kind if isinstance(kind, str) and kind in _KINDS else None,
        number if type(number) is int else None,
    )


def _sentence(place: str, reason: str, got: str) -> str:
    name, field = place or "a request", _FIELD.match(reason)
    if field is not None:
        return f"{name} {_VERBS[field[1]]} field {field[2]!r:.80}"
    if reason.startswith("Invalid"):
        return f"{name} must be one of the values that the schema of requests lists{got}"
    if reason.endswith("out of range"):
        return f"{name} must be a smaller number{got}"
    if reason.startswith("Expected "):
        expected = reason.removeprefix("Expected ").partition(", got")[0]
        expected = re.sub(r"\w+(?=.*`)", lambda word: _WORDS.get(word[0], word[0]), expected)
        return f"{name} must be {expected.replace('`', '').replace(' | ', ' or ')}{got}"
    return f"{place}.{reason}" if place else reason  # our sentence


if __name__ == "__main__":
    sys.stdout.write(schema_text())
