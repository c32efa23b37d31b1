"""Check built pages: nothing is fetched from another address, and every image has a text.

Run it with: python docs/_extensions/check_pages.py build/docs
"""

import sys
from html.parser import HTMLParser
from pathlib import Path

FETCHED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
NAMED_ONLY = {"canonical", "search", "license"}
"""Links that a browser does not follow by itself."""


class Page(HTMLParser):
    """What is wrong with a page."""

    def __init__(self) -> None:
        super().__init__()
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        address = values.get(FETCHED.get(tag, "")) or ""
        if "//" in address.partition("?")[0][:8] and values.get("rel") not in NAMED_ONLY:
            self.problems.append(f"{tag} is fetched from {address}")
        if tag == "img" and (values.get("alt") is None or "_images/" in str(values["alt"])):
            self.problems.append(f"image without text: {address}")


def main(folder: str) -> int:
    problems = []
    for path in sorted(Path(folder).rglob("*.html")):
        page = Page()
        page.feed(path.read_text(encoding="utf-8"))
        problems += [f"{path}: {problem}" for problem in page.problems]
    sys.stdout.writelines(f"{problem}\n" for problem in problems)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
