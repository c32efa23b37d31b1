"""From any container of rows to numbers and category codes, with labels and weights."""
