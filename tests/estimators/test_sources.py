"""Fitting to files is fitting to their rows; saving and loading changes nothing."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from gaussbayes import DataError, GaussianClassifier
from gaussbayes.datasets import load_iris

IRIS = files("gaussbayes.datasets").joinpath("iris.csv")
data = load_iris()


def halves(folder: Path) -> tuple[Path, Path]:
    header, *lines = IRIS.read_text(encoding="utf-8").splitlines(keepends=True)
    first, second = folder / "first.csv", folder / "second.csv"
    first.write_text(header + "".join(lines[:80]), encoding="utf-8")
    second.write_text(header + "".join(lines[80:]), encoding="utf-8")
    return first, second


@pytest.mark.parametrize("covariance", ["full", "diagonal", "spherical"])
@pytest.mark.parametrize("shared", [False, True])
def test_a_file_is_its_rows(covariance: str, shared: bool) -> None:
    from_file = GaussianClassifier(covariance, shared=shared).fit_source(IRIS, "species")
    in_memory = GaussianClassifier(covariance, shared=shared).fit(data.rows, data.labels)
    assert from_file.classes_.tolist() == in_memory.classes_.tolist()
    assert from_file.feature_names_in_.tolist() == list(data.feature_names)
    assert from_file.target_name_ == "species"
    assert from_file.bad_rows_.count == 0
    # One block of 150 rows on both sides: the same sums.
    np.testing.assert_array_equal(from_file.means_, in_memory.means_)
    np.testing.assert_array_equal(from_file.covariances_, in_memory.covariances_)


def test_more_files_are_more_rows(tmp_path: Path) -> None:
    first, second = halves(tmp_path)
    model = GaussianClassifier().fit_source(first, "species").partial_fit_source(second)
    whole = GaussianClassifier().fit_source([first, second], "species")
    np.testing.assert_allclose(model.covariances_, whole.covariances_, rtol=1e-13)
    assert model.moments_.weight.tolist() == [50, 50, 50]


def test_more_rows_need_names_and_a_target(tmp_path: Path) -> None:
    first, _ = halves(tmp_path)
    nameless = GaussianClassifier().fit(data.rows, data.labels)
    with pytest.raises(DataError, match="have no names"):
        nameless.partial_fit_source(first, "species")
    named = nameless.with_feature_names(data.feature_names)
    with pytest.raises(DataError, match="which column holds the labels"):
        named.partial_fit_source(first)
    assert named.partial_fit_source(first, "species").moments_.weight.sum() == 230


def test_fitting_to_rows_forgets_the_source() -> None:
    model = GaussianClassifier().fit_source(IRIS, "species").fit(data.rows, data.labels)
    assert not hasattr(model, "target_name_")
    assert not hasattr(model, "bad_rows_")


def test_a_saved_model_is_the_same_model(tmp_path: Path) -> None:
    model = GaussianClassifier(shared=True, divisor="unbiased", shrinkage=0.1)
    model.fit_source(IRIS, "species")
    again = GaussianClassifier.load(model.save(tmp_path / "iris.json"))
    np.testing.assert_array_equal(
        again.with_feature_names(None).predict_log_proba(data.rows),
        model.with_feature_names(None).predict_log_proba(data.rows),
    )
    assert again.get_params() == model.get_params()
    assert again.target_name_ == "species"


def test_priors_of_given_parameters_do_not_bind_a_later_fit(tmp_path: Path) -> None:
    model = GaussianClassifier.from_parameters([0.2, 0.8], [[0], [4]], [[1]])
    again = GaussianClassifier.load(model.save(tmp_path / "given.json"))
    assert again.priors_.tolist() == [0.2, 0.8]
    refitted = clone(again).fit([[0.0], [1.0], [4.0], [5.5]], [0, 0, 1, 1])
    assert refitted.priors_.tolist() == [0.5, 0.5]
