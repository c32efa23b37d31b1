"""What is saved comes back to the bit, and the same model gives the same bytes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussbayes.base.errors import GaussBayesError, ModelFileError
from gaussbayes.base.merge_tree import MergeTree
from gaussbayes.base.schema import Schema
from gaussbayes.data.labels import encode
from gaussbayes.families.gaussian.moments import ClassMoments, empty
from gaussbayes.families.gaussian.parameters import Parameters, Structure
from gaussbayes.families.gaussian.parameters import given as given_parameters
from gaussbayes.families.gaussian.summarise import summarise
from gaussbayes.model.file import dumps, loads
from gaussbayes.model.labelled import LabelledMoments
from gaussbayes.model.model import Model
from gaussbayes.model.settings import Settings
from tests.storage.files import assert_same_record
from tests.storage.strategies import (
    extreme_models,
    given_models,
    incomplete_models,
    learnt_models,
)


@given(st.one_of(learnt_models(), extreme_models(), given_models(), incomplete_models()))
def test_everything_comes_back(model: Model) -> None:
    data = dumps(model)
    again = loads(data)
    assert_same_record(again, model)
    assert dumps(again) == data


@given(learnt_models())
def test_the_file_is_plain_text_of_one_form(model: Model) -> None:
    data = dumps(model)
    assert data.isascii()
    assert data.startswith(b'{\n"format": "gaussbayes model",\n"version": 1,\n')
    assert data.endswith(b'"\n}\n')


def test_the_order_in_which_blocks_arrive_leaves_the_bytes_alone() -> None:
    """Blocks with different classes, and labels of different lengths, 200 times shuffled."""
    rng = np.random.default_rng(5)
    words = np.array(["a", "bcd", "efghij", "k"])
    blocks = []
    for number in range(13):
        codes, classes = encode(rng.choice(words[: 1 + number % 4], 7))
        moments = summarise(rng.normal(size=(7, 2)) + 1e8, codes, None, len(classes))
        blocks.append(LabelledMoments(classes, moments))
    files = set()
    for _ in range(200):
        tree: MergeTree[LabelledMoments] = MergeTree()
        for number in rng.permutation(13):
            tree.add(int(number), blocks[number])
        learnt = tree.result()
        schema = Schema(learnt.classes, 2, ("x", "y"))
        chosen = Settings(Structure(), None, "mle", None)
        files.add(dumps(Model(chosen, schema, "word", learnt.moments, None)))
    assert len(files) == 1


def test_priors_by_label_in_any_order_give_the_same_bytes() -> None:
    moments = ClassMoments(
        np.ones(2), np.zeros((2, 1)), np.zeros((2, 1)), np.ones((2, 1, 1)), "full"
    )
    schema = Schema(np.array([1, 2]), 1)
    files = {
        dumps(Model(Settings(Structure(), priors, "mle", None), schema, None, moments, None))
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
    moments = ClassMoments(
        np.ones(1), np.zeros((1, 1)), np.zeros((1, 1)), np.ones((1, 1, 1)), "full"
    )
    for priors in ({"a": 0.5, "b": 0.5}, [0.5, 0.5]):
        chosen = Settings(Structure(), priors, "mle", None)
        model = Model(chosen, Schema(np.array(["a"]), 1), None, moments, None)
        assert loads(dumps(model)).settings.priors == priors


def test_parameters_of_a_marginal_come_back() -> None:
    parameters = Parameters(
        np.array([0.5, 0.5]),
        np.array([1e308]),
        np.array([[-0.0], [5e-324]]),
        given_parameters(
            Schema(np.arange(2), 1), Structure(), "uniform", [[0], [1]], [[[2]], [[3]]]
        ).covariance,
    )
    chosen = Settings(Structure(), None, "unbiased", 0.5)
    model = Model(chosen, Schema(np.arange(2), 1, ("α",)), "ö", None, parameters)
    assert_same_record(loads(dumps(model)), model)


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
    ],
    ids=lambda classes: f"{classes.dtype} {classes.tolist()}",
)
def test_labels_that_no_file_can_hold(classes: Any) -> None:
    moments = ClassMoments(
        np.ones(2), np.zeros((2, 1)), np.zeros((2, 1)), np.ones((2, 1, 1)), "full"
    )
    model = Model(Settings(Structure(), None, "mle", None), Schema(classes, 1), None, moments, None)
    if classes.dtype == np.float64:  # where a long double is no longer than a double
        assert loads(dumps(model)).schema.classes.tolist() == classes.tolist()
        return
    with pytest.raises(
        GaussBayesError, match=r"cannot be saved: classes\.(type|labels\[1\]|labels\[0\])"
    ):
        dumps(model)


@pytest.mark.parametrize(
    ("priors", "said"),
    [
        ([0.5, 0.6], "sum to 1"),
        ([1.0], "a prior for each of the 2 classes"),
        ([0.5, float("nan")], "finite"),
        ([1.5, -0.5], "none below 0"),
        ("flat", "'uniform' or numbers, got 'flat'"),
        (["a", "b"], "'uniform' or numbers"),
        ({0: 1.0}, "a prior for each class, also 1"),
        ({0: 0.5, 1: 0.5, None: 0.0}, "got null"),
    ],
)
def test_priors_that_can_never_be_used(priors: Any, said: str) -> None:
    moments = ClassMoments(
        np.ones(2), np.zeros((2, 1)), np.zeros((2, 1)), np.ones((2, 1, 1)), "full"
    )
    chosen = Settings(Structure(), priors, "mle", None)
    with pytest.raises(GaussBayesError, match=rf"cannot be saved: settings\.priors.*{said}"):
        dumps(Model(chosen, Schema(np.arange(2), 1), None, moments, None))


@pytest.mark.parametrize("layout", ["full", "pooled", "diagonal"])
def test_a_model_without_classes_is_not_saved(layout: Any) -> None:
    model = Model(
        Settings(Structure(), None, "mle", None),
        Schema(np.array([], dtype="U1"), 2),
        None,
        empty(0, 2, layout),
        None,
    )
    with pytest.raises(
        ModelFileError,
        match="this model of 0 classes and 2 features cannot be saved: classes.labels: expected "
        "at least one class",
    ):
        dumps(model)


@pytest.mark.parametrize("name", ["weight", "anchor", "offset", "scatter"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_not_saved(name: str, value: float) -> None:
    parts: dict[str, Any] = {
        "weight": np.ones(2),
        "anchor": np.zeros((2, 1)),
        "offset": np.zeros((2, 1)),
        "scatter": np.ones((2, 1, 1)),
    }
    parts[name].flat[1] = value
    model = Model(
        Settings(Structure(), None, "mle", None),
        Schema(np.arange(2), 1),
        None,
        ClassMoments(layout="full", **parts),
        None,
    )
    with pytest.raises(GaussBayesError, match=r"cannot be saved: moments\."):
        dumps(model)


def test_an_asymmetric_scatter_is_not_saved() -> None:
    scatter = np.array([[[1.0, 0.5], [np.nextafter(0.5, 1), 1.0]]] * 2)
    moments = ClassMoments(np.ones(2), np.zeros((2, 2)), np.zeros((2, 2)), scatter, "full")
    model = Model(
        Settings(Structure(), None, "mle", None), Schema(np.arange(2), 2), None, moments, None
    )
    with pytest.raises(GaussBayesError, match=r"matrix 0 is not symmetric: entry \(0, 1\) is 0\.5"):
        dumps(model)
