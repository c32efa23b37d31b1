"""Regions, densities, zones and errors in the plane, against SciPy."""

import re
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import chi2, multivariate_normal, norm
from sklearn.neighbors import KNeighborsClassifier

from gaussbayes.analysis.class_moments import class_covariances, class_means
from gaussbayes.apps.lab import model_views
from gaussbayes.apps.lab.examples import example_table
from gaussbayes.apps.lab.wire_format import MessageError
from gaussbayes.model.model import Model
from tests.lab.page import FITTED, Page

HAND: dict[str, Any] = {
    "from": "hand",
    "priors": [0.2, 0.3, 0.5],
    "means": [[-1.0, 0.0], [2.0, 0.5], [0.0, 3.0]],
    "covariances": [[[1.0, 0.4], [0.4, 2.0]], [[0.5, 0.0], [0.0, 0.5]], [[3.0, -1.0], [-1.0, 1.0]]],
}
VIEW = {"x": [-4.0, 5.0], "y": [-3.0, 6.0], "width": 13, "height": 9}
LAYERS = ["label", "posterior", "margin", "evidence", "joint", "density"]


def log_joint(model: dict[str, Any], rows: Any) -> Any:
    """(k, n), by SciPy."""
    parts = zip(model["priors"], model["means"], model["covariances"], strict=True)
    return np.stack([np.log(p) + multivariate_normal(m, c).logpdf(rows) for p, m, c in parts])


def grid(view: dict[str, Any] = VIEW) -> Any:
    x, y = (
        np.linspace(*view[axis], view[size]) for axis, size in (("x", "width"), ("y", "height"))
    )
    return np.stack(np.meshgrid(x, y), axis=-1)


def test_all_layers_of_a_model_by_hand(page: Page) -> None:
    data = page.data("three", n=60)
    found = page.ask("scene", data=data, pair=[0, 1], model=HAND, view=VIEW, layers=LAYERS)
    joint = log_joint(HAND, grid().reshape(-1, 2)).reshape(3, 9, 13)
    evidence = logsumexp(joint, axis=0)
    posterior = joint - evidence
    arrays = found.arrays
    np.testing.assert_allclose(arrays["joint"], joint, rtol=1e-6)
    np.testing.assert_allclose(arrays["evidence"], evidence, rtol=1e-6)
    prior = np.log(HAND["priors"])[:, None, None]
    np.testing.assert_allclose(arrays["density"], joint - prior, rtol=1e-6)
    np.testing.assert_array_equal(arrays["label"], posterior.argmax(axis=0))
    ordered = np.sort(posterior, axis=0)
    np.testing.assert_allclose(arrays["margin"], ordered[-1] - ordered[-2], rtol=1e-5, atol=1e-5)
    gap = abs(arrays["posterior"].astype(float) - 255 * np.exp(posterior))
    assert gap.max() <= 0.51
    types = {name: array.dtype.name for name, array in arrays.items()}
    assert types == {
        "label": "uint8",
        "posterior": "uint8",
        "margin": "float32",
        "evidence": "float32",
        "joint": "float32",
        "density": "float32",
    }
    head = found.head
    assert head["bounds"] == {"x": [-4, 5], "y": [-3, 6]}
    np.testing.assert_allclose(head["parameters"]["means"], HAND["means"], atol=1e-12)
    assert head["parameters"]["priors"] == HAND["priors"]
    assert head["parameters"]["covariances"] == HAND["covariances"]
    assert head["parameters"]["count"] == 2 + 6 + 9


