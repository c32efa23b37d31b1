"""The document lists the controls that an address can hide; tests/browser compares the page."""

import re
from pathlib import Path

from gaussbayes.apps.lab.server import STATIC

DOCUMENT = Path(__file__).parents[2] / "docs" / "lab.md"


def controls() -> list[str]:
    """The ids that the document lists."""
    _, _, table = DOCUMENT.read_text("utf-8").partition("| Where | Names |\n|---|---|\n")
    return re.findall("`([^`]+)`", table.partition("\n\n")[0])


def test_the_document_lists_each_control_once() -> None:
    assert len(set(controls())) == len(controls()) > 50


def test_the_document_lists_all_keys_of_the_plane() -> None:
    script = (STATIC / "keyboard.js").read_text("utf-8")
    tools = re.search(r"const TOOLS = \{(.*?)\}", script)
    assert tools is not None
    letters = set(re.findall(r"(\w): ", tools[1])) | set(re.findall(r'key === "(.)"', script))
    _, _, table = DOCUMENT.read_text("utf-8").partition("| Key | What it does |\n|---|---|\n")
    listed = set(re.findall("`(.)`", table.partition("\n\n")[0]))
    assert letters - {" ", "="} <= listed  # the space bar has a name, = is + without Shift
    for name in re.findall(r'key === "(\w{2,})"', script):
        assert name in table, name
