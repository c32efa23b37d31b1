"""The text of live figures: their specification in YAML, and the words that are tied to them."""

import json
import re
from typing import Any, ClassVar

import yaml

KEYS = {
    *("view", "data", "model", "features", "hidden", "query", "neighbours", "step", "test"),
    *("layers", "move", "window", "controls", "readouts", "card", "height", "odds", "learning"),
    *("tool", "zoom", "name"),
}
"""What a specification may have; its text and caption are options of the directive."""


class _Loader(yaml.SafeLoader):
    """YAML 1.2: ``no`` is a word, as a class may be called, and ``1e-3`` is a number."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


_FORMS = {
    "bool": ("true|false", "tf"),
    "null": ("null|~|", "n~"),
    "int": (r"[-+]?\d+", "-+0123456789"),
    "float": (r"[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?", "-+.0123456789"),
}
for _name, (_form, _first) in _FORMS.items():
    _pattern = re.compile(f"(?:{_form})$")
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", _pattern, list(_first))


def specification(body: str) -> dict[str, Any]:
    """The specification that the body of a ``{live}`` directive holds.

    >>> specification("view: line\\nquery: [4.9]")
    {'view': 'line', 'query': [4.9]}
    """
    spec = yaml.load(body, Loader=_Loader)
    if not isinstance(spec, dict) or "view" not in spec:
        msg = "a live figure needs a view"
        raise ValueError(msg)
    if unknown := sorted(map(str, spec.keys() - KEYS)):
        msg = f"unknown keys of a live figure: {', '.join(unknown)}"
        raise ValueError(msg)
    return spec


def still(docname: str, name: str) -> str:
    """File name of the still image that replaces a figure.

    >>> still("course/02-one-gaussian", "bell")
    'live-course-02-one-gaussian-bell.png'
    """
    return f"live-{docname.replace('/', '-')}-{name}.png"


def value(text: str) -> tuple[str, str, str]:
    """Figure, quantity and text of a ``live-value``; a bar ends a name with spaces.

    >>> value("rain posterior.no rain | 60 %")
    ('rain', 'posterior.no rain', '60 %')
    >>> value("petals posterior.B 0.672")
    ('petals', 'posterior.B', '0.672')
    """
    figure, _, rest = text.strip().partition(" ")
    quantity, _, shown = rest.partition(" | " if " | " in rest else " ")
    return figure, quantity.strip(), shown.strip()


def assignments(text: str) -> tuple[str, dict[str, Any], str]:
    """Figure, what is set, and the words of a ``live-set``.

    >>> assignments('petals model.shared=true; query=[4.9] | share one variance')
    ('petals', {'model.shared': True, 'query': [4.9]}, 'share one variance')
    """
    settings, bar, words = text.rpartition("|")
    figure, _, settings = settings.strip().partition(" ")
    pairs = [pair.partition("=") for pair in settings.split(";") if pair.strip()]
    changes = {path.strip(): json.loads(given) for path, _, given in pairs}
    if not (bar and figure and changes and words.strip()):
        msg = "expected: figure path=value; path=value | words"
        raise ValueError(msg)
    return figure, changes, words.strip()
