"""Features that hold categories, in a file: what stands there, and what is refused."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes import GaussianClassifier, ModelFileError
from gaussbayes.base.schema import Schema
from gaussbayes.families.categorical.counts import ClassCounts, empty
from gaussbayes.families.gaussian.moments import ClassMoments
from gaussbayes.families.gaussian.moments import empty as no_rows
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.model.file import dumps, loads
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Settings
from tests.models import SCORES, STRUCTURES
from tests.storage.broken import DROP, GOOD, Change, put
from tests.storage.files import assert_same_record, file_of, members, resealed, stored

DOCS = Path(__file__).parents[2] / "docs"
VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((DOCS / "model.schema.json").read_text(encoding="utf-8"))
)


def weather(n: int = 60) -> tuple[pd.DataFrame, Any]:
    """A number between two features of categories, texts with gaps and whole numbers."""
    rng = np.random.default_rng(4)
    y = np.array(["dry", "wet"])[np.arange(n) % 2]
    wind = np.array(["low", "mid", "strong", None], dtype=object)
    frame = pd.DataFrame(
        {
            "wind": pd.Categorical(wind[rng.integers(0, 4, n)]),
            "pressure": rng.normal(1000, 10, n),
            "month": pd.Categorical(rng.integers(1, 4, n)),
        }
    )
    return frame, y


FRAME, Y = weather()


def mixed(covariance: str = "full", **settings: Any) -> GaussianClassifier:
    return GaussianClassifier(covariance, **{"smoothing": 1.0, **settings}).fit(FRAME, Y)


MIXED = file_of(mixed())


def assert_same_counts(a: Model, b: Model) -> None:
    """All of two records alike, the categories in their types too."""
    assert_same_record(a, b)
    assert a.schema.categorical == b.schema.categorical
    assert a.settings.smoothing == b.settings.smoothing
    assert a.counts is not None
    assert b.counts is not None
    assert [[(type(x), x) for x in own] for own in a.counts.categories] == [
        [(type(x), x) for x in own] for own in b.counts.categories
    ]
    for name in ("weight", "missing"):
        one, other = getattr(a.counts, name), getattr(b.counts, name)
        assert one.shape == other.shape, name
        assert one.tobytes() == other.tobytes(), name


def test_the_rows_are_in_the_file() -> None:
    """Counted by pandas alone, found in the file by the page's rules."""
    parts = members(MIXED)
    assert parts["features"]["types"] == ["category", "number", "category"]
    assert parts["settings"]["smoothing"] == 1.0
    found = parts["categories"]
    assert found["sizes"] == [3, 3]
    assert found["labels"] == ["low", "mid", "strong", 1, 2, 3]
    for c, label in enumerate(["dry", "wet"]):
        own = FRAME[label == Y]
        for j, name in enumerate(["wind", "month"]):
            assert found["missing"][c * 2 + j] == own[name].isna().sum()
            for at in range(3):
                category = found["labels"][3 * j + at]
                assert found["weight"][c * 6 + 3 * j + at] == (own[name] == category).sum()
    assert len(parts["moments"]["anchor"]) == 2


def test_models_of_numbers_have_none() -> None:
    assert [name for name in members(MIXED) if name != "categories"] == list(members(GOOD))
    assert "smoothing" not in members(GOOD)["settings"]