def test_ellipses_and_axes(page: Page) -> None:
    head = page.ask("scene", data=page.data("three"), pair=[0, 1], model=HAND).head
    assert [(one["class"], one["sigma"]) for one in head["ellipses"]] == [
        (code, sigma) for code in range(3) for sigma in (1, 2, 3)
    ]
    for one in head["ellipses"]:
        apart = np.stack([one["x"], one["y"]], axis=1) - HAND["means"][one["class"]]
        inverse = np.linalg.inv(HAND["covariances"][one["class"]])
        square = np.einsum("ni,ij,nj->n", apart, inverse, apart)
        np.testing.assert_allclose(square, one["sigma"] ** 2, rtol=1e-4)
    for one in head["axes"]:
        code = one["class"]
        np.testing.assert_allclose(one["center"], HAND["means"][code], atol=1e-12)
        halves = np.array(one["ends"]) - one["center"]
        # They are perpendicular, and the longer one is first, as they are seen.
        (left, right), (bottom, top) = head["bounds"]["x"], head["bounds"]["y"]
        seen = halves / [(right - left) / 160, (top - bottom) / 120]
        np.testing.assert_allclose(seen[0] @ seen[1], 0, atol=1e-9)
        assert np.linalg.norm(seen[0]) >= np.linalg.norm(seen[1])
        # The outer products of the half axes add up to the covariance.
        np.testing.assert_allclose(halves.T @ halves, HAND["covariances"][code], atol=1e-12)


def by_hand(page: Page, **members: Any) -> Any:
    """A scene of a model that was set by hand."""
    data = page.data("three")
    return page.ask("scene", data=data, pair=[0, 1], model=HAND, view=VIEW, **members)


def test_zones(page: Page) -> None:
    found = by_hand(page, layers=["reject", "novel"], reject=0.9, novelty=0.05)
    rows = grid().reshape(-1, 2)
    joint = log_joint(HAND, rows)
    best = np.exp(joint - logsumexp(joint, axis=0)).max(axis=0)
    np.testing.assert_array_equal(found.arrays["reject"].ravel(), best < 0.9)
    inside = np.zeros(rows.shape[0], bool)
    for mean, covariance in zip(HAND["means"], HAND["covariances"], strict=True):
        apart = rows - mean
        square = np.einsum("ni,ij,nj->n", apart, np.linalg.inv(covariance), apart)
        inside |= chi2.sf(square, 2) >= 0.05
    np.testing.assert_array_equal(found.arrays["novel"].ravel(), ~inside)
    assert set(found.arrays) == {"reject", "novel"}


@pytest.mark.parametrize("hide", [0, 1])
def test_a_hidden_coordinate_is_integrated_out(page: Page, hide: int) -> None:
    found = by_hand(page, layers=LAYERS, hide=hide, novelty=0.1)
    seen = 1 - hide
    values = grid()[..., seen]
    joint = np.stack(
        [
            np.log(prior) + norm(mean[seen], np.sqrt(covariance[seen][seen])).logpdf(values)
            for prior, mean, covariance in zip(
                HAND["priors"], HAND["means"], HAND["covariances"], strict=True
            )
        ]
    )
    np.testing.assert_allclose(found.arrays["joint"], joint, rtol=1e-6)
    np.testing.assert_array_equal(found.arrays["label"], joint.argmax(axis=0))
    assert found.arrays["novel"].shape == (9, 13)
    assert len(found.head["ellipses"]) == 9  # those of the pair stay


def test_a_fitted_model_and_its_errors(page: Page) -> None:
    data = page.data("three", n=120, split={"test": 0.25})
    found = page.ask("scene", data=data, pair=[0, 1], model=FITTED, layers=["errors"], truth=True)
    dataset = page.store.dataset(data)
    X, codes, test = dataset.table.X, dataset.table.codes, dataset.test
    model = {
        "priors": [np.mean(codes[~test] == c) for c in range(3)],
        "means": [X[~test & (codes == c)].mean(axis=0) for c in range(3)],
        "covariances": [np.cov(X[~test & (codes == c)].T, ddof=0) for c in range(3)],
    }
    for name, value in model.items():
        np.testing.assert_allclose(found.head["parameters"][name], value, atol=1e-12)
    wrong = log_joint(model, X).argmax(axis=0) != codes
    np.testing.assert_array_equal(found.arrays["wrong"], wrong)
    errors = found.head["errors"]
    assert errors["train"] == pytest.approx(wrong[~test].mean())
    assert errors["test"] == pytest.approx(wrong[test].mean())


