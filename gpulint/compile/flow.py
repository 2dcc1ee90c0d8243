"""The control flow of one entry of a PTX text: what decides that a block runs, and on what that hangs.

What decides is read as compilers have it: a branch decides for a block when one of its ways leads there for
sure and another may miss it (control dependence). What a value hangs on is followed through registers,
without an order of the definitions, and through the branches that choose between several: too much rather
than too little.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

Way = tuple[int, bool | None]  # a block that ends in a branch; whether what it looks at holds on the way
MEMORY = "memory"  # a leaf: something that was loaded
THREAD = frozenset(("tid.x", "tid.y", "tid.z"))  # what the number of a lane is made of
ANY = "*"  # a leaf: what is not followed (memory of the thread's own, results of calls)
_ENTRY = re.compile(r"^\.visible \.entry ([\w$]+)\(", re.MULTILINE)
_LABEL = re.compile(r"^(\$L__BB[\w$]+):")
_LOC = re.compile(r"^\s*\.loc\s+\d+\s+(\d+)\s+(\d+)")
_STEP = re.compile(r"(?:@(!?%p\d+)\s+)?(?<![\w.%$])([a-z][\w.:]*)(?:\s+([^;]*))?;")
_REGISTER = re.compile(r"%[a-z]+\d+\b")
_SPECIAL = re.compile(r"%(?:ctaid|tid)\.[xyz]")
_FIRST = re.compile(r"\s*(\{[^}]*\}|[^,]*)")
_ADDRESS = re.compile(r"\[([^\]]*)\]")
_NO_RESULT = ("st", "red", "bra", "brx", "bar", "barrier", "membar", "fence", "call", "nanosleep")
_ENDS = ("ret", "exit", "trap")


@dataclass(frozen=True)
class Step:
    """One instruction. `place`: row and column of the source, zero where they are not known.

    `predicate` is written as in the text: `%p1`, `!%p1`, or nothing.
    """

    block: int
    place: tuple[int, int]
    predicate: str
    op: str
    text: str

    @property
    def kind(self) -> str:
        return self.op.partition(".")[0]

    @property
    def address(self) -> str:
        """What stands in brackets: the address of an access."""
        found = _ADDRESS.search(self.text)
        return found.group(1).strip() if found else ""

    @property
    def results(self) -> frozenset[str]:
        if self.kind in _NO_RESULT:
            return frozenset()
        found = _FIRST.match(self.text)
        return frozenset(_REGISTER.findall(found.group(1))) if found else frozenset()

    @property
    def operands(self) -> frozenset[str]:
        """The registers that it reads, its predicate included."""
        rest = self.text if self.kind in _NO_RESULT else self.text[_first(self.text) :]
        return frozenset(_REGISTER.findall(f"{self.predicate} {rest}"))


def _first(text: str) -> int:
    found = _FIRST.match(text)
    return found.end() if found else 0


class Flow:
    """One entry. Blocks are numbered in the order of the text, from 0 where it starts; sets are integers."""

    def __init__(self, name: str, body: str) -> None:
        self.name = name
        self.steps: list[Step] = []
        self.after: list[set[int]] = []
        self.taken: dict[int, tuple[str, int]] = {}  # where a block goes when the predicate holds
        self._read(body)

    # --- reading

    def _read(self, body: str) -> None:
        labels: dict[str, int] = {}
        jumps: list[tuple[Step, str]] = []
        tables = re.findall(r"^(\$L_\w+):\s*\.branchtargets\s*([^;]*);", body, re.MULTILINE | re.DOTALL)
        lists = {table: re.findall(r"\$L__BB[\w$]+", given) for table, given in tables}
        place, falls = (0, 0), False
        self.after.append(set())
        for line in body.splitlines():
            line = line.partition("//")[0]
            if found := _LABEL.match(line):
                self._start(falls or not self.steps)
                labels[found.group(1)], falls = len(self.after) - 1, True
            elif found := _LOC.match(line):
                place = (int(found.group(1)), int(found.group(2)))
            for predicate, op, text in _STEP.findall(line) if not line.lstrip().startswith(".") else ():
                step = Step(len(self.after) - 1, place, predicate, op, text)
                self.steps.append(step)
                falls = True
                if step.kind not in ("bra", "brx", *_ENDS):
                    continue
                for target in re.findall(r"\$L_[\w$]+", text):
                    jumps += [(step, to) for to in lists.get(target, [target])]
                falls = bool(predicate)
                if step.kind in _ENDS:
                    self.after[-1].add(-1)
                self._start(falls)
        for step, label in jumps:
            self.after[step.block].add(labels.get(label, -1))
            if step.predicate:
                self.taken[step.block] = (step.predicate, labels.get(label, -1))

    def _start(self, falls: bool) -> None:
        if falls:
            self.after[-1].add(len(self.after))
        self.after.append(set())

    # --- which blocks decide for which

    @cached_property
    def reached(self) -> int:
        """The blocks that control can come to."""
        seen, stack = 1, [0]
        while stack:
            for b in self.after[stack.pop()]:
                if b >= 0 and not seen >> b & 1:
                    seen |= 1 << b
                    stack.append(b)
        return seen

    @cached_property
    def dominators(self) -> list[int]:
        """Of each block, those that control has always been in before (itself included)."""
        before: list[set[int]] = [set() for _ in self.after]
        for a, following in enumerate(self.after):
            if self.reached >> a & 1:
                for b in following:
                    if b >= 0:
                        before[b].add(a)
        return _fixed(before, {0})

    @cached_property
    def followers(self) -> list[int]:
        """Of each block, those that control always comes to from there (itself included)."""
        ends = {b for b, following in enumerate(self.after) if -1 in following or not following}
        return _fixed([{b for b in following if b >= 0} for following in self.after], ends)

    @cached_property
    def deciders(self) -> list[frozenset[int]]:
        """Of each block, the blocks whose branch decides directly whether it runs."""
        out: list[set[int]] = [set() for _ in self.after]
        for u, following in enumerate(self.after):
            if len(following) < 2 or not self.reached >> u & 1:
                continue
            sure = 0
            for v in following:
                sure |= self.followers[v] if v >= 0 else 0
            decided = sure & ~(self.followers[u] & ~(1 << u))
            for b in range(len(self.after)):
                if decided >> b & 1:
                    out[b].add(u)
        return [frozenset(s) for s in out]

    def decides(self, block: int) -> frozenset[Way]:
        """The branches that decide, at some remove, whether control comes to this block at first.

        A branch that control can only come to by way of this block decides nothing of its first run: those of
        a loop around it which are asked at the end of each trip, and those that an access was moved above.
        """
        found: set[Way] = set()
        stack = [block]
        done: set[int] = set()
        while stack:
            at = stack.pop()
            for u in self.deciders[at]:
                if self.dominators[u] >> block & 1:
                    continue
                found.add((u, self._held(u, at)))
                if u not in done:
                    done.add(u)
                    stack.append(u)
        return frozenset(found)

    def _held(self, u: int, block: int) -> bool | None:
        """Whether what the branch of `u` looks at holds where it leads to the other; None: not known."""
        if u not in self.taken:
            return None
        predicate, target = self.taken[u]
        ways = [v for v in self.after[u] if v >= 0 and self.followers[v] >> block & 1]
        return (ways[0] == target) != predicate.startswith("!") if len(ways) == 1 else None

    # --- what values hang on

    @cached_property
    def made(self) -> dict[str, list[Step]]:
        out: dict[str, list[Step]] = {}
        for s in self.steps:
            for r in s.results:
                out.setdefault(r, []).append(s)
        return out

    @cached_property
    def tests(self) -> dict[int, frozenset[str]]:
        """What the branches at the end of each block look at."""
        return {s.block: s.operands for s in self.steps if s.kind in ("bra", "brx") or s.kind in _ENDS}

    def asked(self, block: int, predicate: str) -> tuple[frozenset[str], frozenset[str]]:
        """The leaves of conditions that hold for sure where a block runs, and of those of which one may hold.

        `predicate`: that of an instruction in it, or nothing.
        """
        known: list[tuple[str, bool | None]] = [
            (r, held) for u, held in self.decides(block) for r in self.tests.get(u, ())
        ]
        if predicate:
            known.append((predicate.lstrip("!"), not predicate.startswith("!")))
        return self._surely(known)

    def _surely(self, known: list[tuple[str, bool | None]]) -> tuple[frozenset[str], frozenset[str]]:
        """Conjunctions are taken apart where they hold, disjunctions where they do not."""
        sure, either = set(), set()
        seen = set(known)
        stack = list(seen)
        while stack:
            register, held = stack.pop()
            made = self.made.get(register, [])
            op = made[0].op if len(made) == 1 and held is not None else ""
            if op == "not.pred" or op == ("and.pred" if held else "or.pred"):
                new = {(r, held != (op == "not.pred")) for r in made[0].operands} - seen
                seen |= new
                stack += new
            elif op in ("and.pred", "or.pred"):
                either.add(register)
            else:
                sure.add(register)
        return self.leaves(sure), self.leaves(either)

    def leaves(self, registers: Iterable[str], chosen: bool = True) -> frozenset[str]:
        """What the registers hang on: parameters by number, coordinates (`tid.x`), MEMORY and ANY.

        `chosen`: through the branches too that choose between several definitions.
        """
        out: set[str] = set()
        seen = set(registers)
        stack = list(seen)
        while stack:
            steps = self.made.get(stack.pop(), [])
            more: set[str] = set()
            for s in steps:
                out |= self._leaves(s)
                more |= s.operands
                if chosen and len(steps) > 1:
                    more |= {r for u, _ in self.decides(s.block) for r in self.tests.get(u, ())}
            stack += more - seen
            seen |= more
        return frozenset(out)

    def _leaves(self, s: Step) -> set[str]:
        out = {r[1:] for r in _SPECIAL.findall(s.text)}
        if "%lane" in s.text or "%warpid" in s.text:
            out |= THREAD
        if s.op.startswith("ld.param"):
            mark, _, number = s.address.partition("+")[0].rpartition("_")
            out.add(number if mark == f"{self.name}_param" else ANY)
        elif s.kind in ("ld", "ldu", "atom", "tex", "surf"):
            out.add(ANY if ".local" in s.op else MEMORY)
        return out


def _fixed(sources: list[set[int]], first: set[int]) -> list[int]:
    """The largest sets that hold the block itself and what all of its sources hold; `first` have none."""
    full = (1 << len(sources)) - 1
    out = [1 << b if b in first else full for b in range(len(sources))]
    changed = True
    while changed:
        changed = False
        for b, around in enumerate(sources):
            if b in first or not around:
                continue
            held = full
            for a in around:
                held &= out[a]
            held |= 1 << b
            changed, out[b] = changed or held != out[b], held
    return out


def entries(text: str) -> list[Flow]:
    """The entries of a PTX text."""
    out = []
    for found in _ENTRY.finditer(text):
        start = text.find("\n{", found.end())
        end = text.find("\n}", start)
        out.append(Flow(found.group(1), text[start:end]))
    return out
