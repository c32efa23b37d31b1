"""One self-contained HTML report about a fitted model, to hand over.

`subject` asks the model, `contents` gathers every number, `svg_figures` draws, and the template
`report.html.jinja` lays it out.
"""

from gaussbayes.apps.report.html_report import check_writable, write_report

__all__ = ["check_writable", "write_report"]
