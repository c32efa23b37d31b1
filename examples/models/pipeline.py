"""In a scikit-learn pipeline
==========================

The classifier after principal components, inside a grid search.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gaussbayes import GaussianClassifier

X, y = load_wine(return_X_y=True)
search = GridSearchCV(
    make_pipeline(StandardScaler(), PCA(), GaussianClassifier()),
    {"pca__n_components": [2, 4, 6, 8], "gaussianclassifier__shared": [False, 0.5, True]},
    scoring="neg_log_loss",
).fit(X, y)
print(search.best_params_)

table = -search.cv_results_["mean_test_score"].reshape(3, 4)
figure, ax = plt.subplots(layout="constrained")
for shared, losses in zip((False, 0.5, True), table, strict=True):
    ax.plot([2, 4, 6, 8], losses, marker="o", label=f"shared={shared}")
ax.set(xlabel="principal components", ylabel="log loss")
ax.legend()
