"""``gaussbayes lesson NAME``: replay a worked example, with its results, errata and figures."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import options, output

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from gaussbayes.apps.cli.lesson_results import Repeated, Replayed
    from gaussbayes.lessons import Lesson


def _complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    from gaussbayes.lessons import names

    taken = ctx.params.get("names") or ()
    return [name for name in names() if name.startswith(incomplete) and name not in taken]


@click.command("lesson")
@click.argument("names", metavar="NAME...", nargs=-1, shell_complete=_complete)
@click.option("--all", "every", is_flag=True, help="Replay every lesson, in the course's order.")
@click.option(
    "--save",
    "directory",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Save the figures there as PNG files; the directory is made if it is missing.",
)
@options.seed_option("Draws the random rows.")
@click.option("--json", "as_json", is_flag=True, help="Write a line of JSON for each lesson.")
def command(
    names: tuple[str, ...], every: bool, directory: Path | None, seed: int, as_json: bool
) -> None:
    """Replay worked examples of the course.

    The results of the handout are put beside ours and the right ones, with what the handout gets
    wrong and why. Figures are shown in windows where there is a screen, or saved with --save.

    \b
    gaussbayes lessons                        lists the names
    gaussbayes lesson petals --save figures   replays one
    """
    chosen = _chosen(names, every, seed)
    if directory is not None:
        from gaussbayes.apps.cli.lesson_figures import prepare

        prepare(directory)
    windows = not as_json and directory is None and _can_be_shown(chosen)
    for number, lesson in enumerate(chosen):
        if as_json:
            output.write_json(_record(lesson, seed, directory))
        else:
            console = output.console()
            if number:
                console.print("\n" + "─" * console.width + "\n", style="dim")
            _print(lesson, console)
            _print_figures(lesson, directory, console, windows)
    if any(lesson.figures for lesson in chosen) and not (as_json or directory or windows):
        given = "--all" if every else " ".join(names)
        how = f"\nSave the figures with: gaussbayes lesson {given} --save DIR"
        output.console(stderr=True).print(how, style="dim", soft_wrap=True)


def _chosen(names: tuple[str, ...], every: bool, seed: int) -> "list[Lesson]":
    from gaussbayes import lessons
    from gaussbayes.base.errors import ParameterError

    if every and names:
        msg = f"give names or --all, not both; got --all and {', '.join(names)}"
        raise click.UsageError(msg)
    if not every and not names:
        msg = f"which lesson? Give --all or names of {', '.join(lessons.names())}"
        raise click.UsageError(msg)
    try:
        wanted = lessons.names() if every else tuple(dict.fromkeys(names))
        return [lessons.get(name, seed) for name in wanted]
    except ParameterError as error:
        raise click.UsageError(str(error)) from None


def _replayed(lesson: "Lesson") -> "list[Replayed]":
    from gaussbayes.apps.cli.lesson_results import Replayed
    from gaussbayes.base.progress import track

    steps = track(lesson.results, f"results of {lesson.name}")
    return [Replayed(result, result.value()) for result in steps]


def _repeated(lesson: "Lesson") -> "list[Repeated]":
    from gaussbayes.apps.cli.lesson_results import Repeated
    from gaussbayes.base.progress import track

    steps = track(lesson.spreads, f"many draws for {lesson.name}")
    return [Repeated(spread, spread.values()) for spread in steps]


def _record(lesson: "Lesson", seed: int, directory: Path | None) -> dict[str, Any]:
    from gaussbayes.apps.cli.lesson_figures import save

    results = [replayed.record() for replayed in _replayed(lesson)]
    files = [None] * len(lesson.figures) if directory is None else save(lesson, directory)
    return {
        "name": lesson.name,
        "title": lesson.title,
        "source": lesson.source,
        "text": lesson.text,
        "seed": seed,
        "data": [
            {"name": table.name, "rows": len(table.rows), "source": table.source}
            for table in lesson.data
        ],
        "results": results,
        "spreads": [one.record() for one in _repeated(lesson)],
        "errata": [
            {name: getattr(erratum, name) for name in ("where", "printed", "right", "why")}
            for erratum in lesson.errata
        ],
        "figures": [
            {
                "name": figure.name,
                "caption": figure.caption,
                "file": None if file is None else str(file),
            }
            for figure, file in zip(lesson.figures, files, strict=True)
        ],
    }


def _print(lesson: "Lesson", console: "Console") -> None:
    from gaussbayes.apps.cli import lesson_results

    replayed, repeated = _replayed(lesson), _repeated(lesson)
    console.print(lesson.title, style="bold")
    output.paragraph(console, lesson.source, style="dim")
    console.print()
    output.paragraph(console, lesson.text)
    console.print()
    for table in lesson.data:
        columns = f"{len(table.rows)} rows of {', '.join(table.features)}"
        output.paragraph(console, f"{table.name}: {columns}; {table.source}.")
    if lesson.data:
        console.print()
    console.print(lesson_results.result_table(replayed))
    for note in lesson_results.notes(replayed):
        console.print()
        output.paragraph(console, note, style="dim")
    if repeated:
        console.print()
        console.print(lesson_results.spread_table(repeated))
    if lesson.errata:
        console.print("\nWhere the handout errs", style="bold")
    for erratum in lesson.errata:
        console.print()
        output.paragraph(console, erratum.where, style="bold")
        lines = {"printed": erratum.printed, "right": erratum.right, "why": erratum.why}
        console.print(_labelled(lines), width=min(console.width, output.WIDEST_TEXT))


def _labelled(lines: dict[str, str]) -> "Table":
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for label, text in lines.items():
        grid.add_row(f"  {label}", text)
    return grid


def _can_be_shown(chosen: "list[Lesson]") -> bool:
    from gaussbayes.apps.cli.lesson_figures import can_be_shown

    return any(lesson.figures for lesson in chosen) and can_be_shown()


def _print_figures(
    lesson: "Lesson", directory: Path | None, console: "Console", windows: bool
) -> None:
    from gaussbayes.apps.cli import lesson_figures

    if not lesson.figures:
        return
    saved = None if directory is None else lesson_figures.save(lesson, directory)
    console.print("\nFigures", style="bold")
    for number, figure in enumerate(lesson.figures):
        console.print()
        # A path stays in one piece, however long, so that it can be copied.
        name = figure.name if saved is None else str(saved[number])
        console.print(name, soft_wrap=True)
        output.paragraph(console, figure.caption, indent=2, style="dim")
    if windows:
        aside = "\nThe figures are shown in windows; close them to go on."
        output.console(stderr=True).print(aside, style="dim")
        lesson_figures.show(lesson)
