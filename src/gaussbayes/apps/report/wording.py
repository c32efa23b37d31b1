"""Sentences that several parts of the page need."""

from gaussbayes.analysis.evaluation import Evaluation
from gaussbayes.apps.report.contents import Contents
from gaussbayes.apps.report.numbers import count, share


def sampled(n: int, of: int, what: str) -> str:
    """That only some rows were used; nothing if all were.

    Examples
    --------
    >>> sampled(2000, 50000, "The points are"), sampled(150, 150, "The points are")
    ('The points are a sample of 2,000 of 50,000 rows, in which every class keeps its share.', '')
    """
    if n == of:
        return ""
    return (
        f"{what} a sample of {count(n)} of {count(of)} rows, in which every class keeps its share."
    )


def none_or_some(found: Evaluation) -> str:
    """How many rows were predicted wrongly, of how many."""
    rows = count(found.n_rows)
    if found.n_errors == 0:
        return f"none of {rows}"
    return f"{count(found.n_errors)} of {rows} ({share(found.error)})"


def same(contents: Contents) -> str:
    """What the models that were asked about held-out rows have in common with the page's own."""
    return f"of the same {'settings' if hasattr(contents.model, 'moments_') else 'structure'}"


def why_not(contents: Contents) -> str:
    """Why there is no held-out result."""
    problem = contents.problem if contents.own is None else contents.own.problem
    return f"{problem or 'no reason is known'}."
