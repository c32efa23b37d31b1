"""The families by name: the one line that a new family adds outside its folder."""

from importlib import import_module
from typing import Any

from gaussbayes.base.errors import ParameterError
from gaussbayes.base.spelling import meant

FAMILIES = {
    "gaussian": "Gaussian",
    "categorical": "Categorical",
    "poisson": "Poisson",
    "bernoulli": "Bernoulli",
}
"""The class of each family; it is in the package of the same name as the family."""


def family_type(name: object) -> Any:
    """The class of the family with this name, imported now.

    Examples
    --------
    >>> family_type("gaussian").kind
    'number'
    """
    if not isinstance(name, str) or name not in FAMILIES:
        close = meant(name, list(FAMILIES)) if isinstance(name, str) else ""
        msg = f"a family must be one of {', '.join(map(repr, FAMILIES))}, got {name!r}{close}"
        raise ParameterError(msg)
    return getattr(import_module(f"gaussbayes.families.{name}"), FAMILIES[name])
