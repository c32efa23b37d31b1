"""The lab's page as a file: what Python writes into it, how it is shown, and what goes wrong."""

import json
import re
import webbrowser
from base64 import b64decode, b64encode
from contextlib import redirect_stdout
from hashlib import sha256
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser

from gaussbayes import AutoClassifier, GaussianClassifier, datasets
from gaussbayes.cli import gaussbayes
from gaussbayes.lab import Lab, page
from gaussbayes.lab.payload import MOST_ROWS
from gaussbayes.lab.script import script

IRIS = datasets.load_iris()
FRAME = pd.DataFrame(IRIS.rows, columns=list(IRIS.feature_names))
HOSTILE = "</script><script>alert(1)</script><!--"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that would have been opened in a browser."""
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not addresses.append(address))
    return addresses


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _address: False)


def payload_of(text: str) -> dict[str, Any]:
    """What a page says that it shows."""
    found = re.search(r'<script type="application/json" id="gaussbayes-lab">(.*?)</script>', text)
    assert found
    payload: dict[str, Any] = json.loads(found[1])
    return payload


# The page.


def test_a_page_allows_no_request_and_only_its_own_script() -> None:
    text = page()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    code = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    assert policy
    assert code
    digest = b64encode(sha256(code[1].encode()).digest()).decode()
    assert policy[1].startswith(f"default-src 'none'; script-src 'sha256-{digest}';")
    assert not re.search(r"(?:src|href)=.?(?:https?:)?//", text)
    assert len(text.encode()) <= 350_000


def test_the_script_has_no_module_syntax_and_no_comments() -> None:
    code = script()
    assert not re.search(r"(?m)^\s*(?:import|export)\b", code)
    assert not re.search(r"(?m)^\s*(?://|/\*\*)", code)


def test_names_and_labels_cannot_end_the_element_that_holds_them() -> None:
    rows = pd.DataFrame({HOSTILE: [1.0, 2.0, 3.0, 5.0, 7.0, 6.5]})
    labels = [HOSTILE, HOSTILE, HOSTILE, "a", "a", "a"]
    text = page(**vars_of(GaussianClassifier().fit(rows, labels).lab(rows, labels)))
    assert text.count("</script>") == page().count("</script>")
    assert "<!--" not in text.partition("gaussbayes-lab")[2].partition("</script>")[0]
    data = payload_of(text)["data"]
    assert data["columns"][0]["name"] == HOSTILE
    assert data["labels"] == labels


def vars_of(lab: Lab) -> dict[str, Any]:
    return {"data": lab.data, "model": lab.model}


def test_save_writes_a_whole_file_and_returns_its_path(tmp_path: Path) -> None:
    path = Lab().save(tmp_path / "lab.html")
    assert path.read_text(encoding="utf-8") == page()
    with pytest.raises(OSError, match="cannot write the page to .*: No such file or directory"):
        Lab().save(tmp_path / "none" / "lab.html")
    assert [each.name for each in tmp_path.iterdir()] == ["lab.html"]


def test_open_writes_a_private_file_and_opens_it(
    opened: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = Lab().open()
    assert opened == [path.resolve().as_uri()]
    assert path.read_text(encoding="utf-8") == page()
    assert path.parent.stat().st_mode & 0o077 == 0
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("no_browser")
def test_open_prints_the_path_where_there_is_no_browser(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = Lab().open()
    assert str(path) in capsys.readouterr().out


def test_a_notebook_shows_the_page_in_a_frame_of_its_own() -> None:
    shown = Lab()._repr_html_()
    frame = re.fullmatch(r'<iframe [^>]*srcdoc="([^"]*)"[^>]*></iframe>', shown)
    assert frame
    assert unescape(frame[1]) == page()
    assert 'sandbox="allow-scripts allow-downloads"' in shown  # not the notebook's origin


# What it holds.


def test_rows_are_columns_of_numbers_then_of_categories() -> None:
    rows = pd.DataFrame(
        {
            "wind": pd.Categorical(["S", None, "M", "S", "M", "S"]),
            "age": [30.0, 40.5, np.nan, 20.0, 25.0, 31.0],
            "height": [1.5, 1.6, 1.8, 1.7, 1.75, 1.65],
        }
    )
    labels = ["no", "yes", "no", "yes", "no", "yes"]
    model = GaussianClassifier("diagonal", smoothing=1).fit(rows, labels)
    lab = model.lab(rows, labels)
    assert lab.data is not None
    unfitted = GaussianClassifier("diagonal").lab(rows, labels)
    assert (unfitted.data, unfitted.model) == (lab.data, None)
    assert [(each["name"], each["kind"]) for each in lab.data["columns"]] == [
        ("age", "number"),
        ("height", "number"),
        ("wind", "category"),
    ]
    assert lab.data["columns"][0]["values"] == [30, 40.5, None, 20, 25, 31]
    assert lab.data["columns"][2]["values"] == ["S", None, "M", "S", "M", "S"]
    assert lab.data["labels"] == labels
    assert lab.model is not None
    given = lab.model["parameters"]
    assert np.shape(given["means"]) == (2, 2)
    assert given["means"][1] == pytest.approx([(40.5 + 20 + 31) / 3, (1.6 + 1.7 + 1.65) / 3])
    assert given["probabilities"][0]["levels"] == ["M", "S"]
    assert given["probabilities"][0]["table"][1] == pytest.approx([1 / 4, 3 / 4])  # M 0, S 2


def test_a_plain_model_is_given_by_its_parameters() -> None:
    model = GaussianClassifier(shared=True).fit(FRAME, IRIS.labels)
    lab = model.lab(FRAME, IRIS.labels)
    assert lab.model is not None
    given = lab.model["parameters"]
    assert given["classes"] == list(IRIS.class_names)
    np.testing.assert_array_equal(given["means"], model.means_)
    np.testing.assert_array_equal(given["covariances"], [model.covariances_] * 3)


def test_any_other_model_is_given_by_grids_of_its_posteriors_and_the_reason() -> None:
    model = AutoClassifier().fit(FRAME, IRIS.labels)
    lab = model.lab(FRAME, IRIS.labels)
    assert lab.model is not None
    grid = lab.model["grid"]
    assert "calibrated" in grid["reason"]
    assert len(grid["pairs"]) == 6
    pair, cells = next(iter(grid["pairs"].items()))
    assert pair == "2,3"  # the best pair, as everybody knows
    width, height = cells["width"], cells["height"]
    posterior = np.frombuffer(b64decode(cells["posterior"]), "<f4").reshape(3, height, width)
    np.testing.assert_allclose(posterior.sum(axis=0), 1, atol=1e-6)
    x = cells["x"][0] + (np.arange(width) + 0.5) * (cells["x"][1] - cells["x"][0]) / width
    y = cells["y"][0] + (np.arange(height) + 0.5) * (cells["y"][1] - cells["y"][0]) / height
    rows = pd.DataFrame(np.nan, index=range(2), columns=FRAME.columns)
    rows.iloc[:, 2], rows.iloc[:, 3] = x[[10, 60]], y[[20, 70]]
    expected = model.predict_proba(rows)
    np.testing.assert_allclose(posterior[:, [20, 70], [10, 60]].T, expected, atol=1e-6)


def test_of_many_rows_a_sample_is_shown_the_same_each_time() -> None:
    generator = np.random.default_rng(0)
    rows, labels = generator.normal(size=(MOST_ROWS + 50, 1)), np.arange(MOST_ROWS + 50) % 2
    model = GaussianClassifier().fit(rows, labels)
    lab, again = (model.lab(rows, labels) for _ in range(2))
    assert lab.data is not None
    assert (lab.data["n_rows"], lab.data["sampled"]) == (MOST_ROWS + 50, True)
    assert len(lab.data["labels"]) == MOST_ROWS
    assert again.data == lab.data


# The command, whose words the transcripts have.


def test_the_command_writes_the_page_of_a_table_or_of_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = FRAME.assign(species=IRIS.labels)
    frame.to_csv("iris.csv", index=False)
    GaussianClassifier().fit(frame, "species").save("iris.json")
    for arguments, held in (
        (["iris.csv", "-y", "species"], None),  # the page fits its own model
        (["iris.csv", "-y", "species", "--set-option", "model=auto"], "grid"),
        (["iris.json", "iris.csv"], "parameters"),
    ):
        done = CliRunner().invoke(gaussbayes, ["lab", *arguments, "-o", "page.html", "--no-open"])
        assert done.exit_code == 0, done.output
        payload = payload_of(Path("page.html").read_text(encoding="utf-8"))
        assert payload["data"]["target"] == "species"
        assert payload["data"]["labels"] == IRIS.labels.tolist()
        assert payload["model"] is None if held is None else held in payload["model"]


# The code that the page exports.


def test_exported_code_draws_the_figure_and_prints_the_numbers_of_the_card(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = GaussianClassifier(shared=0.25).fit(FRAME, IRIS.labels)
    path = model.lab(FRAME, IRIS.labels).save(tmp_path / "lab.html")
    shown = browser.new_page()
    shown.goto(path.as_uri())
    states = {
        "python": {},
        "fitted": {"model": {"covariance": "diagonal", "shared": 0.5}, "hidden": [2]},
        "neighbours": {"layers.neighbours": True, "hidden": [], "test": {"proportion": 0.3}},
        "line": {"layers.neighbours": False, "view": "line", "test": None},
        "surface": {"view": "surface"},
    }
    for name, state in states.items():
        shown.evaluate("(state) => gaussbayes.app.figure.set(state)", state)
        shown.click("summary:has-text('Export')")
        shown.click("text=Python code")
        code = shown.inner_text("#lab-code")
        shown.keyboard.press("Escape")
        printed = run(code, monkeypatch)
        posterior = shown.evaluate(
            "(() => { const s = gaussbayes.app.figure.scene; return s.model.posterior(s.row); })()"
        )
        if name == "neighbours":
            error = shown.evaluate("() => gaussbayes.app.figure.quantity('neighbour_error')")
            assert float(printed["test error"]) == pytest.approx(error)
        else:
            error = shown.evaluate("() => gaussbayes.app.figure.quantity('error')")
            assert float(printed["training error"]) == pytest.approx(error)
            found = [float(printed[label].rpartition("= ")[2]) for label in IRIS.class_names]
            assert found == pytest.approx(posterior, rel=1e-3)
    shown.close()


def run(code: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What a script prints, line by line; it must have drawn something."""
    drawn: list[int] = []
    monkeypatch.setattr(plt, "show", lambda: drawn.append(len(plt.gcf().axes[0].get_children())))
    with redirect_stdout(StringIO()) as out:
        exec(compile(code, "lab.py", "exec"), {})  # noqa: S102 (it is ours)
    plt.close("all")
    assert drawn[0] > 12  # axes have eleven children before anything is drawn
    lines = [re.fullmatch(r"(.*?)(?:: | (?=[\d.]+$))(.*)", x) for x in out.getvalue().splitlines()]
    return {line[1]: line[2] for line in lines if line}
