"""Figures in the report: letters stay letters, and nothing points outside."""

import re

import matplotlib.pyplot as plt

from gaussbayes.report.svg_figures import clean, described, fixed_style, inline


def drawn(title: str) -> str:
    with fixed_style("figure"):
        figure, ax = plt.subplots()
        ax.plot([0, 1], [1, 0])
        ax.set_title(title)
        element = described(inline(figure, "figure"), "A falling line.")
    plt.close(figure)
    return element


def test_names_in_any_script_are_text_for_the_browser_and_no_warning() -> None:
    # Warnings are errors here, and matplotlib's own font has no Chinese.
    assert "花瓣长" in re.sub("<[^>]*>", "", drawn("花瓣长"))


def test_names_are_escaped() -> None:
    assert "<b>" not in drawn("<b>&")
    assert "&lt;b&gt;&amp;" in drawn("<b>&")


def test_the_same_figure_is_the_same_text() -> None:
    assert drawn("a") == drawn("a")


def test_every_reference_leads_to_an_identifier_of_the_same_figure() -> None:
    element = drawn("a")
    used = set(re.findall(r'href="#([^"]+)|url\(#([^)]+)', element))
    named = set(re.findall(r' id="([^"]+)', element))
    assert {one or other for one, other in used} == named
    assert all(name.startswith("figure-") for name in named)


def test_addresses_and_document_parts_are_left_out() -> None:
    svg = (
        '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "x" "http://a"><svg xmlns="http://b" '
        'xmlns:xlink="http://c" version="1.1"><metadata>http://d</metadata>'
        "<style>*{color:red}</style><g/></svg>"
    )
    assert clean(svg, "p") == "<svg><g/></svg>"
