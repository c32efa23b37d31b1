"""scikit-learn's classes of these models, under the same names: one import line changes.

Constructors, methods and attributes are those of scikit-learn 1.9; the model behind them is that of
`gaussbayes.GaussianClassifier`, whose methods are there as well. So all four take `sample_weight`,
missing values (NaN) and more rows (`partial_fit`), and can be merged.

>>> from gaussbayes.sklearn import LinearDiscriminantAnalysis  # was sklearn.discriminant_analysis
"""

from gaussbayes.sklearn.discriminant_classes import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from gaussbayes.sklearn.naive_bayes_classes import CategoricalNB, GaussianNB

__all__ = [
    "CategoricalNB",
    "GaussianNB",
    "LinearDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
]
