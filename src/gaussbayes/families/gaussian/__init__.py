"""The Gaussian family: numbers, with any covariance."""
