"""Products of deviations, and the shrinkage of Ledoit and Wolf that goes by them."""

from functools import partial
from pathlib import Path

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.covariance import ledoit_wolf

from gaussbayes import GaussianClassifier
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.cli import main
from gaussbayes.families.gaussian.family import Gaussian
from gaussbayes.families.gaussian.statistics import ClassMoments, summarise


def table(seed: int = 0, n: int = 60, d: int = 4, k: int = 2, offset: float = 0.0):
    """Rows in units of powers of two, with skewed classes; deviations keep all their digits."""
    generator = np.random.default_rng(seed)
    X = generator.gamma(2.0, size=(n, d)) @ generator.normal(size=(d, d))
    codes = np.sort(generator.integers(0, k, n)).astype(np.int32)
    X = np.round((X + codes[:, None]) * 2.0**20) / 2.0**20
    return X * 2.0 ** np.arange(-2 * d, 2 * d, 4) + offset, codes


def by_hand(X, codes, weights, k):
    """The sums by loops over rows."""
    third, fourth = np.zeros((2, k, X.shape[1], X.shape[1]))
    for c in np.unique(codes[weights > 0]):
        which = codes == c
        shift = X[which][0]
        rest = (X[which] - shift) - np.average(X[which] - shift, axis=0, weights=weights[which])
        for r, w in zip(rest, weights[which], strict=True):
            third[c] += w * np.outer(r**2, r)
            fourth[c] += w * np.outer(r**2, r**2)
    return third, fourth


def assert_products(moments: ClassMoments, third, fourth, rtol=1e-10):
    assert moments.products is not None
    unit = np.sqrt(np.sqrt(np.einsum("kii->ki", fourth).max(axis=0)))
    for values, expected, power in (
        (moments.products.third, third, 1),
        (moments.products.fourth, fourth, 2),
    ):
        scale = unit[:, None] ** 2 * unit**power
        np.testing.assert_allclose(values / scale, expected / scale, rtol=rtol, atol=rtol)
    np.testing.assert_array_equal(moments.products.fourth, moments.products.fourth.mT)


@given(seed=st.integers(0, 999), offset=st.sampled_from([0.0, 1e8]), cut=st.integers(0, 30))
def test_parts_are_the_whole_and_are_removed(seed: int, offset: float, cut: int) -> None:
    X, codes = table(seed, 30, 3, offset=offset)
    order = np.random.default_rng(seed).permutation(30)
    X, codes, weights = X[order], codes[order], np.arange(30.0) % 4
    a, b = (
        summarise(X[some], codes[some], weights[some], 2, products=True)
        for some in (slice(cut), slice(cut, None))
    )
    assert_products(a + b, *by_hand(X, codes, weights, 2))
    left = (a + b) - a
    expected = by_hand(X[cut:], codes[cut:], weights[cut:], 2)
    whole = np.sqrt(np.sqrt(np.einsum("kii->ki", (a + b).products.fourth).max(axis=0)))
    for values, wanted, power in zip(
        (left.products.third, left.products.fourth), expected, (1, 2), strict=True
    ):
        scale = whole[:, None] ** 2 * whole**power
        np.testing.assert_allclose(values / scale, wanted / scale, atol=1e-9)


def test_classes_columns_and_weights() -> None:
    X, codes = table(k=3)
    moments = summarise(X, codes, None, 3, products=True)
    third, fourth = by_hand(X, codes, np.ones(60), 3)
    assert_products(moments.selected([2, 0]), third[[2, 0]], fourth[[2, 0]])
    wider = moments.aligned([1, 3, 0], 4)
    assert_products(wider.selected([1, 3, 0]), third, fourth)
    pairs = np.ix_(range(3), [3, 1], [3, 1])
    assert_products(moments.of_columns([3, 1]), third[pairs], fourth[pairs])
    assert_products(moments.scaled(2.5), 2.5 * third, 2.5 * fourth)
    assert_products(moments.together(), *by_hand(X, np.zeros(60, int), np.ones(60), 1))
    soft = summarise(X, np.eye(3)[codes], None, 3, products=True)
    assert_products(soft, third, fourth)
    assert moments.with_layout("diagonal").products is None
    assert (moments + summarise(X, codes, None, 3)).products is None


@pytest.mark.parametrize("offset", [0.0, 2.0**26])
def test_equals_scikit_learn_in_pooled_deviations(offset: float) -> None:
    X, codes = table(offset=offset)
    rest = X - np.stack([X[codes == c].mean(axis=0) for c in range(2)])[codes]
    unit = rest.std(axis=0)
    model = GaussianClassifier(shrinkage="ledoit-wolf").fit(X, codes)
    spherical = GaussianClassifier(shrinkage="ledoit-wolf", target="spherical")
    spherical.fit((X - offset) / unit, codes)
    for c in range(2):
        expected = ledoit_wolf((X[codes == c] - offset) / unit)[0]
        np.testing.assert_allclose(
            model.covariances_[c] / unit[:, None] / unit, expected, rtol=1e-10
        )
        np.testing.assert_allclose(spherical.covariances_[c], expected, rtol=1e-10)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
