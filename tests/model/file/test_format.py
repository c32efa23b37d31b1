"""The page about the format, the schema, and what stands in a file, by NumPy alone."""

import json
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import jsonschema
import numpy as np
import pytest

import gaussbayes.model.file
from gaussbayes.base.errors import FileError
from gaussbayes.base.records import LONGEST_STRING, MOST_STRINGS
from gaussbayes.data.rows import number_rows
from gaussbayes.families import RECORDED
from gaussbayes.families.gaussian.cells import MOST_CELL_BYTES
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.model.file import document, load, loads
from gaussbayes.model.file.document import LabelType, schema_text
from gaussbayes.model.statistics import MOST_KEPT_BYTES
from tests.model.file.broken import BROKEN, MISSING, MIXED
from tests.model.file.files import (
    STRUCTURES,
    file_of,
    gaps,
    learn,
    members,
    missing,
    mixed_rows,
    resealed,
    trees,
)
from tests.model.file.test_round_trip import MODELS

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "model-format.md").read_text(encoding="utf-8")
SCHEMA = json.loads((DOCS / "model.schema.json").read_text(encoding="utf-8"))
EXAMPLE = re.findall(r"^```json\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)[0].encode()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

ROWS = np.array([[1, 3], [2, 5], [4, 4], [5, 4], [7, 1], [8, 0.5], [9, 1.5], [8, 1]])


@pytest.mark.usefixtures("kernels")
def test_the_example_is_a_model_file() -> None:
    component = (Gaussian(), (0, 1))
    model = learn(
        number_rows(ROWS), [0] * 4 + [1] * 4, [component], ["no", "yes"], ("age", "hours")
    )
    assert file_of(replace(model, target="bought")) == EXAMPLE
    assert loads(EXAMPLE).target == "bought"


def test_the_checksum_is_what_the_page_says() -> None:
    lines = EXAMPLE.splitlines(keepends=True)
    expected = sha256(b"".join(lines[:-2])).hexdigest()
    assert json.loads(EXAMPLE)["checksum"] == f"sha256:{expected}"


def test_moments_are_what_the_page_says() -> None:
    """The rows of class "yes" by NumPy alone, found in the file by the page's rules."""
    statistics = members(EXAMPLE)["families"][0]["statistics"]
    d, c = 2, 1
    mean = [statistics["anchor"][c * d + j] + statistics["offset"][c * d + j] for j in range(d)]
    start = c * d * (d + 1) // 2
    expected = 4 * np.cov(ROWS[4:].T, bias=True)
    assert mean == ROWS[4:].mean(axis=0).tolist()
    assert statistics["weight"][c] == 4
    for i in range(d):
        row = [statistics["scatter"][start + i * (i + 1) // 2 + j] for j in range(i + 1)]
        assert row == pytest.approx(expected[i, : i + 1].tolist(), rel=1e-15)


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_cells_are_what_the_page_says(structure: Any) -> None:
    """Each pattern's mean and scatter by NumPy alone, found in the file by the page's rules."""
    cells = members(file_of(missing(*structure)))["families"][0]["statistics"]["cells"]
    rows, codes = gaps(trees()).matrix, np.arange(40) % 2
    patterns = ["".join("0" if np.isnan(value) else "1" for value in row) for row in rows]
    expected = sorted({(c, p) for c, p in zip(codes.tolist(), patterns, strict=True) if "0" in p})
    assert list(zip(cells["classes"], cells["observed"], strict=True)) == expected
    first = first_scatter = 0
    for cell, (code, pattern) in enumerate(expected):
        columns = [j for j in range(3) if pattern[j] == "1"]
        some = rows[(np.array(patterns) == pattern) & (codes == code)][:, columns]
        assert cells["weight"][cell] == len(some)
        n = len(columns)
        mean = np.add(cells["anchor"], cells["offset"])[first : first + n]
        np.testing.assert_allclose(mean, some.mean(axis=0), rtol=1e-14)
        first += n
        assert (cell in cells["varied"]) == (len(some) > 1)
        if len(some) > 1:
            centred = some - some.mean(axis=0)
            kept = np.tril_indices(n) if structure[0] == "full" else np.diag_indices(n)
            entries = (centred.T @ centred)[kept]
            scatter = cells["scatter"][first_scatter : first_scatter + len(entries)]
            np.testing.assert_allclose(scatter, entries, rtol=1e-13, atol=1e-13)
            first_scatter += len(entries)
    assert (first, first_scatter) == (len(cells["anchor"]), len(cells["scatter"]))


def test_counts_are_what_the_page_says() -> None:
    """Counted by NumPy alone, found in the file by the page's rules."""
    parts = {part["family"]: part["statistics"] for part in members(MIXED)["families"]}
    rows, codes = mixed_rows(), np.arange(60) % 2
    counts = parts["categorical"]
    assert counts["categories"]["sizes"] == [3, 3]
    assert counts["categories"]["labels"] == ["low", "mid", "strong", 1, 2, 7]
    for c in range(2):
        own, numbers = rows.codes[codes == c], rows.matrix[codes == c]
        for j in range(2):
            assert counts["missing"][c * 2 + j] == (own[:, j] == -2).sum()
            for at in range(3):
                assert counts["count"][c * 6 + 3 * j + at] == (own[:, j] == at).sum()
        assert counts["weight"][c] == 30
        assert parts["poisson"]["total"][c] == numbers[:, 1].sum()
        assert parts["poisson"]["observed"][c] == 30
        assert parts["bernoulli"]["ones"][c] == (numbers[:, 2] == 1).sum()
        assert parts["bernoulli"]["zeros"][c] == (numbers[:, 2] == 0).sum()


def test_the_cells_on_the_page() -> None:
    rows = np.array([[2.0, np.nan], [4.0, np.nan], [np.nan, np.nan], [1.0, 5.0]])
    model = learn(number_rows(rows), [0] * 4, [(Gaussian(), (0, 1))], [0], None)
    lines = file_of(model).decode().splitlines()
    start = lines.index('"cells": {')
    assert "\n".join(lines[start : lines.index("}", start) + 1]) in PAGE


def test_the_limits_on_the_page() -> None:
    page = " ".join(PAGE.split())
    for number in (MOST_STRINGS, document.LARGEST_LABELS):
        assert f"{number:,}" in page
    assert (document.LARGEST_FILE, LONGEST_STRING) == (1 << 30, 64 << 10)
    assert (document.MOST_PLAIN_BYTES, document.MOST_OTHER_BYTES) == (64 << 20, 8 << 20)
    assert "at most 1 GiB" in page
    assert f"Cells take at most {MOST_CELL_BYTES >> 20} MiB in memory" in page
    assert f"Unlabelled rows take at most {MOST_KEPT_BYTES >> 20} MiB in memory" in page


def test_every_name_is_on_the_page() -> None:
    names = {name for part in SCHEMA["$defs"].values() for name in part["properties"]}
    for name in {*names, *SCHEMA["properties"], *get_args(LabelType), *RECORDED}:
        assert f"`{name}`" in PAGE, name


def test_the_message_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = members(EXAMPLE)
    parts["families"][0]["statistics"]["weight"][1] = -4.0
    monkeypatch.chdir(tmp_path)
    Path("model.json").write_bytes(resealed(parts))
    with pytest.raises(FileError) as raised:
        load(Path("model.json"))
    assert f"\n{raised.value}\n" in PAGE


def test_the_schema_is_that_of_the_types() -> None:
    """If not, write what `gaussbayes.model.file.document.schema_text` gives to both files."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    packaged = Path(gaussbayes.model.file.__file__).with_name("model.schema.json")
    for path in (packaged, DOCS / "model.schema.json"):
        assert path.read_text(encoding="utf-8") == schema_text()


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_saved_files_agree_with_the_schema(model: Any) -> None:
    VALIDATOR.validate(members(file_of(model)))
    if model.learnt is not None and model.learnt.unlabelled is not None:
        VALIDATOR.validate(members(file_of(model, unlabelled_rows=True)))


REFUSED = [
    *("a member missing", "another member", "no such family", "family short"),
    *("columns text", "column below 0", "settings null", "a setting too many", "covariance"),
    *("sharing too far", "divisor", "shrinkage true", "smoothing", "a name null", "target"),
    *("priors word", "priors below 0", "priors null", "type", "width 0", "a label null", "layout"),
    *("weight below 0", "anchor text", "anchor nested", "cells short", "patterns numbers"),
    *("pattern letters", "class below 0", "class by label", "cell below 0", "weight negative"),
    *("size below 0", "category null", "count below 0", "rates below 0", "no rows", "rows dtype"),
    *("hot", "cold", "offset null", "rows below 0", "calibration array", "no members", "weight 0"),
    *("a value text", "a code below"),
]
"""What can be seen of a single value; lengths, sums, order, definiteness are beyond a schema."""


def test_the_schema_refuses_what_it_can() -> None:
    refused = set()
    for name, data, change, _ in BROKEN:
        parts = members(data)
        change(parts)
        if not VALIDATOR.is_valid(parts):
            refused.add(name)
    assert set(REFUSED) - refused == set()


def test_readers_that_know_null() -> None:
    """No number of a file is NaN or infinite, as Python would write it."""
    for data in (MISSING, MIXED):
        assert not re.search(rb"NaN|Infinity", data)
