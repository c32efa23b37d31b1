"""One self-contained page about a fitted model, to hand over.

`contents` gathers every number, `pictures` draws, and `page` writes it down as HTML.
"""

from gaussbayes.apps.report.write import write_report

__all__ = ["write_report"]
