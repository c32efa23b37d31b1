"""What each kind of request asks for, as a frozen record."""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from gaussbayes.apps.lab.messages.models import ModelChoice
from gaussbayes.apps.lab.messages.sources import Source, Split

LAYERS = ("label", "posterior", "margin", "evidence", "joint", "density", "errors", "truth")
"""What a scene may be made of; two zones come with their thresholds."""

TAKEN = ("csv", "model", "python", "command")
"""What may be taken away."""


WIDTH, HEIGHT = 160, 120
"""Points of a grid where the page does not say how many."""


@dataclass(frozen=True, slots=True)
class Window:
    """The part of the plane that a grid covers; bounds that are None are to be picked."""

    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True, slots=True)
class DataRequest:
    """Rows to look at."""

    kind: ClassVar[str] = "data"
    number: int
    source: Source
    target: str | None
    split: Split


@dataclass(frozen=True, slots=True)
class SceneRequest:
    """Everything in the plane of two features."""

    kind: ClassVar[str] = "scene"
    number: int
    data: str
    pair: tuple[int, int]
    model: ModelChoice
    view: Window
    layers: frozenset[str]
    hide: int | None
    reject: float | None
    novelty: float | None
    truth: bool


@dataclass(frozen=True, slots=True)
class LineRequest:
    """Curves over one feature."""

    kind: ClassVar[str] = "line"
    number: int
    data: str
    pair: tuple[int, int]
    model: ModelChoice
    feature: int
    x: tuple[float, float] | None
    points: int


@dataclass(frozen=True, slots=True)
class PointRequest:
    """Bayes' rule at one place."""

    kind: ClassVar[str] = "point"
    number: int
    data: str
    pair: tuple[int, int]
    model: ModelChoice
    at: tuple[float, float] | int  # a place, or the number of a row
    hide: int | None


@dataclass(frozen=True, slots=True)
class NumbersRequest:
    """Parameters and errors."""

    kind: ClassVar[str] = "numbers"
    number: int
    data: str
    pair: tuple[int, int]
    model: ModelChoice


@dataclass(frozen=True, slots=True)
class MultiplesRequest:
    """The six structures and nearest neighbours side by side."""

    kind: ClassVar[str] = "multiples"
    number: int
    data: str
    pair: tuple[int, int]
    model: ModelChoice
    view: Window
    neighbours: int
    hide: int | None


@dataclass(frozen=True, slots=True)
class SurfaceRequest:
    """The evidence as heights."""

    kind: ClassVar[str] = "surface"
    number: int
    data: str
    pair: tuple[int, int]
    model: ModelChoice
    view: Window


@dataclass(frozen=True, slots=True)
class TakeAwayRequest:
    """A file to keep."""

    kind: ClassVar[str] = "take_away"
    number: int
    what: str
    data: str
    pair: tuple[int, int]
    model: ModelChoice


@dataclass(frozen=True, slots=True)
class LessonRequest:
    """A lesson in steps."""

    kind: ClassVar[str] = "lesson"
    number: int
    name: str


Request: TypeAlias = (
    DataRequest
    | SceneRequest
    | LineRequest
    | PointRequest
    | NumbersRequest
    | MultiplesRequest
    | SurfaceRequest
    | TakeAwayRequest
    | LessonRequest
)
