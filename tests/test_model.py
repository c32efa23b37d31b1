"""The steps from one model record to the next."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError, PriorError, SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.families.gaussian.learning import learn
from gaussbayes.families.gaussian.parameters import Structure, given
from gaussbayes.families.gaussian.summarise import summarise
from gaussbayes.model.labelled import LabelledMoments
from gaussbayes.model.model import Model, given_model, learnt_model
from gaussbayes.model.settings import check_settings

ROWS = np.array([[1.0, 4.0], [3.0, 5.0], [2.0, 9.0], [10.0, 1.0], [14.0, 3.0], [12.0, 3.5]])
LABELS = np.array(["ash", "ash", "ash", "oak", "oak", "oak"])
EARLY, LATE = slice(0, 2), slice(2, 6)


def settings(covariance: str = "full", shared: bool = False, priors: Any = None) -> Any:
    return check_settings(covariance, shared, priors, "mle", None)


def learnt(rows: slice = slice(None), layout: Any = "full") -> LabelledMoments:
    classes, codes = np.unique(LABELS[rows], return_inverse=True)
    own = summarise(ROWS[rows], codes.astype(np.int32), None, len(classes), layout)
    return LabelledMoments(classes, own)


def made() -> Model:
    structure, schema = Structure("diagonal"), Schema(np.array(["ash", "oak"]), 2)
    means, variances = [[0, 1], [2, 3]], [[1, 2], [3, 4]]
    return given_model(given(schema, structure, [0.25, 0.75], means, variances), schema, structure)


def test_parts_are_the_whole() -> None:
    """Means and covariances by NumPy alone, however the rows were shared out."""
    first, second = (learnt_model(settings(), learnt(part), None) for part in (EARLY, LATE))
    for model in (
        learnt_model(settings(), learnt(), None),
        first.updated(learnt(LATE)),
        first.merged(second),
    ):
        parameters = model.estimate()
        assert model.schema.classes.tolist() == ["ash", "oak"]
        for code, rows in enumerate((ROWS[:3], ROWS[3:])):
            np.testing.assert_allclose(parameters.mean[code], rows.mean(axis=0), rtol=1e-12)
            expected = np.cov(rows.T, bias=True)
            np.testing.assert_allclose(parameters.covariance.dense()[code], expected, rtol=1e-12)


def test_steps_leave_the_record_as_it_was() -> None:
    model = learnt_model(settings(), learnt(EARLY), ("a", "b"), "tree")
    model.updated(learnt(LATE))
    model.with_priors("uniform")
    model.with_feature_names(None)
    assert model.schema.classes.tolist() == ["ash"]
    assert model.moments is not None
    assert model.moments.weight.tolist() == [2]
    assert (model.settings.priors, model.schema.features) == (None, ("a", "b"))


@pytest.mark.parametrize("order", [1, -1])
def test_names_come_from_whoever_has_them(order: int) -> None:
    known = learnt_model(settings(), learnt(EARLY), ("height", "girth"), "tree")
    unknown = learnt_model(settings(), learnt(LATE), None)
    first, second = (known, unknown)[::order]
    both = first.merged(second)
    assert (both.schema.features, both.target) == (("height", "girth"), "tree")


def test_the_estimator_takes_names_too() -> None:
    known = GaussianClassifier().fit(ROWS, LABELS).with_feature_names(["height", "girth"])
    known.target_name_ = "tree"
    for unknown in (GaussianClassifier(), GaussianClassifier().fit(ROWS, LABELS)):
        unknown.merge(known)
        assert unknown.feature_names_in_.tolist() == ["height", "girth"]
        assert unknown.target_name_ == "tree"


def test_a_model_goes_on_with_what_it_kept() -> None:
    whole = learnt_model(settings("diagonal"), learnt(), None)
    assert whole.layout == "full"
    thin = learnt_model(settings("diagonal"), learnt(layout="diagonal"), None)
    assert thin.layout == made().layout == "diagonal"
    assert whole.merged(thin).layout == "diagonal"
    with pytest.raises(DataError, match="cannot be had from a diagonal one"):
        thin.with_settings(settings("full"), "merge")


def test_other_priors() -> None:
    model = learnt_model(settings("diagonal"), learnt(slice(1, 6)), None)
    assert model.estimate().prior.tolist() == [0.4, 0.6]
    changed = model.with_priors({"oak": 0.9, "ash": 0.1})
    assert changed.prior.tolist() == changed.estimate().prior.tolist() == [0.1, 0.9]
    assert made().with_priors(None).estimate().prior.tolist() == [0.5, 0.5]
    for one in (model, made()):
        with pytest.raises(PriorError, match="sum to 1"):
            one.with_priors([0.1, 0.1])


def test_a_marginal_has_seen_no_rows() -> None:
    model = learnt_model(settings(), learnt(), ("height", "girth"), "tree")
    seen = model.marginal(["girth"], model.estimate())
    assert (seen.moments, seen.schema.features, seen.target) == (None, ("girth",), "tree")
    np.testing.assert_allclose(seen.estimate().mean[:, 0], [6.0, 2.5], rtol=1e-12)
    with pytest.raises(DataError, match="updated needs the moments of the rows seen before"):
        seen.updated(learnt())


def lacking(rows: slice = slice(None), layout: Any = "full") -> LabelledMoments:
    """As `learnt`, with the girth of every third tree missing."""
    holes = np.where((np.arange(6) % 3 == 1)[:, None] & (np.arange(2) == 1), np.nan, ROWS)
    classes, codes = np.unique(LABELS[rows], return_inverse=True)
    return learn(holes[rows], codes.astype(np.int32), None, classes, layout)


def test_what_em_finds_is_kept_until_the_rows_change() -> None:
    chosen = settings("diagonal")
    early = learnt_model(chosen, lacking(EARLY), None)
    model = early.updated(lacking(LATE))
    assert model.parameters is None
    solved, record = model.solved()
    assert record is not None
    assert record.converged
    assert solved.solved() == (solved, None)
    assert solved.estimate() is solved.parameters
    girth = [np.nanmean(ROWS[[0, 2], 1]), np.nanmean(ROWS[[3, 5], 1])]
    np.testing.assert_allclose(solved.estimate().mean[:, 1], girth, rtol=1e-12)
    np.testing.assert_allclose(solved.estimate().mean[:, 0], [2.0, 12.0], rtol=1e-12)
    assert solved.prior.tolist() == [0.5, 0.5]
    moved = solved.with_priors([0.25, 0.75])
    assert moved.estimate().prior.tolist() == [0.25, 0.75]
    assert moved.incomplete is solved.incomplete
    changed = [
        solved.updated(lacking(EARLY)),
        solved.without(lacking(slice(3, 4))),
        solved.without_class("oak"),
        solved.merged(early),
        solved.with_settings(settings("spherical"), "partial_fit"),
    ]
    assert [one.parameters for one in changed] == [None] * 5
    assert all(one.incomplete is not None for one in changed)
    complete = solved.without(lacking(slice(1, 2))).without(lacking(slice(4, 5)))
    assert complete.incomplete is None
    assert complete.solved() == (complete, None)
    seen = solved.marginal([0], solved.estimate())
    assert (seen.moments, seen.incomplete) == (None, None)


def test_a_class_may_have_incomplete_rows_only() -> None:
    model = learnt_model(settings("diagonal"), lacking(slice(1, 2)), None)
    assert model.moments is not None
    assert model.moments.weight.tolist() == [0.0]
    assert model.schema.classes.tolist() == ["ash"]
    for work in (model.estimate, model.solved()[0].estimate):
        with pytest.raises(DataError, match="at least two classes with rows, got 1 class: 'ash'"):
            work()


def test_refusals() -> None:
    model = learnt_model(settings(), learnt(), ("height", "girth"))
    with pytest.raises(SchemaError, match=r"cannot be merged: \('height', 'girth'\) here, \('a',"):
        model.merged(learnt_model(settings(), learnt(), ("a", "b")))
    with pytest.raises(DataError, match="merge needs .* made from parameters"):
        model.merged(made())
    with pytest.raises(SchemaError, match="2 features need as many names"):
        model.with_feature_names(["height"])


def test_it_needs_numpy_alone() -> None:
    """The command line starts with it."""
    code = "import sys, gaussbayes.model.model; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"sklearn", "scipy", "pyarrow", "pandas", "narwhals"} & set(done.stdout.split())
