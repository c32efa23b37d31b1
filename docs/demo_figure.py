"""Draw docs/demo.svg, the figure in README: a part of the report of `make demo`.

Run it again when the report changes: ``python docs/demo_figure.py``.
"""

import io
import re
from pathlib import Path

from rich.console import Console

from gaussbayes.apps import demo
from gaussbayes.datasets import load_iris

FIGURE = Path(__file__).parent / "demo.svg"


def draw() -> str:
    """The tables as SVG. The fonts are the reader's own: nothing is fetched from anywhere."""
    console = Console(record=True, width=84, file=io.StringIO(), highlight=False)
    data = load_iris()
    parts = demo.split(data)
    model = demo.classifier().fit(parts.rows, parts.labels)
    console.print(
        demo.class_table(model, data),
        "",
        demo.confusion_table(model, parts),
        "",
        demo.structure_table(data, parts),
        sep="\n",
    )
    figure = console.export_svg(title="make demo", unique_id="demo")
    return re.sub(r"@font-face {.*?}|<!--.*?-->", "", figure, flags=re.DOTALL)


if __name__ == "__main__":
    FIGURE.write_text(draw(), encoding="utf-8")
