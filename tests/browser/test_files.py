"""Tables of one's own: chosen or dropped; what is wrong with one is said, and the page goes on."""

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser import tables
from tests.browser.lab import Lab

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload

REFUSED = "Failed to load resource: the server responded with a status of 422"
"""What Chromium itself writes into the console when a server refuses something."""


MANY = b"x,kind\n" + b"".join(b"1,c%d\n" % row for row in range(60))


def payload(name: str, body: bytes) -> "FilePayload":
    return {"name": name, "mimeType": "application/octet-stream", "buffer": body}


def test_a_table_is_chosen(lab: Lab) -> None:
    lab.open()
    lab.panel("data")
    X, kinds = tables.rows()
    for name, body in (("trees.csv", tables.as_csv()), ("trees.parquet", tables.as_parquet())):
        lab.choose_file(name, body)
        lab.fit_plainly()
        expect(lab.find("title")).to_have_text(f"{name} · 120 points · 3 classes")
        np.testing.assert_array_equal(lab.array("data", "points"), X)
        expect(lab.page.get_by_label("Classes and their rows")).to_contain_text("cedar")
        assert lab.find("data-x").input_value() == str(lab.head("data")["pair"][0])

    for control, feature in (("data-x", "length"), ("data-y", "width")):
        lab.find(control).select_option(feature)
        lab.settle()
    before = lab.picture()
    lab.find("data-x").select_option("depth")
    lab.settle()
    assert lab.state["pair"] == [2, 1]
    assert lab.picture() != before
    means = [X[kinds == kind].mean(axis=0)[[2, 1]] for kind in tables.CLASSES]
    np.testing.assert_allclose(lab.head("scene")["parameters"]["means"], means)
    lab.press("data-swap")
    assert lab.state["pair"] == [1, 2]
    lab.press("undo")
    lab.press("undo")
    assert lab.state["pair"] == [0, 1]
    assert lab.picture() == before


def test_another_column_is_predicted(lab: Lab) -> None:
    lab.open()
    lab.panel("data")
    _, kinds = tables.rows()
    lines = tables.as_csv().decode().split("\n")
    text = "\n".join(f"{line},{'old' if row % 3 else 'new'}" for row, line in enumerate(lines))
    text = text.replace(f"{lines[0]},new", f"{lines[0]},age")
    lab.choose_file("ages.csv", text.encode())
    lab.fit_plainly()
    assert lab.get("lab.data.classes") == ["new", "old"]
    lab.page.get_by_label("Class to predict").select_option("tree")
    lab.settle()
    assert lab.get("lab.data.classes") == list(tables.CLASSES)
    assert np.sum(kinds == "ash") == lab.get("lab.data.codes.filter((code) => code === 0).length")
    assert lab.get("lab.data.features") == list(tables.FEATURES)


def test_a_column_of_one_class(lab: Lab) -> None:
    """There is nothing to tell apart: the page says so, and another column can be chosen."""
    lab.open()
    lab.panel("data")
    lines = [f"{row % 7}.5,{row % 5},{'uv'[row % 2]},same" for row in range(40)]
    body = "\n".join(["x,y,group,kind", *lines]).encode()
    lab.choose_file("same.csv", body)
    assert lab.find("data-target").input_value() == "group"  # the likely one
    lab.find("data-target").select_option("kind")
    expect(lab.find("problem")).to_contain_text("the target 'kind' is 'same' in all 40 rows")
    expect(lab.find("title")).to_have_text("same.csv · 40 points · 2 classes")  # as before
    lab.find("data-target").select_option("x")
    expect(lab.find("problem")).to_contain_text("fractions")
    assert lab.find("data-target").input_value() == "x"
    lab.press("view-line")  # of the data before
    expect(lab.find("problem")).to_contain_text("fractions")
    lab.press("view-plane")
    lab.find("data-target").select_option("group")
    lab.until("lab.data.classes.length === 2")
    lab.settle()
    expect(lab.find("problem")).to_be_hidden()
    lab.find("data-target").select_option("y")  # leaves one feature
    lab.settle()
    assert lab.state["pair"] == [0, 0]
    lab.find("data-target").select_option("group")  # which is not shown against itself now
    lab.settle()
    assert lab.state["pair"] == [0, 1]


def test_rows_of_another_format(lab: Lab) -> None:
    """What the server can read the page takes; what is not taken of it is said."""
    lab.open()
    lab.panel("data")
    numbers = np.random.default_rng(5).normal(size=(30, 51)).round(3).tolist()
    rows = [
        json.dumps({f"x{j}": value for j, value in enumerate(row)} | {"kind": "ab"[i % 2]})
        for i, row in enumerate(numbers)
    ]
    body = gzip.compress("\n".join(rows).encode(), mtime=0)
    lab.choose_file("wide.jsonl.gz", body)
    expect(lab.find("toast")).to_have_text("left out: x50 (after the first 50 that can be used)")
    assert ".feather" in str(lab.find("data-file").get_attribute("accept"))


