"""Draw docs/demo.svg, the picture in README: the report of `make demo` as a terminal shows it.

Run it again when the report changes: ``python docs/demo_picture.py``.
"""

import io
import re
from pathlib import Path

from rich.console import Console

from gaussbayes.demo import report

PICTURE = Path(__file__).parent / "demo.svg"


def draw() -> str:
    """The report as SVG. The fonts are the reader's own: nothing is fetched from anywhere."""
    console = Console(record=True, width=84, file=io.StringIO(), highlight=False)
    report(console)
    picture = console.export_svg(title="make demo", unique_id="demo")
    return re.sub(r"@font-face {.*?}|<!--.*?-->", "", picture, flags=re.DOTALL)


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
