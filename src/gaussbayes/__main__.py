"""``python -m gaussbayes`` is the command ``gaussbayes``."""

import sys

from gaussbayes.cli import main

if __name__ == "__main__":
    sys.exit(main())
