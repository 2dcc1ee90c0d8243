"""Clauses over parameters, shapes, strides, block, grid and device: parse, print, infer, satisfy.

The decorator has the same name, `gpulint.contract`: so the package can be called, and the decorator
works whether or not this package was imported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

from gpulint._contract import contract

K = TypeVar("K")


class _Package(ModuleType):
    def __call__(self, **clauses: Any) -> Callable[[K], K]:
        return contract(**clauses)


sys.modules[__name__].__class__ = _Package
