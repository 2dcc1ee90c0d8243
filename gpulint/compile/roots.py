"""What the array names of a kernel may stand for."""

from __future__ import annotations

from gpulint.ir import nodes as n
from gpulint.ir.walk import statements


def roots(kernel: n.Kernel) -> dict[str, frozenset[str]]:
    """For each array name, the parameters and allocations that it may stand for."""
    found = {p.name: frozenset((p.name,)) for p in kernel.params if p.is_array}
    moves: list[n.View | n.Alias] = []
    for s in statements(kernel.body):
        if isinstance(s, n.Alloc):
            found[s.target] = found.get(s.target, frozenset()) | {s.target}
        elif isinstance(s, (n.View, n.Alias)):
            moves.append(s)
    for _ in range(len(moves) + 1):
        before = dict(found)
        for s in moves:
            own = found.get(s.target, frozenset())
            found[s.target] = own | found.get(s.array, frozenset())
        if before == found:
            break
    return found
