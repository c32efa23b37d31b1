"""Tables: text and HTML from one record; nothing of a label is taken for markup."""

from collections.abc import Sequence

import pytest

from gaussbayes.base.result import Result
from gaussbayes.base.text_tables import Block, Styled, TextTable, bar

HOSTILE = "<script>alert('&')</script>"
TABLE = TextTable(
    ("name", "log\nloss", "remark"),
    [(HOSTILE, "0.25", "[bold]x[/]"), (Styled("b"), "12.5\xa0%", Styled("y", "dim"))],
    title=f"of {HOSTILE}",
    notes=[f"see {HOSTILE}"],
    sides="lrl",
    n_more=1234,
)


class Shown(Result):
    def tables(self) -> Sequence[Block]:
        return [f"about {HOSTILE}", TABLE]


def test_text_and_html() -> None:
    html, text = Shown()._repr_html_(), str(Shown()).splitlines()
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;") == 4
    assert html.startswith("<p>about &lt;script&gt;")
    assert all(part in html for part in ("<b>b</b>", "log<br>loss", "<p>… 1,234 more rows</p>"))
    assert text[-2:] == ["… 1,234 more rows", f"see {HOSTILE}"]
    assert text[7].split() == ["b", "12.5", "%", "y"]
    assert "[bold]x[/]" in text[6]


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
