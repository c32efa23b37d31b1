"""Models in other words, such as SQL: renderers of one record of what they calculate."""
