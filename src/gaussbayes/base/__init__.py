"""Modules without statistics and tables: errors, notices, options, threads, text, files."""
