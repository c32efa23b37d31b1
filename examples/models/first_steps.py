"""First steps
===========

Fit, predict and inspect a model of Fisher's irises.
"""

from sklearn.model_selection import train_test_split

from gaussbayes import Columns, GaussianClassifier, plots
from gaussbayes.datasets import load_iris

iris = load_iris()
X_train, X_test, y_train, y_test = train_test_split(
    iris.rows, iris.labels, test_size=0.3, random_state=3, stratify=iris.labels
)

names = Columns(names=iris.feature_names)
model = GaussianClassifier(columns=names).fit(X_train, y_train)
print(f"accuracy {model.score(X_test, y_test):.1%} on {len(y_test)} held-out flowers")

# The model of a class is a prior, a mean and a covariance.
for name, prior, mean in zip(model.classes_, model.priors_, model.means_, strict=True):
    print(f"{name:>10}  prior {prior:.3f}  mean {mean.round(2)}")

# A prediction is a probability for each class, however small.
flower = X_test[:1]
print("posterior:", model.predict_proba(flower).round(4)[0])
print("log posterior:", model.predict_log_proba(flower).round(2)[0])

# Two choices give six models, from nearest mean to a full covariance for each class.
for covariance in ("full", "diagonal", "spherical"):
    for shared in (False, True):
        other = GaussianClassifier(covariance, shared=shared).fit(X_train, y_train)
        title = f"{covariance}{', shared' if shared else ''}"
        print(f"{title:>18}: accuracy {other.score(X_test, y_test):.1%}")

# %%
# Two of the four features, the others integrated out:
plots.regions(model, X_train, y_train, features=["petal length (cm)", "petal width (cm)"])
