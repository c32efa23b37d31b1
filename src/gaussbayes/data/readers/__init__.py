"""One module a format: how to look into a file, and how to read it piece by piece.

Each has ``look(file, …)``, the columns and types by the first block, and ``pieces(file, selection,
…)``, which gives functions that parse a piece in any thread. How a file is cut into pieces depends
on the file alone.
"""
