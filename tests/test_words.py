"""The prose check of `make lint` finds the words of its list and explains them."""

import re

import pytest

from tests import words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("learnt from 150 rows: 3 classes, 4 features", {"fitted to"}),
        ("# log loss 0.0488 on rows left\n# out", {"held-out rows; leave-one-out"}),
        ("Count errors, and judge the probabilities.", {"evaluate, assess"}),
        ("Posteriors as sure as held-out rows", {"confident, overconfident"}),
        ("Rows with this label have none in truth", {"true class; occurred"}),
        ("Predictions by models of all other rows err in 3 of 150", {"misclassifies, is wrong"}),
        ("model.json is no text", {"is not"}),
        ("What each column holds is said.", {"is reported, or who reports it"}),
        ("there is no compiler; the class is no longer there; pictured; a forgotten item", set()),
    ],
)
def test_sentences_that_were_rewritten(text: str, found: set[str]) -> None:
    terms = [re.findall("write “(.*)”", problem)[0] for _, problem in words.problems(text, "a.md")]
    assert set(terms) == found


def test_lines_and_exceptions() -> None:
    path = "src/gaussbayes/lab/static/examples.js"
    assert next(words.problems("one\ntwo gaps", "docs/faq.md"))[0] == 2
    assert list(words.problems("gaps", path)) == []
    for exception in words.LIST["exception"]:
        assert exception["word"] in words.LIST["instead"]
        assert exception["reason"]
        paths = (path.relative_to(words.ROOT).as_posix() for path in words.ROOT.rglob("*.*"))
        assert any(re.search(exception["path"], path) for path in paths)
