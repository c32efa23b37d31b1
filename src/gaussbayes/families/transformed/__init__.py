"""Numbers whose monotone transforms follow another family."""

from gaussbayes.families.transformed.density import TransformedDensity
from gaussbayes.families.transformed.family import Transformed, check_transform
from gaussbayes.families.transformed.transform import (
    Logarithm,
    Standardised,
    Transforms,
    YeoJohnson,
)

__all__ = [
    "Logarithm",
    "Standardised",
    "Transformed",
    "TransformedDensity",
    "Transforms",
    "YeoJohnson",
    "check_transform",
]
