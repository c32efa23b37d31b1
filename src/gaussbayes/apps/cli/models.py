"""Models that verbs read and write: files, or ``-`` for standard input and output.

They are kept as the records that model files hold, not as estimators: scikit-learn takes longer to
load than most files take to read.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaussbayes.apps.cli import reading
from gaussbayes.base.errors import SchemaError

if TYPE_CHECKING:
    from gaussbayes.families.gaussian.parameters import Parameters
    from gaussbayes.model.mixed import MixedParameters
    from gaussbayes.model.model import Model

STANDARD = "-"
"""Standard input or output, where a file is expected."""


def read(name: str) -> "Model":
    """The model in a file, or on standard input."""
    from gaussbayes.model import file as storage

    if name != STANDARD:
        return storage.load(Path(name))
    with reading.naming("the model on standard input"):
        return storage.loads(sys.stdin.buffer.read(storage.LARGEST_FILE + 1))


def write(stored: "Model", name: str) -> None:
    """Write a model to a file, whole or not at all, or to standard output."""
    from gaussbayes.model import file as storage

    if name == STANDARD:
        sys.stdout.buffer.write(storage.dumps(stored))
        sys.stdout.buffer.flush()
    else:
        storage.save(stored, Path(name))


def refuse_unwritable(name: str) -> None:
    """Raise if no model can be written there: before the work, not after it."""
    from gaussbayes.base.atomic import refuse_unwritable

    if name != STANDARD:
        refuse_unwritable(Path(name), "the model")


def class_names(stored: "Model") -> list[str]:
    """The classes as text, for the names of columns and the headings of tables.

    Labels are all of one kind, so that different ones have different names.
    """
    return [str(label) for label in stored.schema.classes.tolist()]


def feature_names(stored: "Model") -> tuple[str, ...]:
    """The features' names, or their numbers if they have none."""
    return stored.schema.titles


def named_features(stored: "Model", name: str) -> tuple[str, ...]:
    """The names by which a model finds its features in files; it must have some."""
    features = stored.schema.features
    if features is None:
        msg = (
            f"the features of the model {name} have no names to find columns by, because it was "
            "fitted to rows without; name them in Python with with_feature_names and save it again"
        )
        raise SchemaError(msg)
    return features


def settings_record(stored: "Model") -> dict[str, Any]:
    """What the user chose, as plain values."""
    chosen = stored.settings
    priors: Any = chosen.priors
    if hasattr(priors, "tolist"):
        priors = priors.tolist()
    elif hasattr(priors, "items"):
        priors = {str(label): value for label, value in priors.items()}
    return {
        "covariance": chosen.structure.covariance,
        "shared": chosen.structure.sharing,
        "priors": priors,
        "divisor": chosen.divisor,
        "shrinkage": chosen.shrinkage,
        "smoothing": chosen.smoothing,
    }


def gaussians(parameters: "Parameters | MixedParameters") -> "Parameters":
    """The parameters of the features that hold numbers."""
    from gaussbayes.families.gaussian.parameters import Parameters

    return parameters if isinstance(parameters, Parameters) else parameters.gaussian


def parameter_counts(parameters: "Parameters | MixedParameters") -> dict[str, int]:
    """How many free parameters there are of each kind, and in all."""
    own = gaussians(parameters)
    k, d = own.offset.shape
    counts = {"priors": k - 1, "means": k * d, "covariances": own.covariance.n_parameters}
    if own is not parameters:
        counts["categories"] = parameters.n_parameters - own.n_parameters
    return counts | {"total": parameters.n_parameters}


def refuse_two_inputs(*given: str) -> None:
    """Raise if standard input is to be read twice."""
    if given.count(STANDARD) > 1:
        msg = "standard input (-) can be read once only: give a file in the other place"
        raise click.UsageError(msg)
