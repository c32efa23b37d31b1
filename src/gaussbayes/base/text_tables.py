"""Tables as plain text, and as HTML in notebooks; see `gaussbayes.base.result`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from textwrap import fill
from typing import Any, Self, TypeAlias
from unicodedata import combining, east_asian_width

MOST_ROWS = 20  # rows of a table that are shown, if there may be very many
MOST_NAMED = 8  # columns or classes that are named in one line
_WIDEST = 80  # columns of running text


class Styled(str):
    """Emphasis of a cell in HTML: ``"bold"`` or ``"dim"``."""

    style: str

    def __new__(cls, text: str, style: str = "bold") -> Self:
        cell = super().__new__(cls, text)
        cell.style = style
        return cell


@dataclass(frozen=True, slots=True)
class TextTable:
    """Cells under headings.

    `sides` has a letter for each column: l for text, which a terminal breaks where lines would get
    too long, and r for numbers, flush right. The last letter applies to all further columns.
    Headings, and cells in a terminal, may have several lines.

    Examples
    --------
    >>> print(TextTable(("class", "rows"), [("<b>", "12"), ("c", "3")], title="classes", n_more=2))
    classes
    class  rows
    ───────────
    <b>      12
    c         3
    … 2 more rows
    >>> TextTable(("class",), [("<b>",)])._repr_html_().count("&lt;b&gt;")
    1
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    notes: Sequence[str] = ()  # sentences under it
    sides: str = "lr"
    n_more: int = 0  # omitted rows

    @classmethod
    def first(
        cls,
        columns: Sequence[str],
        lines: Iterable[Sequence[str]],
        n_rows: int,
        most: int | None = MOST_ROWS,
        **more: Any,
    ) -> "TextTable":
        """A table of the first of `n_rows` rows; only rows that are shown are computed."""
        rows = list(islice(lines, most))
        return cls(columns, rows, n_more=n_rows - len(rows), **more)

    @property
    def letters(self) -> str:
        """The letter of `sides` for each column."""
        return self.sides.ljust(len(self.columns), self.sides[-1])[: len(self.columns)]

    @property
    def remarks(self) -> list[str]:
        """The lines under the table."""
        more = [f"… {self.n_more:,} more row{'s' * (self.n_more > 1)}"] if self.n_more else []
        return [*more, *self.notes]

    def __str__(self) -> str:
        heads = [column.split("\n") for column in self.columns]
        height = max(map(len, heads), default=0)
        above = zip(*([""] * (height - len(head)) + head for head in heads), strict=True)
        rows = [[cell.replace("\xa0", " ") for cell in row] for row in (*above, *self.rows)]
        widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                " " * (width - _width(cell)) + cell
                if side == "r"
                else cell + " " * (width - _width(cell))
                for cell, width, side in zip(row, widths, self.letters, strict=True)
            ).rstrip()
            for row in rows
        ]
        lines.insert(height, "─" * (sum(widths) + 2 * len(widths) - 2))
        title = [wrapped(self.title)] if self.title else []
        return "\n".join([*title, *lines, *map(wrapped, self.remarks)])

    def _repr_html_(self) -> str:
        sides = ["right" if side == "r" else "left" for side in self.letters]
        head = "".join(
            f'<th style="text-align:{side};padding:0.1em 0.6em">{_html(column)}</th>'
            for column, side in zip(self.columns, sides, strict=True)
        )
        body = "\n".join(
            "<tr>{}</tr>".format(
                "".join(
                    f'<td style="text-align:{side};padding:0.1em 0.6em">{_html(cell)}</td>'
                    for cell, side in zip(row, sides, strict=True)
                )
            )
            for row in self.rows
        )
        caption = f"<caption>{_html(self.title)}</caption>" if self.title else ""
        table = f"<table>{caption}<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"
        return "\n".join([table, *map(_paragraph, self.remarks)])


Block: TypeAlias = TextTable | str
"""A table, or a sentence."""


def html_blocks(blocks: Iterable[Block]) -> str:
    """Sentences and tables as HTML, everything escaped."""
    return "\n".join(
        _paragraph(each) if isinstance(each, str) else each._repr_html_() for each in blocks
    )


def wrapped(text: str) -> str:
    """A sentence in lines of at most 80 characters."""
    return fill(text, _WIDEST, break_on_hyphens=False)


def bar(begin: float, end: float, width: int) -> str:
    """A bar between two proportions of a width, in halves of a letter.

    >>> bar(0.875, 0.25, 4), bar(0.625, 1, 4), bar(0.5, 0.5, 4)
    (' ██▌', '  ▐█', '')
    """
    first, last = (round(2 * width * place) for place in sorted((begin, end)))
    halves = [first <= place < last for place in range(2 * width)]
    pairs = zip(halves[::2], halves[1::2], strict=True)
    return "".join(" ▐▌█"[2 * left + right] for left, right in pairs).rstrip()


def _width(text: str) -> int:
    """The width of a text in terminal columns: Chinese characters take two, accents none.

    >>> _width("naïve"), _width("森林"), _width("e\u0301")
    (5, 4, 1)
    """
    if text.isascii():
        return len(text)
    wide = (1 + (east_asian_width(letter) in "WF") for letter in text if not combining(letter))
    return sum(wide)


def _html(cell: str) -> str:
    text = escape(cell).replace("\n", "<br>")
    return {"bold": f"<b>{text}</b>", "dim": f'<span style="opacity:0.6">{text}</span>'}.get(
        getattr(cell, "style", ""), text
    )


def _paragraph(text: str) -> str:
    return f"<p>{_html(text)}</p>"
