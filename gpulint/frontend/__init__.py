"""Dialects: kernel source to the kernel IR, host code to launch sites. One folder a dialect."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from gpulint.ir.nodes import Kernel
    from gpulint.source.model import KernelSource
    from gpulint.source.resolve import Project


def lower(source: KernelSource, project: Project) -> Kernel:
    """The kernel IR of a kernel, by the frontend of its dialect, which is imported on first use."""
    frontend = import_module(f"gpulint.frontend.{source.dialect}")
    return cast("Kernel", frontend.lower(source, project))
