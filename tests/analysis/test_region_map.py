"""Where the most probable class changes on a grid, against every pair of neighbours."""

import numpy as np
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.analysis.grid import Grid, boundary_segments, intervals, region_map, view_grid
from gaussbayes.analysis.view import line_view, pair_view


def mixed() -> GaussianClassifier:
    """Three classes by a number, a count and a category."""
    generator = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = pd.DataFrame(
        {
            "age": generator.normal(y, 0.7),
            "visits": generator.poisson(1.0 + 2 * y).astype(float),
            "wind": pd.Categorical(
                np.array(["low", "mid", "high"])[(y + generator.integers(0, 2, 90)) % 3]
            ),
        }
    )
    return GaussianClassifier(smoothing=1, families={"visits": "poisson"}).fit(X, y)


def test_segments_across_a_line_stand_at_its_exact_boundaries() -> None:
    model = mixed()
    seen = pair_view(model, ["age", "wind"])
    regions = region_map(seen, view_grid(seen, 300))
    segments = boundary_segments(regions, 0)
    for band in range(3):
        own = segments[(segments[:, 0, 1] < band) & (band < segments[:, 1, 1])]
        # Within a category the log-odds along the number are those of other priors.
        table = model.category_probabilities_["wind"][:, band]
        prior = model.priors_ * table
        alone = model.marginal(["age"]).with_priors(prior / prior.sum())
        exact = [b.position for b in decision_boundaries(alone.model_)]
        low, high = regions.grid.extent[:2]
        exact = [at for at in exact if low < at < high]
        np.testing.assert_allclose(own[:, 0, 0], exact, atol=1e-3)
        np.testing.assert_array_equal(own[:, 0, 0], own[:, 1, 0])
        np.testing.assert_allclose(own[:, :, 1], np.tile([band - 0.5, band + 0.5], (len(own), 1)))


@pytest.mark.parametrize("along", [0, 1])
def test_segments_between_cells(along: int) -> None:
    model = mixed()
    seen = pair_view(model, ["visits", "wind"])
    grid = Grid(np.arange(9.0), np.arange(3.0), (True, True))
    regions = region_map(seen, grid)
    codes = regions.codes if along == 0 else regions.codes.T
    expected = [
        (before + 0.5, line)
        for line in range(codes.shape[0])
        for before in range(codes.shape[1] - 1)
        if codes[line, before] != codes[line, before + 1]
    ]
    middles = boundary_segments(regions, along).mean(axis=1)
    if along == 1:
        middles = middles[:, ::-1]
    assert sorted(map(tuple, middles.tolist())) == sorted(expected)


def test_intervals_of_counts_have_one_class_each() -> None:
    seen = line_view(mixed(), "visits")
    cuts = [b.position for b in decision_boundaries(seen.model)]
    assert len(cuts) == 2
    predicted = seen.predicted(np.arange(12.0)[:, None])
    for left, right, code in intervals(seen, cuts, -0.5, 11.5):
        inside = predicted[int(np.ceil(left)) : int(np.floor(right)) + 1]
        assert set(inside.tolist()) == {code}
