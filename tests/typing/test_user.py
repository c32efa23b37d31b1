"""A type checker finds no error in a user's program, and knows the type of every result."""

import re
from pathlib import Path

from mypy import api

import gaussbayes
from gaussbayes import AutoClassifier, GaussianClassifier

ROOT = Path(__file__).parents[2]
USER = Path(__file__).with_name("user.py")
ANY_SHAPE_OR_WIDTH = ("tuple[Any, ...]", "generic[Any]", "floating[Any]")
"""How NumPy's type hints spell arrays of any shape, and scalars of any width."""


def test_no_result_is_any() -> None:
    options = ["--config-file", str(ROOT / "pyproject.toml"), "--strict", str(USER)]
    told, failure, status = api.run([*options, "--cache-dir", str(ROOT / ".mypy_cache")])
    assert not failure
    assert status == 0, told
    revealed = re.findall(r'user\.py:(\d+): note: Revealed type is "(.*)"', told)
    assert len(revealed) == USER.read_text(encoding="utf-8").count("reveal_type(")
    for line, kind in revealed:
        for spelling in ANY_SHAPE_OR_WIDTH:
            kind = kind.replace(spelling, "")  # noqa: PLW2901
        assert not re.search(r"\bAny\b|<nothing>|\?", kind), f"line {line}: {kind}"


def test_the_program_calls_everything_that_is_public() -> None:
    text = USER.read_text(encoding="utf-8")
    for kind in (GaussianClassifier, AutoClassifier):
        own = {name for base in kind.__mro__[:2] for name in vars(base) if name[0] != "_"}
        own = {name for name in own if not name.endswith("_request")}  # scikit-learn's
        assert {name for name in own if f".{name}" not in text} == set()
    functions = {"read", "load", "compare", "drift", "make_gaussian_dataset", "datasets"}
    assert {name for name in functions if f"gaussbayes.{name}" not in text} == set()
    assert functions < set(gaussbayes.__all__)
