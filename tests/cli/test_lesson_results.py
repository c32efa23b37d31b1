"""Numbers are written so that a person can compare them."""

from typing import Any

import pytest
from rich.console import Console

from gaussbayes.apps.cli.lesson_command import (
    notes,
    result_record,
    result_table,
    spread_record,
    spread_table,
    verdict,
    written,
)
from gaussbayes.lessons.lesson import Numbers, Result, Spread


def replayed(
    ours: Numbers, right: Numbers, *, handout: Numbers | None = None, error: float = 0.0
) -> dict[str, Any]:
    result = Result("x", lambda: ours, right, decimals=3, handout=handout, standard_error=error)
    return result_record(result)


def printed(one: dict[str, Any]) -> str:
    console = Console(width=80, color_system=None)
    with console.capture() as captured:
        console.print(result_table([one]))
    return captured.get()


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        (2.0, "2"),
        (-0.0, "0"),
        (-1e-12, "−1e-12"),
        (1 / 3, "0.33333333"),
        ([1.5, -20.25], "  1.50\n−20.25"),
        ([[1, 2], [30, 4.5]], " 1.0 2.0\n30.0 4.5"),
        ([[[1, 0], [0, 1]], [[2, 0], [0, 2]]], "1 0\n0 1\n\n2 0\n0 2"),
        ([5.787e-43, 1.1903e-17], "5.787e-43\n1.1903e-17"),
    ],
)
def test_numbers(numbers: Numbers, text: str) -> None:
    assert written(numbers) == text


def test_what_a_handout_prints_is_not_filled_with_zeros() -> None:
    assert written([[0.16, -0.0031], [1.9633, 2.0848]], fill=False) == (
        "0.16   −0.0031\n1.9633  2.0848"
    )


@pytest.mark.parametrize(
    ("one", "good", "words"),
    [
        (replayed(1.0, 1.0, handout=1.0), True, "agree"),
        (replayed(1.0, 1.0), True, "right"),
        (replayed(1.0, 1.0, handout=2.0), False, "the handout errs"),
        (replayed(2.0, 1.0, handout=1.0), False, "ours is off"),
        (replayed(2.0, 1.0), False, "ours is off"),
        (replayed(2.0, 1.0, handout=2.0), False, "both are off"),
        # Half a unit in the third decimal and four standard errors: 0.0005 + 0.4.
        (replayed(1.3, 1.0, handout=0.7, error=0.1), True, "agree within ±0.4"),
    ],
)
def test_verdicts(one: dict[str, Any], good: bool, words: str) -> None:
    assert verdict(one) == (good, words)
    assert ("✓" if good else "✗") in printed(one)
    assert words in printed(one)


def test_random_results_have_no_more_decimals_than_make_sense() -> None:
    # The standard error is 0.2: hundredths are beyond it, thousandths end the line.
    one = replayed(1.23456789, 1.0, error=0.2)
    assert " 1.235 " in printed(one)


def test_rounding_errors_of_zero_are_zero() -> None:
    assert "e-" not in printed(replayed(1e-17, 0.0))


def test_the_handouts_column_is_left_out_if_it_prints_nothing() -> None:
    without, drawn = replayed(1.0, 1.0), replayed(1.0, 1.0, handout=1.0, error=0.1)
    assert "the handout" not in printed(without)
    assert "the handout" in printed(drawn)
    assert notes([without]) == ["The handout prints none of these numbers."]
    assert [note[0] for note in notes([without, drawn])] == ["±"]


@pytest.mark.parametrize(("handout", "words"), [(4.0, "lies among them"), (9.0, "lies outside")])
def test_spreads(handout: float, words: str) -> None:
    spread = Spread("heads of 10", lambda: [3, 5, 5, 6.5], handout=handout)
    console = Console(width=80, color_system=None)
    with console.capture() as captured:
        console.print(spread_table([spread_record(spread)]))
    text = " ".join(captured.get().split())
    assert f"heads of 10 4 3 4.875 6.5 {handout:g} the handout's {words}" in text
