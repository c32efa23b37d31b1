"""Ask the search of the built site what users ask, and look for the right page in the first three.

Run it after the build, with: python docs/_extensions/check_search.py build/docs
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.page import chromium

QUESTIONS = {
    "install": "start",
    "which model": "which-model",
    "when not to use": "when-not-to-use",
    "imbalance": "guide/priors-and-costs",
    "class weights": "guide/priors-and-costs",
    "threshold": "guide/priors-and-costs",
    "outlier": "guide/novelty",
    "NaN": "guide/missing-values",
    "impute": "guide/missing-values",
    "normalize": "transforms",
    "regularization": "guide/selection",
    "hyperparameter tuning": "guide/selection",
    "LDA vs QDA": "guide/structures",
    "confusion matrix": "guide/evaluation",
    "cross validation": "guide/evaluation",
    "calibrate probabilities": "automatic",
    "feature importance": "guide/explanations",
    "categorical variables": "guide/families",
    "semi-supervised": "guide/unlabelled-rows",
    "online learning": "guide/streams",
    "delete rows": "guide/streams",
    "out of memory": "guide/sources",
    "save model": "guide/model-file",
    "deploy": "guide/export",
}
"""What users type, and the page that answers it."""

GOAL = 22

_RESULTS = """() => {
  if (!document.querySelector("#search-results .search-summary")?.textContent.match(/found|match/))
    return null;
  const links = [...document.querySelectorAll("#search-results ul.search > li > a")];
  return links.slice(0, 12).map((link) => link.getAttribute("href"));
}"""


def main(folder: str) -> int:
    browser_path = chromium.find()
    if browser_path is None:
        sys.stdout.write(f"the search was not checked: {chromium.HOW}\n")
        return chromium.is_required()
    found = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=list(chromium.OPTIONS)
        )
        page = browser.new_page()
        address = Path(folder, "search.html").resolve().as_uri()
        for question, expected in QUESTIONS.items():
            page.goto(f"{address}?q={question.replace(' ', '+')}")
            links = page.wait_for_function(_RESULTS).json_value()
            pages = list(dict.fromkeys(link.partition(".html")[0] for link in links))
            if expected in pages[:3]:
                found += 1
            else:
                sys.stdout.write(f"{question}: {expected} is not among {', '.join(pages[:4])}\n")
        browser.close()
    sys.stdout.write(f"the search answers {found} of {len(QUESTIONS)} questions\n")
    return found < GOAL


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
