"""Which browser the tests drive, and what happens where there is none."""

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

OPTIONS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-unsafe-swiftshader",  # WebGL where there is no graphics card
)

HOW = (
    "install Chromium (Debian: apt-get install chromium), or name one with GAUSSBAYES_BROWSER=PATH"
)


def find() -> str | None:
    """The browser's file: the one that ``GAUSSBAYES_BROWSER`` names, or the system's Chromium."""
    named = os.environ.get("GAUSSBAYES_BROWSER", "")
    candidates = NAMES if named in {"", "required"} else (named,)
    return next(filter(None, map(shutil.which, candidates)), None)


def is_required() -> bool:
    """Whether a browser that is not there is an error, as it is in continuous integration."""
    return bool(os.environ.get("GAUSSBAYES_BROWSER")) or os.environ.get("CI") == "true"
