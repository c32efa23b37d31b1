"""A family for every feature: by kind, by name, in blocks; and settings that cut and join rows."""

from typing import Any

import numpy as np
import pytest
from scipy.linalg import block_diag
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.data.rows import LabelledRows, Rows, Targets, number_rows
from gaussbayes.families.categorical import Categorical
from gaussbayes.families.gaussian import Gaussian
from gaussbayes.families.gaussian.structure import Structure
from gaussbayes.families.poisson import Poisson
from gaussbayes.model.fit import fit_model
from gaussbayes.model.model import learnt_model
from gaussbayes.model.options import check_options, options_of
from gaussbayes.model.settings import Settings, cut_rows
from gaussbayes.model.statistics import observe
from tests.model.tables import CATEGORIES, SCHEMA, model_of, settings_of, weather

NUMBERS = Schema(np.array(["no", "yes"]), 4, ("age", "height", "visits", "weight"))


def layout(settings: Settings) -> list[tuple[str, tuple[int, ...]]]:
    """The families by name, with their columns."""
    return [(part.family.name, part.columns) for part in settings.components]


@pytest.mark.parametrize(
    ("families", "expected"),
    [
        (None, [("gaussian", (0, 1, 2, 3))]),
        ({"visits": "poisson"}, [("gaussian", (0, 1, 3)), ("poisson", (2,))]),
        ({2: "poisson"}, [("gaussian", (0, 1, 3)), ("poisson", (2,))]),
        (
            {("weight", "height"): "gaussian", "visits": "poisson"},
            [("gaussian", (0,)), ("gaussian", (1, 3)), ("poisson", (2,))],
        ),
        (
            {(0, 1): "gaussian", (2, 3): "gaussian"},
            [("gaussian", (0, 1)), ("gaussian", (2, 3))],
        ),
        ({(0, 1, 2, 3): "bernoulli"}, [("bernoulli", (0, 1, 2, 3))]),
    ],
)
def test_who_gets_which_columns(families: Any, expected: Any) -> None:
    assert layout(check_options(families=families).settings(NUMBERS)) == expected


def test_kinds_have_families_of_their_own() -> None:
    assert layout(settings_of()) == [
        ("gaussian", (0, 2)),
        ("categorical", (1, 4)),
        ("poisson", (3,)),
    ]
    options = check_options(families={"wind": "categorical", (0, 3): "poisson"})
    assert options.kinds == {"wind": "category", 0: "count", 3: "count"}


def test_every_family_takes_the_options_that_it_knows() -> None:
    settings = check_options(
        covariance="diagonal", shared=0.5, shrinkage=0.2, smoothing=2, families={3: "poisson"}
    ).settings(SCHEMA)
    gaussian, categorical, poisson = settings.families
    assert (gaussian.structure, gaussian.shrinkage) == (Structure("diagonal", 0.5), 0.2)
    assert categorical.smoothing == poisson.smoothing == 2.0
    own = Gaussian.of("spherical", shared=True)
    settings = check_options(covariance="diagonal", families={(0, 1): own}).settings(NUMBERS)
    assert [family.structure.covariance for family in settings.families] == [
        "diagonal",
        "spherical",
    ]


@pytest.mark.parametrize(
    ("families", "error", "message"),
    [
        (
            {"visits": "poison"},
            OptionError,
            r"a family must be one of .*'bernoulli', 'coded', got 'poison' \(did you mean 'pois",
        ),
        (
            {"visits": "poisson", ("age", "visits"): "gaussian"},
            OptionError,
            "'visits' must have one family, but families gives it two: 'poisson' and 'gaussian'",
        ),
        (
            {2: "poisson", "visits": Categorical()},
            OptionError,
            "'visits' must have one family, .* two: 'poisson' and 'categorical'",
        ),
        ({"visit": "poisson"}, DataError, r"no feature 'visit' \(did you mean 'visits'\?\)"),
        ({7: "poisson"}, DataError, "no feature 7; they are numbered from 0 to 3"),
        ({("age", 0): "gaussian"}, DataError, "features must be different ones"),
        ({(): "gaussian"}, DataError, "at least one"),
        (["poisson"], OptionError, r"families must be a mapping .* got \['poisson'\]"),
        ("poisson", OptionError, "families must be a mapping from features to families"),
    ],
)
def test_bad_families(families: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        check_options(families=families).settings(NUMBERS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"covariance": "tied"}, "covariance must be one of 'full', 'diagonal', 'spherical'"),
        ({"shared": 2}, r"shared must be True, False or a number in \[0, 1\], got 2"),
        ({"divisor": "n"}, "divisor must be one of 'mle', 'unbiased', got 'n'"),
        ({"shrinkage": 1.5}, "shrinkage must be .* got 1.5"),
        ({"smoothing": -1}, "smoothing must be 0 or a finite number above it, got -1"),
        ({"unlabelled_weight": np.nan}, "unlabelled_weight must be 0 or a finite number"),
        ({"selection": "aic"}, "selection must be one of 'leave_one_out', 'bic', got 'aic'"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        check_options(**options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"covariance": "diagonal", "shared": True, "smoothing": 0.5},
        {"shared": 0.5, "shrinkage": "oas", "divisor": "unbiased", "priors": "uniform"},
        {"families": {"storms": "poisson"}, "unlabelled_weight": 0.1},
        {"families": {("pressure", "storms"): "gaussian"}},
        {"families": {"storms": Gaussian.of("spherical")}},
        {"families": {"storms": "poisson", ("pressure", "warmth"): "gaussian"}},
        {"families": {("pressure", "warmth", "storms"): "gaussian", "month": "categorical"}},
        {"families": {"storms": Poisson(2.0), "wind": "categorical"}, "smoothing": 0.5},
    ],
)
def test_settings_give_their_options_back(options: dict[str, Any]) -> None:
    settings = check_options(**options).settings(SCHEMA)
    again = check_options(**options_of(settings, SCHEMA)).settings(SCHEMA)
    assert again == settings


