"""The page opens, is light, says what it shows, and can be read in both themes."""

from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import expect

import gaussbayes.apps.lab.server
from tests.browser.lab import Lab
from tests.lab.test_controls import controls

LIGHTEST = 300_000
"""Bytes that the page may weigh without plotly."""

LEAST_CONTRAST = 4.5
"""Of text and its ground: WCAG 2.2, level AA."""

TEXTS = Path(__file__).with_name("contrast.js").read_text("utf-8")


def test_it_opens(lab: Lab) -> None:
    lab.open({"neighbours": 7}, fresh=True)
    assert lab.page.title() == "gaussbayes lab"
    assert "200 points" in str(lab.find("title").text_content())
    assert "Training error" in str(lab.find("errors").text_content())
    assert lab.find("problem").is_hidden()
    for name in ("regions", "lines", "points", "rings"):
        painted = lab.get(
            f"""document.getElementById("canvas-{name}").getContext("2d")
            .getImageData(0, 0, 2000, 2000).data.some((value) => value > 0)"""
        )
        assert painted, name
    assert lab.hosts == {"127.0.0.1"}
    # A link to the plot is the first thing that Tab comes to, and leaves the state as it is.
    lab.page.keyboard.press("Tab")
    assert lab.get("document.activeElement.className") == "skip"
    lab.page.keyboard.press("Enter")
    lab.settle()
    assert lab.state["neighbours"] == 7
    assert lab.find("toast").is_hidden()


def test_it_is_light() -> None:
    files = [path for path in gaussbayes.apps.lab.server.STATIC.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < LIGHTEST


def test_every_control_is_there_once_and_has_a_name(lab: Lab) -> None:
    lab.open({"at": [0, 0]})
    ids = lab.get("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
    # Only a table on the command line brings a button to come back to it.
    assert set(controls()) - set(ids) == {"data-given"}
    nameless = lab.get(
        """[...document.querySelectorAll("button, input, select")].filter((one) => !(
            one.labels?.length || one.getAttribute("aria-label") || one.textContent.trim()
        )).map((one) => one.id)"""
    )
    assert nameless == []


LABELS = """() => {
    const labels = document.querySelectorAll(`.part > h3, legend, .control > label,
        .slider .head label, .toggle > span:last-child, .segments label, th[scope=col],
        th[scope=row], caption, summary, #key li, #errors .gauge > :first-child,
        .multiple strong, #views button`);
    const plain = [...lab.data.classes, ...lab.data.features, ""];
    return [...labels].filter((one) => {
        const help = one.dataset.help ?? one.querySelector("[data-help]")?.dataset.help;
        return !help && !plain.includes(one.textContent.trim());
    }).map((one) => one.textContent.trim());
}"""
CLEAR = {"Across", "Up", "Your turn", "The same in Python", "The same on the command line"}
CLEAR |= {"Your answer", "is\u00a0↓ predicted\u00a0→", "Less is better", "prior"}
"""Labels that need no explanation."""


def test_every_term_is_explained_by_pointer_focus_and_tap(lab: Lab) -> None:
    lab.open({"at": [0, 0], "split": {"test": 0.3, "seed": 0}, "layers": {"truth": True}})
    for panel in [
        "model",
        "layers",
        "point",
        "numbers",
        "multiples",
        "stream",
        "take_away",
        "data",
    ]:
        lab.get(f"lab.openPanel('{panel}')")
        lab.settle()
        lab.until(f"!document.querySelector('#panel-{panel}[aria-busy]')")
        assert set(lab.page.evaluate(LABELS)) <= CLEAR, panel
    lab.panel("model")
    said, legend = lab.find("help"), lab.page.locator("#model-covariance legend .term")
    legend.hover()
    expect(said).to_contain_text("Which ellipses a class may have")
    lab.page.keyboard.press("Escape")
    expect(said).to_be_hidden()
    lab.find("model-covariance-is-full").focus()
    lab.page.keyboard.press("ArrowRight")  # the control of a choice says what it means
    expect(said).to_contain_text("No correlation within a class")
    legend.click()  # as a finger does
    expect(said).to_contain_text("Which ellipses a class may have")
    lab.page.mouse.click(*lab.corner())
    expect(said).to_be_hidden()
    lab.panel("lessons")
    lab.press("lessons-start-0")
    expect(lab.page.locator("#lessons-text .term").first).to_have_text("mean")


def test_texts_can_be_read_in_both_themes(lab: Lab) -> None:
    layers = {"reject": 0.9, "novelty": 0.01, "truth": True}
    seen = {"at": [0, 0], "layers": layers, "split": {"test": 0.3, "seed": 0}}
    found: dict[str, Any] = {}
    themes: tuple[Literal["dark"], Literal["light"]] = ("dark", "light")
    for theme in themes:
        lab.page.emulate_media(color_scheme=theme)
        lab.open(seen)
        found[theme] = lab.get("getComputedStyle(document.body).backgroundColor"), lab.picture()
        names = lab.get("[...document.querySelectorAll('[role=tab]')].map((tab) => tab.id)")
        assert len(names) == 9
        dim = texts_of(lab, *names)
        lab.by_hand()
        dim += texts_of(lab, "tab-model")
        lab.open({**seen, "model": {"from": "neighbours"}})
        dim += texts_of(lab, "tab-point", "tab-model")
        assert dim == [], theme
    assert found["light"][0] != found["dark"][0]
    assert found["light"][1] != found["dark"][1]


def texts_of(lab: Lab, *tabs: str, least: float = LEAST_CONTRAST) -> list[str]:
    """The texts that are too dim when panels are open, one after another."""
    dim: list[str] = []
    for tab in tabs:
        panel = tab.removeprefix("tab-")
        lab.get(f"lab.openPanel('{panel}')")
        lab.settle()
        lab.until(f"!document.querySelector('#panel-{panel}[aria-busy]')")
        dim += lab.page.evaluate(TEXTS, least)
    return dim


def test_contrast_is_what_is_measured(lab: Lab) -> None:
    """Black on white has the contrast 21, so that no text has more."""
    lab.open()
    assert len(texts_of(lab, "tab-data", least=21.1)) > 30
    lab.get("document.getElementById('title').style.setProperty('color', '#777')")
    (dim,) = texts_of(lab, "tab-data")
    assert "P#title" in dim
    assert dim.endswith(" 4.48")  # the known ratio of #777777 and white
    lab.get("document.getElementById('title').style.removeProperty('color')")


def test_the_theme_can_be_changed(lab: Lab) -> None:
    lab.page.emulate_media(color_scheme="dark")
    lab.open()
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = lab.get(ground)
    lab.press("theme")
    assert lab.state["theme"] == "light"
    light = lab.get(ground)
    assert light != dark
    lab.press("theme")
    assert lab.get(ground) == dark
    lab.press("theme")
    lab.page.emulate_media(color_scheme="light")
    lab.until(f"{ground} === '{light}'")
