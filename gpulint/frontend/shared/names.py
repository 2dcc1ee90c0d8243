"""Readable names that are unique within one kernel: `f.x`, `f.x.2`."""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def reserve(self, names: Iterable[str]) -> None:
        for name in names:
            self._next.setdefault(name, 2)

    def unique(self, base: str) -> str:
        """`base` itself when it is free, else the first free of `base.2`, `base.3`, ..."""
        if base not in self._next:
            self._next[base] = 2
            return base
        while True:
            name = f"{base}.{self._next[base]}"
            self._next[base] += 1
            if name not in self._next:
                self._next[name] = 2
                return name

    def release(self, name: str) -> None:
        """Frees the name that was given out last."""
        self._next.pop(name, None)
        base, _, number = name.rpartition(".")
        if number.isdigit() and self._next.get(base) == int(number) + 1:
            self._next[base] -= 1

    def snapshot(self) -> dict[str, int]:
        return dict(self._next)

    def restore(self, state: dict[str, int]) -> None:
        self._next = state
