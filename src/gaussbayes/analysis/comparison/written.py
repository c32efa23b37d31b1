"""Candidates side by side, as a table for the terminal and as plain text."""

from collections.abc import Sequence
from math import isinf
from typing import TYPE_CHECKING

from gaussbayes.analysis.comparison.candidate import Candidate

if TYPE_CHECKING:
    from rich.table import Table

_COLUMNS = (
    "model",
    "para-\nmeters",
    "error",
    "log\nloss",
    "Brier\nscore",
    "fit\nms",
    "predict\nms",
)
_JUDGED = slice(2, None)
"""The columns where less is better; fewer parameters are only fewer."""


def rich_table(candidates: Sequence[Candidate], title: str) -> "Table":
    """A table of at most 80 columns, the best of each column in bold, problems under it."""
    try:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text
    except ImportError as error:
        msg = "tables are printed with rich, which is not installed: pip install 'gaussbayes[cli]'"
        raise ImportError(msg) from error
    drawn = Table(
        title=Text(title),
        title_justify="left",
        title_style="",
        caption=Text("\n".join(problems(candidates))),
        caption_justify="left",
        caption_style="",
        box=SIMPLE_HEAD,
        show_edge=False,
        collapse_padding=True,
        pad_edge=False,
    )
    for i, name in enumerate(_COLUMNS):
        drawn.add_column(name, justify="right" if i else "left")
    cells = [_cells(candidate) for candidate in candidates]
    best = _best(candidates, cells)
    for row in cells:
        styles = ["bold" if cell == top else "" for cell, top in zip(row, best, strict=True)]
        drawn.add_row(*map(Text, row, styles))
    return drawn


def plain_text(candidates: Sequence[Candidate], title: str) -> str:
    """The same without styles."""
    heads = zip(*(name.rpartition("\n")[::2] for name in _COLUMNS), strict=True)
    rows = [*heads, *map(_cells, candidates)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]
    return "\n".join([title, *lines, *problems(candidates)])


def problems(candidates: Sequence[Candidate]) -> list[str]:
    """Which candidates could not be fitted, and why, in a sentence each."""
    return [
        f"{candidate.name}: {candidate.problem.partition('. ')[0]}"
        for candidate in candidates
        if candidate.problem is not None
    ]


def _numbers(candidate: Candidate) -> tuple[float, ...]:
    """What is judged, in the order of the columns; nothing if nothing could be."""
    seen = candidate.evaluation
    if seen is None:
        return ()
    times = (candidate.fit_seconds, candidate.predict_seconds)
    return (seen.n_errors, seen.log_loss, seen.brier, *times)


def _cells(candidate: Candidate) -> tuple[str, ...]:
    count = "–" if candidate.n_parameters is None else str(candidate.n_parameters)
    seen = candidate.evaluation
    if seen is None:
        return (candidate.name, count, *("–" for _ in _COLUMNS[_JUDGED]))
    return (
        candidate.name,
        count,
        f"{100 * seen.error:.1f} % ({seen.n_errors})",
        "∞" if isinf(seen.log_loss) else f"{seen.log_loss:.3f}",
        f"{seen.brier:.3f}",
        _milliseconds(candidate.fit_seconds),
        _milliseconds(candidate.predict_seconds),
    )


def _best(candidates: Sequence[Candidate], cells: Sequence[tuple[str, ...]]) -> list[str | None]:
    """The best cell of each column that is judged; others that read the same are as good."""
    numbers = list(map(_numbers, candidates))
    judged = [row for row, values in enumerate(numbers) if values]
    best: list[str | None] = [None for _ in _COLUMNS]
    if judged:
        for place in range(len(_COLUMNS[_JUDGED])):
            row = min(judged, key=lambda i: numbers[i][place])
            best[place + 2] = cells[row][place + 2]
    return best


def _milliseconds(seconds: float) -> str:
    value = 1000 * seconds
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"
