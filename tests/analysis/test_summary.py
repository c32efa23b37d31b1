"""A model as it is printed: parameters in the units of the table, within the range of the data."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes import AutoClassifier, GaussianClassifier


def table(n: int = 600) -> pd.DataFrame:
    """A skewed count of mean 0.46, skewed amounts, dates, a category and missing values."""
    rng = np.random.default_rng(0)
    kind = np.where(rng.random(n) < 0.4, "late", "early")
    late = kind == "late"
    frame = pd.DataFrame(
        {
            "visits": rng.negative_binomial(0.2, 0.2 / (0.2 + 0.35 + 0.3 * late)),
            "amount": np.exp(rng.normal(late, 2.0)),
            "when": pd.Timestamp("2024-01-01")
            + pd.to_timedelta(rng.integers(0, 300, n) + 60 * late, unit="D"),
            "site": rng.choice(["north", "south"], n, p=[0.5, 0.5]),
            "kind": kind,
        }
    )
    frame.loc[::11, "amount"] = np.nan
    return frame


MODELS = [
    AutoClassifier(),
    GaussianClassifier(transforms="yeo-johnson", smoothing=1.0),
    GaussianClassifier(shared=0.5, smoothing=1.0),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_parameters_lie_within_the_range_of_the_data(model: Any) -> None:
    frame = table()
    model.fit(frame, "kind")
    numbers = frame.drop(columns=["kind", "site"])
    days = numbers["when"].rsub(numbers["when"].min()).dt.days.abs()
    values = numbers.assign(when=days)
    for column, name in enumerate(values):
        for means, deviation in zip(
            model.means_[:, column],
            np.sqrt(np.einsum("...ii->...i", model.covariances_)).reshape(-1, 3)[:, column],
            strict=False,
        ):
            assert values[name].min() <= means <= values[name].max(), name
            assert 0 < deviation <= np.ptp(values[name].dropna()), name
    tables = model.category_probabilities_.values()
    for probability in (p for table in tables for p in table.values()):
        assert (probability >= 0).all()
        assert (probability <= 1).all()
    text = str(model)
    assert "2024-" in text  # means of dates are dates
    assert "for kind: 2 classes, 4 features" in text.replace("\n", " ")
    record = json.loads(json.dumps(model.model_.to_dict(), allow_nan=False))
    assert {each["label"] for each in record["classes"]} == {"early", "late"}
    (mean,) = (each for each in record["parameters"] if each["title"] == "mean")
    when = mean["values"][mean["names"].index("when")]
    assert all(date.startswith("2024-") for date in when)
    assert mean["classes"] == ["early", "late"]
    if isinstance(model, AutoClassifier):
        assert "calibrated on held-out rows: " in text.replace("\n", " ")
