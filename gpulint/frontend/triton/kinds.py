"""What the uses of parameters say of them: pointers, descriptors, tuples, integers, flags.

Triton's parameters have no types in the source. A kernel is lowered until its parameters' kinds, which the
uses found by one lowering give to the next, no longer change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_POINTER = re.compile(r"(^|_)(ptrs?|pointers?)($|_)|ptrs?$|^ptr", re.IGNORECASE)


@dataclass
class Kinds:
    """`descriptors` by the number of their axes (0: not known yet); `items` by how many are named."""

    pointers: set[str] = field(default_factory=set)
    descriptors: dict[str, int] = field(default_factory=dict)
    items: dict[str, int] = field(default_factory=dict)
    fields: dict[str, set[str]] = field(default_factory=dict)
    integers: set[str] = field(default_factory=set)
    flags: set[str] = field(default_factory=set)
    factors: set[str] = field(default_factory=set)  # used as only a number can be
    texts: set[str] = field(default_factory=set)  # strings, types, functions
    wide: frozenset[str] = frozenset()  # integers of 64 bits, as the caller of the lowering says
    asserted: bool = True  # assertions of the kernel hold, likewise

    def point(self, roots: Iterable[str]) -> None:
        """One of the parameters is a pointer: the one named so, else the first that need not be a number."""
        found = [r for r in dict.fromkeys(roots) if r]
        if any(r in self.pointers for r in found):
            return
        likely = [r for r in found if _POINTER.search(r)]
        open_ = [r for r in found if r not in self.factors]
        for choice in (likely, open_, found):
            if choice:
                self.pointers.add(choice[0])
                return

    def state(self) -> tuple[object, ...]:
        """What must stay the same for another lowering to give the same result."""
        fields = {k: frozenset(v) for k, v in self.fields.items()}
        return (
            frozenset(self.pointers), frozenset(self.descriptors.items()), frozenset(self.items.items()),
            frozenset(fields.items()), frozenset(self.integers), frozenset(self.flags),
        )  # fmt: skip
