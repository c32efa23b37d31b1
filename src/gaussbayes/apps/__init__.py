"""What people run: the command line, the report, the lab, the demonstration."""
