"""Whatever holds rows → rows of numbers and category codes, with their labels and weights."""
