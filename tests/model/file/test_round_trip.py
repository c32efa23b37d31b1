"""What is saved comes back to the bit, and the same model gives the same bytes."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussbayes.base.errors import DataError, FileError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import LabelledRows, Rows, Targets, number_rows
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.model.average import AveragedModel, averaged
from gaussbayes.model.calibration import Calibration
from gaussbayes.model.file import dumps, load, loads, save
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Component, Settings
from gaussbayes.model.statistics import Learnt, observe
from tests.model.file.files import (
    STRUCTURES,
    assert_same,
    average,
    calibrated,
    fitted,
    gaps,
    learn,
    missing,
    mixed,
    mixed_rows,
    pooled,
    transformed,
    trees,
)
from tests.model.file.files import (
    given as given_model,
)
from tests.model.file.strategies import (
    extreme_models,
    given_models,
    learnt_models,
    mixed_models,
)

MODELS = {
    **{f"{s}": fitted(*s, shrinkage=0.1, divisor="unbiased") for s in STRUCTURES},
    **{f"{s} missing": missing(*s) for s in STRUCTURES},
    "pooled": pooled(),
    "marginal": fitted().marginal(["height", "age"]),
    "marginal of missing": missing().marginal(["height", "age"]),
    "marginal that does not follow": fitted("spherical", 1.0).marginal(["girth"]),
    "given": given_model(),
    "given priors": fitted(priors={"oak": 0.25, "ash": 0.75}),
    "changed priors": missing().with_priors([0.125, 0.875]),
    "mixed": mixed(),
    "unlabelled": mixed(12),
    "numbers unlabelled": missing(codes=[-1, 0, 1, 0] * 10),
    "marginal of unlabelled": mixed(12).marginal(["month", "pressure"]),
    "calibrated": calibrated(fitted()),
    "calibrated missing": calibrated(missing()),
    "calibrated without scores": calibrated(mixed(12), Calibration(1.0, np.array([2.0, 1.0]))),
    "predictive": transformed(),
    "averaged": average(),
    "averaged, priors given": average(None, priors="uniform"),
    "averaged, priors changed": average().with_priors([0.125, 0.875]),
    "averaged, estimated priors": average(priors="uniform").with_priors(None),
    "averaged, unlabelled": averaged([mixed(12).solved(), mixed().solved()], np.array([0.5, 0.5])),
    "marginal of an average": average().marginal(["height", "age"]),
    "far from zero": fitted(rows=number_rows(trees().matrix * 1e-3 + 2.0**40)),
}


def rows_of(model: Model) -> Rows:
    """Rows to score, some values of which are missing."""
    if model.schema.n_features == 5:
        numbers = mixed_rows().matrix[:, [0, 2, 1]]
        return replace(mixed_rows(), numbers=numbers)
    if model.schema.categorical:
        return Rows(mixed_rows().matrix[:, :1], mixed_rows().codes[:, 1:], ((1, 2, 7),))
    return number_rows(gaps(trees()).matrix[:, : model.schema.n_features])


def through_a_file(model: Model, **options: Any) -> Model:
    data = dumps(model, **options)
    loaded = loads(data)
    assert dumps(loaded, **options) == data
    return loaded


@given(st.one_of(learnt_models(), extreme_models(), given_models(), mixed_models()))
def test_everything_comes_back(model: Model) -> None:
    loaded = through_a_file(model)
    priors = model.settings.priors
    assert loaded.settings.priors == (priors if not isinstance(priors, np.ndarray) else [*priors])
    settings = replace(model.settings, priors=None)
    assert_same(replace(loaded.settings, priors=None), settings)
    assert_same(
        (loaded.schema, loaded.target, loaded.learnt), (model.schema, model.target, model.learnt)
    )
    if model.learnt is None:
        assert_same(loaded.solution, model.solution)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_loaded_models_score_alike(model: Model) -> None:
    rows, loaded = rows_of(model), through_a_file(model)
    for dtype in (np.float32, np.float64):
        some = replace(rows, numbers=rows.matrix.astype(dtype))
        for score in ("labels", "posterior", "log_posterior", "log_joint", "log_evidence"):
            assert_same(getattr(loaded, score)(some), getattr(model, score)(some), score)
    assert_same(loaded.with_priors("uniform").prior, model.with_priors("uniform").prior)
    assert_same(loaded.with_priors(None).prior, model.with_priors(None).prior)
    assert loaded.n_parameters == model.n_parameters


@pytest.mark.parametrize("name", [name for name in MODELS if "aver" in name or "cali" in name])
def test_calibration_and_members_come_back(name: str) -> None:
    model = MODELS[name]
    loaded = through_a_file(model)
    assert_same(loaded.calibration, model.calibration)
    assert_same(loaded.parameters.calibration, model.parameters.calibration)
    if isinstance(model, AveragedModel):
        assert isinstance(loaded, AveragedModel)
        assert_same((loaded.weights, loaded.given_prior), (model.weights, model.given_prior))
        assert loaded.not_learnt == model.not_learnt
        for member, before in zip(loaded.members, model.members, strict=True):
            assert_same(member.settings, before.settings)
            assert_same(member.parameters, before.parameters)


def test_estimated_priors_are_those_of_the_rows() -> None:
    """Also of a marginal, and of unlabelled rows, whose weight is expected."""
    thirds = fitted(codes=[0, 0, 1, 0] * 10).with_priors("uniform")
    for model in (thirds, thirds.marginal(["age"])):
        np.testing.assert_allclose(loads(dumps(model)).with_priors(None).prior, [0.75, 0.25])
    model = mixed(12)
    expected = model.parameters.prior
    uniform = loads(dumps(model.with_priors("uniform")))
    np.testing.assert_array_equal(uniform.prior, 0.5)
    np.testing.assert_array_equal(uniform.with_priors(None).prior, expected)


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
@pytest.mark.parametrize("table", [trees(), gaps(trees())], ids=["complete", "missing"])
def test_learning_goes_on(structure: Any, table: Rows) -> None:
    """Update, merge, forget, select: a model that was in a file and one that was not stay alike."""

    def part(start: int, stop: int) -> Model:
        return fitted(*structure, rows=table[start:stop], codes=np.arange(start, stop) % 2)

    model, more, other = part(0, 24), part(24, 30), part(26, 40)
    steps = [
        lambda m, _: m.updated(more.learnt),
        lambda m, o: m.merged(o),
        lambda m, _: m.without(more.learnt),
        lambda m, _: m.marginal(["girth", "age"]),
    ]
    loaded, loaded_other = through_a_file(model), through_a_file(other)
    for step in steps:
        model, loaded = step(model, other), through_a_file(step(loaded, loaded_other))
        assert dumps(loaded) == dumps(model)


def test_learning_goes_on_for_every_family() -> None:
    rows = mixed_rows()
    model, more = mixed(rows=rows[:40]), mixed(rows=rows[30:])
    loaded = through_a_file(model)
    for step in ("updated", "without"):
        model, loaded = (getattr(m, step)(more.learnt) for m in (model, loaded))
        assert dumps(loaded) == dumps(model)
    assert_same(through_a_file(loaded).categories, (("low", "mid", "strong"), (1, 2, 7)))


def test_unlabelled_rows_if_asked_for() -> None:
    rows = mixed_rows()
    for dtype in (np.float32, np.float64):
        model = mixed(12, rows=replace(rows, numbers=rows.matrix.astype(dtype)))
        kept = through_a_file(model, unlabelled_rows=True)
        assert_same(kept.learnt, model.learnt)
        more = mixed(4, rows=rows[:20]).learnt
        assert more is not None
        one, other = model.updated(more), kept.updated(more)
        assert dumps(one, unlabelled_rows=True) == dumps(other, unlabelled_rows=True)
    without = through_a_file(model)
    assert without.learnt is not None
    assert without.learnt.unlabelled is not None
    assert without.learnt.unlabelled.n_rows == 12
    with pytest.raises(DataError, match=r"needs the 12 unlabelled rows .*unlabelled_rows=True"):
        without.updated(more)
    with pytest.raises(DataError, match="saving them .*needs the 12 unlabelled rows"):
        dumps(without, unlabelled_rows=True)


def test_a_reader_needs_no_em(monkeypatch: pytest.MonkeyPatch) -> None:
    models = [missing(), mixed(12)]
    files = [dumps(model) for model in models]

    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError

    monkeypatch.setattr("gaussbayes.model.model.solve", fail)
    for model, data in zip(models, files, strict=True):
        loaded = loads(data)
        assert loaded.solution is not None
        assert dumps(loaded) == data
        assert loaded.prior.tobytes() == loads(dumps(loaded)).prior.tobytes(), model


def test_complete_rows_need_no_parameters() -> None:
    for model in (fitted(), fitted().solved(), loads(dumps(fitted())).solved()):
        assert loads(dumps(model)).solution is None


def test_a_stream_that_has_just_begun() -> None:
    """One class, then two with a row each: nothing to predict yet, and still something to keep."""
    for row in ([[1.0, 2.0, 3.0]], [[1.0, np.nan, 3.0]], [[np.nan] * 3]):
        model = fitted(rows=number_rows(np.array(row)), codes=[0], classes=["ash"])
        loaded = through_a_file(model)
        more = fitted(rows=number_rows(np.array([[3.0, 2.5, 1.0]])), codes=[0], classes=["oak"])
        assert dumps(loaded.updated(more.learnt)) == dumps(model.updated(more.learnt))
        with pytest.raises(DataError, match="at least two classes"):
            _ = loaded.parameters


def test_the_order_in_which_blocks_arrive_leaves_the_bytes_alone() -> None:
    """Blocks with different classes, and labels of different lengths, 200 times shuffled."""
    rng = np.random.default_rng(5)
    words = np.array(["a", "bcd", "efghij", "k"])
    settings = Settings((Component(Gaussian(), (0, 1)),))
    blocks = []
    for number in range(13):
        classes, codes = np.unique(rng.choice(words[: 1 + number % 4], 7), return_inverse=True)
        targets = Targets(codes.astype(np.int32), classes.size)
        table = LabelledRows(number_rows(rng.normal(size=(7, 2)) + 1e8), targets, classes)
        blocks.append(observe(table, settings, Schema(classes, 2)))
    files = set()
    for _ in range(200):
        tree: MergeTree[Learnt] = MergeTree()
        for number in rng.permutation(13):
            tree.add(int(number), blocks[number])
        learnt = tree.result()
        files.add(dumps(Model(settings, Schema(learnt.classes, 2, ("x", "y")), learnt)))
    assert len(files) == 1


def integers(**settings: Any) -> Model:
    """A model of two classes called 1 and 2."""
    X = number_rows(np.array([[1.0], [2.0], [5.0], [7.0]]))
    return learn(X, [0, 0, 1, 1], [(Gaussian(), (0,))], [1, 2], None, **settings)


def test_priors_by_label_in_any_order_give_the_same_bytes() -> None:
    files = {
        dumps(integers(priors=priors))
        for priors in (
            {1: 0.25, 2: 0.75},
            {2: 0.75, 1: 0.25},
            {2.0: 0.75, np.int8(1): 0.25},
            {np.int64(1): np.float32(0.25), np.int64(2): 0.75},
        )
    }
    assert len(files) == 1


def test_priors_of_classes_to_come() -> None:
    """A stream whose second class has not come yet."""
    row = number_rows(np.ones((1, 3)))
    for priors in ({"a": 0.5, "b": 0.5}, [0.5, 0.5]):
        model = fitted(rows=row, codes=[0], classes=["a"], priors=priors)
        assert loads(dumps(model)).settings.priors == priors


def test_500_features_and_5_classes_are_compact(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    component = (Gaussian(), tuple(range(500)))
    codes = np.arange(600) % 5
    model = learn(number_rows(rng.normal(size=(600, 500))), codes, [component], np.arange(5), None)
    path = save(model, tmp_path / "large.json")
    assert path.stat().st_size < 15_000_000
    assert_same(load(path).learnt, model.learnt)


def test_numbers_load_nothing_of_other_families(tmp_path: Path) -> None:
    path = save(fitted(), tmp_path / "model.json")
    code = (
        "import sys, pathlib; from gaussbayes.model import file; "
        "file.dumps(file.load(pathlib.Path(sys.argv[1]))); "
        "print(*(name for name in sys.modules if name.startswith('gaussbayes.families.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    imported = {name.split(".")[2] for name in done.stdout.split()}
    assert "gaussian" in imported
    assert not imported & {"categorical", "poisson", "bernoulli"}


# What no file can hold.


def with_classes(classes: Any) -> Model:
    model = integers()
    assert model.learnt is not None
    learnt = replace(model.learnt, classes=classes)
    return replace(model, learnt=learnt, schema=replace(model.schema, classes=classes))


@pytest.mark.parametrize(
    "classes",
    [
        np.array([b"a", b"b"]),
        np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
        np.array([1, 2], dtype="timedelta64[s]"),
        np.array([0.0, 1.0], dtype=np.longdouble),
        np.fromiter([b"a", b"b"], object, 2),
        np.fromiter([(1,), (2,)], object, 2),
        np.fromiter([2**64, 2**65], object, 2),
        np.array(["a", "\ud800"]),
        np.array(["b", "a"]),
        np.array(["a", "a"]),
        np.fromiter([1, "a"], object, 2),
        np.array(["a", "b" * 20_000]),
        np.array([], dtype="U1"),
    ],
    ids=lambda classes: f"{classes.dtype} {classes.tolist()}"[:60],
)
def test_labels_that_no_file_can_hold(classes: Any) -> None:
    with pytest.raises(FileError, match=r"cannot be saved: classes\.(type|labels)"):
        dumps(with_classes(classes))


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ([0.5, 0.6], "sum to 1"),
        ([1.0], "a prior for each of the 2 classes"),
        ([0.5, float("nan")], "finite"),
        ([1.5, -0.5], "none below 0"),
        ("flat", "'uniform' or numbers, got 'flat'"),
        (["a", "b"], "'uniform' or numbers"),
        ({1: 1.0}, "also 2"),
        ({1: 0.5, 2: 0.5, None: 0.0}, "labels.*got None"),
    ],
)
def test_priors_that_can_never_be_used(priors: Any, message: str) -> None:
    with pytest.raises(FileError, match=rf"cannot be saved: priors.*{message}"):
        dumps(integers(priors=priors))


def changed(model: Model, name: str, at: tuple[int, ...], value: float) -> Model:
    """A model with another number in its statistics."""
    assert model.learnt is not None
    statistics = model.learnt.parts[0]
    part, _, field = name.rpartition(".")
    record = getattr(statistics, part)
    array = getattr(record, field).copy()
    array[at] = value
    statistics = replace(statistics, **{part: replace(record, **{field: array})})
    learnt = replace(model.learnt, parts=(statistics,))
    return replace(model, learnt=learnt, solution=model.solved().solution)


@pytest.mark.parametrize(
    ("name", "at", "value", "message"),
    [
        ("moments.weight", (1,), np.nan, r"weight\[1\]: must be a finite number, got nan"),
        ("moments.weight", (1,), -1.0, r"weight\[1\]: .*not negative"),
        ("moments.anchor", (1, 0), np.inf, r"anchor\[3\]: must be a finite number, got inf"),
        ("moments.offset", (0, 2), -np.inf, r"offset\[2\]: must be a finite number"),
        ("moments.scatter", (1, 1, 1), np.nan, r"scatter: .*symmetric|scatter\[8\]: .*finite"),
        ("moments.scatter", (0, 0, 1), 0.5, r"scatter: must be symmetric"),
        ("cells.weight", (1,), 0.0, r"cells.weight\[1\]: must be a weight above 0, got 0"),
        ("cells.anchor", (1, 2), np.inf, r"cells.anchor\[3\]: must be a finite number"),
        ("cells.anchor", (1, 1), 1.0, r"cells.anchor: must be 0 at \(1, 1\), where a value is m"),
        ("cells.offset", (1, 1), np.nan, r"cells.offset: must be 0 at \(1, 1\)"),
        ("cells.scatter", (0, 0, 0), 1.0, r"cells.scatter: must be 0 at \(0, 0, 0\)"),
        ("cells.scatter", (1, 2, 0), 1.0, "cells.scatter: must be symmetric"),
        ("cells.codes", (7,), 2, r"cells.classes\[7\]: must be an integer from 0 to 1"),
        ("cells.observed", (0, 0), True, r"cells.observed\[0\]: .*value is missing"),
    ],
)
def test_statistics_that_no_file_can_hold(
    name: str, at: tuple[int, ...], value: float, message: str
) -> None:
    model = changed(missing(), name, at, value)
    expected = rf"of 2 classes and 3 features cannot be saved: families\[0\]\.statistics\.{message}"
    with pytest.raises(FileError, match=expected):
        dumps(model)