def test_numbers_load_nothing_of_categories(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(GOOD)
    code = (
        "import sys, pathlib; from gaussbayes.model import file as storage; "
        "storage.dumps(storage.load(pathlib.Path(sys.argv[1]))); "
        "print(*(name for name in sys.modules if name.startswith('gaussbayes.families.c')))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == []


def through_a_file(model: GaussianClassifier, folder: Path) -> GaussianClassifier:
    again = GaussianClassifier.load(model.save(folder / "model.json"))
    assert file_of(again) == file_of(model)
    assert_same_counts(stored(again), stored(model))
    return again


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_loaded_models_predict_alike(structure: Any, tmp_path: Path) -> None:
    covariance, shared = structure
    model = mixed(covariance, shared=shared, smoothing=0.25)
    loaded = through_a_file(model, tmp_path)
    assert loaded.get_params()["smoothing"] == 0.25
    assert loaded.categories_ == model.categories_
    for name in [name for name in SCORES if name != "mahalanobis"]:  # which is of numbers
        assert getattr(loaded, name)(FRAME).tobytes() == getattr(model, name)(FRAME).tobytes()
    assert loaded.predict(FRAME).tolist() == model.predict(FRAME).tolist()


def test_learning_goes_on(tmp_path: Path) -> None:
    """Update, merge and forget: a model that was in a file and one that was not stay alike."""
    model = GaussianClassifier(smoothing=1).fit(FRAME[:30], Y[:30])
    other = GaussianClassifier(smoothing=1).fit(FRAME[40:], Y[40:])
    loaded, other_loaded = through_a_file(model, tmp_path), through_a_file(other, tmp_path)
    new = FRAME[30:40].assign(month=pd.Categorical([7] * 10))
    for one, two in ((model, other), (loaded, other_loaded)):
        one.partial_fit(new, Y[30:40])
        one.merge(two)
    assert members(file_of(loaded))["categories"]["labels"][-1] == 7
    assert file_of(loaded) == file_of(model)
    for one in (model, loaded):
        one.forget(new, Y[30:40])
    assert members(file_of(loaded))["categories"]["labels"][-1] == 3
    assert file_of(loaded) == file_of(model)


def test_categories_alone(tmp_path: Path) -> None:
    """Discrete naive Bayes has no numbers: all of its moments are empty but the weights."""
    for covariance, shared in STRUCTURES:
        model = GaussianClassifier(covariance, shared=shared, smoothing=1)
        model.fit(FRAME[["wind", "month"]], Y)
        parts = members(file_of(model))
        assert parts["moments"]["scatter"] == parts["moments"]["anchor"] == []
        loaded = through_a_file(model, tmp_path)
        assert loaded.predict(FRAME[["wind", "month"]]).tolist() == (
            model.predict(FRAME[["wind", "month"]]).tolist()
        )


def test_smoothing_of_a_model_of_numbers(tmp_path: Path) -> None:
    model = GaussianClassifier(smoothing=0.5).fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
    loaded = GaussianClassifier.load(model.save(tmp_path / "model.json"))
    assert loaded.get_params()["smoothing"] == 0.5
    assert file_of(loaded) == file_of(model)


WEIGHTS = st.one_of(st.floats(0, 1e300), st.sampled_from([0.0, 5e-324, 0.1, 1.0]))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


@st.composite
def counted_models(draw: st.DrawFn) -> Model:
    """Models with any counts, of texts, whole numbers up to 64 bits and truth values."""
    k, q, d = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(0, 2))
    kinds = st.sampled_from([TEXTS, st.integers(-(2**63), 2**64 - 1), st.booleans()])
    categories = tuple(tuple(sorted(draw(st.sets(draw(kinds), max_size=3)))) for _ in range(q))
    nothing = empty(categories, k)
    weight = draw(hnp.arrays(np.float64, nothing.weight.shape, elements=WEIGHTS))
    weight[0, ~(weight > 0).any(axis=0)] = 1.0
    missing = draw(hnp.arrays(np.float64, (k, q), elements=WEIGHTS))
    columns = tuple(sorted(draw(st.permutations(range(q + d)))[:q]))
    smoothing = draw(st.one_of(st.just(0.0), st.floats(1e-300, 1e300)))
    return Model(
        Settings(Structure("diagonal"), None, "mle", None, smoothing),
        Schema(np.arange(k), q + d, None, columns),
        None,
        no_rows(k, d, draw(st.sampled_from(["full", "diagonal"]))),
        None,
        counts=ClassCounts(categories, weight, missing),
    )


@given(counted_models())
def test_everything_comes_back(model: Model) -> None:
    data = dumps(model)
    again = loads(data)
    assert_same_counts(again, model)
    assert dumps(again) == data


BROKEN: list[tuple[str, Change, str]] = [
    ("categories missing", put("categories", DROP), "categories: .*if features hold categories"),
    ("null", put("categories", None), "categories: expected an object, or no such member"),
    ("no object", put("categories", []), "categories: expected an object with sizes"),
    ("a member short", put("categories.sizes", DROP), "categories: .*sizes missing"),
    ("a member more", put("categories.types", []), r"categories: .*unknown \['types'\]"),
    ("another type", put("features.types.0", "text"), r"features.types\[0\]: .*'category', got"),
    ("one feature less", put("features.types.0", "number"), "moments.anchor: .*array of 4"),
    (
        "no such features",
        put("features.types", ["number"] * 3),
        "categories: expected there if features hold categories, and only then, got an object",
    ),
    ("sizes few", put("categories.sizes", [3]), "categories.sizes: .*array of 2 whole numbers"),
    ("sizes text", put("categories.sizes.0", "3"), "categories.sizes: .*array of 2 whole"),
    ("size below 0", put("categories.sizes.0", -3), r"categories.sizes\[0\]: .*whole number from"),
    ("size of a float", put("categories.sizes.0", 3.0), r"categories.sizes\[0\]: .*got 3.0"),
    ("size huge", put("categories.sizes.0", 10**9), r"categories.sizes\[0\]: .*got 1000000000"),
    ("size else", put("categories.sizes.0", 2), "categories.labels: expected 5 categories, as m"),
    ("labels no array", put("categories.labels", "low"), "categories.labels: expected an array of"),
    ("label null", put("categories.labels.1", None), r"categories.labels\[1\]: expected a text"),
    ("label of a float", put("categories.labels.4", 2.0), r"labels\[4\]: expected a text.*got 2.0"),
    ("label of 70 bits", put("categories.labels.5", 2**70), r"labels\[5\]: expected a text"),
    ("label of another type", put("categories.labels.4", "2"), r"labels\[4\]: .*of the same type"),
    ("label true for 1", put("categories.labels.3", True), r"labels\[4\]: .*of the same type"),
    ("labels not sorted", put("categories.labels.0", "now"), r"labels\[1\]: .*comes after 'now'"),
    ("labels twice", put("categories.labels.0", "mid"), r"labels\[1\]: .*sorted and different"),
    ("a label too many", put("categories.labels.+", 4), "categories.labels: expected 6 categor"),
    ("weight short", put("categories.weight.0", DROP), "categories.weight: .*array of 12 numbers"),
    ("weight below 0", put("categories.weight.7", -1), r"categories.weight\[7\]: .*got -1.0"),
    ("missing long", put("categories.missing.+", 0), "categories.missing: .*array of 4 numbers"),
    ("missing below 0", put("categories.missing.3", -1), r"categories.missing\[3\]: .*got -1.0"),
    (
        "weights too large",
        put("categories.missing", [1.7e308] * 4),
        "categories.weight: expected weights with a finite sum, together with missing",
    ),
    ("smoothing 0", put("settings.smoothing", 0), "settings.smoothing: .*above 0, or no such"),
    ("smoothing null", put("settings.smoothing", None), "settings.smoothing: "),
    ("smoothing below 0", put("settings.smoothing", -1.0), "settings.smoothing: .*got -1.0"),
    ("smoothing true", put("settings.smoothing", True), "settings.smoothing: .*got true"),
    ("smoothing huge", put("settings.smoothing", 10**400), "settings.smoothing: "),
]


BEYOND_A_SCHEMA = {
    *("one feature less", "sizes few", "size of a float", "size else", "label of a float"),
    *("label of another type", "label true for 1", "labels not sorted", "labels twice"),
    *("a label too many", "weight short", "missing long", "weights too large"),
}
"""Lengths against each other, sums, order, and 2.0 for 2."""


def test_the_schema_allows_what_is_saved() -> None:
    VALIDATOR.validate(members(MIXED))
    VALIDATOR.validate(members(file_of(mixed(smoothing=0, covariance="diagonal"))))


@pytest.mark.parametrize("case", BROKEN, ids=[case[0] for case in BROKEN])
def test_loader_and_schema_agree(case: tuple[str, Change, str]) -> None:
    name, change, _ = case
    parts = members(MIXED)
    change(parts)
    assert VALIDATOR.is_valid(parts) == (name in BEYOND_A_SCHEMA)


@pytest.mark.parametrize(
    ("change", "said"), [case[1:] for case in BROKEN], ids=[c[0] for c in BROKEN]
)
def test_the_message_names_the_place(change: Change, said: str) -> None:
    parts = members(MIXED)
    change(parts)
    with pytest.raises(ModelFileError, match=said):
        loads(resealed(parts))


def test_a_category_that_weighs_nothing() -> None:
    parts = members(MIXED)
    parts["categories"]["weight"][1] = parts["categories"]["weight"][7] = 0
    with pytest.raises(ModelFileError, match=r"labels\[1\]: .*weighs something.*got 'mid'"):
        loads(resealed(parts))


def test_categories_beside_parameters_alone() -> None:
    parts = members(MIXED)
    parts["parameters"] = {"prior": [0.5, 0.5], "center": [0], "offset": [0, 1]}
    parts["parameters"]["covariance"] = [1, 1]
    parts["moments"] = None
    with pytest.raises(ModelFileError, match="moments: expected those of the rows, where feat"):
        loads(resealed(parts))


def _with(**changes: Any) -> Model:
    model = stored(mixed())
    assert model.counts is not None
    return replace(model, counts=replace(model.counts, **changes))


COUNTS = stored(mixed()).counts
assert COUNTS is not None


def _moments(d: int) -> ClassMoments:
    return no_rows(2, d, "full")


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (_with(weight=COUNTS.weight * np.nan), r"categories.weight\[0\]: expected a finite numb"),
        (_with(missing=-1 - COUNTS.missing), r"categories.missing\[0\]: .*not negative"),
        (_with(weight=COUNTS.weight * 0), r"categories.labels\[0\]: .*weighs something"),
        (
            _with(categories=(("low", "mid", "\ud800"), (1, 2, 3))),
            r"categories.labels\[2\]: expected a text of whole characters",
        ),
        (
            _with(categories=(("mid", "low", "strong"), (1, 2, 3))),
            r"categories.labels\[1\]: .*comes after 'mid'",
        ),
        (_with(categories=((1.5, 2.5, 3.5), (1, 2, 3))), r"categories.labels\[0\]: .*got 1.5"),
        (replace(stored(mixed()), counts=None), "categories: expected moments and counts"),
        (replace(stored(mixed()), moments=None), "categories: expected moments and counts"),
        (replace(stored(mixed()), moments=_moments(2)), "categories: expected moments of the"),
        (
            replace(stored(mixed()), schema=replace(stored(mixed()).schema, categorical=(0,))),
            "categories: expected ",
        ),
    ],
)
def test_what_no_file_can_hold(model: Model, said: str) -> None:
    with pytest.raises(
        ModelFileError, match=f"this model of 2 classes and 3 features cannot be saved: {said}"
    ):
        dumps(model)


def test_the_file_is_laid_out_in_lines() -> None:
    line = next(line for line in MIXED.decode().splitlines() if '"sizes"' in line)
    assert json.loads(f"{{{line.rstrip(',')}}}")["sizes"] == [3, 3]
