"""The discriminant plane: the regions of three classes are those of the model itself."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from gaussbayes import GaussianClassifier, OptionError
from gaussbayes.analysis.discriminant import projected_model
from gaussbayes.datasets import load_iris
from gaussbayes.plots import discriminant_plane
from gaussbayes.sklearn import LinearDiscriminantAnalysis
from tests.plots.layout import assert_readable, legend_texts

IRIS = load_iris()


def test_regions_on_the_axes_are_those_of_the_model() -> None:
    model = GaussianClassifier(shared=True, priors=[0.2, 0.3, 0.5]).fit(IRIS.rows, IRIS.labels)
    seen = GaussianClassifier.from_model(projected_model(model.model_)).with_feature_names(None)
    places = model.transform(IRIS.rows)
    np.testing.assert_allclose(
        seen.predict_log_proba(places), model.predict_log_proba(IRIS.rows), rtol=1e-9, atol=1e-12
    )
    ax = discriminant_plane(model, IRIS.rows, IRIS.labels, resolution=60)
    assert_readable(ax.figure)
    assert ax.get_ylabel().startswith("discriminant 2 (")
    assert "error" in legend_texts(ax)


def test_two_classes_have_one_axis() -> None:
    some = IRIS.labels != "setosa"
    rows = IRIS.rows[some].copy()
    rows[::4, 2] = np.nan  # expected values have a place
    model = LinearDiscriminantAnalysis().fit(IRIS.rows[some], IRIS.labels[some])
    ax = discriminant_plane(model, rows, IRIS.labels[some], legend=False)
    assert ax.get_xlabel() == "discriminant 1 (100.0 %)"
    assert_readable(ax.figure)
    plt.close("all")


def test_covariances_of_their_own_have_no_axes() -> None:
    with pytest.raises(OptionError, match="shared=True"):
        discriminant_plane(GaussianClassifier().fit(IRIS.rows, IRIS.labels))
