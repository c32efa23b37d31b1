"""One class per format: how to inspect a file, and how to read it in blocks."""
