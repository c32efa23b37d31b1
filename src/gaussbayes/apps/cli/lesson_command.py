"""``gaussbayes lesson NAME``, ``lessons`` and ``demo``: worked examples and their figures."""

import math
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.apps.cli import console
from gaussbayes.apps.cli.command_options import option, takes
from gaussbayes.apps.cli.figure_file import DPI
from gaussbayes.base.errors import ParameterError
from gaussbayes.base.numerals import five_digits, fixed
from gaussbayes.base.progress import track
from gaussbayes.base.text_tables import Styled, TextTable

if TYPE_CHECKING:
    from rich.console import Console

    from gaussbayes.lessons import Lesson
    from gaussbayes.lessons.lesson import Result, Spread

_MOST_DECIMALS = 8
_WIDEST_NAME = 48
_SPREAD_DECIMALS = 3
_TINY = 1e-6  # what is smaller is written with an exponent


def _complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    from gaussbayes.lessons import names

    taken = ctx.params.get("names") or ()
    return [name for name in names() if name.startswith(incomplete) and name not in taken]


@click.command("lesson")
@click.argument("names", metavar="NAME...", nargs=-1, shell_complete=_complete)
@option("--all", "replay_all", is_flag=True)
@option("--save DIR", "directory", type=click.Path(path_type=Path))
@option("--notebook FILE.ipynb", type=click.Path(path_type=Path, dir_okay=False))
@takes(seed="Draws the random rows.", json="Write a line of JSON for each lesson.")
def lesson_command(
    names: tuple[str, ...],
    replay_all: bool,
    directory: Path | None,
    notebook: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Replay worked examples of the course.

    The results of the handout are put beside ours and the right ones, with what the handout gets
    wrong and why. Figures are shown in windows where there is a screen, or saved with --save. With
    --notebook the lesson is written to be run: text, formulas, code, exercises and solutions.

    \b
    gaussbayes lessons                                lists the names
    gaussbayes lesson petals --save figures           replays one
    gaussbayes lesson petals --notebook petals.ipynb  writes it to be run
    """
    chosen = _chosen(names, replay_all, seed)
    if notebook is not None:
        _write_notebook(chosen, notebook)
        return
    if directory is not None:
        _make_directory(directory)
    figures = any(lesson.figures for lesson in chosen)
    windows = figures and not as_json and directory is None and has_windows()
    for number, lesson in enumerate(chosen):
        record = _record(lesson, seed, directory)
        if as_json:
            console.write_json(record)
            continue
        out = console.stdout_console()
        if number:
            out.print("\n" + "─" * out.width + "\n", style="dim")
        _print(out, record)
        if windows and lesson.figures:
            aside = "\nThe figures are shown in windows; close them to go on."
            console.stdout_console(stderr=True).print(aside, style="dim")
            _show_figures(lesson)
    if figures and not (as_json or directory or windows):
        given = "--all" if replay_all else " ".join(names)
        how = f"\nSave the figures with: gaussbayes lesson {given} --save DIR"
        console.stdout_console(stderr=True).print(how, style="dim", soft_wrap=True)


def _write_notebook(chosen: "list[Lesson]", path: Path) -> None:
    from gaussbayes.lessons.notebook import write_notebook

    if len(chosen) > 1:
        msg = f"--notebook is the file of one lesson, got {len(chosen)}: give one name"
        raise click.UsageError(msg)
    write_notebook(chosen[0].name, path)
    console.tell(f"the lesson is in {path}")


def _chosen(names: tuple[str, ...], replay_all: bool, seed: int) -> "list[Lesson]":
    from gaussbayes import lessons

    if replay_all and names:
        msg = f"give names or --all, not both; got --all and {', '.join(names)}"
        raise click.UsageError(msg)
    if not replay_all and not names:
        msg = f"which lesson? Give --all or names of {', '.join(lessons.names())}"
        raise click.UsageError(msg)
    try:
        wanted = lessons.names() if replay_all else tuple(dict.fromkeys(names))
        return [lessons.get(name, seed) for name in wanted]
    except ParameterError as error:
        raise click.UsageError(str(error)) from None


def _record(lesson: "Lesson", seed: int, directory: Path | None) -> dict[str, Any]:
    """Everything about a lesson that has been replayed, and its figures saved."""
    results = track(lesson.results, f"results of {lesson.name}")
    spreads = track(lesson.spreads, f"many draws for {lesson.name}")
    record = {
        **{name: getattr(lesson, name) for name in ("name", "title", "source", "text")},
        "seed": seed,
        "data": [
            {
                "name": table.name,
                "rows": len(table.rows),
                "features": list(table.features),
                "source": table.source,
            }
            for table in lesson.data
        ],
        "results": [result_record(result) for result in results],
        "spreads": [spread_record(spread) for spread in spreads],
        "errata": [asdict(erratum) for erratum in lesson.errata],
    }
    files = [None] * len(lesson.figures) if directory is None else _save_figures(lesson, directory)
    figures = zip(lesson.figures, files, strict=True)
    return record | {
        "figures": [
            {"name": figure.name, "caption": figure.caption, "file": file and str(file)}
            for figure, file in figures
        ]
    }


def _print(out: "Console", record: dict[str, Any]) -> None:
    from rich.table import Table

    out.print(record["title"], style="bold")
    console.paragraph(out, record["source"], style="dim")
    out.print()
    console.paragraph(out, record["text"])
    if record["data"]:
        out.print()
    for table in record["data"]:
        columns = f"{table['rows']} rows of {', '.join(table['features'])}"
        console.paragraph(out, f"{table['name']}: {columns}; {table['source']}.")
    out.print()
    out.print(result_table(record["results"]))
    for note in notes(record["results"]):
        out.print()
        console.paragraph(out, note, style="dim")
    if record["spreads"]:
        out.print()
        out.print(spread_table(record["spreads"]))
    if record["errata"]:
        out.print("\nWhere the handout errs", style="bold")
    for erratum in record["errata"]:
        out.print()
        console.paragraph(out, erratum["where"], style="bold")
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        for label in ("printed", "right", "why"):
            grid.add_row(f"  {label}", erratum[label])
        out.print(grid, width=min(out.width, console.WIDEST_TEXT))
    if record["figures"]:
        out.print("\nFigures", style="bold")
    for figure in record["figures"]:
        out.print()
        # A path stays in one piece, however long, so that it can be copied.
        out.print(figure["file"] or figure["name"], soft_wrap=True)
        console.paragraph(out, figure["caption"], indent=2, style="dim")


# Results: what the handout prints, ours, and the right one; and over many draws.


def result_record(result: "Result") -> dict[str, Any]:
    """A result and our value of it, as plain values; `random` ones depend on a random draw."""
    ours, printed = result.value(), result.handout
    given = ("name", "unit", "handout", "right", "decimals", "standard_error")
    return {
        **{name: getattr(result, name) for name in given},
        "ours": ours.tolist(),
        "tolerance": result.tolerance.tolist(),
        "random": bool(np.any(np.asarray(result.standard_error) > 0)),
        "handout_agrees": None if printed is None else result.agrees(printed),
        "ours_agrees": result.agrees(ours),
    }


def result_table(records: Sequence[dict[str, Any]]) -> TextTable:
    """Mark, name and verdict, the handout's number, ours, and the right each.

    Vectors are written as columns and matrices by row, so that what belongs together is on one
    line. Where the handout prints none of the numbers, its column is left out.
    """
    printed = any(each["handout"] is not None for each in records)
    numbers = ["the handout", "ours", "right"] if printed else ["ours", "right"]
    rows = []
    for each in records:
        cells = [_ours(each), written(each["right"])]
        if printed:
            handout = each["handout"]
            cells.insert(0, "–" if handout is None else written(handout, fill=False))
        rows.append([*_marked(each, *verdict(each)), *cells])
    return TextTable(("", "result", *numbers), rows, sides="LlL", spacing=1)


def spread_record(spread: "Spread") -> dict[str, Any]:
    """A spread and our values, one a draw, as plain values."""
    values = spread.values()
    return {
        "name": spread.name,
        "unit": spread.unit,
        "handout": spread.handout,
        "draws": len(values),
        "smallest": float(values.min()),
        "mean": float(values.mean()),
        "largest": float(values.max()),
        "handout_among_them": spread.holds(values),
    }


def spread_table(records: Sequence[dict[str, Any]]) -> TextTable:
    """Smallest, mean and largest value over the draws, and whether the handout's is among them."""
    columns = ("", "result", "draws", "smallest", "mean", "largest", "the handout")
    rows = []
    for each in records:
        among = each["handout_among_them"]
        words = "the handout's lies among them" if among else "the handout's lies outside"
        numbers = (written(each[name], _SPREAD_DECIMALS) for name in columns[3:6])
        handout = written(each["handout"])
        rows.append([*_marked(each, among, words), f"{each['draws']:,}", *numbers, handout])
    return TextTable(columns, rows, sides="Llr", spacing=1)


def _marked(record: dict[str, Any], good: bool, words: str) -> tuple[Styled, Styled]:
    """A mark, and the name of a result with what is said of it, narrow beside the numbers."""
    unit = f" ({record['unit']})" if record["unit"] else ""
    mark = Styled("✓", "green") if good else Styled("✗", "bold red")
    name, *rest = wrap(f"{record['name']}{unit}", _WIDEST_NAME)
    return mark, Styled("\n".join([name, *rest, *wrap(words, _WIDEST_NAME)]), "", "dim")


def notes(records: Sequence[dict[str, Any]]) -> list[str]:
    """What has to be said to the table."""
    remarks = []
    if all(each["handout"] is None for each in records):
        remarks.append("The handout prints none of these numbers.")
    if any(each["random"] for each in records):
        reason = "how far a right result may lie off because its rows are drawn at random"
        remarks.append(f"±: {reason}.")
    return remarks


def verdict(record: dict[str, Any]) -> tuple[bool, str]:
    """Whether all is well, and what to say of it."""
    handout = record["handout_agrees"]
    if not record["ours_agrees"]:
        return False, "both are off" if handout is False else "ours is off"
    if handout is False:
        return False, "the handout errs"
    spread = f" within ±{np.max(record['tolerance']):.2g}" if record["random"] else ""
    return True, f"{'right' if handout is None else 'agree'}{spread}"


def written(numbers: ArrayLike, decimals: int = _MOST_DECIMALS, *, fill: bool = True) -> str:
    """A number, a vector as a column, or matrices by row, aligned at their points.

    No more decimals than are needed; with `fill`, the same for all numbers.
    """
    values = np.asarray(numbers, dtype=np.float64)
    lines = values.reshape(-1, 1 if values.ndim < 2 else values.shape[-1])
    per_matrix = len(lines) if values.ndim < 3 else values.shape[-2]
    needed = max(_decimals(value, decimals) for value in values.flat)
    texts = [
        [_number(value, needed if fill else _decimals(value, decimals)) for value in line]
        for line in lines.tolist()
    ]
    columns = [_aligned(column) for column in zip(*texts, strict=True)]
    rows = [" ".join(row).rstrip() for row in zip(*columns, strict=True)]
    matrices = (rows[i : i + per_matrix] for i in range(0, len(rows), per_matrix))
    return "\n\n".join("\n".join(matrix) for matrix in matrices)


def _aligned(column: Sequence[str]) -> list[str]:
    parts = [text.partition(".") for text in column]
    before = max(len(whole) for whole, _, _ in parts)
    after = max(len(point + rest) for _, point, rest in parts)
    return [f"{whole:>{before}}{point + rest:<{after}}" for whole, point, rest in parts]


def _number(value: float, decimals: int) -> str:
    return five_digits(value) if _is_tiny(value) else fixed(value, decimals)


def _decimals(value: float, most: int) -> int:
    """How many a number needs when rounded to `most`: none for 2.0, two for −0.25."""
    return 0 if _is_tiny(value) else len(f"{value:.{most}f}".partition(".")[2].rstrip("0"))


def _is_tiny(value: float) -> bool:
    return 0.0 < abs(value) < _TINY


def _ours(record: dict[str, Any]) -> str:
    """Our value to the decimals that are right, or two beyond the first that is random."""
    decimals = min(record["decimals"], _MOST_DECIMALS)
    if record["random"]:
        errors = np.asarray(record["standard_error"], dtype=np.float64)
        first = -math.floor(math.log10(errors[errors > 0].min()))
        decimals = max(0, min(decimals, first + 2))
    # What is zero but for rounding errors is written as zero.
    ours = np.asarray(record["ours"])
    nothing = (np.asarray(record["right"]) == 0) & (
        np.abs(ours) < 0.5 * 10.0 ** -record["decimals"]
    )
    return written(np.where(nothing, 0.0, ours), decimals)


# Figures: saved as files, or shown in windows.


def _make_directory(directory: Path) -> None:
    """Make the directory if it is missing, and see that files can be made in it."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=directory, prefix=".gaussbayes-"):
            pass
    except OSError as error:
        in_the_way = isinstance(error, FileExistsError | NotADirectoryError)
        why = "there is a file of that name in the way" if in_the_way else error.strerror
        msg = f"figures cannot be saved in {directory}: {why}"
        raise click.ClickException(msg) from None


def _save_figures(lesson: "Lesson", directory: Path) -> list[Path]:
    """Draw the figures and save them; all of them are there in the end, or none."""
    if not lesson.figures:
        return []
    import matplotlib as mpl

    mpl.use("agg")  # no windows, even where there is a screen
    import matplotlib.pyplot as plt

    with TemporaryDirectory(dir=directory, prefix=".gaussbayes-") as stage:
        names = [f"{lesson.name}-{figure.name}.png" for figure in lesson.figures]
        figures = track(lesson.figures, f"figures of {lesson.name}")
        for name, figure in zip(names, figures, strict=True):
            drawn = figure.draw()
            drawn.savefig(Path(stage) / name, dpi=DPI)
            plt.close(drawn)
        for name in names:
            Path(stage, name).replace(directory / name)
    return [directory / name for name in names]


def _show_figures(lesson: "Lesson") -> None:
    """Draw the figures in windows, and wait until they are closed."""
    import matplotlib.pyplot as plt

    for figure in track(lesson.figures, f"figures of {lesson.name}"):
        manager = figure.draw().canvas.manager
        if manager is not None:
            manager.set_window_title(f"{lesson.name}: {figure.name}")
    plt.show()
    plt.close("all")


def has_windows() -> bool:
    """Whether somebody is watching, and matplotlib can open windows for them."""
    if not sys.stdout.isatty():
        return False
    try:
        import matplotlib.pyplot as plt
        from matplotlib.backends.registry import BackendFilter, backend_registry

        plt.switch_backend(plt.get_backend())  # an ImportError where there is no screen
    except ImportError:
        return False
    registry: Any = backend_registry
    return plt.get_backend().lower() in registry.list_builtin(BackendFilter.INTERACTIVE)


@click.command("lessons")
@takes(json="Write a JSON list instead of a table.")
def lessons_command(as_json: bool) -> None:
    """List the worked examples of the course.

    Replay one with: gaussbayes lesson NAME
    """
    from gaussbayes.lessons import all_lessons

    records: list[dict[str, Any]] = [
        {name: getattr(lesson, name) for name in ("name", "title", "source")}
        | {"results": len(lesson.results), "figures": len(lesson.figures)}
        for lesson in all_lessons()
    ]
    if as_json:
        console.write_json(records, indent=2)
        return

    rows = [
        (
            each["name"],
            Styled(f"{each['title']}\n{each['source']}", "bold", "none"),
            str(each["results"]),
            str(each["figures"]),
        )
        for each in records
    ]
    columns = ("name", "title and source", "results", "figures")
    console.stdout_console().print(TextTable(columns, rows, sides="Llr", spacing=1))
    remark = "\nReplay one with: gaussbayes lesson NAME"
    console.stdout_console(stderr=True).print(remark, style="dim")


@click.command("demo")
def demo_command() -> None:
    """Show a first look: Fisher's irises classified, with errors and probabilities."""
    from gaussbayes.apps.demo import main

    main()
