"""The six structures of the model under the names that people know, and those between them."""

from gaussbayes.families.gaussian.parameters import Structure

STRUCTURES = {
    "QDA": Structure("full", shared=False),
    "LDA": Structure("full", shared=True),
    "Gaussian naive Bayes": Structure("diagonal", shared=False),
    "diagonal LDA": Structure("diagonal", shared=True),
    "nearest mean, scaled": Structure("spherical", shared=False),
    "nearest mean": Structure("spherical", shared=True),
}

SHARINGS = (0.25, 0.5, 0.75)
"""How far covariances may be drawn towards the shared one where that is chosen: even steps."""

MIXTURES = tuple(
    Structure(covariance, toward_shared=share)
    for covariance in ("full", "diagonal")
    for share in SHARINGS
)


def name_of(structure: Structure) -> str:
    """What people call a structure.

    Examples
    --------
    >>> name_of(Structure("diagonal", shared=False))
    'Gaussian naive Bayes'
    >>> name_of(Structure("full", toward_shared=0.25))
    'full, 25 % shared'
    """
    if structure.toward_shared:
        return f"{structure.covariance}, {sharing_of(structure)}"
    return next(name for name, known in STRUCTURES.items() if known == structure)


def sharing_of(structure: Structure) -> str:
    """Whether classes share their covariance, in a word or two.

    Examples
    --------
    >>> sharing_of(Structure()), sharing_of(Structure(shared=True))
    ('own', 'shared')
    >>> sharing_of(Structure(toward_shared=0.5))
    '50 % shared'
    """
    if structure.toward_shared:
        return f"{100 * structure.toward_shared:g} % shared"
    return "shared" if structure.shared else "own"
