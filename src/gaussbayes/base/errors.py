"""The exceptions of gaussbayes.

::

    ValueError
     └── GaussBayesError                  any problem with the input
          ├── DataError                   rows, labels, weights or columns cannot be used
          ├── OptionError                 an option is invalid, or the model cannot do this
          ├── SingularCovarianceError     a covariance cannot be inverted (also LinAlgError)
          └── FileError                   a model file cannot be read or written

All of them are `ValueError`, as scikit-learn's users and tools expect. A message states the
received value, the expected one, and the remedy.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from gaussbayes.base.notices import Remedy
    from gaussbayes.base.singular_covariance import SingularCovarianceError

__all__ = [
    "DataError",
    "FileError",
    "GaussBayesError",
    "OptionError",
    "SingularCovarianceError",
]


def __getattr__(name: str) -> object:
    """`SingularCovarianceError` is also an error of NumPy, which is loaded when it is used."""
    if name != "SingularCovarianceError":
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from gaussbayes.base.singular_covariance import SingularCovarianceError

    return SingularCovarianceError


class GaussBayesError(ValueError):
    """Any problem with the input of gaussbayes.

    The base class of the errors below; it is never raised itself. `problem` states what is wrong,
    and `remedies` are records with the arguments of the estimator, of `Columns` or of `read` that
    solve the problem. The message consists of both.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> try:
    ...     GaussianClassifier("round").fit([[1.0], [2.0]], [0, 1])
    ... except GaussBayesError as error:
    ...     print(type(error).__name__)
    OptionError
    """

    remedies: "tuple[Remedy, ...]" = ()

    @property
    def problem(self) -> str:
        """The message without remedies."""
        return super().__str__()

    def __str__(self) -> str:
        """The problem, and the remedies as Python arguments."""
        return with_advice(self.problem, self.remedies)

    def with_remedies(self, remedies: "Iterable[Remedy]") -> "Self":
        """The same error with other remedies."""
        error = type(self)(*self.args)
        error.remedies = tuple(remedies)
        return error


def with_advice(message: str, remedies: "Iterable[Remedy]") -> str:
    """A message with its remedies as Python arguments."""
    advice = "; ".join(map(str, remedies))
    return f"{message}. Remedies: {advice}" if advice else message


class DataError(GaussBayesError):
    """Rows, labels, weights or columns cannot be used.

    Raised for wrong shapes and types, infinite values, missing or unknown labels, negative weights,
    columns or classes that the model does not have, and rows that cannot be removed because they
    were never added. The message names the row and the column.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> GaussianClassifier().fit([[1.0], [2.0]], ["a", "a"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gaussbayes.base.errors.DataError: a classifier needs at least two classes with rows, ...
    """


class OptionError(GaussBayesError):
    """An option or a given parameter is invalid, or the model cannot do what was requested.

    Raised by `fit` for options, as in scikit-learn, and by methods that take priors or parameters.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> GaussianClassifier(shared=2).fit([[1.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
    Traceback (most recent call last):
        ...
    gaussbayes.base.errors.OptionError: shared must be True, False or a number in [0, 1], got 2
    """


class FileError(GaussBayesError):
    """A model file is damaged or is not a model file; or a model cannot be written as one.

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
    gaussbayes.base.errors.FileError: model file '...iris.csv': not a model file: ...
    """