@pytest.mark.parametrize("target", ["diagonal", "spherical"])
def test_shared_and_variances_by_hand(covariance: str, target: str) -> None:
    X, codes = table(3)
    rest = X - np.stack([X[codes == c].mean(axis=0) for c in range(2)])[codes]
    unit = rest.std(axis=0) if target == "diagonal" else np.ones(4)
    for shared in (False, True):
        options = {"shrinkage": "ledoit-wolf", "target": target, "shared": shared}
        model = GaussianClassifier(covariance, **options).fit(X, codes)
        for c in range(1 if shared else 2):
            r = (rest if shared else rest[codes == c]) / unit
            products = r[:, :, None] * r[:, None, :]
            s, variance = products.mean(axis=0), products.var(axis=0) / len(r)
            sphere = np.trace(s) / 4 * np.eye(4)
            counted = np.ones((4, 4)) if covariance == "full" else np.eye(4)
            if shared and covariance == "full" and target == "diagonal":
                counted -= np.eye(4)
            below = (counted * (s - sphere) ** 2).sum()
            g = min(1.0, (counted * variance).sum() / below) if below > 1e-20 else 1.0
            expected = ((1 - g) * s + g * sphere) * unit[:, None] * unit
            values = np.squeeze(model.covariances_ if shared else model.covariances_[c])
            expected = expected if covariance == "full" else np.diag(np.diag(expected))
            np.testing.assert_allclose(values, expected, rtol=1e-9)


def test_what_it_needs() -> None:
    X, codes = table()
    hollow, unlabelled = X.copy(), codes.astype(object)
    hollow[3, 1], unlabelled[5] = np.nan, None
    plain = GaussianClassifier().fit(X, codes).set_params(shrinkage="ledoit-wolf")
    for fit in (
        lambda: GaussianClassifier(shrinkage="ledoit-wolf").fit(hollow, codes),
        lambda: GaussianClassifier(shrinkage="ledoit-wolf").fit(X, unlabelled),
        lambda: plain.partial_fit(X, codes).predict(X),
    ):
        with pytest.raises(DataError, match="needs sums over complete, labelled rows"):
            fit()
    for scale in (1e-100, 1e100):
        with pytest.raises(DataError, match="scale the features"):
            GaussianClassifier(shrinkage="ledoit-wolf").fit(X * scale, codes)
        assert GaussianClassifier(shrinkage="oas").fit(X * scale, codes)
    for shrinkage in ("oas", "ledoit-wolf"):
        with pytest.raises(OptionError, match="'predictive' needs shrinkage None, a number"):
            Gaussian.of(shrinkage=shrinkage, estimate="predictive")


def test_other_settings_keep_on_summing() -> None:
    X, codes = table()
    model = GaussianClassifier(shrinkage="ledoit-wolf").fit(X[::3], codes[::3])
    model.set_params(shrinkage=0.3).partial_fit(X[1::3], codes[1::3])
    model.set_params(shrinkage="ledoit-wolf").partial_fit(X[2::3], codes[2::3])
    whole = GaussianClassifier(shrinkage="ledoit-wolf").fit(X, codes)
    np.testing.assert_allclose(model.covariances_, whole.covariances_, rtol=1e-11)


def test_every_source_and_rows_left_out(tmp_path: Path) -> None:
    """Memory, models merged, a file, Dask and DuckDB give one model; the command line reads it."""
    X, codes = table()
    frame = pd.DataFrame(X, columns=list("abcd")).assign(label=codes)
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    make = partial(GaussianClassifier, shrinkage="ledoit-wolf", shared=0.3)
    whole, saved = make().fit(X, codes), tmp_path / "model.json"
    arguments = ["fit", path, "-y", "label", "--shrinkage", "ledoit-wolf", "--sharing", "0.3"]
    with pytest.raises(SystemExit, match="0"):
        main([*map(str, arguments), "-o", str(saved)])
    models = [
        make().fit(X[::2], codes[::2]).merge(make().fit(X[1::2], codes[1::2])),
        make().fit_source(str(path), "label"),
        make().fit_source(dd.from_pandas(frame, npartitions=3), "label"),
        make().fit_source(duckdb.connect().from_arrow(pa.Table.from_pandas(frame)), "label"),
        GaussianClassifier.load(saved),
    ]
    for model in models:
        np.testing.assert_allclose(model.covariances_, whole.covariances_, rtol=1e-10)
    left_out = whole.leave_one_out(X, codes).log_posterior
    for row in (0, 31, 59):
        others = np.delete(np.arange(60), row)
        again = make().fit(X[others], codes[others])
        np.testing.assert_allclose(
            left_out[row], again.predict_log_proba(X[row : row + 1])[0], rtol=1e-9, atol=1e-12
        )
