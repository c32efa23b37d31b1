"""Two classes by their parameters."""

MEANS = ((0.0, 0.0), (2.0, 2.0))
COVARIANCES = (((2.0, -1.0), (-1.0, 2.0)), ((1.0, 0.0), (0.0, 1.0)))
