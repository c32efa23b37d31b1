"""The six structures of the model under the names that people know."""

from gaussbayes.parameters import Structure

STRUCTURES = {
    "QDA": Structure("full", shared=False),
    "LDA": Structure("full", shared=True),
    "Gaussian naive Bayes": Structure("diagonal", shared=False),
    "diagonal LDA": Structure("diagonal", shared=True),
    "nearest mean, scaled": Structure("spherical", shared=False),
    "nearest mean": Structure("spherical", shared=True),
}


def name_of(structure: Structure) -> str:
    """What people call a structure.

    Examples
    --------
    >>> name_of(Structure("diagonal", shared=False))
    'Gaussian naive Bayes'
    """
    return next(name for name, known in STRUCTURES.items() if known == structure)