def test_the_truth(page: Page) -> None:
    data = page.data("two_gaussians")
    found = page.ask("scene", data=data, pair=[0, 1], model=FITTED, view=VIEW, layers=["truth"])
    truth = {
        "priors": [0.5, 0.5],
        "means": [[0, 0], [2, 2]],
        "covariances": [[[2, -1], [-1, 2]], np.eye(2)],
    }
    label = log_joint(truth, grid().reshape(-1, 2)).argmax(axis=0)
    np.testing.assert_array_equal(found.arrays["truth"].ravel(), label)
    bayes = found.head["errors"]["bayes"]
    assert abs(bayes["error"] - 0.07189) < 4 * bayes["standard_error"] + 1e-5


def test_the_truth_of_one_feature_lies_along_its_own_axis(page: Page) -> None:
    """The same feature is once the second coordinate of a pair and once the first."""
    data = page.data("three")
    up, across = (
        page.ask("scene", data=data, pair=pair, model=FITTED, hide=hide, view=VIEW, truth=True)
        for pair, hide in (([0, 1], 0), ([1, 0], 1))
    )
    assert (up.arrays["truth"] == up.arrays["truth"][:, :1]).all()
    assert (across.arrays["truth"] == across.arrays["truth"][:1]).all()


def test_one_shared_covariance_errs_as_the_normal_distribution_says(page: Page) -> None:
    """Two classes of equal priors and one covariance: Φ(−Δ/2)."""
    found = page.ask("scene", data=page.data("shared"), pair=[0, 1], model=FITTED)
    truth = example_table("shared", 0, 10).truth
    assert truth is not None
    apart = np.subtract(*class_means(truth))
    distance = np.sqrt(apart @ np.linalg.solve(class_covariances(truth), apart))
    bayes = found.head["errors"]["bayes"]
    assert abs(bayes["error"] - norm.cdf(-distance / 2)) < 4 * bayes["standard_error"]


def test_no_truth_is_known_of_irises(page: Page) -> None:
    data = page.data("irises")
    found = page.ask("scene", data=data, pair=[2, 3], model=FITTED, layers=["truth"], truth=True)
    assert found.arrays == {}
    assert found.head["errors"]["bayes"] is None


def test_other_features_are_integrated_out(page: Page) -> None:
    """Fitted to all features, seen through two: what shrinks depends on all of them."""
    data = page.data("irises")
    model = FITTED | {"shrinkage": 0.5}
    found = page.ask("scene", data=data, pair=[3, 1], model=model).head
    X, codes = page.store.dataset(data).table.X, page.store.dataset(data).table.codes
    covariances = [np.cov(X[codes == c].T, ddof=0) for c in range(3)]
    pooled = np.diagonal(np.mean(covariances, axis=0))  # there are 50 rows of each class
    for c, own in enumerate(covariances):
        shrunk = 0.5 * own + 0.5 * np.mean(np.diagonal(own) / pooled) * np.diag(pooled)
        expected = shrunk[np.ix_([3, 1], [3, 1])]
        np.testing.assert_allclose(found["parameters"]["covariances"][c], expected, rtol=1e-12)
    assert found["parameters"]["count"] == 2 + 12 + 30


def test_neighbours(page: Page) -> None:
    data = page.data("xor", n=80, split={"test": 0.25})
    model = {"from": "neighbours", "k": 3}
    found = page.ask(
        "scene",
        data=data,
        pair=[0, 1],
        model=model,
        view=VIEW,
        layers=["label", "posterior", "margin", "evidence", "errors"],
        novelty=0.05,
    )
    dataset = page.store.dataset(data)
    X, codes, test = dataset.table.X, dataset.table.codes, dataset.test
    voters = KNeighborsClassifier(3).fit(X[~test], codes[~test])
    np.testing.assert_array_equal(
        found.arrays["label"].ravel(), voters.predict(grid().reshape(-1, 2))
    )
    assert set(found.arrays) == {"label", "posterior", "margin", "wrong"}
    assert not np.isnan(found.arrays["margin"]).any()
    assert found.head["errors"]["test"] == pytest.approx(1 - voters.score(X[test], codes[test]))
    assert found.head["parameters"] is None
    few = page.data("naive_bayes")
    problem = page.ask("scene", data=few, pair=[0, 1], model={"from": "neighbours", "k": 7}).head
    assert problem["problem"] == "there are only 6 rows to find 7 neighbours among; ask fewer"


