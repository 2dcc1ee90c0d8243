"""A text test that dismisses files without a kernel before anything is parsed.

False positives cost a parse. No false negatives: a file that defines a kernel or launches one as
`k[grid, block](...)` or `k.forall(n)` passes. Left out: a file that names no dialect and only
configures a kernel imported from elsewhere (`c = k[grid, block]`) for others to call.
"""

from __future__ import annotations

import re

_LAUNCH = re.compile(r"\]\s*\((?!https?:|#|\.{0,2}/)|\.forall\b")
_DECORATOR = re.compile(r"^[ \t]*@[^\n]*?(?:jit|kernel|device|gpu)", re.MULTILINE | re.IGNORECASE)
_CUTILE_ALIAS = re.compile(r"\bct\.(?:launch|kernel|function)\b")
_TRITON_ALIAS = re.compile(r"\btl\.|libentry")

NUMBA, TRITON, CUTILE = "numba", "triton", "cutile"


def dialects(text: str) -> frozenset[str]:
    """The dialects of "numba", "triton", "cutile" that the text may hold kernels or launches of."""
    lower = text.lower()
    cuda = "cuda" in lower
    found = set()
    if cuda or "numba" in lower:
        found.add(NUMBA)
    if "triton" in lower or _TRITON_ALIAS.search(text):
        found.add(TRITON)
    if "cutile" in lower or (cuda and "tile" in lower) or _CUTILE_ALIAS.search(text):
        found.add(CUTILE)
    if not found:
        if _DECORATOR.search(text):
            return frozenset((NUMBA, TRITON, CUTILE))
        if _LAUNCH.search(text):
            return frozenset((NUMBA, TRITON))
    return frozenset(found)
