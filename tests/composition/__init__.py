"""The composition matrix: every operation for every kind of data, against an independent oracle."""
