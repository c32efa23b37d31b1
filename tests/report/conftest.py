"""What the tests of the report share: no window, no figure left open, a report to look at."""

from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from gaussbayes.datasets import load_iris
from tests.report.reading import Report, read_report

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _no_figure_is_left_open() -> Iterator[None]:
    before = plt.get_fignums()
    yield
    assert plt.get_fignums() == before


@pytest.fixture(scope="session")
def irises() -> pd.DataFrame:
    """Fisher's irises with names."""
    iris = load_iris()
    return pd.DataFrame(iris.rows, columns=list(iris.feature_names)).assign(species=iris.labels)


@pytest.fixture(scope="session")
def iris_report(tmp_path_factory: pytest.TempPathFactory, irises: pd.DataFrame) -> Report:
    """The report about QDA on the rows that it was fitted to."""
    path = tmp_path_factory.mktemp("report") / "iris.html"
    return read_report(GaussianClassifier().fit(irises, "species").report(irises, "species", path))
