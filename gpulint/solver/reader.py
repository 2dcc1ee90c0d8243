"""A model read back as a concrete launch, its points, and numbers under the user's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpulint.contract.bind import dynamic_width
from gpulint.dataflow.access import Access
from gpulint.frontend.host.site import Argument, HostArray, Scalar
from gpulint.interp.launch import ConcreteArray, ConcreteLaunch, Filled, Number, Point
from gpulint.ir import symbols as names
from gpulint.ir.nodes import Param
from gpulint.ir.types import BoolType, FloatType
from gpulint.solver import space
from gpulint.solver.filling import Known, filled, fitting
from gpulint.solver.model import Model
from gpulint.solver.setting import Setting
from gpulint.solver.space import AXES, Seen
from gpulint.term import Atom, Int, Scope, Sym, Unbound, bool_sym, evaluate, symbols
from gpulint.term.build import ZERO, of_atom

Triple = tuple[int, int, int]


class Reader:
    """One model in one setting; `seen` are the accesses of the one or two points it is about."""

    def __init__(self, s: Setting, model: Model, seen: Sequence[Seen]) -> None:
        self.s, self.model, self.seen = s, model, tuple(seen)
        self.known = model.known()
        self.counters = True
        self.unsaid = 1  # the extent of an array that the model does not speak of
        self.used: set[Sym] = set()  # by some access
        for a in s.accesses.accesses if s.tiles else ():
            self.used |= symbols(a.domain, *a.subscripts)

    def number(self, t: Int, default: int = 1) -> int:
        """The value of a term; a symbol that the model does not speak of takes the default."""
        env: dict[Atom, int] = {}
        for x in symbols(t):
            if x in self.known:
                env[x] = self.model.symbol(x)
            else:
                low = default if x.lo is None else max(x.lo, default)
                env[x] = low if x.hi is None else min(low, x.hi)
        try:
            return evaluate(t, env)
        except (Unbound, ZeroDivisionError):
            return default

    def _triple(self, terms: Sequence[Int]) -> Triple:
        x, y, z = (self.number(self.s.term(t)) for t in terms)
        return x, y, z

    def _sizes(self) -> tuple[Triple, Triple]:
        terms = ([f(a) for a in AXES] for f in (names.grid_size, names.block_size))
        grid, block = map(self._triple, terms)
        return grid, block

    def launched(self) -> bool:
        """Whether the sizes are those of a launch at all."""
        return min(min(x) for x in self._sizes()) >= 1

    def launch(
        self, fill: tuple[int | None, int | None] = (0, 0), unset: bool = False, counters: bool = True
    ) -> ConcreteLaunch | None:
        """The launch that the model describes, or None when it is no launch at all.

        Arrays that the model does not speak of hold `fill` everywhere: those that the kernel only reads its
        first number, those that it writes its second; None: scattered numbers. With `unset`, those that the
        host allocated without a value hold none. Without `counters`, what the model says of arrays that are
        written is passed over. Arrays that the host fills hold what it puts there.
        """
        self.counters = counters
        if not self.launched():
            return None
        grid, block = self._sizes()
        scalars: dict[str, Number | None] = {}
        arrays: dict[str, ConcreteArray] = {}
        for p in self.s.kernel.params:
            if p.is_array:
                made = self._array(p.name, fill[self._written(p.name)], unset)
                if made is None:
                    return None
                arrays[p.name] = made
            else:
                scalars[p.name] = self._scalar(p)
        return ConcreteLaunch(grid, block, arrays, scalars, dynamic_shared=self._dynamic())

    def counts(self) -> bool:
        """Whether the model says what an array holds that the kernel writes."""
        return any(self._written(p.name) and self.model.tells(p.name) for p in self.s.kernel.params)

    def _scalar(self, p: Param) -> Number:
        """The model's number; for a float, which no model speaks of, the launch's own or else one."""
        arg = self.s.site.arguments.get(p.name) if self.s.site is not None else None
        given = arg if isinstance(arg, Scalar) else None
        if isinstance(p.type, FloatType) or (given is not None and isinstance(given.type, FloatType)):
            return given.real if given is not None and given.real is not None else 1.0
        if isinstance(p.type, BoolType):
            return self._flag(p)
        return self.number(self.s.term(names.scalar(p)))

    def _flag(self, p: Param) -> int:
        """A boolean parameter: as the host code computes it, else as the model has it."""
        (flag,) = symbols(bool_sym(p.name))
        given = self.s.binding.mapping.get(flag) if self.s.binding is not None else None
        if given is not None:
            return self.number(given)
        return self.model.symbol(flag) if self.model.speaks_of(flag) else 1

    def _dynamic(self) -> int:
        """Bytes of dynamic shared memory: enough for the largest array of it."""
        made = ((a, dynamic_width(a)) for a in self.s.accesses.arrays.values())
        return max((self.number(self.s.term(a.extents[0])) * width for a, width in made if width), default=0)

    def _written(self, name: str) -> bool:
        array = self.s.accesses.arrays.get(name)
        return array is not None and array.written

    def _array(self, name: str, fill: int | None, unset: bool) -> ConcreteArray | None:
        array = self.s.accesses.arrays.get(name)
        shape = tuple(self.number(self.s.term(e), self.unsaid) for e in array.extents) if array else (1,)
        if not shape and not any(a.array.name == name for a in self.s.accesses.accesses):
            total = self.number(self.s.term(names.size(name, None)), self.unsaid)
            shape = (total,)  # only its size is ever asked for
        told = self.model.tells(name) and (self.counters or not self._written(name))
        initial = self.model.contents(name, len(shape)) if told else filled(fill, shape)
        arg = self.s.site.arguments.get(name) if self.s.site is not None else None
        buffer, start = self._place(name)
        if unset and isinstance(arg, HostArray) and arg.initialised is False:
            return ConcreteArray(shape, Filled(None), buffer, start=start)
        known = self._known(name)
        contents = fitting(known, shape, initial) if known is not None else initial
        return ConcreteArray(shape, contents, buffer, start=start) if contents is not None else None

    def _known(self, name: str) -> Known | None:
        """What the host says of the elements of an array, in the model's numbers."""
        said = self.s.binding.elements.get(name) if self.s.binding is not None else None
        if said is None:
            return None
        low, high = (self.number(t, 0) if t is not None else None for t in (said.low, said.high))
        return Known(low, high, bool(said.injective), bool(said.sorted))

    def _place(self, name: str) -> tuple[str, int]:
        """The buffer that an array argument is in, and where it begins; one of its own if none is known."""
        args = self.s.site.arguments if self.s.site is not None else {}
        mine = args.get(name)
        start = _start(mine)
        if not isinstance(mine, HostArray) or start is None:
            return "", 0
        others = [a for p, a in args.items() if p != name and isinstance(a, HostArray)]
        if not any(a.buffer == mine.buffer and _start(a) is not None for a in others):
            return "", 0
        return mine.buffer, self.number(self.s.binding.host(start) if self.s.binding else start)

    def tile(self, access: Access | None) -> int | None:
        """How many axes the tile of an access has; None in a kernel of threads."""
        return (len(access.lanes) if access is not None else 0) if self.s.tiles else None

    def points(self, block: Triple) -> tuple[Point, ...]:
        """The points of the model, one for each access that it is about."""
        return tuple(self._point(i + 1, block, seen) for i, seen in enumerate(self.seen))

    def _point(self, side: int, block: Triple, seen: Seen) -> Point:
        b, t = [0, 0, 0], [0, 0, 0]
        for axis in AXES:
            if axis in seen.axes:
                b[axis], t[axis] = divmod(self._local(space.gid(axis), side), block[axis])
            else:
                b[axis] = self._local(names.block(axis), side)
                t[axis] = self._local(names.thread(axis), side)
        return (b[0], b[1], b[2]), (t[0], t[1], t[2])

    def _local(self, t: Int, side: int) -> int:
        return self.number(t if len(self.seen) == 1 else space.twin(t, side), 0)

    def names(self) -> Mapping[str, int]:
        """The numbers under the user's names: host symbols at a site, else the kernel's own."""
        out: dict[str, int] = {}
        scalars = (p for p in self.s.kernel.params if not p.is_array and not isinstance(p.type, BoolType))
        own = {names.scalar(p) for p in scalars if isinstance(self._scalar(p), int)}
        extents = [e for es in space.param_extents(self.s.kernel, self.s.accesses) for e in es]
        for t in sorted({*own, *extents}, key=str):
            if self.s.site is None:
                if symbols(t) & self.known:
                    out[str(t)] = self.number(t)
                continue
            for x in symbols(self.s.term(t)) & self.known:
                out[x.name] = self.number(of_atom(x))
        return dict(sorted(out.items()))

    def values(self, point: Point) -> Mapping[str, int]:
        """The parts of the index at a point, as numbers."""
        out: dict[str, int] = {}
        for p in self.s.kernel.params if self.s.tiles else ():
            if not p.constexpr:
                continue
            if isinstance(p.type, BoolType) and symbols(bool_sym(p.name)) & self.used:
                out[p.name] = int(self._flag(p))
            elif symbols(names.scalar(p)) & self.used:
                out[p.name] = self.number(self.s.term(names.scalar(p)))
        for seen in self.seen[:1]:
            if not isinstance(seen.source, Access):
                continue
            for axis, letter in enumerate(names.AXES):
                used = {x.name for t in seen.source.subscripts for x in symbols(t)}
                if f"blockIdx.{letter}" in used:
                    out[f"blockIdx.{letter}"] = point[0][axis]
                if f"threadIdx.{letter}" in used:
                    out[f"threadIdx.{letter}"] = point[1][axis]
            for loop in seen.source.loops:
                if loop.value is not None and loop.name:
                    t = self.s.term(loop.value)
                    if all(x.scope in (Scope.LAUNCH, Scope.LOOP) for x in symbols(t)):
                        out[loop.name] = self.number(t, 0)
        return out

    def trips(self) -> tuple[Mapping[str, int], ...]:
        """The loop counters at each point."""
        out = []
        for i, seen in enumerate(self.seen):
            loops = getattr(seen.source, "loops", ())
            out.append({x.name or "loop": self._local(of_atom(x.counter), i + 1) for x in loops})
        return tuple(out)


def _start(a: Argument | None) -> Int | None:
    """How many elements of its buffer lie before an array argument, where that is known."""
    if not isinstance(a, HostArray):
        return None
    return ZERO if a.whole else a.start
