"""What is taken away: pictures, rows, the model and programs that give the same."""

import io
import json
import runpy
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from gaussbayes import GaussianClassifier
from tests.browser.lab import Lab

PNG = b"\x89PNG\r\n\x1a\n"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def take(lab: Lab) -> Lab:
    """The page with its panel open."""
    lab.open({"data": {"preset": "three", "seed": 1, "n": 90}, "model": {"shared": True}})
    lab.panel("take_away")
    return lab


def downloaded(lab: Lab, name: str) -> tuple[str, Path]:
    """The name of the file that a button brings, and where it was put."""
    with lab.page.expect_download() as coming:
        lab.find(name).click()
    return coming.value.suggested_filename, Path(coming.value.path())


def test_pictures(take: Lab) -> None:
    svg = {}
    for view in ("plane", "line"):
        take.press(f"view-{view}")
        name, path = downloaded(take, "take-png")
        assert name == "gaussbayes-three-classes.png"
        body = path.read_bytes()
        assert body.startswith(PNG)
        width, height = (int.from_bytes(body[at : at + 4]) for at in (16, 20))
        assert width > 600
        assert height > 400
        name, path = downloaded(take, "take-svg")
        assert name == "gaussbayes-three-classes.svg"
        svg[view] = path.read_text("utf-8")
        root = ET.fromstring(svg[view])
        assert root.tag == f"{SVG}svg"
        assert len(list(root.iter(f"{SVG}path"))) > 3
        texts = {text.text for text in root.iter(f"{SVG}text")}
        assert "x1" in texts
        assert view == "line" or texts >= {"A", "B", "C"}  # the points' classes
        assert not list(root.iter(f"{SVG}script"))
    assert "data:image/png;base64," in svg["plane"]  # the regions


def test_rows_and_model(take: Lab) -> None:
    name, path = downloaded(take, "take-csv")
    assert name == "lab.csv"
    table = np.genfromtxt(io.BytesIO(path.read_bytes()), str, delimiter=",", encoding="utf-8")
    X, labels = table[1:, :2].astype(float), table[1:, 2]
    np.testing.assert_array_equal(X, take.array("data", "points"))
    name, path = downloaded(take, "take-model")
    assert name == "lab.json"
    model = GaussianClassifier.load(path)
    same = GaussianClassifier(shared=True).fit(X, labels)
    np.testing.assert_allclose(model.means_, same.means_)
    np.testing.assert_allclose(model.covariances_, same.covariances_)
    np.testing.assert_allclose(model.priors_, same.priors_)
    assert model.feature_names_in_.tolist() == ["x1", "x2"]
    found = take.head("scene")["parameters"]
    np.testing.assert_allclose(found["means"], same.means_)


def run(lab: Lab, folder: Path) -> GaussianClassifier:
    """The classifier that the program in the panel makes."""
    program = folder / "lab.py"
    program.write_text(str(lab.find("take-python").text_content()), "utf-8")
    made = runpy.run_path(str(program)).values()
    (model,) = (one for one in made if isinstance(one, GaussianClassifier))
    return model


def test_the_same_in_python(take: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, path = downloaded(take, "take-csv")
    Path("lab.csv").write_bytes(path.read_bytes())
    expect(take.find("take-command")).to_contain_text("gaussbayes ")
    expect(take.find("take-python")).to_contain_text("GaussianClassifier")
    model = run(take, tmp_path)
    np.testing.assert_allclose(model.means_, take.head("scene")["parameters"]["means"])

    take.by_hand()
    take.drag(take.middle("handle-mean-1"), (40, -30))
    state = take.state["model"]
    expect(take.find("take-python")).to_contain_text(str(state["means"][1][0]))
    model = run(take, tmp_path)
    np.testing.assert_allclose(model.means_, state["means"])
    np.testing.assert_allclose(model.covariances_, state["covariances"])


def test_neighbours_have_no_model_file(take: Lab) -> None:
    take.panel("model")
    take.choose("model-from", "neighbours")
    take.panel("take_away")
    assert take.find("take-model").is_disabled()
    expect(take.find("take-python")).to_contain_text("KNeighborsClassifier")


def test_an_address_without_the_key_opens_the_state(take: Lab) -> None:
    take.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    take.press("share")
    expect(take.find("toast")).to_contain_text("without the key")
    shared = take.get("navigator.clipboard.readText()")
    assert shared == f"{take.address.rsplit('/', 2)[0]}/#{take.page.url.partition('#')[2]}"
    expect(take.find("take-link")).to_have_value(shared)
    state = take.state
    # It asks the lab that is open in this browser where that is.
    page = take.page.context.new_page()
    page.goto(shared)
    page.wait_for_url(f"{take.address}#*")
    other = Lab(page, take.address)
    other.settle()
    assert other.state == state
    page.close()
    # It may be pasted as well, and a part of it is no state.
    take.open()
    take.page.keyboard.press("Control+V")
    take.settle()
    assert take.state == state
    take.open(after=shared.partition("#")[2][:31])
    expect(take.find("toast")).to_contain_text("This address could not be read")


def test_an_address_where_no_lab_is_open(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address.rsplit('/', 2)[0]}/#e30")
    expect(page.locator("#said")).to_contain_text("No lab is open in this browser")
    page.close()


def test_a_saved_lab_opens_with_its_table(lab: Lab, tmp_path: Path) -> None:
    table = tmp_path / "trees.csv"
    lines = (f"{i % 7},{i % 5},{'oak' if i % 3 else 'elm'},{'ab'[i % 2]}" for i in range(40))
    table.write_text("\n".join(["height,width,kind,bark", *lines]), "utf-8")
    lab.open()
    lab.find("data-file").set_input_files(table)
    lab.until("lab.data.n === 40")
    lab.fit_plainly()
    lab.page.evaluate(
        """() => lab.change({ at: [3, 2], hide: 1, layers: { regions: "hard", reject: 0.8 } })"""
    )
    lab.settle()
    state, parameters = lab.state, lab.head("scene")["parameters"]
    lab.press("share")  # no address holds a file
    expect(lab.find("toast")).to_contain_text("save the lab")
    with lab.page.expect_download() as found:
        lab.find("take-state").click()
    saved = tmp_path / "saved.json"
    found.value.save_as(saved)
    lab.open({"data": {"preset": "three"}})
    lab.find("data-file").set_input_files(saved)
    lab.until("lab.data.n === 40")
    lab.settle()
    opened = lab.state
    assert lab.head("scene")["parameters"] == parameters
    for name in set(state) - {"data"}:
        assert opened[name] == state[name], name
    # What no message of the page may hold is said in a sentence, and the state stays.
    content = json.loads(saved.read_text("utf-8"))
    content["state"]["layers"]["regions"] = "<script>"
    saved.write_text(json.dumps(content), "utf-8")
    lab.find("data-file").set_input_files(saved)
    expect(lab.find("data-file-wrong")).to_contain_text("state.layers.regions must be one of")
    assert lab.state == opened
