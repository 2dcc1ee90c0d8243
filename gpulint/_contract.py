"""The contract decorator: read by the checker from the source, and without effect when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

K = TypeVar("K")


def contract(**clauses: Any) -> Callable[[K], K]:
    """Declare what every launch of the kernel meets. Returns the kernel itself, unchanged.

    Clauses are keywords, for example `block=(256, 1, 1)` and `requires=["n <= x.size"]`. They are
    read from the source text by `gpulint check`; nothing is checked or attached at run time, so
    that a compiler's own kernel object passes through as it is.
    """

    def unchanged(kernel: K) -> K:
        return kernel

    return unchanged
