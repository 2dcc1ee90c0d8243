"""Triton: a kernel's Python source to the kernel IR, for one element of each tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpulint.frontend.triton.driver import lower

__all__ = ["lower"]


def __getattr__(name: str) -> object:
    """Loads the lowering on first use, so that importing the package stays cheap."""
    if name == "lower":
        from gpulint.frontend.triton.driver import lower

        return lower
    raise AttributeError(name)
