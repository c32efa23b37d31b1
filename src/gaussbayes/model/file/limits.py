"""How large a model file and what is in it may be: whoever sends one must not fill the memory."""

LARGEST_FILE = 1 << 30
"""Bytes of a file: a gigabyte, some 4,500 features with a full covariance in 5 classes."""

MOST_TEXTS = 500_000
"""Texts in a file: names and types of features, labels of classes."""

MOST_TEXT = 1 << 23
"""Bytes that all texts of a file take together: 8 MB."""

LONGEST_TEXT = 1 << 16
"""Bytes of one text as it is written."""

LARGEST_LABELS = 1 << 22
"""Characters in an array of text labels, which gives each of them as much room as the longest."""

MOST_MEMBERS = 32
"""Members of an object; those of the format have fewer."""

MOST_DEPTH = 3
"""Objects within objects: the file, the settings, the priors by label."""

LONGEST_NUMBER = 1_000
"""Characters of a number; 25 write any float, and 767 digits spell the longest exactly."""

PIECE = 1 << 14
"""Bytes of an array that are taken at a time."""
