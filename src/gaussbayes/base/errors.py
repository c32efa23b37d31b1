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

All of them are `ValueError`, which is what scikit-learn's users and tools expect. A message says
what came, what was expected, and what to do.
"""


class GaussBayesError(ValueError):
    """Any problem with what was given to gaussbayes."""


class DataError(GaussBayesError):
    """Rows, labels or weights cannot be used as they are."""


class NonFiniteError(DataError):
    """A row holds NaN or infinity; the message names the row and the feature."""


class MissingLabelError(DataError):
    """A row has no label; the message names the row."""


class SchemaError(DataError):
    """The features or classes differ from those the model knows."""


class ModelFileError(DataError):
    """A model file is not one, is damaged or does not make sense; or a model cannot be one.

    The message names the file, the place in it (such as ``families[0].statistics.scatter[12]``)
    and what was expected there.
    """


class CapabilityError(GaussBayesError):
    """A family lacks a capability; the message names both, and who needs it."""


class PriorError(GaussBayesError):
    """Priors are not a probability distribution over the classes."""


class ParameterError(GaussBayesError):
    """A setting, or a mean or covariance given by the user, is not valid."""


class SingularCovarianceError(ParameterError):
    """A covariance cannot be inverted; the message names class and features and the ways out."""


class RemovalError(GaussBayesError):
    """Rows that were never added cannot be removed."""
