"""PTX read back: what was emitted must still be the kernel that was proved.

Code generation has been seen elsewhere to duplicate a barrier or to lose a check. So the text is read again:
the entry is there once, with the directives of the contract; barriers are as many as the kernel's statements,
no more (a copy in each arm of a branch would be met by different threads apart), unless a loop that holds one
was written out; and no barrier stands under a predicate of its own.
"""

from __future__ import annotations

import re

from gpulint.compile.error import CompileError
from gpulint.compile.geometry import Geometry
from gpulint.ir import nodes as n
from gpulint.ir.walk import statements, walk

_BARRIER = re.compile(r"^\s*(@!?%p\d+\s+)?(bar\.sync|barrier\.sync|bar\.red|barrier\.cta|bar\.warp)\b")


def check(text: str, name: str, kernel: n.Kernel, geometry: Geometry) -> None:
    """Raise CompileError when the PTX does not hold what the kernel has."""
    problem = _entry(text, name, geometry) or _barriers(text, kernel)
    if problem:
        raise CompileError(f"the PTX that was made is not as proved: {problem}", kernel.header)


def _entry(text: str, name: str, geometry: Geometry) -> str:
    entries = re.findall(r"^\.visible \.entry ([\w$]+)\(", text, re.MULTILINE)
    if entries.count(name) != 1:
        return f"the entry `{name}` is there {entries.count(name)} times"
    if geometry.block is not None and f".reqntid {', '.join(map(str, geometry.block))}" not in text:
        return "the directive of the block size is missing"
    least = geometry.limits.get("min_blocks")
    if least is not None and f".minnctapersm {least}" not in text:
        return "the directive of the blocks a multiprocessor is missing"
    return ""


def barriers(text: str) -> tuple[int, int]:
    """(barriers of blocks and warps, those of them under a predicate) in a PTX text."""
    found = [m for line in text.splitlines() if (m := _BARRIER.match(line))]
    return len(found), sum(1 for m in found if m.group(1))


def _barriers(text: str, kernel: n.Kernel) -> str:
    held = [s for s in statements(kernel.body) if isinstance(s, n.Barrier) and s.orders]
    wanted = sum({"block": 1, "warp": 1, "grid": 2}.get(s.kind, 0) for s in held)
    loops = [s for s in statements(kernel.body) if isinstance(s, (n.For, n.While))]
    looped = any(isinstance(s, n.Barrier) for loop in loops for s in walk(loop))
    found, guarded = barriers(text)
    if guarded:
        return f"{guarded} barriers stand under a predicate"
    if found > wanted and not looped:
        return f"{found} barriers for {wanted} in the kernel"
    return ""
