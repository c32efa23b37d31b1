"""Families under Bayes' rule, written once: statistics, prior, fit, scores, selection, file."""
