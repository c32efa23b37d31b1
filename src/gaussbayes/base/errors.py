"""Everything gaussbayes raises on purpose.

::

    ValueError
     └── GaussBayesError             any problem with what was given
          ├── DataError              rows, labels or weights cannot be used
          │    ├── NonFiniteError    NaN or infinity in the rows
          │    ├── MissingLabelError  a row has no label
          │    ├── SchemaError       other features or classes than before
          │    └── ModelFileError    a model file cannot be read, or a model not be written as one
          ├── CapabilityError        a family cannot do what was asked for
          ├── PriorError             priors are not a distribution over the classes
          ├── ParameterError         a setting or a given mean or covariance is not valid
          │    └── SingularCovarianceError   a covariance cannot be inverted
          └── RemovalError           rows to remove were never added

All of them are `ValueError`, which is what scikit-learn's users and tools expect;
`SingularCovarianceError` is also a `numpy.linalg.LinAlgError`. A message says what came, what was
expected, and what to do.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from gaussbayes.base.remedy import Remedy
    from gaussbayes.base.singular_covariance import SingularCovarianceError

__all__ = [
    "CapabilityError",
    "DataError",
    "GaussBayesError",
    "MissingLabelError",
    "ModelFileError",
    "NonFiniteError",
    "ParameterError",
    "PriorError",
    "RemovalError",
    "SchemaError",
    "SingularCovarianceError",
]


def __getattr__(name: str) -> object:
    """`SingularCovarianceError` is an error of NumPy's as well, which is loaded when it is used."""
    if name != "SingularCovarianceError":
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from gaussbayes.base.singular_covariance import SingularCovarianceError

    return SingularCovarianceError


class GaussBayesError(ValueError):
    """Any problem with what was given to gaussbayes.

    Never raised by itself: it catches all of those below. `remedies` are other options that were
    tried and work; `problem` is the message without them.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> try:
    ...     GaussianClassifier("round").fit([[1.0], [2.0]], [0, 1])
    ... except GaussBayesError as error:
    ...     print(type(error).__name__)
    ParameterError
    """

    remedies: "tuple[Remedy, ...]" = ()
    problem: str = ""

    def with_remedies(self, remedies: "Iterable[Remedy]") -> "Self":
        """The same error, whose message ends with what to do; itself if there is nothing."""
        working = tuple(remedies)
        if not working:
            return self
        error = type(self)(f"{self}. Remedies: {'; '.join(map(str, working))}")
        error.problem, error.remedies = str(self), working
        return error

    def without_remedy(self, remedy: "Remedy") -> "Self":
        """The same error without one of its remedies."""
        others = [other for other in self.remedies if other != remedy]
        return type(self)(self.problem or str(self)).with_remedies(others)


class DataError(GaussBayesError):
    """Rows, labels or weights cannot be used as they are.

    Raised where they have the wrong shape or type, where there is only one class, where weights are
    negative, and where a step needs what a model has not learnt.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> GaussianClassifier().fit([[1.0], [2.0]], ["a", "a"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gaussbayes.base.errors.DataError: a classifier needs at least two classes with rows, ...
    """


class NonFiniteError(DataError):
    """A row holds infinity, or NaN where no value may be missing.

    Raised by whatever reads rows; the message names the row and the feature.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> GaussianClassifier().fit([[1.0], [float("inf")], [5.0]], [0, 1, 1])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gaussbayes.base.errors.NonFiniteError: Input X contains infinity in row 1, column 0 ...
    """


class MissingLabelError(DataError):
    """A label is missing where each must be there.

    Raised where labels name classes, as in `classes`; rows without label are learnt from. The
    message names the place.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> classes = ["a", None]
    >>> GaussianClassifier.from_parameters(None, [[0], [4]], [[1]], classes)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gaussbayes.base.errors.MissingLabelError: Input y contains NaN: the label in row 1 is ...
    """


class SchemaError(DataError):
    """The features or classes differ from those the model knows.

    Raised for unknown names and labels, for models of different features that are to be merged, and
    where a figure shows another number of features.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
    >>> model.log_odds([[1.0]], 0, 9)
    Traceback (most recent call last):
        ...
    gaussbayes.base.errors.SchemaError: unknown labels: [9]; the classes are [0, 1]
    """


class ModelFileError(DataError):
    """A model file is not one, is damaged or does not make sense; or a model cannot be one.

    Raised by `load` and `save`. The message names the file, the place in it (such as
    ``families[0].statistics.scatter[12]``) and what was expected there.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> from importlib.resources import files
    >>> path = files("gaussbayes.datasets").joinpath("iris.csv")
    >>> GaussianClassifier.load(path)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gaussbayes.base.errors.ModelFileError: model file '...iris.csv': not a model file: ...
    """


class CapabilityError(GaussBayesError):
    """A family lacks a capability.

    Raised where a step needs more of a distribution than it has; the message names the family, the
    capability, and who needs it.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> X, y = [[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1]
    >>> GaussianClassifier(estimate="predictive").fit(X, y).bayes_error()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gaussbayes.base.errors.CapabilityError: the Bayes error needs the capability ...
    """


class PriorError(GaussBayesError):
    """Priors are not a probability distribution over the classes.

    Raised where priors are given: too many or too few, negative, or with another sum than 1.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> GaussianClassifier(priors=[0.5, 0.6]).fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
    Traceback (most recent call last):
        ...
    gaussbayes.base.errors.PriorError: priors must sum to 1, got [0.5, 0.6], which sum to 1.1
    """


class ParameterError(GaussBayesError):
    """A setting, or a mean or covariance given by the user, is not valid.

    Raised by `fit` for settings, as scikit-learn has it, and by whatever takes parameters.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> GaussianClassifier(shared=2).fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
    Traceback (most recent call last):
        ...
    gaussbayes.base.errors.ParameterError: shared must be True, False or a number in [0, 1], got 2
    """


class RemovalError(GaussBayesError):
    """Rows that were never added cannot be removed.

    Raised by `forget` where a class would be left with less than no weight, or with a scatter
    that is none.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier().fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
    >>> model.forget([[1.0], [2.0], [2.0]], [0, 0, 0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gaussbayes.base.errors.RemovalError: cannot remove weight 3 from class 0, which has ...
    """
