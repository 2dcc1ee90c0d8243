"""The checks of a launch. Each raises its own error; the order is from what costs least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

from gpulint.compile.records import Record
from gpulint.compile.signature import ArraySpec, ScalarSpec
from gpulint.compile.tile.signature import NumberSpec, PointerSpec
from gpulint.contract.clause import QUANTIFIED, Clause
from gpulint.contract.limits import DeviceLimits
from gpulint.interp.environment import Environment
from gpulint.ir import symbols
from gpulint.ir.symbols import AXES
from gpulint.ir.types import BoolType, FloatType, IntType
from gpulint.runtime import errors as e
from gpulint.runtime.arrays import CODES, Device, dtype_of
from gpulint.runtime.plan import Argument, Plan, Second
from gpulint.term import Int, Sym, evaluate, holds

Dims = tuple[int, int, int]
Number = int | float | bool
INT32, NON_EMPTY = "int32-sizes", "non-empty"
PER_THREAD = 2  # CU_STREAM_PER_THREAD
MOST = 2**31 - 2**20  # elements of an array, threads along an axis: `solver.options.ASSUMPTIONS`
CONTENTS = ("injective", "sorted", "within", "above")


def dims(given: int | Sequence[int], what: str) -> Dims:
    """A grid or block as three sizes."""
    wrong, zero = (e.BlockRank, e.BlockZero) if what == "block" else (e.GridRank, e.GridZero)
    parts = (given,) if isinstance(given, int) else tuple(given)
    if not 1 <= len(parts) <= 3 or not all(isinstance(p, int) for p in parts):
        raise wrong(f"a {what} has one to three sizes, not {given!r}")
    x, y, z = (*parts, *[1] * (3 - len(parts)))
    for axis, size in zip(AXES, (x, y, z), strict=True):
        if size < 1:
            raise zero(f"{what}.{axis} is {size}; it must be at least 1")
    return x, y, z


def geometry(plan: Plan, limits: DeviceLimits, grid: Dims, block: Dims, shared: int) -> None:
    """The launch against the device's limits and the contract's fixed sizes."""
    for axis in range(3):
        if block[axis] > limits.block[axis]:
            top = limits.block[axis]
            raise e.BlockAxisTooLarge(f"block.{AXES[axis]} is {block[axis]}; {limits.arch} takes {top}")
        if grid[axis] > limits.grid[axis]:
            top = limits.grid[axis]
            raise e.GridAxisTooLarge(f"grid.{AXES[axis]} is {grid[axis]}; {limits.arch} takes {top}")
        count = grid[axis] * (1 if plan.tile else block[axis])
        if INT32 in plan.assume and count > MOST:
            what = "programs" if plan.tile else "threads"
            raise e.LaunchTooLarge(f"{count} {what} along {AXES[axis]}; the proof assumes at most {MOST}")
    threads = block[0] * block[1] * block[2]
    if threads > limits.threads:
        raise e.TooManyThreads(f"{threads} threads a block; {limits.arch} takes {limits.threads}")
    if plan.block is not None and block != plan.block:
        raise e.BlockDiffers(f"block is {block}; the contract fixes {plan.block}")
    _shared(plan, limits, shared)
    _device(plan, limits, grid)


def block_of(plan: Plan, given: int | Sequence[int] | None, shared: int) -> Dims:
    """The block of a launch: as given, or, of a Triton kernel, that for which the code was made."""
    if not plan.tile:
        if given is None:
            raise e.BlockRank("a block has one to three sizes; none is given")
        return dims(given, "block")
    if given is not None or shared:
        raise e.BlockRank("a Triton kernel takes neither a block nor shared memory: both are its own")
    assert plan.block is not None
    return plan.block


def _shared(plan: Plan, limits: DeviceLimits, shared: int) -> None:
    if shared < 0:
        raise e.SharedNegative(f"{shared} bytes of dynamic shared memory; it must be at least 0")
    if plan.static_shared > limits.static_shared:
        top = limits.static_shared
        raise e.StaticSharedTooLarge(f"{plan.static_shared} bytes of static shared memory; a block has {top}")
    whole = plan.static_shared + shared
    if whole > limits.opt_in_shared:
        top = limits.opt_in_shared
        raise e.SharedTooLarge(
            f"{plan.static_shared} + {shared} bytes of shared memory; {limits.arch} gives a block {top}"
        )
    allowed = _limit(plan, "max_shared")
    if allowed is not None and whole > allowed:
        raise e.SharedAboveContract(f"{whole} bytes of shared memory; the contract allows {allowed}")


def _device(plan: Plan, limits: DeviceLimits, grid: Dims) -> None:
    wanted = max(plan.arch, _limit(plan, "min_cc") or 0)
    if limits.cc < wanted:
        raise e.CapabilityTooLow(f"the device is of capability {limits.cc}; {wanted} is needed")
    cluster = _limit(plan, "cluster")
    if cluster is not None and cluster > limits.max_cluster:
        raise e.ClusterTooLarge(f"clusters of {cluster} blocks; {limits.arch} takes {limits.max_cluster}")
    if cluster and (grid[0] * grid[1] * grid[2]) % cluster:
        blocks = grid[0] * grid[1] * grid[2]
        raise e.ClusterUneven(f"{blocks} blocks are no multiple of the cluster of {cluster}")


def _limit(plan: Plan, name: str) -> int | None:
    return next((c.bounds[0].value for c in plan.clauses if c.predicate == name), None)


def least_blocks(plan: Plan) -> int:
    """Blocks at a time that the contract asks of a multiprocessor at the least; 0 where it does not."""
    return _limit(plan, "min_blocks") or 0


def occupancy(plan: Plan, blocks: int) -> None:
    """So many blocks run at a time on a multiprocessor."""
    least = least_blocks(plan)
    if blocks < least:
        raise e.OccupancyTooLow(f"a multiprocessor runs {blocks} such blocks; the contract asks for {least}")


def together(resident: int, grid: Dims, stream: int) -> None:
    """A launch whose blocks wait for each other: all of them must run at a time, and none of two launches."""
    if not resident:
        raise e.CooperationUnknown(
            "the kernel's blocks wait for each other; the device cannot launch them so"
        )
    blocks = grid[0] * grid[1] * grid[2]
    if blocks > resident:
        raise e.GridNotResident(f"{blocks} blocks wait for each other; the device runs {resident} at a time")
    if stream == PER_THREAD:
        raise e.StreamUnfit("the per-thread default stream may run two launches at a time; name a stream")


# --- arguments


def array(a: Argument, given: Device, assume: frozenset[str]) -> None:
    """One array against its parameter and the standing assumptions."""
    assert isinstance(a.spec, (ArraySpec, PointerSpec))
    _elements(a, a.spec, given)
    if isinstance(a.spec, ArraySpec) and len(given.shape) != a.spec.ndim:
        raise e.RankDiffers(f"`{a.name}` has {len(given.shape)} axes; the code is for {a.spec.ndim}")
    if NON_EMPTY in assume and given.count == 0:
        raise e.EmptyArray(f"`{a.name}` has the shape {given.shape}; the proof assumes elements")
    if INT32 in assume and given.count > MOST:
        raise e.ArrayTooLarge(f"`{a.name}` has {given.count} elements; the proof assumes at most {MOST}")
    if given.count and not given.pointer:
        raise e.NullPointer(f"`{a.name}` has {given.count} elements and no memory")
    if isinstance(a.spec, ArraySpec) and a.spec.contiguous and not given.contiguous:
        raise e.NotContiguous(
            f"`{a.name}` has strides {given.strides} for the shape {given.shape}; the code is for no gaps"
        )
    unit = a.spec.alignment if isinstance(a.spec, ArraySpec) else a.spec.size
    for what, number in (("address", given.pointer), *(("stride", s) for s in given.strides)):
        if number % unit:
            raise e.Misaligned(f"{what} {number} of `{a.name}` is no multiple of {unit} bytes")
    if a.written and given.read_only:
        raise e.ReadOnly(f"`{a.name}` is read-only, and the kernel writes it")
    if a.written and given.overlaps_itself:
        raise e.SelfOverlap(f"elements of `{a.name}` share memory: strides {given.strides}")


def reach(a: Argument, given: Device) -> Device:
    """What a pointer to an array may reach: from its first element to its last, whatever lies between."""
    low, high = given.extent
    if low < given.pointer:
        raise e.NotContiguous(f"`{a.name}` has strides {given.strides}: elements lie before its first")
    if given.itemsize == 0 or any(s % given.itemsize for s in given.strides):
        raise e.Misaligned(
            f"strides {given.strides} of `{a.name}` are no multiples of {given.itemsize} bytes"
        )
    count = (high - low) // given.itemsize
    return replace(given, shape=(count,), strides=(given.itemsize,))


def _elements(a: Argument, spec: ArraySpec | PointerSpec, given: Device) -> None:
    """The elements themselves; of records the size, and the fields where the array tells them."""
    if isinstance(spec, PointerSpec) or spec.record is None:
        wanted = spec.dtype if isinstance(spec, PointerSpec) else dtype_of(spec.element)[0]
        if given.dtype != wanted:
            raise e.ElementTypeDiffers(f"`{a.name}` has {given.dtype} elements; the code is for {wanted}")
        return
    fields = _fields(spec.record)
    same = given.dtype == "record" and given.itemsize == spec.size and given.fields in ((), fields)
    if not same:
        told = f" {given.fields}" if given.fields else f" of {given.itemsize} bytes"
        raise e.ElementTypeDiffers(
            f"`{a.name}` has {given.dtype} elements{told}; the code is for {spec.record}"
        )


def _fields(r: Record) -> tuple[tuple[str, str], ...]:
    """The fields of a record as an array's interface lists them, with its gaps."""
    out = []
    for gap, (name, t) in zip(r.gaps, r.fields, strict=False):
        out += [("", f"V{gap}")] if gap else []
        out.append((name, CODES[dtype_of(t)[0]]))
    return (*out, *((("", f"V{r.gaps[-1]}"),) if r.gaps[-1] else ()))


