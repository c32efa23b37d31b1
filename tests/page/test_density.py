"""The page's mathematics, ``density.js``: every number is that of the library."""

import json
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest

from gaussbayes.data.categories import UnseenCategoryWarning
from gaussbayes.lab.script import STATIC
from tests.page.density_fixtures import fixtures

HERE = Path(__file__).parent
FEWEST = 50_000
"""Numbers that are compared: many fewer would mean that the fixtures are not what they were."""


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the numbers to a file."""
    path = tmp_path_factory.mktemp("density") / "fixtures.json"
    with warnings.catch_warnings():  # a category that was never seen is asked for on purpose
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        path.write_text(json.dumps(list(fixtures()), allow_nan=False), encoding="utf-8")
    return path


def assert_same(result: dict[str, Any]) -> None:
    """Show every number that differs."""
    failures = result["failures"]
    assert not failures, "\n".join([f"{len(failures)} differences", *failures[:50]])
    assert result["compared"] > FEWEST


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")
def test_node_computes_what_the_library_does(expected: Path) -> None:
    command = ["node", HERE / "density_node.mjs", STATIC / "density.js", expected]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert_same(json.loads(done.stdout))


@pytest.mark.skipif(shutil.which("node") is not None, reason="Node does it")
def test_chromium_computes_what_the_library_does(expected: Path, request: Any) -> None:
    page = request.getfixturevalue("browser").new_page()
    assert_same(in_chromium(page, expected))
    page.close()


def in_chromium(page: Any, expected: Path) -> dict[str, Any]:
    """Let a page import the modules, which are served from disk at an address of no network."""
    served = {"density_check.mjs": HERE, "fixtures.json": expected.parent}

    def answer(route: Any) -> None:
        path = route.request.url.removeprefix("http://density.test/")
        kind = "application/json" if path.endswith("json") else "text/javascript"
        if not path:
            route.fulfill(body="<!doctype html>", content_type="text/html")
        else:
            route.fulfill(path=served.get(path, STATIC) / path, content_type=kind)

    page.route("**/*", answer)
    page.goto("http://density.test/")
    result: dict[str, Any] = page.evaluate(
        """async () => {
            const density = await import("/density.js");
            const { check } = await import("/density_check.mjs");
            return check(density, await (await fetch("/fixtures.json")).json());
        }"""
    )
    return result
