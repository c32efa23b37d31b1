"""The site's sources agree with one another and with the package, without being built."""

import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestCentroid

import gaussbayes
from gaussbayes import GaussianClassifier, datasets, plots
from gaussbayes import sklearn as drop_ins
from gaussbayes.cli import SUBCOMMANDS

ROOT = Path(__file__).parent.parent
DOCS, EXAMPLES = ROOT / "docs", ROOT / "examples"
GALLERY = DOCS / "gallery"  # made by the build
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if GALLERY not in path.parents]
TEXTS = {path: path.read_text(encoding="utf-8") for path in PAGES}
PACKAGES = {package.__name__: package for package in (datasets, drop_ins, plots)}
CELL = r"^```\{code-cell\}\n(?:---\n.*?^---\n|(?::[\w-]+:.*?\n)+)?(.*?)^```"
NAMES = [
    *(("gaussbayes", name) for name in gaussbayes.__all__ if f"gaussbayes.{name}" not in PACKAGES),
    *(("gaussbayes.plots", name) for name in plots.__all__),
    *(("gaussbayes.sklearn", name) for name in drop_ins.__all__),
    *(("gaussbayes.datasets", name) for name in ("Dataset", "load_iris")),
]


def source_of(path: Path) -> Path:
    """The file that a page is made from, which for the gallery is an example."""
    if GALLERY not in path.parents:
        return path
    if path.stem == "index":
        return EXAMPLES / path.parent.relative_to(GALLERY) / "GALLERY_HEADER.rst"
    return EXAMPLES / path.relative_to(GALLERY).with_suffix(".py")


def contents(page: Path) -> list[Path]:
    """The pages in the tables of contents of a page, without endings."""
    tables = re.findall(r"^```\{toctree\}\n(.*?)^```", TEXTS[page], flags=re.DOTALL | re.MULTILINE)
    lines = [line for table in tables for line in table.splitlines()]
    return [(page.parent / line).resolve() for line in lines if line and not line.startswith(":")]


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_contents_and_links_lead_somewhere(page: Path) -> None:
    missing = [
        str(entry)
        for entry in contents(page)
        if not any(source_of(entry.with_name(entry.name + end)).exists() for end in (".md", ".rst"))
    ]
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", without_code(TEXTS[page]))
    missing += [
        link
        for link in links
        if "://" not in link and not source_of((page.parent / link).resolve()).exists()
    ]
    assert missing == []


def test_every_page_is_in_one_table_of_contents() -> None:
    listed = [entry for page in PAGES for entry in contents(page)]
    assert len(listed) == len(set(listed))
    pages = {path.with_suffix("") for path in PAGES} - {DOCS / "index"}
    assert pages <= set(listed)


def entries() -> set[tuple[str, str]]:
    """The names that the reference has, each with its module."""
    found, module = set(), ""
    for page in sorted((DOCS / "reference").glob("*.md")):
        for kind, name in re.findall(r"^\.\. ([\w:]+):: ([\w.]+)", TEXTS[page], flags=re.MULTILINE):
            if kind == "currentmodule":
                module = name
            elif kind.startswith("auto") or kind == "py:data":
                found.add((module, name))
    return found


def test_every_public_name_is_in_the_reference() -> None:
    found = entries()
    members = {name for name in dir(GaussianClassifier) if not name.startswith("_")}
    methods = {name for name in members - {*dir(BaseEstimator)} if not name.endswith("_")}
    methods = {name for name in methods if not re.fullmatch("set_.*_request", name)}
    names = [*NAMES, *(("gaussbayes", f"GaussianClassifier.{name}") for name in methods)]
    assert [name for name in names if name not in found] == []


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_every_public_name_has_an_example(module: str, name: str) -> None:
    value = getattr(PACKAGES.get(module, gaussbayes), name)
    if name != "__version__":
        assert ">>>" in (value.__doc__ or "")
    if inspect.isclass(value) and issubclass(value, Exception):
        assert re.search(r"\b(raised|warns)\b", value.__doc__ or "", flags=re.IGNORECASE)


RESULTS = [
    found
    for page in sorted((DOCS / "reference").glob("results-*.md"))
    for found in re.findall(r"^\.\. autoclass:: ([\w.]+)\.(\w+)$", TEXTS[page], re.MULTILINE)
]


def signatures(value: Any) -> Iterator[str]:
    """What `help` shows of a function, or of a class and its methods."""
    methods = [m for name, m in inspect.getmembers(value, callable) if not name.startswith("_")]
    for each in (value, *(methods if inspect.isclass(value) else ())):
        if getattr(each, "__module__", "").startswith("gaussbayes"):
            with suppress(TypeError, ValueError):  # exceptions have none
                yield str(inspect.signature(each))


def test_signatures_are_written_as_in_the_source() -> None:
    public = [getattr(PACKAGES.get(module, gaussbayes), name) for module, name in NAMES]
    results = [getattr(import_module(module), name) for module, name in RESULTS]
    shown = [each for value in (*public, *results) for each in signatures(value)]
    assert len(shown) > 100
    # Type aliases that have been resolved: NumPy's fill half a page.
    assert [each for each in shown if re.search(r"numpy\.|_typing|collections\.abc", each)] == []


def test_every_field_of_a_result_is_explained() -> None:
    for module, name in RESULTS:
        kind = getattr(import_module(module), name)
        lines = inspect.getsource(kind).splitlines()
        fields = {
            match[1]: "  #: " in line or after.startswith('    """')
            for line, after in pairwise(lines)
            if (match := re.match(r"    (\w+): ", line)) and match[1] in kind.__annotations__
        }
        assert fields, name
        assert [field for field, explained in fields.items() if not explained] == [], name


def test_code_on_pages_compiles() -> None:
    for page, text in TEXTS.items():
        for code in re.findall(CELL, text, flags=re.DOTALL | re.MULTILINE):
            compile(code, str(page), "exec")


def test_the_models_that_are_said_to_equal_scikit_learns_do() -> None:
    text = TEXTS[DOCS / "coming-from" / "scikit-learn.md"]
    names: dict[str, Any] = {}
    cells = re.findall(CELL, text, flags=re.DOTALL | re.MULTILINE)
    code = next(cell for cell in cells if "for theirs" in cell).split("for theirs")[0]
    exec(code, names)  # noqa: S102
    equal = re.findall(r"^\| `(\w+)\(.*\| = \|", text, flags=re.MULTILINE)
    assert {type(theirs).__name__ for theirs, _, _ in names["pairs"]} | {"NearestCentroid"} == {
        *equal
    }
    X, y = names["X"], names["y"]
    for theirs, ours, rows in names["pairs"]:
        expected = theirs.fit(rows, y).predict_proba(rows)
        np.testing.assert_allclose(ours.fit(rows, y).predict_proba(rows), expected, atol=1e-12)
    nearest = GaussianClassifier("spherical", shared=True, priors="uniform").fit(X, y)
    assert (nearest.predict(X) == NearestCentroid().fit(X, y).predict(X)).all()


def test_every_command_is_on_a_page_of_options() -> None:
    texts = [TEXTS[DOCS / f"command-options{end}.md"] for end in ("", "-more")]
    listed = re.findall(r"^```\{command-options\} (.*)$", "\n".join(texts), flags=re.MULTILINE)
    assert sorted(" ".join(listed).split()) == sorted(SUBCOMMANDS)


def test_every_page_of_the_guide_has_a_formula_code_and_a_figure() -> None:
    for page, text in TEXTS.items():
        if page.parent.name == "guide" and page.stem != "index":
            assert "$$" in text, page
            assert "{code-cell}" in text, page
            assert "    alt: " in text, page
