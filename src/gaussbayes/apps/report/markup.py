"""HTML put together from pieces that are escaped unless they are HTML already."""

import re
from collections.abc import Iterable, Sequence
from html import escape, unescape

_TAG = re.compile(r"<[^>]*>")
_INLINE = frozenset({"a", "code", "em", "img", "span", "strong", "td", "th", "time"})
_LONGEST = 18
"""Letters of a word that are kept on one line."""
_LONG = 24
"""Letters of a name that is given room of its own."""
_VOID = frozenset({"img", "meta"})


class Html(str):
    """Text that is HTML already, and is not escaped again."""

    __slots__ = ()


def safe(value: object) -> Html:
    """A value as HTML: its text escaped, unless it is HTML already.

    Examples
    --------
    >>> safe("<b> & 'c'"), safe(Html("<b>"))
    ('&lt;b&gt; &amp; &#x27;c&#x27;', '<b>')
    """
    return value if isinstance(value, Html) else Html(escape(str(value)))


def name(text: object) -> Html:
    """A name that somebody gave, which may be broken in words that are too long for a line.

    Examples
    --------
    >>> name("length of <x>"), name("a" * 30)
    ('length of &lt;x&gt;', '<span class="long">aaaaaaaaaaaaaaaaaa<wbr>aaaaaaaaaaaa</span>')
    """
    words = str(text).split(" ")
    broken = join((join(_pieces(word), "<wbr>") for word in words), " ")
    return tag("span", broken, class_="long") if len(str(text)) > _LONG else broken


def _pieces(word: str) -> list[str]:
    return [word[i : i + _LONGEST] for i in range(0, len(word), _LONGEST)]


def join(pieces: Iterable[object], between: str = "") -> Html:
    """Pieces one after the other, each escaped unless it is HTML already."""
    return Html(between.join(safe(piece) for piece in pieces))


def tag(name: str, /, *children: object, **attributes: object) -> Html:
    """An element; attributes that are None are left out, ``class_`` is written ``class``.

    Examples
    --------
    >>> tag("em", "a < b", class_="term", title=None)
    '<em class="term">a &lt; b</em>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    end = "" if name in _INLINE else "\n"
    if name in _VOID:
        return Html(f"<{name}{written}>{end}")
    return Html(f"<{name}{written}>{join(children)}</{name}>{end}")


def table(
    caption: object,
    head: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    class_: str | None = None,
) -> Html:
    """A table in a box that scrolls by itself where it is too wide.

    The first cell of a row is its header; cells may be elements made by `cell`. Numbers are set to
    the right, which is what the style does with every cell that is not a header.
    """
    columns = [tag("th", name, scope="col") for name in head]
    body = [
        tag("tr", tag("th", first, scope="row"), *(_as_cell(value) for value in rest))
        for first, *rest in rows
    ]
    inner = tag(
        "table",
        tag("caption", tag("span", caption)),
        tag("thead", tag("tr", *columns)),
        tag("tbody", *body),
        class_=class_,
    )
    # Focusable, so that it can be scrolled with the keyboard, and named for those who hear it.
    label = unescape(_TAG.sub("", safe(caption)))
    return tag("div", inner, class_="wide", tabindex="0", role="region", aria_label=label)


def cell(value: object, *, class_: str | None = None, tint: str | None = None) -> Html:
    """A cell of a table, on a coloured ground if `tint` is a CSS colour."""
    style = None if tint is None else f"background:{tint}"
    return tag("td", value, class_=class_, style=style)


def _as_cell(value: object) -> Html:
    return value if isinstance(value, Html) and value.startswith("<td") else tag("td", value)


def enumerated(words: Sequence[object]) -> str:
    """Words in a sentence.

    Examples
    --------
    >>> enumerated(["a"]), enumerated(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    texts = [str(word) for word in words]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
