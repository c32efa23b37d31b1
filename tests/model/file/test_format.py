"""The page about the format is true, and the JSON Schema says what the loader does."""

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import gaussbayes.model.file
from gaussbayes import GaussianClassifier, ModelFileError
from gaussbayes.families.gaussian.pattern_moments import MOST_CELL_BYTES
from gaussbayes.model.file import limits, loads
from gaussbayes.model.file.classes import TYPES
from tests.models import STRUCTURES
from tests.storage.broken import BROKEN
from tests.storage.files import file_of, fitted, given, lacking, members, resealed

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "model-format.md").read_text(encoding="utf-8")
SCHEMA = json.loads((DOCS / "model.schema.json").read_text(encoding="utf-8"))
EXAMPLE = re.findall(r"^```json\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)[0].encode()

VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

ROWS = [[1, 3], [2, 5], [4, 4], [5, 4], [7, 1], [8, 0.5], [9, 1.5], [8, 1]]


def good_models() -> list[GaussianClassifier]:
    wide = [
        some(covariance, shared=shared)
        for covariance, shared in STRUCTURES
        for some in (fitted, lacking)
    ]
    chosen = [
        fitted(priors="uniform", shrinkage="oas", divisor="unbiased"),
        fitted(priors=[0.5, 0.5], shrinkage=0.25),
        fitted(priors={"ash": 0.5, "oak": 0.5}),
        fitted(shared=0.25),
        fitted("diagonal", shared=0.25).marginal(["age"]),
        fitted().marginal(["age"]),
        given(),
        GaussianClassifier("diagonal", shared=True).merge(fitted()),  # keeps the full scatter
        GaussianClassifier().partial_fit([[1.0]], [7]),
        GaussianClassifier().partial_fit([[1.0, np.nan]], [7]),  # no parameters yet
    ]
    X = [[1.0], [2.0], [5.0], [7.0]]
    labels = [[False, True], *(np.array([3, 7], dtype=name) for name in TYPES[4:])]
    labels += [np.fromiter(some, object, 2) for some in (["a", "b"], [1, 2.5], [False, 3])]
    labels += [np.array(["a", "b"], dtype=np.dtypes.StringDType())]
    return (
        wide
        + chosen
        + [GaussianClassifier().fit(X, np.asarray(some)[[0, 0, 1, 1]]) for some in labels]
    )


@pytest.mark.usefixtures("kernels")
def test_the_example_is_a_model_file() -> None:
    model = GaussianClassifier().fit(ROWS, ["no"] * 4 + ["yes"] * 4)
    model = model.with_feature_names(["age", "hours"])
    model.target_name_ = "bought"
    assert file_of(model) == EXAMPLE
    assert loads(EXAMPLE).target == "bought"


def test_the_checksum_is_what_the_page_says() -> None:
    lines = EXAMPLE.splitlines(keepends=True)
    expected = sha256(b"".join(lines[:-2])).hexdigest()
    assert json.loads(EXAMPLE)["checksum"] == f"sha256:{expected}"


def test_the_moments_are_what_the_page_says() -> None:
    """The rows of class "yes" by NumPy alone, found in the file by the page's rules."""
    parts = members(EXAMPLE)
    moments, d, c = parts["moments"], 2, 1
    mean = [moments["anchor"][c * d + j] + moments["offset"][c * d + j] for j in range(d)]
    start = c * d * (d + 1) // 2
    entry = [
        [moments["scatter"][start + i * (i + 1) // 2 + j] for j in range(i + 1)] for i in range(d)
    ]
    rows = np.array(ROWS[4:])
    expected = 4 * np.cov(rows.T, bias=True)
    assert mean == rows.mean(axis=0).tolist()
    assert moments["weight"][c] == 4
    for i in range(d):
        assert entry[i] == pytest.approx(expected[i, : i + 1].tolist(), rel=1e-15)


def test_the_patterns_on_the_page() -> None:
    rows = [[2.0, np.nan], [4.0, np.nan], [np.nan, np.nan], [1.0, 5.0]]
    lines = file_of(GaussianClassifier().partial_fit(rows, [0] * 4)).decode().splitlines()
    start = lines.index('"incomplete": {')
    assert "\n".join(lines[start : lines.index("},", start) + 1]) in PAGE


def test_the_limits_on_the_page() -> None:
    for number in (limits.MOST_TEXTS, limits.LARGEST_LABELS):
        assert f"{number:,}" in " ".join(PAGE.split())
    assert (limits.LARGEST_FILE, limits.LONGEST_TEXT) == (1 << 30, 64 << 10)
    assert (limits.MOST_TEXT, limits.MOST_DEPTH) == (8 << 20, 3)
    assert "at most 1 GiB" in PAGE
    assert f"at most {MOST_CELL_BYTES >> 20} MiB in memory" in PAGE
    assert SCHEMA["$defs"]["classes"]["properties"]["labels"]["maxItems"] == limits.MOST_TEXTS


def test_the_types_on_the_page_and_in_the_schema() -> None:
    assert SCHEMA["$defs"]["classes"]["properties"]["type"]["enum"] == list(TYPES)
    for name in TYPES:
        assert f"`{name}`" in PAGE


def test_the_message_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = members(EXAMPLE)
    parts["moments"]["weight"][1] = -4.0
    monkeypatch.chdir(tmp_path)
    Path("model.json").write_bytes(resealed(parts))
    with pytest.raises(ModelFileError) as told:
        GaussianClassifier.load("model.json")
    assert f"\n{told.value}\n" in PAGE


def test_the_package_holds_the_same_schema() -> None:
    held = Path(gaussbayes.model.file.__file__).with_name("model.schema.json")
    assert held.read_bytes() == (DOCS / "model.schema.json").read_bytes()


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("number", range(len(good_models())))
def test_saved_files_agree_with_the_schema(number: int) -> None:
    data = file_of(good_models()[number])
    VALIDATOR.validate(members(data))
    loads(data)


BEYOND_A_SCHEMA = {
    *("priors sum", "priors few", "priors of another class", "priors of unlike length"),
    *("width small", "width huge", "labels not sorted", "a zero character", "a label too many"),
    *(
        "a label of a float",
        "a label float16 has not",
        "a label over float16",
    ),
    *("names few", "weight long", "weights too large", "anchor short", "scatter short"),
    *("scatter below 0", "scatter of no rows", "pooled below 0", "diagonal short", "prior sum"),
    *("center long", "offset short", "covariance short", "variance 0", "variance below 0"),
    *("correlation 1", "correlation 2", "one class", "width float"),
    *("pattern short", "pattern twice", "patterns not sorted", "classes not sorted"),
    *("no such class", "class of a float", "classes few", "patterns weigh too much"),
    *("pattern weights few", "pattern anchor long", "pattern offset short"),
    *("pattern scatter short", "pattern diagonal short", "pattern scatter below 0"),
    *("pattern scatter of no rows",),
}
"""Lengths against each other, sums, order, definiteness, and 2.0 for 2."""


@pytest.mark.parametrize("case", BROKEN, ids=[case[0] for case in BROKEN])
def test_loader_and_schema_agree_on_broken_files(case: Any) -> None:
    name, data, change, _ = case
    parts = members(data)
    change(parts)
    with pytest.raises(ModelFileError):
        loads(resealed(parts))
    refused = not VALIDATOR.is_valid(parts)
    assert refused == (name not in BEYOND_A_SCHEMA)
