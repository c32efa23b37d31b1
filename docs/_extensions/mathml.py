"""Formulas as MathML, which browsers show by themselves: no script, no font to be fetched."""

import re
from typing import Any

from docutils import nodes
from latex2mathml import converter
from sphinx.application import Sphinx

# log x, tr S, but log(x): a name is separated from its argument as TeX does.
_FUNCTION = re.compile(
    r"(<m[io]>(?:log|ln|exp|tr|diag)</m[io]>)(?!<mo[^>]*>&#x0(?:0028|005B|2061);)"
)


def convert(formula: str, display: str = "inline") -> str:
    """MathML of a formula in TeX's notation."""
    return _FUNCTION.sub(r'\1<mspace width="0.17em"/>', converter.convert(formula, display=display))


def visit_inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def visit_display(writer: Any, node: nodes.math_block) -> None:
    formula = node.astext()
    if r"\\" in formula and r"\begin" not in formula:
        formula = rf"\begin{{aligned}}{formula}\end{{aligned}}"
    # A long formula is scrolled by itself, by the keyboard too, not the page.
    writer.body.append(
        '<div class="formula" tabindex="0" role="group" aria-label="formula">'
        f"{convert(formula, display='block')}</div>\n"
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
