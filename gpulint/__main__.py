"""`python -m gpulint`."""

from __future__ import annotations

import sys

from gpulint.cli.main import main

if __name__ == "__main__":  # worker processes import this module again
    sys.exit(main())
