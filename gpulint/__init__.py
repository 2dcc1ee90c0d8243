"""gpulint proves what ownership rules would prove of GPU kernels written in Python.

Importing the package pulls nothing heavy: production code may import it for the decorator alone.
"""

from __future__ import annotations

from gpulint._contract import contract

__version__ = "0.1.0"
__all__ = ["__version__", "contract"]
