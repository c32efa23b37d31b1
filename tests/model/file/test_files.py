"""What is saved comes back to the bit, and a file is what the page about the format says."""

import pickle
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone

import gaussbayes
from gaussbayes import AutoClassifier, FileError, GaussianClassifier
from tests.model.file.models import file_of, members, models, rows_of, trees

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "model-format.md").read_text(encoding="utf-8")
EXAMPLE = re.findall(r"^```json\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)[0].encode()
ROWS = pd.DataFrame(
    [[1, 3], [2, 5], [4, 4], [5, 4], [7, 1], [8, 0.5], [9, 1.5], [8, 1]], columns=["age", "hours"]
)
SCORES = ("label", "posterior", "log_joint", "log_evidence")


def loaded(data: bytes, folder: Path) -> Any:
    path = folder / "model.json"
    path.write_bytes(data)
    return gaussbayes.load(path)


@pytest.mark.parametrize("name", models())
def test_models_come_back(name: str, tmp_path: Path) -> None:
    model, rows, data = models()[name], rows_of(name), file_of(name)
    again = loaded(data, tmp_path)
    assert type(again) is type(model)
    assert again.save(tmp_path / "again.json").read_bytes() == data
    assert again.get_params() == model.get_params()
    for other in (again, pickle.loads(pickle.dumps(again))):
        for score in SCORES:
            one, two = getattr(other.scores(rows), score), getattr(model.scores(rows), score)
            np.testing.assert_array_equal(one, two, err_msg=score)
        for priors in (None, "uniform"):
            expected = model.with_priors(priors).priors_
            np.testing.assert_array_equal(other.with_priors(priors).priors_, expected)
    assert str(again.columns_) == str(model.columns_)
    assert again.notices_ == model.notices_
    if isinstance(model, AutoClassifier):
        assert again.selection_ == model.selection_
        assert again.selection_.best.title == again.selection_.title == model.selection_.title
        shown = " ".join(str(again.selection_).split())
        assert f"held-out log loss {model.selection_.log_loss:.4f}" in shown
    for attribute in ("n_features_in_", "n_parameters_", "feature_names_in_", "means_"):
        there = hasattr(model, attribute)
        assert hasattr(again, attribute) == there
        if there:
            np.testing.assert_array_equal(getattr(again, attribute), getattr(model, attribute))
    assert not hasattr(clone(again), "classes_")
    assert not re.search(rb"NaN|Infinity", data)


@pytest.mark.parametrize(
    "labels",
    [
        [True, False],
        [3, -7],
        np.array([3, 7], dtype=np.uint8),
        np.array([3, 7], dtype=np.float32),
        pd.Series(["no", "yes"], dtype=object),
        pd.Series(["no", "yes"], dtype="str"),
        pd.Categorical(["no", "yes"]),
        np.array(["no", "yes"], dtype=np.dtypes.StringDType()),
        np.array(["no", "yes"], dtype="U9"),
        ["-", "ü\n\0x"],
    ],
    ids=repr,
)
def test_labels_of_every_kind(labels: Any, tmp_path: Path) -> None:
    y = np.asarray(labels)[[0, 0, 1, 1]]
    model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], y)
    again = gaussbayes.load(model.save(tmp_path / "model.json"))
    assert again.classes_.dtype == model.classes_.dtype
    assert again.predict([[1.0], [6.0]]).tolist() == model.predict([[1.0], [6.0]]).tolist()


@pytest.mark.parametrize(
    "labels", [[b"a", b"b"], np.array(["2020-01-01", "2020-01-02"], "datetime64[D]")], ids=repr
)
def test_labels_that_no_file_can_hold(labels: Any, tmp_path: Path) -> None:
    model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], np.asarray(labels)[[0, 0, 1, 1]])
    with pytest.raises(FileError, match=r"cannot be saved: classes\.(type|labels)"):
        model.save(tmp_path / "model.json")
    with pytest.raises(ValueError, match="not fitted"):
        GaussianClassifier().save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["unlabelled", "numbers unlabelled"])
