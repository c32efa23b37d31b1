"""The models that the benchmark of quality compares: ours, and scikit-learn's.

Peers are given what they need: categories as indicators, missing values filled with the mean,
features scaled. Ours are given the table as it is.
"""

from collections.abc import Callable
from typing import Any

from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from gaussbayes import AutoClassifier, GaussianClassifier

Make = Callable[[], Any]
REFERENCE = "logistic regression"  # losses are told relative to its losses


def _prepared(model: Any) -> Any:
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    indicators = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (indicators, make_column_selector(dtype_exclude="number")),
    )
    return make_pipeline(columns, model)


PEERS: dict[str, Make] = {
    REFERENCE: lambda: _prepared(LogisticRegression(max_iter=2000)),
    "LDA": lambda: _prepared(LinearDiscriminantAnalysis()),
    "QDA": lambda: _prepared(QuadraticDiscriminantAnalysis()),
    "GaussianNB": lambda: _prepared(GaussianNB()),
    "random forest": lambda: _prepared(RandomForestClassifier(200, random_state=0)),
    "gradient boosting": lambda: _prepared(HistGradientBoostingClassifier(random_state=0)),
}


def ours() -> dict[str, Make]:
    """Our models, the simplest first."""
    return {
        "GaussianClassifier()": GaussianClassifier,
        "AutoClassifier()": AutoClassifier,
    }
