"""Which rows are meant: a preset, an upload, the table of the command line, or painted points."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gaussbayes.apps.lab.messages.error import MessageError
from gaussbayes.apps.lab.messages.fields import (
    Members,
    maybe,
    number,
    seed,
    shown,
    text,
    texts,
    truth,
    whole,
)
from gaussbayes.apps.lab.messages.limits import (
    LARGEST_NUMBER,
    MOST_CLASSES,
    MOST_FEATURES,
    MOST_ROWS,
)
from gaussbayes.base.types import CodeArray, FloatArray

_KINDS = ("preset", "upload", "points", "given")


@dataclass(frozen=True, slots=True)
class PresetSource:
    """One of the examples, drawn with a seed."""

    preset: str
    seed: int
    n: int | None  # rows; None is as many as the preset has by itself


@dataclass(frozen=True, slots=True)
class UploadSource:
    """A file that was sent before."""

    upload: str
    features: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class GivenSource:
    """The table that the command was called with."""

    features: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class PointsSource:
    """Points that were painted."""

    rows: FloatArray  # (n, 2), NaN where a coordinate is missing
    codes: CodeArray  # (n,)
    classes: tuple[str, ...]
    features: tuple[str, ...]  # two


Source: TypeAlias = PresetSource | UploadSource | GivenSource | PointsSource


@dataclass(frozen=True, slots=True)
class Split:
    """Which share of the rows is held out, class by class."""

    test: float = 0.0
    seed: int = 0


def read_source(value: object) -> Source:
    """The source of a request for data.

    Examples
    --------
    >>> read_source({"preset": "xor"})
    PresetSource(preset='xor', seed=0, n=None)
    """
    members = Members("source", value)
    kinds = [kind for kind in _KINDS if members.has(kind)]
    if len(kinds) != 1:
        msg = f"source has one of the members {', '.join(map(repr, _KINDS))}, got {shown(value)}"
        raise MessageError(msg)
    found: Source
    if kinds == ["preset"]:
        found = PresetSource(
            text("source.preset", members.take("preset")),
            seed("source.seed", members.take("seed", 0)),
            maybe("source.n", members.take("n", None), whole, 1, MOST_ROWS),
        )
    elif kinds == ["upload"]:
        found = UploadSource(text("source.upload", members.take("upload")), _features(members))
    elif kinds == ["given"]:
        if not truth("source.given", members.take("given")):
            msg = "source.given is true, or not there"
            raise MessageError(msg)
        found = GivenSource(_features(members))
    else:
        found = _points(members)
    members.end()
    return found


def read_split(value: object) -> Split:
    """How rows are held out.

    Examples
    --------
    >>> read_split({"test": 0.25})
    Split(test=0.25, seed=0)
    """
    members = Members("split", value)
    found = Split(
        number("split.test", members.take("test", 0), 0.0, 0.9),
        seed("split.seed", members.take("seed", 0)),
    )
    members.end()
    return found


def _features(members: Members) -> tuple[str, ...] | None:
    found: tuple[str, ...] | None = maybe(
        "source.features", members.take("features", None), texts, MOST_FEATURES
    )
    return found


def _points(members: Members) -> PointsSource:
    points = members.take("points")
    classes = texts("source.classes", members.take("classes"), MOST_CLASSES)
    features = texts("source.features", members.take("features"), 2)
    if len(features) != 2:
        msg = f"source.features are two texts, got {shown(list(features))}"
        raise MessageError(msg)
    if not isinstance(points, list) or len(points) > MOST_ROWS:
        some = f"{len(points):,} of them" if isinstance(points, list) else shown(points)
        msg = f"source.points are a list of at most {MOST_ROWS:,} points, got {some}"
        raise MessageError(msg)
    for i, point in enumerate(points):
        if not isinstance(point, list) or len(point) != 3:
            msg = f"source.points[{i}] is [x, y, class number], got {shown(point)}"
            raise MessageError(msg)
        if not (_coordinate(point[0]) and _coordinate(point[1])):
            msg = f"source.points[{i}] has coordinates that are numbers or null: {shown(point)}"
            raise MessageError(msg)
        if type(point[2]) is not int or not 0 <= point[2] < len(classes):
            msg = (
                f"source.points[{i}] has a class number from 0 to {len(classes) - 1}, "
                f"got {shown(point[2])}"
            )
            raise MessageError(msg)
    rows = [[np.nan if value is None else value for value in point[:2]] for point in points]
    return PointsSource(
        np.array(rows, dtype=np.float64).reshape(-1, 2),
        np.array([point[2] for point in points], dtype=np.int32),
        classes,
        features,
    )


def _coordinate(value: Any) -> bool:
    return value is None or (type(value) in {int, float} and abs(value) <= LARGEST_NUMBER)
