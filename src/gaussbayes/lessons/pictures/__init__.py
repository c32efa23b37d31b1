"""The pictures of the lessons: one module for each, which draws what it is given."""
