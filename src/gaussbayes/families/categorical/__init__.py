"""Categorical features: how often each category occurs in each class, and what follows from it.

::

    table ───► coded columns ───► counts ───► parameters ───► log likelihood
               numbers of the     merge and   log p(category   added to that of
               categories         are removed   | class)       the Gaussian features

Given the class, categorical features are independent of each other and of all others: their log
likelihoods are added. Alone they are discrete naive Bayes.
"""

from gaussbayes.data.categorical_choice import categorical_columns
from gaussbayes.data.category_columns import read_columns, split
from gaussbayes.data.category_warnings import UnseenCategoryWarning, warn_of_many, warn_of_unseen
from gaussbayes.data.coding import MISSING, UNSEEN, CodedColumns, Unseen, code_columns
from gaussbayes.families.categorical.counting import count
from gaussbayes.families.categorical.counts import ClassCounts
from gaussbayes.families.categorical.likelihood import log_likelihood
from gaussbayes.families.categorical.parameters import CategoricalParameters, estimate

__all__ = [
    "MISSING",
    "UNSEEN",
    "CategoricalParameters",
    "ClassCounts",
    "CodedColumns",
    "Unseen",
    "UnseenCategoryWarning",
    "categorical_columns",
    "code_columns",
    "count",
    "estimate",
    "log_likelihood",
    "read_columns",
    "split",
    "warn_of_many",
    "warn_of_unseen",
]
