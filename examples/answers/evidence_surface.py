"""The evidence as a surface
=========================

The height is p(x), the colour the most probable class.
"""

from gaussbayes import GaussianClassifier, plots

model = GaussianClassifier.from_parameters(
    [0.25, 0.25, 0.5],
    [[0, 0], [2, 2], [-2, -2]],
    [[1, -0.6], [-0.6, 1]],
    feature_names=["x1", "x2"],
)
plots.evidence(model, surface=True)