def table(n: int = 60) -> tuple[LabelledRows, Any, Any]:
    """Correlated numbers of two classes in one table, and the plain arrays."""
    random = np.random.default_rng(3)
    y = (np.arange(n) % 2).astype(np.int32)
    X = random.normal(size=(n, 4)) @ random.normal(size=(4, 4)) + y[:, None]
    return LabelledRows(number_rows(X), Targets(y, 2), NUMBERS.classes), X, y


@pytest.mark.parametrize("shared", [False, True])
def test_blocks_of_gaussians_are_a_block_diagonal_covariance(shared: bool) -> None:
    """Means, covariances and posteriors by NumPy and scipy."""
    labelled, X, y = table()
    options = check_options(shared=shared, families={("visits", "age"): "gaussian"})
    model, _ = fit_model(labelled, NUMBERS, options)
    order = [1, 3, 0, 2]
    covariances = [np.cov(X[y == c].T, bias=True) for c in range(2)]
    if shared:
        covariances = [np.mean(covariances, axis=0)] * 2  # classes of the same size
    joint = []
    for c in range(2):
        rest, block = (covariances[c][np.ix_(part, part)] for part in ([1, 3], [0, 2]))
        place = np.argsort(order)
        whole = block_diag(rest, block)[np.ix_(place, place)]
        joint.append(np.log(0.5) + multivariate_normal(X[y == c].mean(axis=0), whole).logpdf(X))
    log_posterior = np.stack(joint, axis=1)
    log_posterior -= logsumexp(log_posterior, axis=1, keepdims=True)
    np.testing.assert_allclose(
        model.log_posterior(labelled.rows), log_posterior, rtol=1e-10, atol=1e-13
    )
    # Priors, means, and of each block its own covariances.
    assert model.n_parameters == 1 + 8 + (1 if shared else 2) * (3 + 3)


def test_one_block_for_each_feature_is_naive_bayes() -> None:
    labelled, _, _ = table()
    blocks = check_options(families=dict.fromkeys(NUMBERS.features or (), "gaussian"))
    separate, _ = fit_model(labelled, NUMBERS, blocks)
    naive, _ = fit_model(labelled, NUMBERS, check_options(covariance="diagonal"))
    np.testing.assert_allclose(
        separate.log_joint(labelled.rows), naive.log_joint(labelled.rows), rtol=1e-12
    )
    assert separate.n_parameters == naive.n_parameters


def test_values_that_a_family_does_not_take_are_named() -> None:
    labelled, X, _ = table()
    for value, written in ((2.5, "2.5"), (-1.0, "-1")):
        X[:, 2] = np.arange(60)
        X[41, 2] = value
        options = check_options(families={"visits": "poisson"})
        with pytest.raises(DataError, match=f"row 41 has {written} in 'visits', which must be an"):
            fit_model(labelled, NUMBERS, options)


def test_rows_are_cut_and_joined_again() -> None:
    rows, settings = weather(20, missing=0.2).rows, settings_of(families={"month": "categorical"})
    parts = settings.parts(rows, SCHEMA)
    assert [part.numbers.shape[1] + part.codes.shape[1] for part in parts] == [3, 1, 1]
    again = settings.join(parts, SCHEMA)
    np.testing.assert_array_equal(again.matrix, rows.matrix)
    np.testing.assert_array_equal(again.codes, rows.codes)
    assert again.categories == CATEGORIES
    some = cut_rows(rows, SCHEMA, [4, 3, 0])
    np.testing.assert_array_equal(some.matrix, rows.matrix[:, [2, 0]])
    np.testing.assert_array_equal(some.codes, rows.codes[:, [1]])
    assert some.categories == CATEGORIES[1:]
    assert cut_rows(rows, SCHEMA, [1]).numbers.shape == (20, 0)
    whole = Schema(SCHEMA.classes, 3)
    numbers = number_rows(rows.matrix)
    assert check_options().settings(whole).parts(numbers, whole)[0] is numbers


def test_unseen_categories_stay_with_their_column() -> None:
    """Messages about them name the feature, not its number within the family."""
    rows = Rows(np.zeros((1, 3)), np.array([[0, -1]], np.int32), CATEGORIES)
    part = settings_of(families={"month": "categorical"}).parts(rows, SCHEMA)[2]
    assert part.codes.tolist() == [[-1]]


def test_the_automatic_choice_leaves_what_was_said() -> None:
    labelled = weather(60)
    options = check_options(covariance="auto", families={"storms": "poisson"}, smoothing=0.5)
    model, selection = fit_model(labelled, SCHEMA, options)
    assert selection is not None
    assert layout(model.settings) == layout(settings_of())
    assert model.settings.families[1].smoothing == 0.5
    plain, nothing = fit_model(labelled, SCHEMA, check_options(families={"storms": "poisson"}))
    assert nothing is None
    assert plain.settings == settings_of()


def test_models_of_other_families_are_not_merged() -> None:
    labelled = weather(60)
    counts = model_of(labelled)
    gaussians = learnt_model(
        settings_of(families=None), SCHEMA, observe(labelled, settings_of(families=None), SCHEMA)
    )
    with pytest.raises(DataError, match="models of different features cannot be merged: .*"):
        counts.merged(gaussians)
    with pytest.raises(DataError, match="fit cannot change the families of features"):
        counts.with_settings(settings_of(families=None), "fit")
