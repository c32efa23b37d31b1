"""Check built pages with axe-core, in both themes, wide and narrow.

It needs Chromium, playwright and the script of axe-core (``npm pack axe-core@4.14.0``; the file is
package/axe.min.js). Run it from the project's directory with:

    python docs/_extensions/check_accessibility.py build/docs axe.min.js [PAGE ...]
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.page import chromium

PAGES = (
    *("index", "start", "which-model", "guide/structures", "guide/missing-values"),
    *("gallery/index", "gallery/models/six_structures", "reference/classifier", "reference/plots"),
    *("coming-from/r", "command-options", "glossary"),
)
"""One of each kind; of the course, every page is checked."""


def main(folder: str, script: str, *pages: str) -> int:
    axe, failures = Path(script).read_text(encoding="utf-8"), 0
    course = [f"course/{path.stem}" for path in sorted(Path(folder, "course").glob("*.html"))]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.find(), args=list(chromium.OPTIONS)
        )
        for theme in ("light", "dark"):
            for width in (1280, 390):
                context = browser.new_context(
                    viewport={"width": width, "height": 900}, color_scheme=theme
                )
                page = context.new_page()
                for name in pages or (*PAGES, *course):
                    page.goto(Path(folder, f"{name}.html").resolve().as_uri())
                    page.wait_for_timeout(300)  # live figures draw themselves
                    page.evaluate(axe)
                    found = page.evaluate("axe.run().then(results => results.violations)")
                    room = page.evaluate("document.documentElement.scrollWidth") - width
                    if room > 0:
                        found.append({"id": f"page is {room} px too wide", "nodes": []})
                    failures += len(found)
                    for problem in found:
                        where = [node["target"] for node in problem["nodes"]][:3]
                        sys.stdout.write(f"{name} {theme} {width}: {problem['id']} {where}\n")
        browser.close()
    sys.stdout.write(f"{failures} problems\n")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