def test_unlabelled_rows_come_back_if_requested(name: str, tmp_path: Path) -> None:
    model, rows = pickle.loads(pickle.dumps(models()[name])), rows_of(name)
    path = model.save(tmp_path / "rows.json", unlabelled_rows=True)
    again = gaussbayes.load(path)
    assert again.save(tmp_path / "again.json", unlabelled_rows=True).read_bytes() == (
        path.read_bytes()
    )
    for part in (model, again):
        part.partial_fit(rows[:4], model.classes_[[0, 1, 0, 1]])
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))


FLOATS = st.one_of(
    st.floats(-1e300, 1e300),
    st.sampled_from([-0.0, 0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 0.1, 1e16, 1e22]),
)


@given(
    means=hnp.arrays(np.float64, (2, 3), elements=FLOATS),
    variances=hnp.arrays(np.float64, 3, elements=st.floats(1e-300, 1e300)),
    prior=st.floats(0, 1),
    names=st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
        min_size=3,
        max_size=3,
        unique=True,
    ),
)
def test_every_float_comes_back(
    means: Any, variances: Any, prior: float, names: list[str], tmp_path_factory: Any
) -> None:
    model = GaussianClassifier.from_parameters(
        [prior, 1 - prior],
        means,
        variances,
        covariance="diagonal",
        shared=True,
        feature_names=names,
    )
    path = model.save(tmp_path_factory.mktemp("files") / "model.json")
    again = gaussbayes.load(path)
    assert again.means_.tobytes() == model.means_.tobytes()
    assert again.covariances_.tobytes() == model.covariances_.tobytes()
    assert again.priors_.tobytes() == model.priors_.tobytes()
    assert again.feature_names_in_.tolist() == names


def test_classes_load_their_own_files(tmp_path: Path) -> None:
    for kind, other, name in (
        (GaussianClassifier, AutoClassifier, "missing"),
        (AutoClassifier, GaussianClassifier, "automatic"),
    ):
        path = tmp_path / f"{name}.json"
        path.write_bytes(file_of(name))
        assert type(kind.load(path)) is kind
        with pytest.raises(FileError, match=r"gaussbayes\.load"):
            other.load(path)


# The page


def test_the_example_is_a_model_file(tmp_path: Path) -> None:
    labels = pd.Series(["no"] * 4 + ["yes"] * 4, name="bought")
    model = GaussianClassifier().fit(ROWS, labels)
    written = members(model.save(tmp_path / "model.json").read_bytes())
    shown = members(EXAMPLE)
    assert written["model"] == shown["model"]
    assert written.keys() == shown.keys()
    again = loaded(EXAMPLE, tmp_path)
    assert again.columns_.target == "bought"
    np.testing.assert_array_equal(again.predict_proba(ROWS), model.predict_proba(ROWS))
    lines = EXAMPLE.splitlines(keepends=True)
    assert shown["checksum"] == f"sha256:{sha256(b''.join(lines[:-2])).hexdigest()}"


def test_moments_are_what_the_page_says() -> None:
    """The rows of class "yes" by NumPy alone, found in the file by the page's rules."""
    statistics = members(EXAMPLE)["model"]["families"][0]["statistics"]
    d, c, rows = 2, 1, ROWS.to_numpy()[4:]
    mean = [statistics["anchor"][c * d + j] + statistics["offset"][c * d + j] for j in range(d)]
    start = c * d * (d + 1) // 2
    assert mean == rows.mean(axis=0).tolist()
    assert statistics["weight"][c] == 4
    for i in range(d):
        row = [statistics["scatter"][start + i * (i + 1) // 2 + j] for j in range(i + 1)]
        assert row == pytest.approx((4 * np.cov(rows.T, bias=True))[i, : i + 1].tolist(), rel=1e-15)


def test_learning_goes_on_after_loading(tmp_path: Path) -> None:
    y = np.array(["ash", "oak"])[np.arange(40) % 2]
    for name in ("full False", "full True", "diagonal 0.5", "transformed"):
        model, again = models()[name], loaded(file_of(name), tmp_path)
        more = clone(model).fit(trees()[:20], y[:20], like=model)
        for one in (again.merge(more), again.forget(more)):
            assert np.isfinite(one.predict_proba(trees())).all()
        np.testing.assert_allclose(again.means_, model.means_, rtol=1e-9)
