"""Every figure is drawn for what was given, or refused with what it needs."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier, plots
from gaussbayes.cli import plot_command
from gaussbayes.datasets import load_iris
from tests.cli.calling import Call, Shell

PNG = b"\x89PNG\r\n\x1a\n"
PAIR = "petal length (cm),petal width (cm)"
ONE = "petal length (cm)"
ALONG = ("univariate", "densities", "posterior", "generative_and_discriminative")

pytestmark = pytest.mark.usefixtures("fitted", "iris")


def features(kind: str) -> list[str]:
    if not plot_command.KINDS[kind].along or kind == "pairs":
        return []
    return ["--features", ONE if kind in ALONG else PAIR]


@pytest.mark.parametrize("kind", plot_command.KINDS)
def test_every_kind_is_drawn(call: Call, kind: str) -> None:
    needs = plot_command.KINDS[kind].needs
    rows = [] if needs == "a model" else ["iris.csv", "-y", "species"]
    given = ["iris.json", *rows, *features(kind), "--held-out", "2", "--dpi", "40"]
    result = call("plot", *given, "--kind", kind, "-o", f"{kind}.png")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert Path(f"{kind}.png").read_bytes().startswith(PNG)


def test_the_evidence_as_a_surface(call: Call) -> None:
    given = ["--kind", "evidence", "--features", PAIR, "--surface", "--dpi", "40", "-o", "s.png"]
    for rows in ([], ["iris.csv", "-y", "species"]):
        assert call("plot", "iris.json", *rows, *given).exit_code == 0
    assert Path("s.png").read_bytes().startswith(PNG)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the function that draws the regions is called with."""
    seen: dict[str, Any] = {}

    def regions(model: Any, *rows: object, **options: object) -> None:
        seen.update(model=GaussianClassifier.from_model(model), rows=rows, **options)
        plt.figure()

    monkeypatch.setattr(plots, "regions", regions)
    return seen


def test_rows_and_options_are_passed_on(call: Call, drawn: dict[str, Any], fitted: Any) -> None:
    given = ["iris.json", "--data", "iris.csv", "-y", "species", "--features", PAIR]
    result = call("plot", *given, "--reject", "0.9", "--kind", "regions", "-o", "r.png")
    assert result.exit_code == 0
    data = load_iris()
    np.testing.assert_array_equal(np.array(drawn["rows"][0]), data.rows)
    assert drawn["rows"][1].tolist() == data.labels.tolist()
    assert drawn["features"] == tuple(PAIR.split(","))
    assert drawn["reject"] == 0.9
    np.testing.assert_array_equal(drawn["model"].covariances_, fitted.covariances_)


def test_a_model_is_fitted_to_rows(call: Call, drawn: dict[str, Any]) -> None:
    given = ["-y", "species", "--learn-from", PAIR, "--shared", "--divisor", "unbiased"]
    result = call("plot", "iris.csv", *given, "--kind", "regions", "-o", "r.png")
    assert result.exit_code == 0
    rows = load_iris().rows[:, 2:]
    codes = np.repeat(np.arange(3), 50)
    within = rows - np.array([rows[codes == code].mean(axis=0) for code in codes])
    expected = within.T @ within / (150 - 3)
    np.testing.assert_allclose(drawn["model"].covariances_, expected, rtol=1e-12)
    assert drawn["model"].feature_names_in_.tolist() == PAIR.split(",")


def test_of_very_many_rows_a_sample_is_drawn(call: Call, drawn: dict[str, Any]) -> None:
    table = pd.DataFrame(load_iris().rows, columns=["a", "b", "c", "d"]).iloc[:, :2]
    table["y"] = load_iris().labels
    many = pd.concat([table] * 40)
    many.to_csv("many.csv", index=False)
    given = ["-y", "y", "--model", "qda", "--kind", "regions", "-o", "r.png"]
    result = call("plot", "many.csv", *given)
    assert result.exit_code == 0
    assert result.stderr == "2,000 of 6,000 rows of many.csv are used, drawn at random\n"
    assert len(drawn["rows"][1]) == 2000
    means = table.groupby("y").mean().to_numpy()
    np.testing.assert_allclose(drawn["model"].means_, means, rtol=1e-12)  # of all rows


def test_a_model_without_names_is_shown_by_numbers(call: Call, drawn: dict[str, Any]) -> None:
    data = load_iris()
    GaussianClassifier().fit(data.rows, data.labels).save("bare.json")
    given = ["--kind", "regions", "--features", "2,3", "-o", "r.png"]
    assert call("plot", "bare.json", *given).exit_code == 0
    assert drawn["features"] == (2, 3)


