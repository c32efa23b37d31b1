"""What knows no statistics and no tables: errors, notices, options, threads, text, files."""
