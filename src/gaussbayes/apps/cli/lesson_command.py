"""``gaussbayes lesson NAME``, ``lessons`` and ``demo``: worked examples and their figures."""

import sys
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import command_options, console
from gaussbayes.apps.cli.command_options import option
from gaussbayes.apps.cli.figure_file import DPI
from gaussbayes.base.errors import ParameterError
from gaussbayes.base.progress import track

if TYPE_CHECKING:
    from rich.console import Console

    from gaussbayes.lessons import Lesson


def _complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    from gaussbayes.lessons import names

    taken = ctx.params.get("names") or ()
    return [name for name in names() if name.startswith(incomplete) and name not in taken]


@click.command("lesson")
@click.argument("names", metavar="NAME...", nargs=-1, shell_complete=_complete)
@option("--all", "replay_all", is_flag=True)
@option("--save DIR", "directory", type=click.Path(path_type=Path))
@command_options.seed_option("Draws the random rows.")
@command_options.json_option("Write a line of JSON for each lesson.")
def lesson_command(
    names: tuple[str, ...], replay_all: bool, directory: Path | None, seed: int, as_json: bool
) -> None:
    """Replay worked examples of the course.

    The results of the handout are put beside ours and the right ones, with what the handout gets
    wrong and why. Figures are shown in windows where there is a screen, or saved with --save.

    \b
    gaussbayes lessons                        lists the names
    gaussbayes lesson petals --save figures   replays one
    """
    chosen = _chosen(names, replay_all, seed)
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
    from gaussbayes.apps.cli.lesson_results import result_record, spread_record

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

    from gaussbayes.apps.cli import lesson_results

    out.print(record["title"], style="bold")
    console.paragraph(out, record["source"], style="dim")
    out.print()
    console.paragraph(out, record["text"])
    if record["data"]:
        out.print()
    for table in record["data"]:
        columns = f"{table['rows']} rows of {', '.join(table['features'])}"
        console.paragraph(out, f"{table['name']}: {columns}; {table['source']}.")
    console.print_tables(out, lesson_results.result_table(record["results"]))
    for note in lesson_results.notes(record["results"]):
        out.print()
        console.paragraph(out, note, style="dim")
    if record["spreads"]:
        console.print_tables(out, lesson_results.spread_table(record["spreads"]))
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
@command_options.json_option("Write a JSON list instead of a table.")
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

    from rich.text import Text

    columns = ("name", "title and source", "results", "figures")
    table = console.table(*columns, n_text=2, leading=1)
    table.columns[0].no_wrap = True
    for each in records:
        described = Text(each["title"], style="bold").append(f"\n{each['source']}", "not bold")
        table.add_row(each["name"], described, str(each["results"]), str(each["figures"]))
    console.stdout_console().print(table)
    remark = "\nReplay one with: gaussbayes lesson NAME"
    console.stdout_console(stderr=True).print(remark, style="dim")


@click.command("demo")
def demo_command() -> None:
    """Show a first look: Fisher's irises classified, with errors and probabilities."""
    from gaussbayes.apps.demo import main

    main()
