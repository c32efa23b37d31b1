"""Categories: counts, smoothed proportions, unseen and impossible ones; as in scikit-learn."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare
from sklearn.naive_bayes import CategoricalNB

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.data.categories import MISSING, UNSEEN, Categories
from gaussbayes.data.rows import Rows, Targets
from gaussbayes.families.categorical import Categorical, CategoricalDensity, CategoricalStatistics
from gaussbayes.families.categorical import family as module
from gaussbayes.families.removal import remove

NAMES = Schema(np.array(["dry", "wet"]), 2, ("wind", "humidity"))


def rows_of(*columns: list[Any], known: tuple[Categories, ...] | None = None) -> Rows:
    """Columns of values as rows; None is missing."""
    categories = known or tuple(
        tuple(sorted({value for value in column if value is not None})) for column in columns
    )
    codes = [
        [MISSING if v is None else own.index(v) if v in own else UNSEEN for v in column]
        for column, own in zip(columns, categories, strict=True)
    ]
    matrix = np.array(codes, np.int32).reshape(len(columns), -1).T
    return Rows(np.empty((matrix.shape[0], 0)), matrix, categories)


def observed(
    wind: list[Any], humidity: list[Any], codes: list[int], weights: list[float] | None = None
) -> CategoricalStatistics:
    share = None if weights is None else np.array(weights, dtype=float)
    targets = Targets(np.array(codes, np.int32), 2, share)
    return Categorical().observe(rows_of(wind, humidity), targets, NAMES)


# Statistics


def test_weights_by_class_and_category() -> None:
    found = observed(["S", "M", None, "S"], [1, None, 2, 1], [0, 1, 1, 1], [1, 2, 4, 0.5])
    assert found.categories == (("M", "S"), (1, 2))
    assert found.of(0).tolist() == [[0, 1], [2, 0.5]]
    assert found.of(1).tolist() == [[1, 0], [0.5, 4]]
    assert found.missing.tolist() == [[0, 0], [4, 2]]
    assert found.weight.tolist() == [1, 6.5]


def test_rows_that_weigh_nothing_have_no_categories_and_unseen_ones_are_missing() -> None:
    found = observed(["S", "M"], [1, 2], [0, 1], [1, 0])
    assert found.categories == (("S",), (1,))
    coded = rows_of(["S", "X", None], known=(("M", "S"),))
    targets = Targets(np.zeros(3, np.int32), 1)
    found = Categorical().observe(coded, targets, Schema(np.arange(1), 1))
    assert (found.categories, found.missing.tolist()) == ((("S",),), [[2.0]])


def test_removal_forgets_categories_and_leaves_no_rounding() -> None:
    a, b = observed(["S", "M"], [1, None], [0, 1]), observed(["L", None], [3, 2], [1, 1])
    assert (a + b).categories == (("L", "M", "S"), (1, 2, 3))
    assert (a + b).without(b, NAMES).categories == a.categories
    tenths = [observed(["S"], [1], [0], [0.1]) for _ in range(3)]
    total = tenths[0] + tenths[1] + tenths[2]
    left = total.without(observed(["S"], [1], [0], [0.3]), NAMES)
    assert (left.categories, left.weight.tolist()) == (((), ()), [0.0, 0.0])


@pytest.mark.parametrize(
    ("wind", "humidity", "code", "words"),
    [
        (["L"], [1], 0, r"'wind' = 'L' of weight 1 from class 'dry', which has 0: remove only"),
        (["S"], [1], 1, r"'wind' = 'S' of weight 1 from class 'wet', which has 0"),
        (["S", "S"], [1, 1], 0, r"'wind' = 'S' of weight 2 from class 'dry', which has 1"),
        (["S"], [2], 0, r"'humidity' = 2 of weight 1 from class 'dry', which has 0"),
        (["S"], [None], 0, r"missing values of 'humidity' of weight 1 from class 'dry'"),
    ],
)
def test_removing_what_was_never_there(wind: list, humidity: list, code: int, words: str) -> None:
    some = observed(["S", "M"], [1, 1], [0, 1])
    with pytest.raises(ValueError, match=words):
        some.without(observed(wind, humidity, [code] * len(wind)), NAMES)


def test_categories_of_different_types() -> None:
    with pytest.raises(DataError, match="'humidity' has categories of different types"):
        observed(["S"], [1], [0]).plus(observed(["S"], ["high"], [0]), NAMES)
    both = observed(["S"], [True], [0]) + observed(["S"], [2], [1])
    assert both.categories[1] == (1, 2)
    assert [type(category) for category in both.categories[1]] == [int, int]


@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_and_order_do_not_matter_to_the_bit(
    monkeypatch: pytest.MonkeyPatch, weighted: bool
) -> None:
    random = np.random.default_rng(0)
    n = 2000
    rows = rows_of(random.integers(0, 5, n).tolist(), random.choice(["a", "b", None], n).tolist())
    weights = np.ceil(9 * random.random(n)) if weighted else None
    targets = Targets(random.integers(0, 3, n, np.int32), 3, weights)
    at_once = module.count(rows, targets)
    monkeypatch.setattr(module, "_COUNTED", 64)
    turned = random.permutation(n)
    for found in (
        module.count(rows, targets, 2),
        module.count(rows[turned], targets[turned]),
    ):
        np.testing.assert_array_equal(found.count, at_once.count)
        np.testing.assert_array_equal(found.missing, at_once.missing)


# Estimation


COUNTS = CategoricalStatistics(
    (("M", "S"), (1, 2, 3)),
    np.array([4.0, 2.0]),
    np.array([[1.0, 3.0, 2.0, 0.0, 2.0], [2.0, 0.0, 1.0, 1.0, 0.0]]),
    np.zeros((2, 2)),
)


def test_maximum_likelihood_is_the_proportions() -> None:
    found = Categorical().estimate(COUNTS, NAMES).density
    assert np.exp(found.of(0)).round(15).tolist() == [[0.25, 0.75], [1, 0]]
    assert np.exp(found.of(1)).round(15).tolist() == [[0.5, 0, 0.5], [0.5, 0.5, 0]]
    assert found.of(0)[1, 1] == -np.inf
    assert found.n_parameters == 2 * (1 + 2)


@pytest.mark.parametrize("alpha", [1e-10, 0.5, 1, 7.25])
def test_smoothing(alpha: float) -> None:
    found = Categorical(alpha).estimate(COUNTS, NAMES).density
    for j in range(2):
        weight = COUNTS.of(j)
        by_hand = [[(w + alpha) / (own.sum() + alpha * own.size) for w in own] for own in weight]
        np.testing.assert_allclose(np.exp(found.of(j)), by_hand, rtol=1e-14)


@pytest.mark.parametrize("alpha", [-1, -1e-300, np.nan, np.inf, "1", None, True])
def test_bad_smoothing(alpha: object) -> None:
    with pytest.raises(OptionError, match="smoothing must be 0 or a finite number above it"):
        Categorical(alpha)


def test_a_feature_without_values() -> None:
    counts = observed(["a", "b", None], [1, 1, None], [0, 0, 1])
    with pytest.raises(DataError, match="'wind' is missing in every row of class 'wet'"):
        Categorical().estimate(counts, NAMES)
    smoothed = Categorical(1).estimate(counts, NAMES).density
    np.testing.assert_allclose(np.exp(smoothed.of(0)[1]), [0.5, 0.5])
    nowhere = observed([None, None], [1, 1], [0, 1])
    with pytest.raises(DataError, match="'wind' is missing in every row of class 'dry'"):
        Categorical().estimate(nowhere, NAMES)
    density = Categorical(1).estimate(nowhere, NAMES).density
    assert density.of(0).shape == (2, 0)
    assert density.n_parameters == 0
    assert (density.draw(np.zeros(3, np.int32), np.random.default_rng(0)).codes[:, 0] == -2).all()
    assert not density.log_overlap().any()


def test_categories_that_weigh_nothing_are_not_estimated() -> None:
    wider = COUNTS.with_categories((("L", "M", "S"), (1, 2, 3)))
    found = Categorical(1.0).estimate(wider, NAMES).density
    assert found.categories == COUNTS.categories


# Densities


LETTERS = CategoricalDensity(
    (("M", "S"), (1, 2, 3)), np.log([[0.25, 0.75, 0.5, 0.3, 0.2], [0.5, 0.5, 0.1, 0.1, 0.8]])
)


def test_missing_and_unseen_say_nothing() -> None:
    rows = rows_of(["S", None, "X", None], [None, 2, 9, None], known=LETTERS.categories)
    expected = [[0.75, 0.5], [0.3, 0.1], [1, 1], [1, 1]]
    np.testing.assert_allclose(np.exp(LETTERS.log_density(rows)), expected, rtol=1e-14)
    own = rows_of(["S", None, "X", None], [None, 2, 9, None])  # coded by their own categories
    np.testing.assert_array_equal(LETTERS.log_density(own), LETTERS.log_density(rows))
    counts = LETTERS.expect(own, np.full((4, 2), 0.5))
    assert counts.categories == LETTERS.categories
    assert counts.missing.tolist() == [[1.5, 1.5]] * 2


def test_names_of_categories_do_not_matter() -> None:
    random = np.random.default_rng(0)
    values, codes = random.choice(list("abcd"), 40), random.integers(0, 2, 40).astype(np.int32)
    scores = []
    for name in (dict(zip("abcd", turn, strict=True)) for turn in ("abcd", "dbca")):
        rows = rows_of([name[value] for value in values])
        names = Schema(np.arange(2), 1)
        family = Categorical(0.5)
        density = family.estimate(family.observe(rows, Targets(codes, 2), names), names).density
        scores.append(density.log_density(rows))
    np.testing.assert_array_equal(*scores)


def test_blocks_of_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of(["S", "M", None] * 10, [1, 2, 3] * 10, known=LETTERS.categories)
    at_once = LETTERS.log_density(rows)
    monkeypatch.setattr(module, "_SCORED", 7)
    np.testing.assert_array_equal(LETTERS.log_density(rows, 2), at_once)


def test_drawn_proportions_by_chi_squared() -> None:
    shares = np.array([[0.5, 0.2, 0.3], [0.01, 0.0, 0.99]])
    with np.errstate(divide="ignore"):
        density = CategoricalDensity((("a", "b", "c"),), np.log(shares))
    codes = np.random.default_rng(0).integers(0, 2, 40_000).astype(np.int32)
    drawn = density.draw(codes, np.random.default_rng(1)).codes[:, 0]
    for c in range(2):
        counts, there = np.bincount(drawn[codes == c], minlength=3), shares[c] > 0
        assert not counts[~there].any()
        assert chisquare(counts[there], shares[c, there] * counts.sum()).pvalue > 1e-3
    with np.errstate(divide="ignore"):
        middle = CategoricalDensity((("a", "b", "c"),), np.log([[0.0, 1.0, 0.0]]))
    assert (middle.draw(np.zeros(1000, np.int32), np.random.default_rng(0)).codes == 1).all()


def test_classes_without_a_category_in_common() -> None:
    with np.errstate(divide="ignore"):
        apart = CategoricalDensity((("a", "b"),), np.log([[1.0, 0.0], [0.0, 1.0]]))
    assert apart.log_overlap().tolist() == [[0, -np.inf], [-np.inf, 0]]
    _, parts = apart.contributions(rows_of(["b"], known=apart.categories), (0, 1), None)
    assert parts.tolist() == [-np.inf]


def test_rare_categories_weigh_at_most_two() -> None:
    shares = np.array([[0.9, 0.1 - 1e-7, 1e-7], [1e-4, 0.5, 0.4999]])
    density = CategoricalDensity((("a", "b", "c"),), np.log(shares))
    codes = np.repeat([0, 1], 100_000).astype(np.int32)
    rows, weight = density.draw_widely(codes, np.random.default_rng(0))
    assert weight.max() <= 2.0
    for c in range(2):
        for m in range(3):
            values = weight[codes == c] * (rows.codes[codes == c, 0] == m)
            error = values.std() / np.sqrt(values.size)
            assert abs(values.mean() - shares[c, m]) <= 4 * error
            assert error <= 0.02 * shares[c, m]


# Rows left out

VALUES = ["S", "M", None, "S", "L", "M", "S", None, "M", "S", "G"]
CODES = [0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0]


def left_out(
    values: list[Any], codes: list[int], alpha: float, weights: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    rows, names = rows_of(values), Schema(np.arange(2), 1)
    share = None if weights is None else np.array(weights, dtype=float)
    targets, family = Targets(np.array(codes, np.int32), 2, share), Categorical(alpha)
    statistics = family.observe(rows, targets, names)
    removal = remove(targets.codes.astype(np.intp), targets.total_weights(), statistics.weight)
    closed = family.left_out(statistics, [family], targets, names)
    assert closed is not None
    scores, reliable = closed(rows, removal)
    return scores[0], reliable[0]


def by_hand(values: list[Any], codes: list[int], alpha: float, weights: list[float]) -> np.ndarray:
    """Weights of the other rows, added up row by row."""
    found = np.zeros((len(values), 2))
    for i, value in enumerate(values):
        others = [
            (v, c, w)
            for j, (v, c, w) in enumerate(zip(values, codes, weights, strict=True))
            if j != i and v is not None and w > 0
        ]
        known = {v for v, _, _ in others}
        if value in known:
            for c in range(2):
                own = sum(w for v, b, w in others if (v, b) == (value, c))
                every = sum(w for _, b, w in others if b == c)
                with np.errstate(divide="ignore"):
                    found[i, c] = np.log((own + alpha) / (every + alpha * len(known)))
    return found


@pytest.mark.parametrize("smoothing", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    ("weights", "sure"),
    [
        (None, True),
        ([0.5, 2.0, 1.0, 0.3, 1.0, 0.7, 3.0, 1.0, 0.1, 0.4, 2.2], True),
        ([0.0, 2.0, 1.0, 0.3, 0.0, 0.7, 3.0, 1.0, 0.1, 0.4, 2.2], True),
        # One row is nearly all: what it leaves behind would be rounding, and it is not reliable.
        ([1e9, 2.5e-3, 1.0, 1e-7, 1.0, 1e12, 3e-4, 1.0, 1e6, 5e8, 1e15], False),
    ],
)
def test_as_counted_without_each_row(smoothing: float, weights: Any, sure: bool) -> None:
    expected = by_hand(VALUES, CODES, smoothing, weights or [1.0] * len(VALUES))
    scores, reliable = left_out(VALUES, CODES, smoothing, weights)
    assert reliable.all() == sure
    np.testing.assert_allclose(scores[reliable], expected[reliable], rtol=1e-9, atol=1e-12)


def test_a_class_that_loses_its_only_value_is_not_reliable_without_smoothing() -> None:
    values, codes = ["S", None, "M", "S"], [0, 0, 1, 1]
    assert left_out(values, codes, 0.0)[1].tolist() == [False, True, True, True]
    scores, reliable = left_out(values, codes, 1.0)
    assert reliable.all()
    assert np.isfinite(scores).all()


def test_no_other_row_of_the_class_has_the_category() -> None:
    assert left_out(["S", "M", "M", "S"], [0, 0, 0, 1], 0.0)[0][0].tolist() == [-np.inf, 0.0]
    assert left_out(["S", None, None, None], [0, 0, 1, 1], 1.0)[0].tolist() == [[0.0, 0.0]] * 4


# scikit-learn's CategoricalNB takes integers from 0 on as categories, counts every number up to the
# largest as one, and raises an IndexError for a larger one. Where every number occurs and alpha is
# positive, nothing differs.


@pytest.mark.parametrize("alpha", [1e-3, 0.5, 1.0, 10.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_as_categorical_naive_bayes(alpha: float, weighted: bool) -> None:
    random = np.random.default_rng(5)
    n, k = 400, 3
    codes = random.integers(0, k, n).astype(np.int32)
    X = (random.integers(0, 3, (n, 4)) + codes[:, None] * [0, 1, 2, 0]) % [3, 4, 7, 2]
    weights = random.random(n) if weighted else None
    theirs = CategoricalNB(alpha=alpha).fit(X, codes, sample_weight=weights)
    family, rows, names = Categorical(alpha), rows_of(*X.T.tolist()), Schema(np.arange(k), 4)
    statistics = family.observe(rows, Targets(codes, k, weights), names)
    density = family.estimate(statistics, names).density
    for j in range(4):
        np.testing.assert_allclose(statistics.of(j), theirs.category_count_[j], rtol=1e-12)
        np.testing.assert_allclose(density.of(j), theirs.feature_log_prob_[j], rtol=1e-12)
    log_prior = np.log(statistics.weight / statistics.weight.sum())
    np.testing.assert_allclose(
        log_prior + density.log_density(rows), theirs.predict_joint_log_proba(X), rtol=1e-12
    )


def test_a_category_never_seen_is_an_error_there() -> None:
    X, y = np.array([[0], [1], [1]]), np.array([0, 0, 1], dtype=np.int32)
    with pytest.raises(IndexError):
        CategoricalNB().fit(X, y).predict([[2]])
    names = Schema(np.arange(2), 1)
    family = Categorical(1.0)
    statistics = family.observe(rows_of([0, 1, 1]), Targets(y, 2), names)
    scores = family.estimate(statistics, names).density.log_density(rows_of([2]))
    assert scores.tolist() == [[0.0, 0.0]]
