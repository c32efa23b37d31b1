"""Numbers whose monotone transforms follow another family."""

from gaussbayes.families.transformed.density import TransformedDensity
from gaussbayes.families.transformed.family import Transformed, check_transform
from gaussbayes.families.transformed.transform import (
    Logarithm,
    RankNormal,
    Standardised,
    Transforms,
    YeoJohnson,
)

__all__ = [
    "Logarithm",
    "RankNormal",
    "Standardised",
    "Transformed",
    "TransformedDensity",
    "Transforms",
    "YeoJohnson",
    "check_transform",
]
