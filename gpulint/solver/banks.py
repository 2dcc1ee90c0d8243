"""Bank conflicts of shared memory: how many turns one access of a warp takes.

Shared memory lies in 32 banks, four bytes wide, word `w` in bank `w % 32`. The lanes of a warp that ask one
bank for different words take turns; lanes that ask for the same word share it. Elements of eight bytes are
fetched for half a warp at a time, those of sixteen for a quarter.

Only the distances of the lanes are needed: what all lanes add alike moves all of them to other banks
together. Nothing is said where a distance is not a number. In a loop the first iterations are looked at.
Lanes whose guard is plainly false take no part.
Source: CUDA programming guide, "Shared Memory" of compute capability 5.x and later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from gpulint.dataflow.access import Access
from gpulint.interp.values import itemsize
from gpulint.ir import symbols as names
from gpulint.solver.space import WARP, atom_of
from gpulint.term import FALSE, ZERO, Atom, Bool, Int, add, const, mul, sub, subst, symbols

BANKS, WIDTH = 32, 4  # banks, and bytes of a word
SEVERE = 4  # turns
ROUNDS = 6  # iterations of a loop that are looked at
Shape = tuple[int, int, int]


def turns(a: Access, block: Shape) -> int:
    """How many turns an access of shared memory takes for the first warp of a block, 1 where not known.

    Two or three count only where at least half of the lanes wait for another: a single pair of lanes in one
    bank, as at the seam of two rows, is no pattern.
    """
    size, place = itemsize(a.array.element), _flat(a)
    if a.array.space != "shared" or size is None or place is None:
        return 1
    known = [_turns(lanes, size) for lanes in _lanes(a, place, block)]
    return max(known, default=1)


def _flat(a: Access) -> Int | None:
    """The element counted in row-major order; the array's inner extents must be numbers."""
    out, row = ZERO, 1
    for subscript, extent in zip(reversed(a.subscripts), reversed(a.array.extents), strict=True):
        out = add(out, mul(subscript, row))
        if extent.value is None:
            row = 0
        row *= extent.value or 0
    inner = a.array.extents[1:]
    return out if all(e.value is not None for e in inner) and a.subscripts else None


def _lanes(a: Access, place: Int, block: Shape) -> Iterator[Mapping[int, int]]:
    """For each iteration looked at, how far each lane that takes part is from the first one."""
    sizes: dict[Atom, Int | Bool] = {atom_of(names.block_size(k)): const(n) for k, n in enumerate(block)}
    place, guard = subst(place, sizes), subst(a.guard, sizes)
    counters = [loop.counter for loop in a.loops if loop.counter in symbols(place, guard)]
    rounds = range(ROUNDS) if counters else (0,)
    for k in rounds:
        now: dict[Atom, Int | Bool] = {c: const(k) for c in counters}
        lanes = _distances(subst(place, now), subst(guard, now), block)
        if lanes:
            yield lanes


def _distances(place: Int, guard: Bool, block: Shape) -> dict[int, int]:
    """Each active lane's distance in elements from the first; empty when one is not a number."""
    out: dict[int, int] = {}
    first: Int | None = None
    for lane in range(min(WARP, block[0] * block[1] * block[2])):
        at = _thread(lane, block)
        if subst(guard, at) == FALSE:
            continue
        here = subst(place, at)
        first = here if first is None else first
        distance = sub(here, first).value
        if distance is None:
            return {}
        out[lane] = distance
    return out


def _thread(number: int, block: Shape) -> dict[Atom, Int | Bool]:
    """The coordinates of a thread of the block."""
    x, y, _ = block
    coordinates = (number % x, number // x % y, number // (x * y))
    return {atom_of(names.thread(axis)): const(c) for axis, c in enumerate(coordinates)}


def _turns(lanes: Mapping[int, int], size: int) -> int:
    """The most words that one bank is asked for at a time."""
    together = WARP if size <= WIDTH else WARP * WIDTH // size
    most, waiting = 1, 0
    for start in range(0, WARP, together):
        words: dict[int, set[int]] = defaultdict(set)
        for lane, distance in lanes.items():
            if start <= lane < start + together:
                for word in _words(distance * size, size):
                    words[word % BANKS].add(word)
        most = max(most, *map(len, words.values())) if words else most
        waiting += sum(len(asked) for asked in words.values() if len(asked) > 1)
    each = max(1, size // WIDTH)  # words of an element
    return most if most >= SEVERE or 2 * waiting >= len(lanes) * each else 1


def _words(byte: int, size: int) -> Sequence[int]:
    return range(byte // WIDTH, (byte + size - 1) // WIDTH + 1)
