"""One self-contained HTML report about a fitted model.

`subject` asks the model, `parameter_tables` writes its parameters, `svg_figures` draws,
`html_report` gathers it all, and the template `report.html.jinja` has the words and lays it out.
"""

from gaussbayes.report.html_report import write_report

__all__ = ["write_report"]
