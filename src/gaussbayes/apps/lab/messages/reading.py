"""A text from the page → the record of what it asks for."""

import json
from collections.abc import Callable
from typing import Any, NoReturn

from gaussbayes.apps.lab.messages.error import MessageError
from gaussbayes.apps.lab.messages.fields import (
    Members,
    interval,
    maybe,
    number,
    one_of,
    probability,
    shown,
    text,
    truth,
    whole,
)
from gaussbayes.apps.lab.messages.limits import (
    LONGEST_MESSAGE,
    MOST_FEATURES,
    MOST_LINE_PLACES,
    MOST_NEIGHBOURS,
    MOST_PLACES,
    MOST_ROWS,
)
from gaussbayes.apps.lab.messages.models import read_model
from gaussbayes.apps.lab.messages.requests import (
    HEIGHT,
    LAYERS,
    TAKEN,
    WIDTH,
    DataRequest,
    LessonRequest,
    LineRequest,
    MultiplesRequest,
    NumbersRequest,
    PointRequest,
    Request,
    SceneRequest,
    SurfaceRequest,
    TakeAwayRequest,
    Window,
)
from gaussbayes.apps.lab.messages.sources import read_source, read_split

_LARGEST_WHOLE = (1 << 53) - 1
"""What JavaScript counts to exactly."""

_ZONES = ("reject", "novel")
"""They may be named among the layers, and come with their thresholds alone."""


def read(message: str) -> Request:
    """The record of a request.

    Raises
    ------
    MessageError
        For anything else; says what came and what was expected.

    Examples
    --------
    >>> read('{"number": 1, "kind": "lesson", "name": "petals"}')
    LessonRequest(number=1, name='petals')
    """
    members = Members("a request", parsed(message))
    count = whole("number", members.take("number"), 0, _LARGEST_WHOLE)
    kind = None
    try:
        kind = one_of("kind", members.take("kind"), tuple(_KINDS))
        request = _KINDS[kind](members, count)
        members.end()
    except MessageError as error:
        error.kind, error.number = kind, count  # so that the page knows whose answer this is
        raise
    return request


def parsed(message: str) -> Any:
    """What a JSON text holds: no NaN, no member twice, and not too long.

    Examples
    --------
    >>> parsed('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    gaussbayes.apps.lab.messages.error.MessageError: the member 'a' is there twice
    """
    # A character is up to four bytes, so that the first count spares most of the second.
    if len(message) > LONGEST_MESSAGE or (
        4 * len(message) > LONGEST_MESSAGE
        and len(message.encode("utf-8", "surrogatepass")) > LONGEST_MESSAGE
    ):
        msg = f"a request is at most {LONGEST_MESSAGE:,} bytes long"
        raise MessageError(msg)
    try:
        return json.loads(message, object_pairs_hook=_once, parse_constant=_refuse_constant)
    except MessageError:
        raise
    except RecursionError:
        msg = "a request is nested too deep"
        raise MessageError(msg) from None
    except ValueError as error:
        msg = f"a request is JSON, got {shown(message)}: {error!s:.200}"
        raise MessageError(msg) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        msg = f"the member {shown(twice)} is there twice"
        raise MessageError(msg)
    return found


def _refuse_constant(word: str) -> NoReturn:
    msg = f"numbers are finite, got {word}"
    raise MessageError(msg)


def _data(members: Members, count: int) -> DataRequest:
    return DataRequest(
        count,
        read_source(members.take("source")),
        maybe("target", members.take("target", None), text),
        read_split(members.take("split", {})),
    )


def _common(members: Members) -> tuple[str, tuple[int, int], Any]:
    """Which rows, which features, which model."""
    pair = members.take("pair")
    if not isinstance(pair, list) or len(pair) != 2:
        msg = f"pair is two feature numbers, got {shown(pair)}"
        raise MessageError(msg)
    first, second = (whole("pair", entry, 0, MOST_FEATURES - 1) for entry in pair)
    return text("data", members.take("data")), (first, second), read_model(members.take("model"))


def _window(members: Members) -> Window:
    value = members.take("view", None)
    if value is None:
        return Window()
    inner = Members("view", value)
    found = Window(
        maybe("view.x", inner.take("x", None), interval),
        maybe("view.y", inner.take("y", None), interval),
        whole("view.width", inner.take("width", WIDTH), 2, MOST_PLACES),
        whole("view.height", inner.take("height", HEIGHT), 2, MOST_PLACES),
    )
    inner.end()
    return found


def _hidden(members: Members) -> int | None:
    found: int | None = maybe("hide", members.take("hide", None), whole, 0, 1)
    return found


def _scene(members: Members, count: int) -> SceneRequest:
    layers = members.take("layers", ["label"])
    if not isinstance(layers, list) or len(layers) > len(LAYERS) + len(_ZONES):
        msg = f"layers are a list of some of {', '.join(LAYERS)}, got {shown(layers)}"
        raise MessageError(msg)
    named = frozenset(one_of("layers", layer, (*LAYERS, *_ZONES)) for layer in layers)
    return SceneRequest(
        count,
        *_common(members),
        _window(members),
        named.difference(_ZONES),
        _hidden(members),
        maybe("reject", members.take("reject", None), probability),
        maybe("novelty", members.take("novelty", None), probability),
        truth("truth", members.take("truth", False)),
    )


def _line(members: Members, count: int) -> LineRequest:
    common = _common(members)
    return LineRequest(
        count,
        *common,
        whole("feature", members.take("feature", common[1][0]), 0, MOST_FEATURES - 1),
        maybe("x", members.take("x", None), interval),
        whole("points", members.take("points", 400), 2, MOST_LINE_PLACES),
    )


def _point(members: Members, count: int) -> PointRequest:
    at = members.take("at")
    place: tuple[float, float] | int
    if isinstance(at, list) and len(at) == 2:
        place = number("at[0]", at[0]), number("at[1]", at[1])
    elif type(at) is int:
        place = whole("at", at, 0, MOST_ROWS - 1)
    else:
        msg = f"at is [x, y] or the number of a row, got {shown(at)}"
        raise MessageError(msg)
    return PointRequest(count, *_common(members), place, _hidden(members))


def _multiples(members: Members, count: int) -> MultiplesRequest:
    votes = whole("neighbours", members.take("neighbours", 5), 1, MOST_NEIGHBOURS)
    common = _common(members)
    return MultiplesRequest(count, *common, _window(members), votes, _hidden(members))


def _take_away(members: Members, count: int) -> TakeAwayRequest:
    what = one_of("what", members.take("what"), TAKEN)
    return TakeAwayRequest(count, what, *_common(members))


_KINDS: dict[str, Callable[[Members, int], Request]] = {
    "data": _data,
    "scene": _scene,
    "line": _line,
    "point": _point,
    "numbers": lambda members, count: NumbersRequest(count, *_common(members)),
    "multiples": _multiples,
    "surface": lambda members, count: SurfaceRequest(count, *_common(members), _window(members)),
    "take_away": _take_away,
    "lesson": lambda members, count: LessonRequest(count, text("name", members.take("name"))),
}
