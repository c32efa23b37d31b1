"""Questions to a model: decisions, explanations, novelty, errors, comparisons."""
