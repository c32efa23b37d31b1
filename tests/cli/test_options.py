"""Options: derived from the tables, written as they are read, and shown in a transcript."""

import re
import shlex

import click
import pytest

from gaussbayes import OptionError
from gaussbayes.cli.flags import TABLE, given_values, parse, pasted
from tests.cli.test_command import COMMANDS
from tests.transcripts.runner import PAGES

TEXT = "\n".join(page.read_text(encoding="utf-8").replace("\\\n", " ") for page in PAGES)
TYPED = re.findall(
    r"gaussbayes (\w+) ([^|\n]*)", "\n".join(re.findall(r"^\$ .*", TEXT, re.MULTILINE))
)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_occurs_in_a_transcript(name: str) -> None:
    used = {word for typed, words in TYPED if typed == name for word in words.split()}
    options = [param for param in COMMANDS[name].params if isinstance(param, click.Option)]
    assert [param.opts for param in options if not used & set(param.opts)] == []


def test_fit_has_the_options_of_the_tables_and_other_commands_set_them_by_name() -> None:
    names = {param.name for param in COMMANDS["fit"].params}
    assert set(TABLE) <= names
    for name in ("evaluate", "predict", "show", "update", "report", "plot", "drift", "lab"):
        assert "set_option" in {param.name for param in COMMANDS[name].params}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("shared", True),
        ("shared", 0.25),
        ("shrinkage", "oas"),
        ("covariance", "diagonal"),
        ("exclude", ["id", "sea state", "a,b", "it's"]),
        ("na_values", {"age": ["-1", "unknown"], "sea state": ["?"]}),
        ("na_values", ["-999", "missing value"]),
        ("families", {"visits": "poisson", "kind": "categorical"}),
        ("transforms", {"income": "log"}),
        ("priors", {"ill": 0.25, "well": 0.75}),
        ("priors", "uniform"),
        ("keep_identifiers", True),
        ("header", False),
        ("bad_rows", "skip"),
        ("unlabelled", -1),
        ("smoothing", 0.5),
    ],
)
@pytest.mark.parametrize("command", ["fit", "evaluate"])
def test_flags_to_paste_are_read_as_they_were_meant(command: str, name: str, value: object) -> None:
    """What a remedy writes gives its value when it is pasted, as flags or as ``--set-option``."""
    with click.Context(COMMANDS[command]):
        line = shlex.split(pasted(name, value))
    parsed = COMMANDS[command].make_context(command, [__file__, *line])
    assert given_values(dict(parsed.params)) == {name: value}


@pytest.mark.parametrize(
    ("name", "texts", "message"),
    [
        ("shared", ["2"], "shared must be True, False or a number in [0, 1], got 2"),
        ("covariance", ["round"], "covariance must be 'full', 'diagonal' or 'spherical'"),
        ("families", ["poisson"], "families must be None or a mapping"),
        ("na_values", ["a=1", "2"], "for all columns or per column"),
        ("n_jobs", ["0.5"], "n_jobs must be None or an integer"),
    ],
)
def test_wrong_values(name: str, texts: list[str], message: str) -> None:
    with pytest.raises(OptionError, match=re.escape(message)):
        parse(TABLE[name], texts)
