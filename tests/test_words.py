"""Code, messages, help and documents use the field's words, and not others that mean the same."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

WORDS = {
    r"memberships?": "soft labels",
    r"truth values?": "boolean",
    r"whole numbers?": "integer",
    r"(?<!\")gaps": "missing values, or differences",  # "gaps" is the name of an example of the lab
    r"rows that lack": "rows with missing values",
    r"drawn towards the shared": "shrunk towards the pooled covariance",
    r"completed moments": "expected sufficient statistics",
    r"climb(s|ed|ing)?|ascent": "EM iterations",
    r"ways? out": "remedy",
    r"mistakes?": "error",
    r"class numbers?": "class code",
    r"refuse_\w+": "check_…",
    r"as texts|columns? of texts?": "string",
    r"(the|this|its|whose) shares?": "proportion",
    # Two titles of the course have pictures.
    r"(?<!probability in )(?<!correlation[ -])pictures?": "plot, or figure",
    r"verbs?": "subcommand",
    r"the sheet(s|'s)?": "handout",
    r"is one of \{|says of each row whether": "must be one of …, must be a boolean array",
}
"""What is not written, and what is written in its place."""

SUFFIXES = {".py", ".md", ".toml", ".js", ".html", ".css", ".json", ".cpp", ".hpp", ".h"}


def texts() -> Iterator[tuple[Path, str]]:
    """What a user or a reader of the code may see; the changelog tells of older names."""
    for folder in ("src", "docs", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            made = {"gallery", "__pycache__", "vendor"} & set(path.parts)
            if path.suffix in SUFFIXES and path.is_file() and not made:
                yield path, path.read_text(encoding="utf-8")
    for name in ("README.md", "CONTRIBUTING.md"):
        yield ROOT / name, (ROOT / name).read_text(encoding="utf-8")


TEXTS = list(texts())


@pytest.mark.parametrize("word", WORDS, ids=list(WORDS.values()))
def test_the_fields_words(word: str) -> None:
    pattern = re.compile(rf"\b({word})\b", flags=re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
        for path, text in TEXTS
        if pattern.search(text)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, f"write {WORDS[word]!r} instead"
