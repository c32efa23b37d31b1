"""Take the screenshot of the lab in the README: python docs/lab_figure.py; needs Chromium.

A page that was opened by this script is photographed, with three classes of which one is held by
the hand, so that it shows what anybody sees who follows the README.
"""

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.browser import chromium

FIGURE = Path(__file__).with_name("lab.png")


def main() -> None:
    """Open the lab, take the model by the hand, click at a point, and take the screenshot."""
    command = [sys.executable, "-m", "gaussbayes", "lab", "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium.find(), args=list(chromium.OPTIONS)
            )
            page = browser.new_page(viewport={"width": 1180, "height": 720}, color_scheme="light")
            page.goto(address)
            page.get_by_label("Example").select_option(label="Three classes")
            page.wait_for_timeout(1500)
            page.get_by_role("button", name="Take by the hand").click()
            page.get_by_role("tab", name="Point").click()
            page.wait_for_timeout(500)
            page.mouse.click(440, 400)
            page.mouse.move(10, 10)
            page.wait_for_timeout(1500)
            page.screenshot(path=FIGURE)
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
