"""What a compilation can end with besides an artifact."""

from __future__ import annotations

from gpulint.ir.span import NOWHERE, Span


class CompileError(Exception):
    """The kernel cannot be compiled as asked. `hint`: what the user can do about it."""

    def __init__(self, reason: str, span: Span = NOWHERE, hint: str = "") -> None:
        super().__init__(reason)
        self.reason, self.span, self.hint = reason, span, hint

    def __str__(self) -> str:
        at = f"{self.span.filename}:{self.span.row}: " if self.span != NOWHERE else ""
        return f"{at}{self.reason}" + (f" ({self.hint})" if self.hint else "")


class Unproved(CompileError):
    """The kernel is not verified: nothing is compiled. `status` is the kernel's."""

    def __init__(self, reason: str, status: str, span: Span = NOWHERE, hint: str = "") -> None:
        super().__init__(reason, span, hint)
        self.status = status


class MissingTool(CompileError):
    """Something that is not part of gpulint is needed: llvmlite, libdevice, ptxas."""
