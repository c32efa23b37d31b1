"""Stills of the live figures, for print, for notebooks and for pages without scripts.

Run after the build, from the project's directory: python docs/_extensions/stills.py build/docs.
A figure whose specification and script did not change keeps its still. Without Chromium the pages
show the figures' texts instead; where a browser is required, that is an error.
"""

import base64
import hashlib
import json
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

from specs import still

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.page import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDTH = 720  # in CSS pixels, as wide as the text of a page; stills have twice as many

_DRAW = """async (spec) => {
  const place = document.createElement("div");
  document.body.replaceChildren(place);
  const handle = gaussbayes.figure(place, spec);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const blob = await handle.png();
  handle.destroy();
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}"""


class Figures(HTMLParser):
    """The specifications of a page's live figures, by name."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "figure" and values.get("class") == "live":
            name = str(values["id"]).removeprefix("live-")
            self.found[name] = str(values["data-spec"])


def blank(page: "Page", site: Path) -> None:
    """An empty page with the script and the style of live figures, in the light theme."""
    script, style = (
        (site / "_static" / f"gaussbayes.{ending}").read_text(encoding="utf-8")
        for ending in ("js", "css")
    )
    page.set_content(
        f'<!doctype html><html data-theme="light"><style>{style}</style>'
        f'<body style="margin: 0; width: {WIDTH}px"></body></html>'
    )
    page.add_script_tag(content=script)


def outdated(site: Path, known: dict[str, str]) -> dict[Path, tuple[str, str]]:
    """Specification and fingerprint of each figure whose still is to be drawn."""
    code = [(site / "_static" / f"gaussbayes.{end}").read_bytes() for end in ("js", "css")]
    found = {}
    for path in sorted(site.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        if '<figure class="live"' not in text:
            continue
        docname = path.relative_to(site).with_suffix("").as_posix()
        for name, spec in Figures(text).found.items():
            target = site / "_images" / still(docname, name)
            fingerprint = hashlib.sha256(b"".join([*code, spec.encode()])).hexdigest()
            if not target.exists() or known.get(target.name) != fingerprint:
                found[target] = spec, fingerprint
    return found


def main(folder: str) -> int:
    site = Path(folder)
    record = site.with_name("live-stills.json")  # of what each still shows
    known = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    figures = outdated(site, known)
    if not figures:
        return 0
    path = chromium.find()
    if path is None:
        sys.stderr.write(f"live figures have no stills for print: {chromium.HOW}\n")
        return int(chromium.is_required())
    from playwright.sync_api import Error, sync_playwright

    problems = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(chromium.OPTIONS))
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
        for target, (spec, fingerprint) in figures.items():
            blank(page, site)
            try:
                target.write_bytes(base64.b64decode(page.evaluate(_DRAW, json.loads(spec))))
                known[target.name] = fingerprint
            except Error as error:
                problems.append(f"{target.name}: {error}")
        browser.close()
    record.write_text(json.dumps(known, indent=1), encoding="utf-8")
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
