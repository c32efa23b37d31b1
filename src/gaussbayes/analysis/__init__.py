"""Analysis of a model: decisions, explanations, novelty, errors, comparisons."""
