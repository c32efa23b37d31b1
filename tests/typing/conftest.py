"""The program is checked, not run."""

collect_ignore = ["user.py"]
