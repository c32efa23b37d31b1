"""Rows with missing features or without labels: learnt by maximum likelihood, scored exactly.

`em` learns, `scoring` scores. Nothing is ever filled in: what is missing is integrated out.
"""
