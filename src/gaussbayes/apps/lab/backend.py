"""What the server asks of the rest of the lab: to read requests, to answer them, to keep files.

What is behind these functions takes longer to import than the first page to load, so it is imported
by the first call.
"""

from collections.abc import Mapping
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from gaussbayes import __version__

if TYPE_CHECKING:
    from gaussbayes.apps.lab.lab_tables import NamedTable
    from gaussbayes.apps.lab.store import Store

# The colours that `gaussbayes.plots.style` gives to twelve classes, whose import takes long. On
# dark ground those too dark to be seen there are mixed with white, no more than that their contrast
# with #15181d becomes 4.5 to 1.
LIGHT_COLOURS = (
    *("#3f90da", "#ffa90e", "#bd1f01", "#832db6", "#92dadd", "#a96b59"),
    *("#e76300", "#b9ac70", "#717581", "#94a4a2", "#234f78", "#8c5d08"),
)
DARK_COLOURS = (
    *("#3f90da", "#ffa90e", "#cf5e48", "#a668ca", "#92dadd", "#ae7463"),
    *("#e76300", "#b9ac70", "#7c808b", "#94a4a2", "#6584a0", "#a17a34"),
)
SHAPES = ("circle", "square", "triangle", "diamond", "cross", "plus", "star")
LARGEST_UPLOAD = 64 << 20  # bytes of a file
_NEEDED = ("msgspec", "starlette", "uvicorn", "websockets", "plotly")
_ENDINGS = (".txt", ".dat", ".data", ".json")  # tell no format: the first bytes of the file do


def check_extra() -> None:
    """Raise, saying how to install it, if something that the lab needs is not there."""
    missing = " and ".join(name for name in _NEEDED if find_spec(name) is None)
    if missing:
        msg = f"the lab needs {missing}, which is not installed: pip install 'gaussbayes[lab]'"
        raise ImportError(msg)


class Backend:
    """What is behind the server; `answer` and `keep` are called in one thread only."""

    def __init__(self, given: "NamedTable | None" = None) -> None:
        self._given = given  # the rows that the command line names, if it does

    @cached_property
    def _store(self) -> "Store":
        from gaussbayes.apps.lab.store import Store

        return Store(self._given)

    def read(self, text: str) -> Any:
        """The text of a message → a request; raises `MessageError`."""
        from gaussbayes.apps.lab.messages import read

        return read(text)

    def answer(self, request: Any) -> Any:
        """A request → its answer; raises `GaussBayesError`."""
        from gaussbayes.apps.lab.answers import answer

        return answer(request, self._store)

    def keep(self, name: str, content: bytes) -> Mapping[str, Any]:
        """A file's name, for show only, and its bytes → what the page is told of its table."""
        return self._store.keep(name, content)

    def about(self) -> Mapping[str, Any]:
        """What the page needs to know from the start."""
        from gaussbayes.apps.lab import messages
        from gaussbayes.apps.lab.answers import lessons
        from gaussbayes.apps.lab.examples import EXAMPLES, thumbnail
        from gaussbayes.data.files import name_endings

        return {
            "version": __version__,
            "colours": {"light": LIGHT_COLOURS, "dark": DARK_COLOURS},
            "shapes": SHAPES,
            "presets": [
                {"name": name, "thumbnail": thumbnail(name)} | each.record
                for name, each in EXAMPLES.items()
            ],
            "lessons": [{"name": each["name"], "title": each["title"]} for each in lessons()],
            "given": None if self._given is None else self._given.record,
            "limits": {
                "classes_by_hand": messages.MOST_CLASSES_BY_HAND,
                "rows": messages.MOST_ROWS,
                "upload": LARGEST_UPLOAD,
            },
            "endings": (*name_endings(), *_ENDINGS),
        }

    def prepare(self) -> None:
        """Import what `answer` needs, so that the first answer does not wait for it."""
        import gaussbayes.apps.lab.answers  # noqa: F401
