"""gpulint proves what ownership rules would prove of GPU kernels written in Python.

Importing the package pulls nothing at all: production code may import it for the decorator alone.
"""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["__version__", "contract"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpulint._contract import contract


def __getattr__(name: str) -> object:
    """`gpulint.contract`, the decorator, on first use.

    Once the package `gpulint.contract` is imported, that is what the attribute names; it can be
    called just the same.
    """
    if name == "contract":
        from gpulint._contract import contract

        return contract
    raise AttributeError(f"module 'gpulint' has no attribute {name!r}")
