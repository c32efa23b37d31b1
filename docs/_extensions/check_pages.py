"""Check built pages: nothing is fetched from another address, local files exist, images have texts.

Run it with: python docs/_extensions/check_pages.py build/docs
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

FETCHED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
NAMED_ONLY = {"canonical", "search", "license"}
"""Links that a browser does not follow by itself."""
WITHOUT_BROWSER = ("live-", "course.pdf")
"""What only Chromium makes; pages are whole without it (see stills.py)."""


class Page(HTMLParser):
    """What is wrong with a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        address = values.get(FETCHED.get(tag, "")) or ""
        if "//" in address.partition("?")[0][:8] and values.get("rel") not in NAMED_ONLY:
            self.problems.append(f"{tag} is fetched from {address}")
        if tag == "img" and (values.get("alt") is None or "_images/" in str(values["alt"])):
            self.problems.append(f"image without text: {address}")
        self.find(address or values.get("href") or "")

    def find(self, address: str) -> None:
        """Note a local file that is not there."""
        name = unquote(address.partition("#")[0].partition("?")[0])
        is_local = name and ":" not in name and "//" not in name
        is_made_later = Path(name).name.startswith(WITHOUT_BROWSER)
        if is_local and not is_made_later and not (self.path.parent / name).exists():
            self.problems.append(f"no such file: {address}")


def main(folder: str) -> int:
    problems = []
    for path in sorted(Path(folder).rglob("*.html")):
        if path.name == "webpack-macros.html":  # a template of the theme
            continue
        page = Page(path)
        page.feed(path.read_text(encoding="utf-8"))
        problems += [f"{path}: {problem}" for problem in page.problems]
    sys.stdout.writelines(f"{problem}\n" for problem in problems)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
