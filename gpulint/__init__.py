"""gpulint proves what ownership rules would prove of GPU kernels written in Python.

Importing the package pulls nothing at all: production code may import it for the decorator alone.
"""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["__version__", "compile", "contract", "prepare", "unsafe_launch"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpulint import compile as compile
    from gpulint._compiling import prepare, unsafe_launch
    from gpulint._contract import contract


def __getattr__(name: str) -> object:
    """`gpulint.contract`, the decorator, `gpulint.compile` and `gpulint.prepare`, on first use.

    Once a package of such a name is imported, that is what the attribute names; it can be called just the
    same.
    """
    if name == "contract":
        from gpulint._contract import contract

        return contract
    if name == "compile":
        from importlib import import_module

        return import_module("gpulint.compile")
    if name in ("prepare", "unsafe_launch"):
        from gpulint import _compiling

        return getattr(_compiling, name)
    raise AttributeError(f"module 'gpulint' has no attribute {name!r}")
