"""A verified kernel to LLVM IR and PTX.

`gpulint.compile` is also the function for programs: this package can be called the same way, whether or not
it was imported before.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Package(ModuleType):
    def __call__(self, kernel: Any, **options: Any) -> Any:
        from gpulint._compiling import compile_function

        return compile_function(kernel, **options)


sys.modules[__name__].__class__ = _Package
