"""Launches in functions that are too long to follow: named, with nothing known of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.site import LaunchSite
from gpulint.source.model import KernelSource, Scope

WHY = "the function that launches is too long to follow"


def unfollowed(m: Machine, node: ast.AST, scope: Scope) -> Iterator[LaunchSite]:
    """A site for each call `kernel[...](...)` of the function that was not reached.

    Only names that the project resolves to a kernel count; nothing is claimed of such a launch.
    """
    reached = {f.site.span for f in m.found}
    for n in ast.walk(node):
        if not isinstance(n, ast.Call) or not isinstance(n.func, ast.Subscript):
            continue
        span = m.module.span(n)
        kernel = _kernel(m, n.func.value, scope)
        if kernel is not None and span not in reached:
            row = getattr(kernel.node, "lineno", 0)
            yield LaunchSite(
                kernel.qualname, span, None, None, {}, exact=False, notes=(WHY,), function=scope.qualname,
                kernel_file=kernel.module.filename, kernel_row=row,
            )  # fmt: skip


def _kernel(m: Machine, expr: ast.expr, scope: Scope) -> KernelSource | None:
    for b in m.project.definitions(expr, scope):
        found = m.kernels.get(id(b.node))
        if found is not None and found.device is not True:
            return found
    return None
