"""Rows with missing features or without labels: learnt by maximum likelihood, scored exactly.

`em` learns; `patterns` groups rows by what they have. Nothing is ever filled in: what is missing is
integrated out.
"""
