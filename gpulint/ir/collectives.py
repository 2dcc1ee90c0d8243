"""The collectives of a warp that are understood, and the lane that a shuffle reads."""

from __future__ import annotations

WARP = 32
SHUFFLES = ("shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync")
VOTES = ("all_sync", "any_sync", "eq_sync", "ballot_sync", "match_any_sync", "match_all_sync")
BALLOTS = ("ballot_sync", "match_any_sync")  # those that give lanes, as the bits of a signed integer
COLLECTIVES = frozenset((*SHUFFLES, *VOTES))


def source(name: str, lane: int, by: int) -> int:
    """The lane whose value the shuffle `name` gives to `lane`; a lane gets its own where it reaches too far.

    The hardware takes the distance (or the lane) modulo the size of a warp, and Numba shuffles whole warps.
    """
    by %= WARP
    there = {"shfl_sync": by, "shfl_up_sync": lane - by, "shfl_down_sync": lane + by}.get(name, lane ^ by)
    return there if 0 <= there < WARP else lane
