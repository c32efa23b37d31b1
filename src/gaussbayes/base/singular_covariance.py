"""The error that a covariance cannot be inverted: also one of NumPy's."""

from numpy.linalg import LinAlgError

from gaussbayes.base.errors import GaussBayesError


class SingularCovarianceError(GaussBayesError, LinAlgError):
    """A covariance cannot be inverted.

    Raised if a class does not vary in a feature, features are collinear, or rows are too few; the
    message names the class, the features and remedies that were tried. It is also a
    `numpy.linalg.LinAlgError`, which code written for scikit-learn catches.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> GaussianClassifier().fit([[1.0], [1.0], [5.0], [7.0]], [0, 0, 1, 1])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gaussbayes.base.singular_covariance.SingularCovarianceError: class 0 does not vary ...
    """
