"""Points at which all that a question assumes holds and its goal does not: such a goal has no proof.

Every rung of the ladder is sound, so none proves what fails at a point where the facts are true; each only
finds that out after its last step. Points that served one question serve those like it. New ones are found
by local search, which starts where all that is known of the launch holds: a question then takes few moves.
Everything is counted in moves, and the same on every machine. No answer changes by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from gpulint.solver.point import Place, Point, Undefined
from gpulint.solver.repair import Move, moves
from gpulint.term import Bool

SEEDS = 3  # points to start with
KEPT = 24  # points of one kernel
STARTS = 2  # of one search where none is known for all facts
MOVES = 16  # from one start
FIRST_MOVES = 40  # to a point where all facts of a launch hold
GROUNDS = 3  # points for facts that others are looked for from
WIDTH = 5  # of one move: those that are tried
LOOKED = 40  # and those that are looked at
SPENT = 6000  # moves that are tried for one kernel
EARNED = 60  # more of them by a point that is found


class Points:
    """The points that served questions about one kernel, those that served last first."""

    def __init__(self) -> None:
        self.known = [Point({}, seed) for seed in range(SEEDS)]
        self.left = SPENT
        self._grounds: dict[frozenset[Bool], Point | None] = {}
        self._latest: list[Point] = []

    def meet(self, conditions: Sequence[Bool], facts: Sequence[Bool] = ()) -> bool:
        """Whether a point is known, or found, where all conditions hold; `facts` are among what they say."""
        return self.known_at(conditions) or self.sought(conditions, facts)

    def known_at(self, conditions: Sequence[Bool]) -> bool:
        """Whether all conditions hold at one of the points known."""
        for k, point in enumerate(self.known):
            if all(map(point.holds, conditions)):
                if k:
                    self.known.insert(0, self.known.pop(k))
                return True
        return False

    def sought(self, conditions: Sequence[Bool], facts: Sequence[Bool] = ()) -> bool:
        """Whether a point was found where all conditions hold, by moves from those known."""
        if self.left <= 0:
            return False
        ground = self.ground(facts) if facts else None
        for start in self.known[:STARTS] if ground is None else (ground,):
            point = self._repaired(start, conditions)
            if point is not None:
                point.before = None
                self.left += EARNED
                self.known.insert(0, point)
                del self.known[KEPT:]
                return True
        return False

    def ground(self, facts: Sequence[Bool]) -> Point | None:
        """A point where all facts of a launch hold, if one is found: from one for other facts, or anew."""
        key = frozenset(facts)
        if key not in self._grounds:
            starts = (*self._latest, *self.known[:STARTS])
            found = (self._repaired(start, facts, FIRST_MOVES) for start in starts if self.left > 0)
            point = next((p for p in found if p is not None), None)
            if point is not None:
                point.before = None
                self._latest = [point, *self._latest][:GROUNDS]
            self._grounds[key] = point
        return self._grounds[key]

    def _repaired(self, point: Point, conditions: Sequence[Bool], most: int = MOVES) -> Point | None:
        tried: set[Move] = set()
        touched: dict[Place, list[Bool]] = {}
        bad = [c for c in conditions if not point.holds(c)]
        for _ in range(most):
            if not bad:
                return point
            best: tuple[Point, list[Bool]] | None = None
            for place, value in self._ways(point, bad, tried):
                tried.add((place, value))
                self.left -= 1
                new = point.at(place, value)
                if place not in touched:
                    touched[place] = [c for c in conditions if new.differs(c)]
                left = [c for c in bad if not new.differs(c)]
                left += [c for c in touched[place] if not new.holds(c)]
                if best is None or len(left) < len(best[1]):
                    best = new, left
            if best is None or self.left < 0:
                return None
            point, bad = best
        return None if bad else point

    def _ways(self, point: Point, bad: Sequence[Bool], tried: set[Move]) -> list[Move]:
        """Untried moves for the first of the conditions that has any."""
        for c in bad:
            try:
                seen = dict.fromkeys(islice(moves(point, c), LOOKED))
            except (Undefined, ZeroDivisionError):
                continue
            found = [m for m in seen if m not in tried]
            if found:
                return found[:WIDTH]
        return []