def scalar(a: Argument, given: object, assume: frozenset[str]) -> Number:
    """One number against its parameter."""
    assert isinstance(a.spec, (ScalarSpec, NumberSpec))
    t = a.spec.type
    value = given.item() if hasattr(given, "item") else given
    if not isinstance(value, (bool, int, float)):
        raise e.NotANumber(f"`{a.name}` takes a number, not {type(given).__name__}")
    if isinstance(t, FloatType):
        return float(value)
    if isinstance(value, float):
        raise e.NotANumber(f"`{a.name}` takes an integer, not {value!r}")
    if isinstance(t, BoolType):
        return bool(value)
    assert isinstance(t, IntType)
    low, high = t.lo, t.hi
    if INT32 in assume:
        low, high = max(low, -(2**31)), min(high, 2**31 - 1)
    if not low <= value <= high:
        raise e.ScalarDoesNotFit(f"`{a.name}` is {value}; it must be from {low} to {high}")
    return value


def overlaps(plan: Plan, given: Mapping[str, Device]) -> None:
    """No array that is written shares memory with another: the code was made as if all were apart."""
    for a, b in combinations([x for x in plan.arguments if x.name in given], 2):
        if not (a.written or b.written):
            continue
        (low, high), (lower, higher) = given[a.name].extent, given[b.name].extent
        if low < higher and lower < high:
            places = f"{low:#x} to {high:#x} and {lower:#x} to {higher:#x}"
            written = a.name if a.written else b.name
            raise e.ArraysOverlap(
                f"`{a.name}` and `{b.name}` share memory ({places}), and the kernel writes `{written}`"
            )


