"""The report is well formed, needs nothing from outside, and can be read in every way."""

import re
from importlib.resources import files

from tests.report.reading import Report

MEGABYTE = 1 << 20


def test_language_encoding_title_and_width(iris_report: Report) -> None:
    assert iris_report.html.startswith('<!DOCTYPE html>\n<html lang="en">')
    metas = [one.attributes for one in iris_report.root.all("meta")]
    assert {"charset": "utf-8"} in metas
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in metas
    assert [one.text for one in iris_report.root.all("title")] == [
        "species: predicted from 4 features"
    ]


def test_headings_and_contents(iris_report: Report) -> None:
    (heading,) = iris_report.root.all("h1")
    assert heading.words == "species: predicted from 4 features"
    (nav,) = iris_report.root.all("nav")
    links = [(a.words, a.attributes["href"]) for a in nav.all("a")]
    sections = iris_report.root.all("section")
    assert links == [(s.all("h2")[0].words, f"#{s.attributes['id']}") for s in sections]
    assert len(links) == 6


def test_nothing_comes_from_outside(iris_report: Report) -> None:
    assert "://" not in iris_report.html
    assert not iris_report.root.all("script", "link", "iframe", "object", "embed")
    targets = [
        value
        for one in iris_report.root.all()
        for name, value in one.attributes.items()
        if name in {"src", "href", "xlink:href", "srcset"}
    ]
    assert all(target.startswith(("#", "data:image/png;base64,")) for target in targets)
    inner = re.findall(r"url\(([^)]*)\)|@import", iris_report.html)
    assert inner
    assert all(target.startswith("#") for target in inner)


def test_identifiers_are_unique_and_every_reference_has_one(iris_report: Report) -> None:
    every = iris_report.root.all()
    names = [one.attributes["id"] for one in every if "id" in one.attributes]
    assert len(set(names)) == len(names)
    referred = re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)|labelledby="([^"]+)"', iris_report.html)
    assert referred
    assert {next(filter(None, groups)) for groups in referred} <= set(names)


def test_figures_are_described(iris_report: Report) -> None:
    figures = iris_report.root.all("figure")
    assert len(figures) == 8
    for figure in figures:
        (drawn,) = figure.all("svg", "img")
        if drawn.tag == "svg":
            assert drawn.attributes["role"] == "img"
        assert len(drawn.attributes.get("aria-label") or drawn.attributes["alt"]) > 20
        assert figure.all("figcaption")[0].words
        assert not figure.all("style", "metadata", "title")


def test_tables_have_captions_and_scopes(iris_report: Report) -> None:
    tables = iris_report.root.all("table")
    assert len(tables) > 7
    for table in tables:
        if table.attributes.get("class") == "reasons":
            assert table.attributes["aria-label"]
            continue
        assert table.all("caption")[0].words
        assert {one.attributes["scope"] for one in table.all("th")} == {"col", "row"}
        lengths = {len(line.all("th", "td")) for line in table.all("tr")}
        assert len(lengths) == 1
        assert table.parent is not None
        assert table.parent.attributes["class"] == "wide"


def test_size(iris_report: Report) -> None:
    assert iris_report.path.stat().st_size < 5 * MEGABYTE


def test_style_is_found_and_has_dark_print_and_narrow() -> None:
    style = files("gaussbayes.report").joinpath("report.css").read_text(encoding="utf-8")
    for query in ("prefers-color-scheme: dark", "@media print", "max-width: 40rem"):
        assert query in style
    assert style.count("{") == style.count("}")
    assert "</" not in style
