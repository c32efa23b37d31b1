"""A lesson's figures: saved as files, or shown in windows."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from gaussbayes.base.progress import track
from gaussbayes.lessons.lesson import Figure, Lesson

_DPI = 150


def prepare(directory: Path) -> None:
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


def file_name(lesson: Lesson, figure: Figure) -> str:
    """What a figure is saved as."""
    return f"{lesson.name}-{figure.name}.png"


def save(lesson: Lesson, directory: Path) -> list[Path]:
    """Draw the figures and save them; all of them are there in the end, or none."""
    if not lesson.figures:
        return []
    import matplotlib as mpl

    mpl.use("agg")  # no windows, even where there is a screen
    import matplotlib.pyplot as plt

    with TemporaryDirectory(dir=directory, prefix=".gaussbayes-") as stage:
        names = []
        for figure in track(lesson.figures, f"figures of {lesson.name}"):
            drawn = figure.draw()
            name = file_name(lesson, figure)
            drawn.savefig(Path(stage) / name, dpi=_DPI)
            plt.close(drawn)
            names.append(name)
        for name in names:
            Path(stage, name).replace(directory / name)
    return [directory / name for name in names]


def show(lesson: Lesson) -> None:
    """Draw the figures in windows, and wait until they are closed."""
    import matplotlib.pyplot as plt

    for figure in track(lesson.figures, f"figures of {lesson.name}"):
        manager = figure.draw().canvas.manager
        if manager is not None:
            manager.set_window_title(f"{lesson.name}: {figure.name}")
    plt.show()
    plt.close("all")


def can_be_shown() -> bool:
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