# --- the contract


def environment(
    plan: Plan, given: Mapping[str, Device], numbers: Mapping[str, Number], grid: Dims, block: Dims
) -> Environment:
    """The symbols of the contract as the numbers of this launch."""
    out: dict[str, int] = {name: int(v) for name, v in numbers.items() if isinstance(v, int)}
    block = (1, 1, 1) if plan.tile else block
    for axis in range(3):
        out[f"block.{AXES[axis]}"], out[f"grid.{AXES[axis]}"] = block[axis], grid[axis]
    for name, a in given.items():
        out[f"{name}.size"] = a.count
        for axis, (extent, stride) in enumerate(zip(a.shape, a.strides, strict=True)):
            out[_name(symbols.extent(name, axis, len(a.shape)))] = extent
            out[_name(symbols.stride(name, axis))] = stride
            out[_name(symbols.stride(name, axis, "element"))] = stride // a.itemsize
    return Environment(out)


def _name(term: Int) -> str:
    atom = term.atom
    assert isinstance(atom, Sym)
    return atom.name


def clauses(plan: Plan, given: Mapping[str, Device], env: Environment) -> tuple[Clause, ...]:
    """Check every clause that sizes decide; gives those about the elements of arrays."""
    left = []
    for c in plan.clauses:
        if c.predicate in CONTENTS:
            left.append(c)
        elif c.predicate:
            _predicate(c, given)
        elif not _holds(c, env):
            raise e.ClauseBroken(f"`{c}` does not hold: {_values(c, env)}")
    return tuple(left)


