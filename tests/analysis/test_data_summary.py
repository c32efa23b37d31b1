"""Counts, ranges, means and categories of rows, as pandas has them."""

import numpy as np
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.data_summary import histogram, proportions, summarise_data
from gaussbayes.analysis.informative_features import informative_features
from gaussbayes.data.rows import Encoder
from tests.models import weather


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_summary_is_that_of_pandas(offset: float) -> None:
    frame, y = weather()
    frame["pressure"] += offset
    frame.loc[::7, "pressure"] = np.nan
    codes = np.searchsorted(["dry", "mild", "wet"], y)
    codes[::9] = -1
    encoder = Encoder.learn(frame)
    summary = summarise_data(encoder.encode(frame), codes, encoder.schema(np.unique(y)))
    assert summary.count.tolist() == np.bincount(codes[codes >= 0]).tolist()
    assert summary.proportion.sum() == pytest.approx(1.0)
    assert summary.n_unlabelled == (codes < 0).sum()
    assert summary.n_missing == frame.isna().to_numpy().sum()
    assert summary.n_incomplete == frame.isna().any(axis=1).sum()
    assert [feature.column for feature in summary.numbers] == [0, 2]
    for feature, name in zip(summary.numbers, ("pressure", "warmth"), strict=True):
        values = frame[name]
        found = [feature.minimum, feature.mean, feature.maximum]
        assert found == pytest.approx([values.min(), values.mean(), values.max()], rel=1e-14)
        assert feature.deviation == pytest.approx(values.std(ddof=0), rel=1e-7)
        assert feature.n_missing == values.isna().sum()
        means = [values[codes == code].mean() for code in range(3)]
        np.testing.assert_allclose(feature.class_mean, means, rtol=1e-14)
    for feature, name in zip(summary.categories, ("wind", "month"), strict=True):
        count = frame[name].value_counts(sort=False)
        assert feature.count.tolist() == count.tolist()
        assert feature.categories == tuple(map(str, count.index))
        table = pd.crosstab(codes[codes >= 0], frame[name][codes >= 0], normalize="index")
        np.testing.assert_allclose(feature.proportion, table, rtol=1e-14)


def test_features_without_values_and_classes_without_rows() -> None:
    frame = pd.DataFrame({"a": [np.nan, np.nan], "b": pd.Categorical([None, "x"])})
    encoder = Encoder.learn(frame)
    summary = summarise_data(encoder.encode(frame), np.array([0, -1]), encoder.schema(np.arange(2)))
    assert np.isnan(summary.numbers[0].mean)
    assert np.isnan(summary.categories[0].proportion).all()
    assert summary.categories[0].is_constant


def test_the_best_features_and_pair_are_those_of_marginal_models() -> None:
    frame, y = weather()
    model = GaussianClassifier(smoothing=1).fit(frame, y)
    codes = np.searchsorted(model.classes_, y)
    rows = model.model_.rows(frame)
    best = informative_features(model.model_, rows, codes, most=3)

    def errors(names: list[str]) -> int:
        return int((model.marginal(names).predict(frame[names]) != y).sum())

    alone = sorted(range(4), key=lambda j: errors([frame.columns[j]]))
    assert max(errors([frame.columns[j]]) for j in best.features) <= errors(
        [frame.columns[alone[2]]]
    )
    pairs = {
        (a, b): errors([frame.columns[a], frame.columns[b]])
        for a in best.features
        for b in best.features
        if a < b
    }
    assert pairs[best.pair] == min(pairs.values()) == best.pair_evaluation.n_errors


def test_distributions_of_rows() -> None:
    values = np.random.default_rng(0).normal(size=1000)
    steps = histogram(values, area=0.25)
    assert steps is not None
    heights, edges = steps
    assert heights.size == 20
    assert heights @ np.diff(edges) == pytest.approx(0.25)
    assert histogram(np.ones(5)) is None
    found = proportions(np.array([0.0, 1.0, 1.0, 3.0]), np.arange(3.0), area=0.5)
    assert found.tolist() == [0.125, 0.25, 0.0]
    assert proportions(np.empty(0), np.arange(2.0)).tolist() == [0.0, 0.0]
