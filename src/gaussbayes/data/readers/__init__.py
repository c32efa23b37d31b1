"""One class a format: how to look into a file, and how to read it piece by piece."""
