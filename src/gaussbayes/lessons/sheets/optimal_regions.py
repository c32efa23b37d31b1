"""Three classes with one covariance, by their parameters."""

PRIORS = (0.25, 0.25, 0.5)
MEANS = ((0.0, 0.0), (2.0, 2.0), (-2.0, -2.0))
COVARIANCE = ((4.0, -3.0), (-3.0, 4.0))
