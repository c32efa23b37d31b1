"""Every lesson is replayed in the terminal: its text, results, errata and figures."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure as MatplotlibFigure

from gaussbayes import lessons
from gaussbayes.apps.cli import lesson_command
from gaussbayes.apps.cli.lesson_command import written
from gaussbayes.lessons.lesson import Erratum, Figure, Lesson, Result
from tests.cli.calling import Call

PNG = b"\x89PNG\r\n\x1a\n"


def draw() -> MatplotlibFigure:
    figure, axes = plt.subplots(figsize=(2, 1))
    axes.plot([0, 1], [0, 1])
    return figure


def small(*draws: Callable[[], MatplotlibFigure]) -> Lesson:
    """A lesson with as many figures as there are functions to draw them."""
    return Lesson(
        name="small",
        title="A small lesson",
        source="nobody",
        text="Some [bold]words[/bold] :smile: in square brackets. " * 4,
        data=(),
        results=(Result("a third", lambda: 1 / 3, right=0.333, decimals=3, handout=0.34),),
        errata=(Erratum("here", "0.34", "0.333", "It was rounded up."),),
        figures=tuple(
            Figure(f"figure{i}", f"Caption {i}.", function) for i, function in enumerate(draws)
        ),
    )


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Callable[[Lesson], None]:
    def use(lesson: Lesson) -> None:
        module = ModuleType(f"{lessons.__name__}.{lesson.name}")
        vars(module)["lesson"] = lambda _: lesson
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setattr(lessons, "_LESSONS", (lesson.name,))

    return use


@pytest.mark.parametrize("name", lessons.names())
def test_every_lesson_fits_80_columns_and_shows_the_handouts_results(call: Call, name: str) -> None:
    lesson = lessons.get(name)
    done = call("lesson", name)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    quoted = [text for erratum in lesson.errata for text in (erratum.printed, erratum.right)]
    assert done.stdout.count("…") == sum(text.count("…") for text in quoted)
    words = " ".join(done.stdout.split())
    for result in lesson.results:
        assert result.name.split()[0] in words
        for number in () if result.handout is None else np.ravel(result.handout):
            assert any(written(number) in line.split() for line in lines)
    assert " ".join(lesson.text.split()) in words
    for erratum in lesson.errata:
        for text in (erratum.where, erratum.printed, erratum.right, erratum.why):
            assert " ".join(text.split()) in words
    for figure in lesson.figures:
        assert figure.name in lines
        assert " ".join(figure.caption.split()) in words
    assert "is off" not in words
    assert "are off" not in words


def test_several_lessons_and_their_seed_as_json(call: Call) -> None:
    result = call("lesson", "rain", "diabetes", "rain", "--seed", 3, "--json")
    rain, diabetes = map(json.loads, result.stdout.splitlines())
    assert (rain["name"], diabetes["seed"]) == ("rain", 3)
    assert rain["results"][2]["ours"] == pytest.approx(0.4, abs=1e-12)
    assert rain["results"][2]["ours_agrees"] is True
    assert rain["results"][2]["handout_agrees"] is None
    assert rain["errata"][0]["right"] == "P(y = −1 | …)"
    assert "seed 3" in diabetes["data"][0]["source"]
    assert any(one["random"] for one in diabetes["results"])
    assert result.stderr == ""


def test_the_seed_changes_what_is_drawn(call: Call) -> None:
    assert "made for this lesson with seed 5" in " ".join(
        call("lesson", "diabetes", "--seed", 5).stdout.split()
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["petal"], "there is no lesson 'petal' (did you mean 'petals'?)"),
        ([], "which lesson? Give --all or names of one_gaussian"),
        (["--all", "rain"], "give names or --all, not both"),
        (["rain", "--seed", "-1"], "-1 is not in the range 0<=x<=4294967295"),
    ],
)
def test_wrong_usage(call: Call, arguments: list[str], message: str) -> None:
    result = call("lesson", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_text_is_printed_as_it_is(call: Call, only: Callable[[Lesson], None]) -> None:
    only(small())
    result = call("lesson", "--all")
    assert "[bold]words[/bold] :smile:" in result.stdout
    assert "the handout errs" in result.stdout
    assert "Figures" not in result.stdout
    assert result.stderr == ""


def test_figures_that_are_neither_shown_nor_saved_are_not_drawn(
    call: Call, only: Callable[[Lesson], None]
) -> None:
    def never() -> MatplotlibFigure:
        raise AssertionError

    only(small(never))
    result = call("lesson", "small")
    assert result.exit_code == 0
    assert "figure0\n  Caption 0." in result.stdout
    assert "Save the figures with: gaussbayes lesson small --save DIR" in result.stderr


def test_figures_are_saved(call: Call, only: Callable[[Lesson], None], tmp_path: Path) -> None:
    only(small(draw, draw))
    folder = tmp_path / "not" / "yet"
    result = call("lesson", "small", "--save", folder)
    assert result.exit_code == 0
    assert result.stderr == ""
    names = ["small-figure0.png", "small-figure1.png"]
    assert sorted(path.name for path in folder.iterdir()) == names
    for i, name in enumerate(names):
        assert f"{folder / name}\n  Caption {i}." in result.stdout
        image = (folder / name).read_bytes()
        assert image.startswith(PNG)
        # Width and height are the first two numbers of the header: 2 × 1 inches at 150 dpi.
        assert [int.from_bytes(image[at : at + 4]) for at in (16, 20)] == [300, 150]


def test_files_are_named_in_json(
    call: Call, only: Callable[[Lesson], None], tmp_path: Path
) -> None:
    only(small(draw))
    (record,) = map(json.loads, call("lesson", "small", "--json").stdout.splitlines())
    assert record["figures"] == [{"name": "figure0", "caption": "Caption 0.", "file": None}]
    lines = call("lesson", "small", "--json", "--save", tmp_path).stdout.splitlines()
    (record,) = map(json.loads, lines)
    assert Path(record["figures"][0]["file"]).read_bytes().startswith(PNG)


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_file_in_the_way(call: Call, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("mine")
    result = call("lesson", "rain", "--save", place)
    assert result.exit_code == 1
    assert f"figures cannot be saved in {place}: there is a file of that name" in result.stderr
    assert result.stdout == ""
    assert (tmp_path / "file").read_text() == "mine"


def test_a_directory_that_cannot_be_written(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Permissions do not hold for the superuser, so the refusal is made here.
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(lesson_command, "TemporaryDirectory", refuse)
    result = call("lesson", "rain", "--save", tmp_path)
    assert result.exit_code == 1
    assert f"figures cannot be saved in {tmp_path}: Permission denied" in result.stderr


def test_nothing_is_half_written(
    call: Call, only: Callable[[Lesson], None], tmp_path: Path
) -> None:
    def fail() -> MatplotlibFigure:
        raise OSError(28, "No space left on device")

    only(small(draw, fail))
    result = call("lesson", "small", "--save", tmp_path / "figures")
    assert result.exit_code == 1
    assert "No space left on device" in result.stderr
    assert list((tmp_path / "figures").iterdir()) == []


def test_windows_are_opened_where_there_is_a_screen(
    call: Call, only: Callable[[Lesson], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[int] = []
    monkeypatch.setattr(lesson_command, "has_windows", lambda: True)
    monkeypatch.setattr(plt, "show", lambda: shown.append(len(plt.get_fignums())))
    only(small(draw, draw))
    result = call("lesson", "small")
    assert shown == [2]
    assert "close them to go on" in result.stderr


def test_without_a_screen_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert not lesson_command.has_windows()  # the backend is agg