def test_the_first_rows_of_a_stream(page: Page) -> None:
    data = page.data("three", n=60)
    dataset = page.store.dataset(data)
    found = page.ask("scene", data=data, pair=[0, 1], model=FITTED | {"first": 30}).head
    X, codes = dataset.table.X[:30], dataset.table.codes[:30]
    for c in range(3):
        np.testing.assert_allclose(
            found["parameters"]["means"][c], X[codes == c].mean(axis=0), atol=1e-12
        )


def test_classes_without_rows_are_nowhere(page: Page) -> None:
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 2], [6, 5, 2], [5, 6.5, 2]]
    data = page.points(points, ["p", "q", "r"])
    model = FITTED | {"priors": [0.5, 0.3, 0.2]}
    found = page.ask(
        "scene", data=data, pair=[0, 1], model=model, layers=["label", "posterior", "joint"]
    )
    parameters = found.head["parameters"]
    assert parameters["means"][1] is None
    np.testing.assert_allclose(parameters["priors"], [5 / 7, 0, 2 / 7])
    assert found.arrays["posterior"].shape[0] == 3
    assert not found.arrays["posterior"][1].any()
    assert np.isneginf(found.arrays["joint"][1]).all()
    assert set(np.unique(found.arrays["label"])) == {0, 2}
    assert {one["class"] for one in found.head["ellipses"]} == {0, 2}


def test_more_and_fewer_classes_by_hand_than_there_are(page: Page) -> None:
    data = page.data("unequal", n=40)
    more = page.ask("scene", data=data, pair=[0, 1], model=HAND, layers=["errors"])
    assert more.head["classes"] == ("A", "B", "class 3")
    alone = {"priors": [1.0], "means": [[0, 0]], "covariances": [[[1, 0], [0, 1]]]}
    fewer = page.ask(
        "scene", data=data, pair=[0, 1], model=HAND | alone, layers=[*LAYERS, "errors"]
    )
    codes = page.store.dataset(data).table.codes
    np.testing.assert_array_equal(fewer.arrays["wrong"], codes != 0)
    np.testing.assert_array_equal(np.unique(fewer.arrays["posterior"][0]), [255])
    assert fewer.head["parameters"]["means"] == [[0, 0], None]


def test_missing_values_are_learnt_from(page: Page) -> None:
    """Where only the second feature lacks values the maximum has a closed form."""
    data = page.data("gaps", n=250)
    found = page.ask("scene", data=data, pair=[0, 1], model=FITTED, layers=["label", "errors"])
    table = page.store.dataset(data).table
    for c in range(2):
        own = table.X[table.codes == c]
        whole = own[~np.isnan(own[:, 1])]
        slope = np.cov(whole.T, ddof=0)[0, 1] / whole[:, 0].var()
        mean = whole[:, 1].mean() + slope * (own[:, 0].mean() - whole[:, 0].mean())
        np.testing.assert_allclose(
            found.head["parameters"]["means"][c], [own[:, 0].mean(), mean], rtol=1e-5
        )
    assert found.arrays["wrong"].shape == (250,)
    votes = page.ask(
        "scene", data=data, pair=[0, 1], model={"from": "neighbours", "k": 5}, layers=["errors"]
    )
    assert not votes.arrays["wrong"][np.isnan(table.X[:, 1])].any()


