"""Find words that the project does not use, and print the term to write instead.

`make lint` runs it: python tests/words.py
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIST = tomllib.loads((ROOT / "tests/words.toml").read_text(encoding="utf-8"))
SUFFIXES = {".py", ".md", ".js", ".html", ".jinja", ".css", ".yml", ".cpp", ".hpp"}
GENERATED = {"gallery", "__pycache__", "vendor"}

BETWEEN = r"(?:\s|[#*>]|//)+"
"""White space between two words, or the end of a line, which may be in a comment."""


def problems(text: str, path: str) -> Iterator[tuple[int, str]]:
    """Lines of a text with a word of the list, each with the term to write instead."""
    allowed = [one["word"] for one in LIST["exception"] if re.search(one["path"], path)]
    for word, term in LIST["instead"].items():
        if word not in allowed:
            pattern = rf"(?<![\w-])(?:{word.replace(' ', BETWEEN)})(?![\w-])"
            for match in re.finditer(pattern, text, flags=re.IGNORECASE | re.MULTILINE):
                found = " ".join(match[0].split())
                yield text.count("\n", 0, match.start()) + 1, f"“{found}”: write “{term}”"


def main() -> int:
    """Print the problems of all files, and return whether there are any."""
    paths = sorted(ROOT.glob("*.md"))
    for folder in ("src", "docs", "examples", ".github"):
        paths += sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES)
    count = 0
    for path in paths:
        name = path.relative_to(ROOT)
        if not GENERATED & set(name.parts):
            for line, problem in problems(path.read_text(encoding="utf-8"), name.as_posix()):
                sys.stdout.write(f"{name}:{line}: {problem}\n")
                count += 1
    return bool(count)


if __name__ == "__main__":
    sys.exit(main())
