"""The probabilities of categories as tables for a terminal; many of them are shortened."""

from typing import TYPE_CHECKING, Any

from gaussbayes.apps.cli import models, output
from gaussbayes.apps.cli.numbers import five_digits

if TYPE_CHECKING:
    from rich.table import Table

    from gaussbayes.model.model import Model

_MOST_CLASSES = 5
"""Classes side by side."""

_MOST_CATEGORIES = 12
"""Lines of a table."""

_MOST_FEATURES = 12
"""Tables."""

_WIDEST_NAME = 20


def tables(stored: "Model", parameters: Any) -> "list[Table]":
    """One table for each feature that holds categories: how probable each is in each class."""
    counts = stored.counts
    assert counts is not None
    classes = models.class_names(stored)[:_MOST_CLASSES]
    made = []
    for j, name in enumerate(stored.schema.of_categories.titles[:_MOST_FEATURES]):
        title = f"{name}, given the class"
        table = output.narrow_table("category", *classes, title=title)
        columns = parameters.categorical.probability(j)[:_MOST_CLASSES].T
        for category, values in zip(counts.categories[j][:_MOST_CATEGORIES], columns, strict=False):
            table.add_row(output.shortened(str(category), _WIDEST_NAME), *map(five_digits, values))
        made.append(table)
    return made


def left_out(stored: "Model") -> list[str]:
    """What is not in the tables, in words."""
    if stored.counts is None:
        return []
    parts = []
    every, titles = stored.counts.categories, stored.schema.of_categories.titles
    if len(every) > _MOST_FEATURES:
        parts.append(f"the categories of {len(every) - _MOST_FEATURES} features")
    for name, own in zip(titles[:_MOST_FEATURES], every, strict=False):
        if len(own) > _MOST_CATEGORIES:
            parts.append(f"{len(own) - _MOST_CATEGORIES} categories of {name}")
    return parts