def test_what_is_left_out_of_a_table_is_said(lab: Lab) -> None:
    lab.open()
    panel = lab.panel("data")
    lines = [
        f"{row},{row % 5},seen by {row},2024-05-{1 + row % 3},,{['u', 'v', ''][row % 3]}"
        for row in range(30)
    ]
    body = "\n".join(["x,y,note,day,empty,kind", *lines]).encode()
    lab.choose_file("mixed.csv", body)
    said = (
        "left out: x (identifies rows), note (identifies rows), day (one to one with kind), "
        "empty (no values); "
        "10 rows have no label in 'kind', and the model learns from them too"
    )
    expect(lab.find("toast")).to_have_text(said)
    expect(panel.locator(".summary")).to_contain_text(said)
    assert lab.get("lab.data.n") == 30


def test_what_painting_makes_of_a_table_is_said(lab: Lab) -> None:
    lab.open()
    lab.panel("data")
    body = tables.as_csv() + b"\n,1,2,3,ash"
    lab.choose_file("gap.csv", body)
    lab.fit_plainly()
    lab.press("tool-paint")
    lab.page.mouse.click(*lab.middle("inner"))
    lab.settle()
    expect(lab.find("toast")).to_have_text(
        "Now these are points of length and width alone, rounded to the screen; "
        "1 row without one of them left out. Undo brings the table back."
    )
    assert lab.get("lab.data.n") == 121  # one more, one less
    lab.press("undo")
    assert lab.get("lab.data.features") == list(tables.FEATURES)


def test_a_table_is_dropped_anywhere(lab: Lab) -> None:
    lab.open()
    lab.panel("layers")
    dropped = lab.page.evaluate_handle(
        """(text) => {
            const dropped = new DataTransfer();
            dropped.items.add(new File([text], "dropped.csv"));
            return dropped;
        }""",
        tables.as_csv().decode(),
    )
    for event in ("dragover", "drop"):
        lab.page.dispatch_event("#stage", event, {"dataTransfer": dropped})
    lab.until("lab.data.name === 'dropped.csv'")
    assert lab.get("lab.data.n") == 120


UNREADABLE = (
    ("letter.csv", b"Dear reader,\nthese are words.\nYours\n", "letter.csv"),
    ("none.csv", b"x,y,kind\n", "none.csv"),
    ("empty.csv", b"", "empty.csv is empty"),
    ("broken.parquet", b"PAR1 and so on", "broken.parquet"),
    ("picture.png", b"\x89PNG", "picture.png: a name ending in .png is not that of a table."),
)
UNFIT = (
    ("large.csv", b"x,kind\n" + b"1,a\n" * 200_001, "more than the 200,000 rows"),
    ("many.csv", MANY, "60 different values, such as 'c0'"),
)


@pytest.mark.parametrize("files", [UNREADABLE, UNFIT], ids=["unreadable", "unfit"])
def test_bad_files(lab: Lab, files: tuple[tuple[str, bytes, str], ...]) -> None:
    lab.open()
    before = lab.state, lab.picture()
    told = lab.page.locator("#data-file-wrong:not([hidden]), #problem:not([hidden])").first
    for name, body, said in files:
        lab.find("data-file").set_input_files(payload(name, body))
        expect(told).to_contain_text(said)
        text = str(told.text_content())
        assert "/tmp" not in text, name
        assert "Traceback" not in text, name
        assert lab.picture() == before[1], name
    lab.complaints[:] = [own for own in lab.complaints if not own.startswith(REFUSED)]

    lab.choose_file("trees.csv", tables.as_csv())
    lab.fit_plainly()
    expect(told).to_have_count(0)
    while lab.find("undo").is_enabled():
        lab.press("undo")
    assert (lab.state, lab.picture()) == before


def test_a_file_that_is_too_large_is_not_sent(lab: Lab, tmp_path: Path) -> None:
    lab.open()
    lab.panel("data")
    large = tmp_path / "huge.csv"
    with large.open("wb") as file:
        file.truncate((64 << 20) + 1)
    lab.find("data-file").set_input_files(large)
    expect(lab.find("data-file-wrong")).to_have_text(
        "huge.csv has 67.1 MB; at most 67.1 MB are taken."
    )
    lab.press("data-new")
    assert lab.state["data"]["seed"] == 1