def meets(clauses: Sequence[Clause], env: Environment) -> bool:
    """Whether all of some clauses about sizes hold."""
    return all(_holds(c, env) for c in clauses)


def _holds(c: Clause, env: Environment) -> bool:
    try:
        return holds(c.condition, env)
    except (KeyError, ZeroDivisionError):
        return False


def _values(c: Clause, env: Environment) -> str:
    from gpulint.term import symbols as free

    names = sorted({s.name for s in free(c.condition)})
    return ", ".join(f"{name} is {env.numbers.get(name, 'not known')}" for name in names)


def _predicate(c: Clause, given: Mapping[str, Device]) -> None:
    if c.predicate == "noalias":
        for a, b in combinations(c.arrays, 2):
            (low, high), (lower, higher) = given[a].extent, given[b].extent
            if low < higher and lower < high:
                raise e.ArraysOverlap(f"`{c}` does not hold: both have memory from {max(low, lower):#x}")
    elif c.predicate == "contiguous" and not given[c.arrays[0]].contiguous:
        found = given[c.arrays[0]]
        raise e.NotContiguous(f"`{c}` does not hold: strides {found.strides} for the shape {found.shape}")
    elif c.predicate == "aligned" and given[c.arrays[0]].pointer % (c.bounds[0].value or 1):
        raise e.Misaligned(f"`{c}` does not hold: the address is {given[c.arrays[0]].pointer:#x}")
    elif c.predicate in QUANTIFIED:
        raise e.ContentsBroken(f"`{c}` is not checked at a launch")


def contents(c: Clause, elements: Sequence[int], env: Environment) -> None:
    """A clause about the elements of an array, which are given."""
    name = c.arrays[0]
    if c.predicate == "injective" and len(set(elements)) != len(elements):
        raise e.ContentsBroken(f"`{c}` does not hold: {len(elements) - len(set(elements))} elements repeat")
    if c.predicate == "sorted":
        for k, (a, b) in enumerate(pairwise(elements)):
            if a > b:
                raise e.ContentsBroken(f"`{c}` does not hold: {name}[{k}] is {a}, {name}[{k + 1}] is {b}")
    if c.predicate in ("within", "above") and elements:
        low = evaluate(c.bounds[0], env)
        if min(elements) < low:
            raise e.ContentsBroken(f"`{c}` does not hold: the least element is {min(elements)}, not {low}")
        if c.predicate == "within" and max(elements) >= (high := evaluate(c.bounds[1], env)):
            raise e.ContentsBroken(
                f"`{c}` does not hold: the largest element is {max(elements)}, not < {high}"
            )


def second(plan: Plan, given: Mapping[str, Device], grid: Dims, block: Dims) -> Second | None:
    """The version that does several points a thread, where the launch allows it."""
    s = plan.second
    if s is None or grid[1:] != (1, 1) or block[1:] != (1, 1):
        return None
    return s if all(given[name].pointer % s.alignment == 0 for name in s.aligned) else None
