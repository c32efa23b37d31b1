"""Errors, notices and remedies: one tree of errors, records that each interface renders."""

import pickle

from gaussbayes.base import errors
from gaussbayes.base.notices import AUTOMATIC_MODEL, Notice, Remedy
from gaussbayes.base.spelling import meant

EXCLUDE = Remedy("exclude such columns", columns=(("exclude", ["id"]),))
MARKS = Remedy("mark them as missing", columns=(("na_values", {"age": ["?"]}),))


def test_remedies_are_data_and_python() -> None:
    both = Remedy(
        "do both", (("shared", True),), (("exclude", ["a", "b"]),), (("bad_rows", "skip"),)
    )
    assert str(both) == (
        "do both (shared=True, columns=Columns(exclude=['a', 'b']), read(…, bad_rows='skip'))"
    )
    assert both.arguments == (("shared", True), ("exclude", ["a", "b"]), ("bad_rows", "skip"))
    assert both.to_dict() == {
        "effect": "do both",
        "options": {"shared": True},
        "columns": {"exclude": ["a", "b"]},
        "read": {"bad_rows": "skip"},
    }
    assert {both: 1}[Remedy("do both", both.options, both.columns, both.read)] == 1
    assert both != EXCLUDE
    notice = Notice("dropped columns", "id was dropped", (EXCLUDE,))
    assert str(notice) == f"id was dropped. Remedies: {EXCLUDE}"
    assert notice.to_dict()["remedies"] == [EXCLUDE.to_dict()]


def test_errors_keep_problem_and_remedies_apart() -> None:
    for kind in map(errors.__dict__.get, ("DataError", "OptionError", "FileError")):
        error = kind("it is bad").with_remedies([AUTOMATIC_MODEL, EXCLUDE])
        assert type(error) is kind
        for one in (error, pickle.loads(pickle.dumps(error))):
            assert (one.problem, one.remedies) == ("it is bad", (AUTOMATIC_MODEL, EXCLUDE))
            assert str(one) == f"it is bad. Remedies: {AUTOMATIC_MODEL}; {EXCLUDE}"
        assert str(error.with_remedies([])) == "it is bad"


def test_names_that_were_meant() -> None:
    for name, known, expected in (
        ("heigth", ["age", "height", "weight"], "height"),
        ("SPECIES", ["genus", "species"], "species"),  # by its letters alone, whatever their case
        ("species", ["specie", "Species"], "Species"),
        ("x", [], None),
        ("", ["x"], None),
        ("zzz", ["age", "height"], None),
    ):
        words = "" if expected is None else f" (did you mean {expected!r}?)"
        assert meant(name, known) == meant(name, dict.fromkeys(known)) == words
    assert meant("lessn", ["lesson", "fit"]) == " (did you mean 'lesson'?)"
    assert meant("a", ["it's"]) == ""
    assert meant("its", ["it's"]) == """ (did you mean "it's"?)"""
