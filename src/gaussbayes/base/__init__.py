"""What knows no statistics: errors, types, names, checks, threads, triangular matrices, files."""
