"""Leave-one-out in closed form
============================

Every row is predicted by the model of all other rows, without refitting.
"""

from gaussbayes import GaussianClassifier, plots
from gaussbayes.datasets import load_iris

iris = load_iris()
model = GaussianClassifier()
left_out = model.leave_one_out(iris.rows, iris.labels)
print(f"{left_out.evaluation.n_errors} errors, log loss {left_out.evaluation.log_loss:.4f}")
plots.confusion(left_out.evaluation)
