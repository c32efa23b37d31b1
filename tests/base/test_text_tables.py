"""Tables: text, HTML and terminal from one record; nothing of a label is taken for markup."""

import io
from collections.abc import Sequence

import pytest
from rich.console import Console

from gaussbayes.base.text_tables import Block, Displayed, Styled, TextTable, bar
from gaussbayes.cli.console import print_blocks

HOSTILE = "<script>alert('&')</script>"
TABLE = TextTable(
    ("name", "log\nloss", "remark"),
    [(HOSTILE, "0.25", "[bold]x[/]"), (Styled("b"), "12.5\xa0%", Styled("y", "dim"))],
    title=f"of {HOSTILE}",
    notes=[f"see {HOSTILE}"],
    sides="lrl",
    n_more=1234,
)


class Shown(Displayed):
    __slots__ = ()

    def tables(self) -> Sequence[Block]:
        return [f"about {HOSTILE}", TABLE]


def test_html_is_escaped() -> None:
    html = Shown()._repr_html_()
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;") == 4
    assert html.startswith("<p>about &lt;script&gt;")
    assert "<b>b</b>" in html
    assert "log<br>loss" in html
    assert "<p>… 1,234 more rows</p>" in html


def test_text_and_terminal_agree() -> None:
    text = str(Shown()).splitlines()
    console = Console(file=io.StringIO(), width=80, color_system=None)
    print_blocks(console, *Shown().tables())
    assert isinstance(console.file, io.StringIO)
    printed = console.file.getvalue().splitlines()
    assert [line.rstrip() for line in printed] == text
    assert text[-2:] == ["… 1,234 more rows", f"see {HOSTILE}"]
    assert text[7].split() == ["b", "12.5", "%", "y"]
    assert "[bold]x[/]" in text[6]


def test_styles_of_a_terminal() -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="standard")
    console.print(TextTable(("a",), [(Styled("first"),), (Styled("second", "dim"),)]))
    assert isinstance(console.file, io.StringIO)
    written = console.file.getvalue()
    assert "\x1b[1mfirst" in written
    assert "\x1b[2msecond" in written


def test_no_more_rows_are_made_than_are_shown() -> None:
    made = []

    def lines() -> "list[str]":
        for row in range(10**9):
            made.append(row)
            yield [str(row)]

    table = TextTable.first(("row",), lines(), 10**9)
    assert (len(made), len(table.rows), table.remarks) == (20, 20, ["… 999,999,980 more rows"])
    assert TextTable.first(("row",), [["1"]], 1).remarks == []


@pytest.mark.parametrize(
    ("ends", "drawn"),
    [((0, 1), "████"), ((0.5, 0.5), ""), ((0.875, 0.25), " ██▌"), ((0.625, 1), "  ▐█")],
)
def test_bars(ends: tuple[float, float], drawn: str) -> None:
    assert bar(*ends, 4) == drawn
