"""Explaining a prediction
=======================

The contribution of each feature of one flower to the log-odds of the two most probable classes.
"""

from gaussbayes import Columns, GaussianClassifier, plots
from gaussbayes.datasets import load_iris

iris = load_iris()
names = Columns(names=iris.feature_names)
model = GaussianClassifier(columns=names).fit(iris.rows, iris.labels)
explanation = model.explain(iris.rows[70])
odds = explanation.log_odds
total = odds.at_reference + sum(part.amount for part in odds.contributions)
print(f"log-odds of {odds.of} against {odds.against}: {odds.value:.4f}, the sum {total:.4f}")
plots.explanation(explanation)
