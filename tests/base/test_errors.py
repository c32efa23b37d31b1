"""The errors: one tree under ValueError, drawn as it is."""

import re

import pytest
from numpy.linalg import LinAlgError

from gaussbayes.base import errors

CLASSES = {name: getattr(errors, name) for name in errors.__all__}
PARENTS = {
    "GaussBayesError": ValueError,
    "DataError": errors.GaussBayesError,
    "OptionError": errors.GaussBayesError,
    "SingularCovarianceError": errors.GaussBayesError,
    "FileError": errors.GaussBayesError,
}


def test_no_error_is_missing_here() -> None:
    defined = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert defined <= CLASSES.keys() == PARENTS.keys()


@pytest.mark.parametrize("name", PARENTS)
def test_parents(name: str) -> None:
    # What cannot be inverted is also an error of NumPy's, as users of scikit-learn expect.
    others = (LinAlgError,) if name == "SingularCovarianceError" else ()
    assert CLASSES[name].__bases__ == (PARENTS[name], *others)
    assert issubclass(CLASSES[name], ValueError)
    assert CLASSES[name].__doc__


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    """A class stands below its parent and further to the right than it."""
    drawn = re.findall(r"^(.*?)(\w+Error)\b", str(errors.__doc__), flags=re.MULTILINE)
    above: list[tuple[int, str]] = []
    found = {}
    for indent, name in drawn[: len(PARENTS) + 1]:
        while above and above[-1][0] >= len(indent):
            above.pop()
        if above:
            found[name] = above[-1][1]
        above.append((len(indent), name))
    assert found == {name: parent.__name__ for name, parent in PARENTS.items()}
