"""What the server asks of the rest of the lab: to read requests, to answer them, to keep files.

The server knows these few functions and nothing behind them. What is behind them takes longer to
import than the first page to load, so it is imported by the first call.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from gaussbayes.base.errors import GaussBayesError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gaussbayes.apps.lab.datasets import Store
    from gaussbayes.apps.lab.given import Given


class RequestError(GaussBayesError):
    """A message is no request; `kind` and `number` are those it gives, None if it gives none."""

    def __init__(self, text: str, kind: str | None = None, number: int | None = None) -> None:
        super().__init__(text)
        self.kind = kind
        self.number = number


class Request(Protocol):
    """A request that was read and found to be in order."""

    @property
    def kind(self) -> str:
        """What is asked for."""

    @property
    def number(self) -> int:
        """The page's number for it, which goes back with the answer."""


class Answer(Protocol):
    """What is answered."""

    @property
    def head(self) -> Mapping[str, Any]:
        """Values that JSON can hold."""

    @property
    def arrays(self) -> "Mapping[str, NDArray[Any]]":
        """Grids and points."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The functions behind the server; `answer` and `keep` are called in one thread only."""

    read: Callable[[str], Any]
    """The text of a message → a request; raises `RequestError`."""
    answer: Callable[[Any], Any]
    """A request → its answer; raises `GaussBayesError`."""
    keep: Callable[[str, bytes], Mapping[str, Any]]
    """A file's name, for show only, and its bytes → what the page is told of its table."""
    about: Callable[[], Mapping[str, Any]]
    """What the page needs to know from the start."""
    prepare: Callable[[], object]
    """Imports what `answer` needs, so that the first answer does not wait for it."""


def open_desk(given: "Given | None" = None) -> Desk:
    """The desk of the lab.

    Parameters
    ----------
    given : the rows that the command line names, if it does

    Examples
    --------
    >>> desk = open_desk()
    >>> request = desk.read('{"number": 1, "kind": "data", "source": {"preset": "unequal"}}')
    >>> desk.answer(request).arrays["points"].shape
    (200, 2)
    """

    @cache
    def store() -> "Store":
        from gaussbayes.apps.lab.datasets import Store

        return Store(given)

    def read(text: str) -> Any:
        from gaussbayes.apps.lab.messages import read

        return read(text)

    def answer(request: Any) -> Any:
        from gaussbayes.apps.lab.work import answer

        return answer(request, store())

    def keep(name: str, content: bytes) -> Mapping[str, Any]:
        return store().keep(name, content)

    def about() -> Mapping[str, Any]:
        from gaussbayes.apps.lab import about
        from gaussbayes.apps.lab.datasets import presets
        from gaussbayes.apps.lab.messages import limits
        from gaussbayes.apps.lab.work import lesson_steps
        from gaussbayes.data.sources.listing import name_endings

        return about.about(
            presets.listed(),
            lesson_steps.listed(),
            store().about_given(),
            limits.as_record(),
            name_endings(),
        )

    def prepare() -> None:
        import gaussbayes.apps.lab.work  # noqa: F401

    return Desk(read, answer, keep, about, prepare)