def test_a_singular_covariance_is_a_problem_and_no_error(page: Page) -> None:
    data = page.data("few_rows")
    found = page.ask("scene", data=data, pair=[0, 1], model=FITTED, layers=LAYERS, truth=True)
    assert "class 'A'" in found.head["problem"]
    settings = [remedy["settings"] for remedy in found.head["remedies"]]
    assert settings[0] == {"from": "auto"}
    assert settings[1:3] == [
        {"from": "data", "shrinkage": 0.1},
        {"from": "data", "shared": True},
    ]
    assert set(found.arrays) == {"truth"}
    assert found.head["parameters"] is None
    shrunk = page.ask("scene", data=data, pair=[0, 1], model=FITTED | {"shrinkage": 0.2})
    assert shrunk.head["problem"] is None


@pytest.mark.parametrize(
    ("points", "model", "complaint"),
    [
        ([], {}, "there are no rows to learn from"),
        ([[0, 0, 0]], {}, "rows of one class only, 'p'"),
        ([[0, 0, 0], [1, 1, 1]], {"first": 1}, "so far all rows are of one class, 'p'"),
        ([[0, 0, 0], [1, 1, 1]], {}, "does not vary"),
        ([[0, 0, 0], [1, 2, 0], [2, 1, 1], [0, 3, 1]], {"priors": [1.0]}, "2 priors are needed"),
        ([[0, 0, 0], [1, 1, 1]], {"divisor": "unbiased"}, "divides by 0"),
    ],
)
def test_problems(page: Page, points: Any, model: dict[str, Any], complaint: str) -> None:
    data = page.points(points, ["p", "q"])
    head = page.ask("scene", data=data, pair=[0, 1], model=FITTED | model).head
    assert re.search(complaint, head["problem"]), head["problem"]


def test_bounds_are_picked_from_the_data(page: Page) -> None:
    data = page.points([[0, 10, 0], [100, 20, 1]], ["p", "q"])
    head = page.ask("scene", data=data, pair=[0, 1], model=FITTED).head
    assert head["bounds"] == {"x": [-6.0, 106.0], "y": [9.4, 20.6]}
    empty = page.ask("scene", data=page.points([], ["p"]), pair=[0, 1], model=FITTED).head
    assert empty["bounds"] == {"x": [-5.0, 5.0], "y": [-5.0, 5.0]}
    half = page.ask(
        "scene", data=data, pair=[0, 1], model=FITTED, view={"x": [1, 2], "width": 2, "height": 3}
    ).head
    assert half["bounds"] == {"x": [1.0, 2.0], "y": [9.4, 20.6]}


def test_one_feature_depends_on_x_alone(page: Page) -> None:
    data = page.data("petals")
    found = page.ask("scene", data=data, pair=[0, 0], model=FITTED, layers=["label", "margin"])
    assert (found.arrays["label"] == found.arrays["label"][:1]).all()
    changes = np.flatnonzero(np.diff(found.arrays["label"][0].astype(int)))
    x = np.linspace(*found.head["bounds"]["x"], 160)
    assert x[changes[0]] < 4.944434 < x[changes[0] + 1]
    assert found.head["ellipses"] == []


def test_features_that_are_not_there(page: Page) -> None:
    with pytest.raises(MessageError, match="there is no feature 2: they are numbered from 0 to 1"):
        page.ask("scene", data=page.data("xor"), pair=[0, 2], model=FITTED)


def test_nothing_is_fitted_twice(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    observe, solved = model_views.observe, Model.solved
    monkeypatch.setattr(
        model_views, "observe", lambda *a, **b: calls.append("learn") or observe(*a, **b)
    )
    monkeypatch.setattr(Model, "solved", lambda *a: calls.append("fit") or solved(*a))
    data = page.data("three")
    for width in (20, 30, 40):
        page.ask("scene", data=data, pair=[0, 1], model=FITTED, view={"width": width})
    assert calls == ["learn", "fit"]
    page.ask("scene", data=data, pair=[0, 1], model=FITTED | {"shared": True})
    assert calls == ["learn", "fit", "fit"]  # other settings follow from the same moments
    page.ask("scene", data=data, pair=[0, 1], model=HAND)
    page.ask("numbers", data=data, pair=[0, 1], model=FITTED)
    assert calls == ["learn", "fit", "fit"]
