"""Numbers and categories coded as numbers, which follow one Gaussian family together."""

from gaussbayes.families.coded.coding import CategoryCode, Coding, NumberCode, worth_coding
from gaussbayes.families.coded.density import CodedDensity
from gaussbayes.families.coded.family import Coded

__all__ = [
    "CategoryCode",
    "Coded",
    "CodedDensity",
    "Coding",
    "NumberCode",
    "worth_coding",
]
