"""What knows no statistics: errors, types, names, checks, threads, tables of text, files."""
