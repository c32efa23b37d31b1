"""Bars that a figure must reach: the result is printed, and the exit code says the rest."""

import json
from pathlib import Path

import numpy as np
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.cli.evaluate_command import GateFailedError, check_gates, gate_records
from gaussbayes.model.evaluation import Evaluation
from tests.cli.calling import Call, Shell

# 3 of 10 wrong.
SEEN = Evaluation(np.arange(2), np.array([[4, 1], [2, 3]]), 0.5, 0.25)


@pytest.mark.parametrize(
    ("bars", "message"),
    [
        ({"min_accuracy": 0.71}, "the accuracy is 0.7, below --min-accuracy 0.71"),
        ({"max_error": 0.29}, "the error is 0.3, above --max-error 0.29"),
        ({"max_log_loss": 0.4}, "the log loss is 0.5, above --max-log-loss 0.4"),
        ({"max_brier": 0.2}, "the Brier score is 0.25, above --max-brier 0.2"),
        (
            {"max_error": 0.1, "max_brier": 0.2},
            "the error is 0.3, above --max-error 0.1; the Brier score is 0.25, above",
        ),
        ({"max_log_loss": 0.4999999999}, "the log loss is 0.5, above --max-log-loss 0.5"),
    ],
)
def test_what_is_said(bars: dict[str, float], message: str) -> None:
    with pytest.raises(GateFailedError) as caught:
        check_gates(SEEN, bars)
    assert message in str(caught.value)
    assert caught.value.exit_code == 4


def test_reaching_the_bar_is_enough() -> None:
    check_gates(SEEN, {"min_accuracy": 0.7, "max_error": 0.3, "max_log_loss": 0.5})
    check_gates(SEEN, {})
    assert gate_records(SEEN, {"max_error": 0.3, "max_brier": 0.1}) == [
        {"gate": "max_error", "bar": 0.3, "passed": True},
        {"gate": "max_brier", "bar": 0.1, "passed": False},
    ]


def test_a_figure_just_below_the_bar_is_written_out() -> None:
    close = Evaluation(np.arange(2), SEEN.confusion, 0.4000000001, 0.25)
    with pytest.raises(GateFailedError, match="is 0.4000000001, above --max-log-loss 0.4"):
        check_gates(close, {"max_log_loss": 0.4})


def test_no_number_reaches_no_bar() -> None:
    unknown = Evaluation(np.arange(2), SEEN.confusion, np.nan, np.inf)
    with pytest.raises(GateFailedError, match="log loss is nan.*Brier score is inf"):
        check_gates(unknown, {"max_log_loss": 1e300, "max_brier": 2.0})


def test_the_result_is_printed_all_the_same(
    call: Call, iris: Path, fitted: GaussianClassifier
) -> None:
    result = call(
        "evaluate", "iris.json", iris, "-y", "species", "--min-accuracy", "0.99", "--json"
    )
    assert result.exit_code == 4
    told = json.loads(result.stdout)
    assert told["accuracy"] == fitted.score(*_frame(iris))
    assert told["gates"] == [{"gate": "min_accuracy", "bar": 0.99, "passed": False}]
    assert result.stderr == "Error: the accuracy is 0.98, below --min-accuracy 0.99\n"
    passed = call(
        "evaluate",
        "iris.json",
        iris,
        "-y",
        "species",
        "--min-accuracy",
        "0.98",
        "--max-error",
        "0.5",
    )
    assert (passed.exit_code, passed.stderr) == (0, "")


@pytest.mark.usefixtures("fitted", "iris")
def test_a_shell_can_go_by_it(shell: Shell) -> None:
    line = "gaussbayes evaluate iris.json iris.csv -y species --max-error 0.01 > figures.txt"
    done = shell(f"{line} || echo code $?; head -1 figures.txt")
    assert done.stdout == "code 4\nthe model iris.json (QDA) on 150 rows of iris.csv\n"


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--min-accuracy", "1.5", "expected a number from 0 to 1, got '1.5'"),
        ("--max-error", "nan", "expected a number from 0 to 1, got 'nan'"),
        ("--max-log-loss", "-1", "expected a number from 0 on, got '-1'"),
        ("--max-brier", "3", "expected a number from 0 to 2, got '3'"),
        ("--max-error", "few", "expected a number from 0 to 1, got 'few'"),
    ],
)
def test_bars_that_are_none(call: Call, iris: Path, option: str, value: str, message: str) -> None:
    result = call("evaluate", iris, "-y", "species", option, value)
    assert result.exit_code == 2
    assert message in result.stderr


def _frame(path: Path) -> tuple[object, object]:
    import pandas as pd

    frame = pd.read_csv(path)
    return frame.drop(columns="species"), frame["species"]