@pytest.mark.parametrize(
    ("name", "start"), [("e.png", PNG), ("e.svg", b"<?xml"), ("e.pdf", b"%PDF"), ("e.PNG", PNG)]
)
def test_kinds_of_files(call: Call, name: str, start: bytes) -> None:
    given = ["iris.json", "--kind", "ellipses", "--features", PAIR, "-o", name]
    assert call("plot", *given).exit_code == 0
    first = Path(name).read_bytes()
    assert first.startswith(start)
    assert call("plot", *given).exit_code == 0
    assert Path(name).read_bytes() == first
    assert sorted(path.name for path in Path.cwd().iterdir()) == sorted(
        ["iris.csv", "iris.json", name]
    )


def test_the_size_is_that_asked_for(call: Call) -> None:
    given = ["--kind", "ellipses", "--features", PAIR, "--size", "4,3", "--dpi", "50"]
    assert call("plot", "iris.json", *given, "-o", "e.png").exit_code == 0
    assert plt.imread("e.png").shape[:2] == (150, 200)


def test_pipes(shell: Shell) -> None:
    line = f"gaussbayes plot - -y species --kind dataset --features '{PAIR}' -o - < iris.csv"
    line += " | head -c 8 | od -c"
    done = shell(line)
    assert "P   N   G" in done.stdout
    assert done.stderr == ""


def test_kinds_are_listed(call: Call) -> None:
    result = call("plot", "--list")
    assert result.exit_code == 0
    for name, kind in plot_command.KINDS.items():
        assert f"\n{name} " in result.stdout
        assert kind.needs in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["iris.json", "-o", "x.png"], "which figure? Give --kind with one of regions, ellipses"),
        (["iris.json", "--kind", "region", "-o", "x.png"], "'region' is not one of 'regions'"),
        (["iris.json", "--kind", "regions"], "where is the figure to go? Give -o"),
        (["iris.json", "--kind", "regions", "-o", "x.html"], "written as .png, .svg, .pdf files"),
        (["iris.json", "--kind", "pairs", "-o", "x.png"], "kind pairs needs rows"),
        (["iris.json", "--kind", "shapes", "-o", "x.png"], "kind shapes needs rows"),
        (
            ["iris.json", "--kind", "ellipses", "--reject", "0.9", "-o", "x.png"],
            "--reject is for --kind regions, not for ellipses",
        ),
        (
            ["iris.json", "--kind", "ellipses", "--surface", "-o", "x.png"],
            "--surface is for --kind evidence, not for ellipses",
        ),
        (
            ["iris.json", "iris.csv", "--kind", "confusion", "--features", "a", "-o", "x.png"],
            "kind confusion shows no features",
        ),
        (
            ["iris.json", "--kind", "densities", "--features", "a,b", "-o", "x.png"],
            "drawn along one feature, got --features a,b",
        ),
        (["iris.json", "--sharing", "0.5", "--kind", "ellipses", "-o", "x.png"], "is for fitting"),
        (["iris.json", "--size", "4", "--kind", "ellipses", "-o", "x.png"], "width and height"),
        (
            ["iris.csv", "--held-out", "iris.csv", "--kind", "comparison", "-o", "x.png"],
            "holds out folds or a proportion of the rows, not a file",
        ),
        (["iris.csv", "--kind", "dataset", "-o", "x.png"], "which column of iris.csv holds"),
    ],
)
def test_wrong_usage(call: Call, arguments: list[str], message: str) -> None:
    result = call("plot", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not list(Path().glob("x.*"))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--kind", "regions", "-o", "x.png"], 3, "this figure shows one or two features"),
        (["--kind", "regions", "--features", "a,b", "-o", "x.png"], 3, "'a'"),
        (["--kind", "ellipses", "-o", "nowhere/x.png"], 1, "there is no directory"),
    ],
)
def test_what_cannot_be_drawn(call: Call, arguments: list[str], code: int, message: str) -> None:
    result = call("plot", "iris.json", *arguments)
    assert result.exit_code == code
    assert message in result.stderr
    assert not plt.get_fignums()


@pytest.mark.parametrize(
    "kind", ["pairs", "predictions", "confusion", "calibration", "posterior_histogram"]
)
def test_a_model_judged_by_its_own_rows_is_said_to_be(call: Call, kind: str) -> None:
    given = [*features(kind), "--kind", kind, "-o", "p.svg", "-y", "species"]
    result = call("plot", "iris.csv", *given)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("judged on the rows the model was fitted to, which flatters it")
    assert result.stderr.count("\n") == 1
    words = "on the rows the model was fitted to"
    assert words in Path("p.svg").read_text(encoding="utf-8")
    result = call("plot", "iris.json", "iris.csv", *given)
    assert (result.exit_code, result.stderr) == (0, "")
    assert words not in Path("p.svg").read_text(encoding="utf-8")
