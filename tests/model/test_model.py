"""The steps from one model to the next."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import LabelledRows, Targets, number_rows
from gaussbayes.families.gaussian import Gaussian
from gaussbayes.model.construction import given_model
from gaussbayes.model.model import Model, learnt_model
from gaussbayes.model.options import check_options
from gaussbayes.model.settings import Settings
from gaussbayes.model.statistics import Learnt, observe
from tests.model.tables import learnt_of, model_of, taken, weather

ROWS = np.array([[1.0, 4.0], [3.0, 5.0], [2.0, 9.0], [10.0, 1.0], [14.0, 3.0], [12.0, 3.5]])
LABELS = np.array(["ash", "ash", "ash", "oak", "oak", "oak"])
GIRTHS = np.where((np.arange(6) % 3 == 1)[:, None] & (np.arange(2) == 1), np.nan, ROWS)
"""The same with the girth of every third tree missing."""
EARLY, LATE = slice(0, 2), slice(2, 6)
NAMES = ("height", "girth")


def settings(covariance: str = "full", **options: Any) -> Settings:
    schema = Schema(np.array(["ash", "oak"]), 2)
    return check_options(covariance=covariance, **options).settings(schema)


def learnt(rows: slice = slice(None), X: Any = ROWS, chosen: Settings | None = None) -> Learnt:
    classes, codes = np.unique(LABELS[rows], return_inverse=True)
    table = LabelledRows(
        number_rows(X[rows]), Targets(codes.astype(np.int32), len(classes)), classes
    )
    return observe(table, chosen or settings(), Schema(classes, 2))


def made(
    rows: slice = slice(None), chosen: Settings | None = None, names: Any = None, target: Any = None
) -> Model:
    teaching = learnt(rows, chosen=chosen)
    schema = Schema(teaching.classes, 2, names)
    return learnt_model(chosen or settings(), schema, teaching, target)


def given() -> Model:
    variances = [[1, 2], [3, 4]]
    return given_model(
        [0.25, 0.75], [[0, 1], [2, 3]], variances, ["ash", "oak"], covariance="diagonal"
    )


def test_parts_are_the_whole() -> None:
    """Means and covariances by NumPy alone, however the rows were shared out."""
    for model in (made(), made(EARLY).updated(learnt(LATE)), made(EARLY).merged(made(LATE))):
        density = model.densities[0]
        assert model.classes.tolist() == ["ash", "oak"]
        for code, rows in enumerate((ROWS[:3], ROWS[3:])):
            np.testing.assert_allclose(density.mean[code], rows.mean(axis=0), rtol=1e-12)
            expected = np.cov(rows.T, bias=True)
            np.testing.assert_allclose(density.dense_covariance()[code], expected, rtol=1e-12)


def test_steps_leave_the_record_as_it_was() -> None:
    model = made(EARLY, names=("a", "b"), target="tree")
    model.updated(learnt(LATE))
    model.with_priors("uniform")
    model.with_feature_names(None)
    assert model.classes.tolist() == ["ash"]
    assert model.learnt is not None
    assert model.learnt.weight.tolist() == [2]
    assert (model.settings.priors, model.schema.features) == (None, ("a", "b"))


@pytest.mark.parametrize("order", [1, -1])
def test_names_come_from_whoever_has_them(order: int) -> None:
    known, unknown = made(EARLY, names=NAMES, target="tree"), made(LATE)
    first, second = (known, unknown)[::order]
    both = first.merged(second)
    assert (both.schema.features, both.target) == (NAMES, "tree")


def test_a_model_goes_on_with_what_it_kept() -> None:
    """Correlations are observed as long as those of the rows before are known."""
    whole = learnt_model(settings("diagonal"), Schema(np.array(["ash", "oak"]), 2), learnt())
    thin = made(chosen=settings("diagonal"))
    for model, correlated in ((whole, True), (thin, False)):
        family = model.observing.families[0]
        assert isinstance(family, Gaussian)
        assert family.structure.shape.correlated is correlated
        more = observe_more(model)
        assert more.classes.tolist() == ["ash", "oak"]
        full = model.updated(more)
        if correlated:
            again = full.with_settings(settings(), "merge").densities[0].dense_covariance()
            np.testing.assert_allclose(again[0], np.cov(ROWS[:3].T, bias=True), rtol=1e-12)
        else:
            with pytest.raises(DataError, match="summed without correlations, not enough"):
                full.with_settings(settings(), "merge")
    assert whole.merged(thin).observing.families[0].structure.covariance == "diagonal"


def observe_more(model: Model) -> Learnt:
    """The same rows once more, as a model observes them."""
    return learnt(chosen=model.observing)


def test_other_priors() -> None:
    model = made(slice(1, 6), settings("diagonal"))
    assert model.prior.tolist() == model.solved().prior.tolist() == [0.4, 0.6]
    changed = model.with_priors({"oak": 0.9, "ash": 0.1})
    assert changed.prior.tolist() == changed.solved().prior.tolist() == [0.1, 0.9]
    assert model.solved().with_priors("uniform").with_priors(None).prior.tolist() == [0.4, 0.6]
    assert given().with_priors(None).prior.tolist() == [0.5, 0.5]
    for one in (model, model.solved(), given()):
        with pytest.raises(OptionError, match="sum to 1"):
            one.with_priors([0.1, 0.1])


def test_what_em_finds_is_kept_until_the_rows_change() -> None:
    chosen = settings("diagonal")
    schema = Schema(np.array(["ash", "oak"]), 2)
    early = learnt_model(chosen, schema, learnt(EARLY, GIRTHS, chosen))
    model = early.updated(learnt(LATE, GIRTHS, chosen))
    assert model.solution is None
    solved = model.solved()
    assert solved.convergence is not None
    assert solved.convergence.converged
    assert solved.solved() is solved
    assert solved.parameters is solved.solution
    girth = [np.nanmean(ROWS[[0, 2], 1]), np.nanmean(ROWS[[3, 5], 1])]
    np.testing.assert_allclose(solved.densities[0].mean[:, 1], girth, rtol=1e-12)
    np.testing.assert_allclose(solved.densities[0].mean[:, 0], [2.0, 12.0], rtol=1e-12)
    assert solved.prior.tolist() == [0.5, 0.5]
    moved = solved.with_priors([0.25, 0.75])
    assert moved.prior.tolist() == [0.25, 0.75]
    assert moved.densities is solved.densities
    changed = [
        solved.updated(learnt(EARLY, GIRTHS, chosen)),
        solved.without(learnt(slice(3, 4), GIRTHS, chosen)),
        solved.without_class("oak"),
        solved.merged(early),
        solved.with_settings(settings("spherical"), "partial_fit"),
    ]
    assert [one.solution for one in changed] == [None] * 5
    assert not any(one.learnt.is_complete for one in changed if one.learnt is not None)
    complete = solved.without(learnt(slice(1, 2), GIRTHS, chosen))
    complete = complete.without(learnt(slice(4, 5), GIRTHS, chosen))
    assert complete.learnt is not None
    assert complete.learnt.is_complete
    assert complete.convergence is None


def test_a_class_may_have_incomplete_rows_only() -> None:
    chosen = settings("diagonal")
    schema = Schema(np.array(["ash"]), 2)
    model = learnt_model(chosen, schema, learnt(slice(1, 2), GIRTHS, chosen))
    assert model.learnt is not None
    assert model.learnt.weight.tolist() == [1.0]
    assert model.classes.tolist() == ["ash"]
    with pytest.raises(DataError, match="at least two classes with rows, got 1 class: 'ash'"):
        model.solved()


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("unlabelled", [0.0, 0.4])
@pytest.mark.parametrize("shared", [False, True, 0.5])
def test_classes_come_and_go(missing: float, unlabelled: float, shared: Any) -> None:
    """Also from a shared covariance, beside categories, counts and rows without label."""
    table = weather(90, missing=missing, unlabelled=unlabelled)
    model = model_of(table, shared=shared)
    wet = taken(table, table.targets.codes == 2)
    without = model_of(taken(table, table.targets.codes != 2), shared=shared)
    removed = model.without_class("wet").solved()
    assert removed.classes.tolist() == ["dry", "mild"]
    rows = table.rows
    np.testing.assert_allclose(removed.posterior(rows), without.posterior(rows), atol=1e-7)
    back = without.with_class(learnt_of(wet).with_rows()).solved()
    np.testing.assert_allclose(back.posterior(rows), model.posterior(rows), atol=1e-7)


def test_refusals() -> None:
    model = made(names=NAMES)
    with pytest.raises(DataError, match=r"cannot be merged: \('height', 'girth'\) .*, \('a',"):
        model.merged(made(names=("a", "b")))
    with pytest.raises(
        DataError, match="merge needs what was learnt .*: its parameters were given"
    ):
        model.merged(given())
    for step in (given().without_class, given().updated, given().without):
        with pytest.raises(DataError, match="its parameters were given; fit a model to labelled"):
            step(learnt())  # type: ignore[operator]
    with pytest.raises(DataError, match="2 features need as many names"):
        model.with_feature_names(["height"])
    with pytest.raises(DataError, match="there is a class 'ash' already: remove it first"):
        model.with_class(learnt())
    with pytest.raises(DataError, match=r"there is no class 'elm': the classes are \['ash', 'oak'"):
        model.without_class("elm")
    with_priors = made(chosen=settings(priors=[0.5, 0.5]))
    with pytest.raises(OptionError, match="so 1 priors are needed; got 2"):
        with_priors.without_class("oak")


def test_scores_name_row_and_column_of_what_is_not_finite() -> None:
    model = made(names=NAMES)
    with pytest.raises(DataError, match="infinity in row 1, column 'girth'"):
        model.posterior(number_rows(np.array([[0.0, 1.0], [2.0, np.inf]])))
    table = weather(60)
    table.rows.matrix[7, 2] = 0.5
    counts = model_of(weather(60))
    with pytest.raises(DataError, match=r"row 7 has 0\.5 in 'storms', which must be an integer"):
        counts.labels(table.rows)


def test_any_container_becomes_rows() -> None:
    model = made(names=NAMES)
    rows = model.rows([[1.0, 2.0]])
    assert rows.matrix.tolist() == [[1.0, 2.0]]
    assert model.rows(rows) is rows


def test_it_needs_numpy_alone() -> None:
    """The command line starts with it."""
    code = "import sys, gaussbayes.model.model; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"sklearn", "scipy", "pyarrow", "pandas", "narwhals"} & set(done.stdout.split())
