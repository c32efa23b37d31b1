"""What the server asks of the rest of the lab: to read requests, to answer them, to keep files.

The server knows these few functions and nothing behind them. What is behind them takes longer to
import than the first page to load, so it is imported by the first call.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from gaussbayes import __version__
from gaussbayes.apps.lab.message_limits import LIMITS

if TYPE_CHECKING:
    from gaussbayes.apps.lab.store import Store
    from gaussbayes.apps.lab.table_reader import NamedTable

LIGHT_COLOURS = (
    *("#3f90da", "#ffa90e", "#bd1f01", "#832db6", "#92dadd", "#a96b59"),
    *("#e76300", "#b9ac70", "#717581", "#94a4a2", "#234f78", "#8c5d08"),
)
"""The colours that `gaussbayes.plots.style` gives to twelve classes.

They are written down here because the plots take longer to import than the page to load.
"""

DARK_COLOURS = (
    *("#3f90da", "#ffa90e", "#cf5e48", "#a668ca", "#92dadd", "#ae7463"),
    *("#e76300", "#b9ac70", "#7c808b", "#94a4a2", "#6584a0", "#a17a34"),
)
"""The same on dark ground: those too dark to be seen there are mixed with white, no more than that
their contrast with ``#15181d`` becomes 4.5 to 1."""

SHAPES = ("circle", "square", "triangle", "diamond", "cross", "plus", "star")

_ENDINGS = (".txt", ".dat", ".data", ".json")
"""Endings of names that tell no format: the first bytes of such a file do."""


@dataclass(frozen=True, slots=True)
class Backend:
    """The functions behind the server; `answer` and `keep` are called in one thread only."""

    read: Callable[[str], Any]
    """The text of a message → a request; raises `MessageError`."""
    answer: Callable[[Any], Any]
    """A request → its answer; raises `GaussBayesError`."""
    keep: Callable[[str, bytes], Mapping[str, Any]]
    """A file's name, for show only, and its bytes → what the page is told of its table."""
    about: Callable[[], Mapping[str, Any]]
    """What the page needs to know from the start."""
    prepare: Callable[[], object]
    """Imports what `answer` needs, so that the first answer does not wait for it."""


def open_backend(given: "NamedTable | None" = None) -> Backend:
    """The backend of the lab.

    Parameters
    ----------
    given : the rows that the command line names, if it does

    Examples
    --------
    >>> backend = open_backend()
    >>> source = '{"from": "preset", "preset": "unequal"}'
    >>> request = backend.read(f'{{"number": 1, "kind": "data", "source": {source}}}')
    >>> backend.answer(request).arrays["points"].shape
    (200, 2)
    """

    @cache
    def store() -> "Store":
        from gaussbayes.apps.lab.store import Store

        return Store(given)

    def read(text: str) -> Any:
        from gaussbayes.apps.lab.message_reader import read

        return read(text)

    def answer(request: Any) -> Any:
        from gaussbayes.apps.lab.answers import answer

        return answer(request, store())

    def keep(name: str, content: bytes) -> Mapping[str, Any]:
        return store().keep(name, content)

    def about() -> Mapping[str, Any]:
        from gaussbayes.apps.lab.examples import EXAMPLES
        from gaussbayes.apps.lab.guided_lessons import lessons
        from gaussbayes.data.listing import name_endings

        return {
            "version": __version__,
            "colours": {"light": LIGHT_COLOURS, "dark": DARK_COLOURS},
            "shapes": SHAPES,
            "presets": [{"name": name} | each.record for name, each in EXAMPLES.items()],
            "lessons": [
                {"name": lesson["name"], "title": lesson["title"]} for lesson in lessons().values()
            ],
            "given": None if given is None else given.record,
            "limits": LIMITS,
            "endings": (*name_endings(), *_ENDINGS),
        }

    def prepare() -> None:
        import gaussbayes.apps.lab.answers
        import gaussbayes.apps.lab.message_reader  # noqa: F401

    return Backend(read, answer, keep, about, prepare)
