"""Attributes and subscripts of abstract values."""

from __future__ import annotations

import ast
from dataclasses import replace

from gpulint.frontend.host import names, tiles, torchmethods, torchviews
from gpulint.frontend.host.cells import attributes
from gpulint.frontend.host.dtypes import ITEM_SIZES, dtype_of
from gpulint.frontend.host.launches import configure
from gpulint.frontend.host.machine import Machine, text_of
from gpulint.frontend.host.memories import among
from gpulint.frontend.host.objects import class_attribute, class_state, configured
from gpulint.frontend.host.site import COUNTS
from gpulint.frontend.host.slices import element, sliced
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import (
    Arr,
    Bounds,
    Choice,
    Class,
    Cond,
    Configured,
    Const,
    Dotted,
    DType,
    Function,
    Kernel,
    Map,
    Method,
    Num,
    Ratio,
    Seq,
    ShapeOf,
    Unknown,
    Value,
    as_array,
    as_int,
    view,
)
from gpulint.term import (
    bool_sym,
    const,
    eq,
    fn,
    ge,
    mul,
    or_,
    show,
)

ARRAY_ATTRIBUTES = frozenset(
    {"shape", "size", "ndim", "dtype", "nbytes", "itemsize", "T", "flags", "strides"}
)
ARRAY_METHODS = frozenset(
    {
        "copy", "astype", "copy_to_host", "copy_to_device", "reshape", "ravel", "flatten", "view",
        "transpose", "fill", "squeeze", "get", "contiguous", "cuda", "cpu", "to", "numel", "dim", "fill_",
        "zero_", "numpy", "detach", "set", "clone", "min", "max",
    }
)  # fmt: skip


def attribute(m: Machine, s: State, v: Value, name: str, node: ast.Attribute) -> Value:
    """`v.name`."""
    if isinstance(v, Dotted):
        return _dotted(m, v, name, node)
    if isinstance(v, Arr):
        return _array(m, s, v, name, node)
    if isinstance(v, Unknown):
        return _unknown(m, s, v, name, node)
    if isinstance(v, Class):
        found = class_attribute(m, v, name)
        return found if found is not None else m.opaque(text_of(node))
    if isinstance(v, (Kernel, Configured, Choice, Seq, Map, Method, Const)):
        return Method(v, name)
    if isinstance(v, Num) and name in ("value", "real"):
        return v
    if isinstance(v, (Num, Ratio)):
        return Method(v, name)
    if isinstance(v, ShapeOf):
        return Method(v, name)
    if isinstance(v, DType) and name == "itemsize" and v.name in ITEM_SIZES:
        return Num(const(ITEM_SIZES[v.name]))
    return m.opaque(text_of(node))


def _dotted(m: Machine, v: Dotted, name: str, node: ast.Attribute) -> Value:
    path = f"{v.path}.{name}"
    dtype = dtype_of(path)
    if dtype:
        return DType(dtype)
    function = m.frames[-1].function if m.frames else None
    scope = function.scope if function is not None else m.module.scope
    if isinstance(node.value, (ast.Name, ast.Attribute)) and v.path.split(".")[0] not in _EXTERNAL:
        found = names.resolve(m, node, scope)
        if not isinstance(found, Unknown):
            return found
        return (
            m.opaque(text_of(node), "is not constant") if m.project.definitions(node, scope) else Dotted(path)
        )
    return Dotted(path)


_EXTERNAL = frozenset({"numpy", "numba", "cupy", "torch", "triton", "math", "builtins"})


def _unknown(m: Machine, s: State, v: Unknown, name: str, node: ast.Attribute) -> Value:
    key = f"{v.name}.{name}"
    if key in s.heap:
        return s.heap[key]
    if v.cls is not None:
        found = class_attribute(m, v.cls, name, v)
        if found is not None:
            return found
        state = class_state(m, v, name)
        if key in state.heap:
            return state.heap[key]
        kernel = configured(m, v, name)
        if kernel is not None:
            return kernel
        return (
            m.unknown(key, f"`{key}` is state of an object")
            if key not in m.namer.used
            else m.part(attributes(s, v), f".{name}")
        )
    if v.kind in ("", "array") and name in ARRAY_ATTRIBUTES:
        array = as_array(v)
        return _array(m, s, array, name, node) if array is not None else m.opaque(text_of(node))
    if name in ARRAY_METHODS and v.kind in ("", "array"):
        return Method(v, name)
    part = m.part(attributes(s, v), f".{name}")
    if m.tiles and name in COUNTS:
        s.assume(ge(as_int(part) or const(1), 1))
    return part


def _array(m: Machine, s: State, a: Arr, name: str, node: ast.Attribute) -> Value:
    if name == "shape":
        return ShapeOf(a) if a.shape is None else Seq(tuple(Num(t) for t in a.shape))
    if name == "size":
        return Num(a.size)
    if name == "ndim":
        return Num(a.ndim)
    if name == "dtype":
        return DType(a.dtype) if a.dtype else Unknown(f"{a.shape_of or a.name}.dtype", True, "text")
    if name == "nbytes" and a.dtype in ITEM_SIZES:
        return Num(mul(a.size, ITEM_SIZES[a.dtype]))
    if name == "itemsize" and a.dtype in ITEM_SIZES:
        return Num(const(ITEM_SIZES[a.dtype]))
    if name == "T" and m.tiles:
        return torchviews.turned(m, s, a, (), {}, text_of(node))
    if name == "T":
        return transposed(m, a, text_of(node))
    if name == "flags":
        return Method(a, "flags")
    if m.tiles and name not in torchmethods.NAMES:
        return _tensor_attribute(m, s, a, name, node)
    return Method(a, name)


def _tensor_attribute(m: Machine, s: State, a: Arr, name: str, node: ast.Attribute) -> Value:
    """`x.data`, `x.mT`, and what says nothing of shape or elements (`x.device`, `x.is_cuda`): an input."""
    if name == "data":
        return a
    if name in ("mT", "H", "mH"):
        return torchviews.turned(m, s, a, (), {}, text_of(node))
    return Unknown(f"{a.name}.{name}", True)


def transposed(m: Machine, a: Arr, text: str) -> Arr:
    if a.shape is not None:
        flipped = view(a, tuple(reversed(a.shape)), text, whole=True)
        return replace(flipped, contiguous=a.contiguous if len(a.shape) <= 1 else False)
    return view(a, None, m.opaque(text).name, whole=True)


def flag(m: Machine, a: Arr, name: str) -> Value:
    """`a.flags.c_contiguous` and its spellings."""
    if name.lower() in ("c_contiguous", "contiguous", "c"):
        return Cond(bool_sym(f"{a.shape_of or a.name}.flags.c_contiguous"))
    return m.opaque(f"{a.name}.flags.{name}")


def subscript(m: Machine, s: State, v: Value, node: ast.Subscript) -> Value:
    """`v[index]`; on a kernel, a launch configuration."""
    if isinstance(v, Unknown):
        v = s.cells.get(v.name, v)  # other items than before, where some have been set since
    part = _subscript(m, s, v, node)
    constant = isinstance(node.slice, ast.Constant) and isinstance(v, Unknown)
    return part if constant else among(part, v)


def _subscript(m: Machine, s: State, v: Value, node: ast.Subscript) -> Value:
    if isinstance(v, (Kernel, Choice)):
        return tiles.configure(m, s, v, node) if tiles.is_tile(v) else configure(m, s, v, node)
    index = m.eval(s, node.slice)
    text = text_of(node)
    if isinstance(v, Seq):
        return _item(m, v, index, text)
    if isinstance(v, ShapeOf):
        return _extent(m, s, v, index, text)
    if isinstance(v, Map):
        return _entry(m, s, v, index, text)
    if isinstance(v, Method) and v.name == "flags" and isinstance(v.owner, Arr):
        return flag(m, v.owner, str(index.value)) if isinstance(index, Const) else m.opaque(text)
    if isinstance(v, Arr) or (isinstance(v, Unknown) and (v.kind == "array" or sliced(index))):
        array = as_array(v)
        return element(m, s, array, index, text) if array is not None else m.opaque(text)
    if isinstance(v, Unknown):
        if isinstance(index, Num) and index.term.value is not None:
            k = index.term.value
            if 0 <= k < 3:
                m.indexed[v.name] = max(m.indexed.get(v.name, 0), k + 1)
            return m.part(v, f"[{k}]")
        if isinstance(index, Const):
            return m.part(v, f"[{index.value!r}]")
        place = as_int(index) if not isinstance(index, Unknown) or index.free else None
        if m.tiles and v.free and place is not None:
            return m.part(v, f"[{show(place)}]")
    return m.opaque(text)


def _item(m: Machine, v: Seq, index: Value, text: str) -> Value:
    count = len(v.items)
    if isinstance(index, Bounds):
        parts = [None if p is None else _constant(p) for p in (index.start, index.stop, index.step)]
        if all(
            p is None or q is not None
            for p, q in zip((index.start, index.stop, index.step), parts, strict=False)
        ):
            return Seq(v.items[slice(*parts)]) if parts[2] != 0 else m.opaque(text)
        return m.opaque(text)
    k = _constant(index)
    if k is not None and -count <= k < count:
        return v.items[k]
    if 0 < count <= 8 and all(isinstance(i, (Kernel, Function)) for i in v.items):
        return Choice(tuple((bool_sym(m.namer.unique(f"{text} is {n}")), i) for n, i in enumerate(v.items)))
    return m.opaque(text)


def _constant(v: Value) -> int | None:
    term = as_int(v)
    return None if term is None else term.value


def _entry(m: Machine, s: State, v: Map, index: Value, text: str) -> Value:
    for key, value in v.items:
        if key == index:
            return value
    if 0 < len(v.items) <= 8 and all(isinstance(i, (Kernel, Function)) for _, i in v.items):
        return Choice(
            tuple((bool_sym(m.namer.unique(f"{text} is {n}")), i) for n, (_, i) in enumerate(v.items))
        )
    if m.tiles and (isinstance(index, Unknown) and index.free):
        return _any_of(m, s, [i for _, i in v.items], text)
    return m.opaque(text)


def _any_of(m: Machine, s: State, values: list[Value], text: str) -> Value:
    """One of a few constants, chosen by an input."""
    terms = [as_int(v) for v in values]
    known = [t for t in terms if t is not None]
    if values and len(known) == len(values) and len(known) <= 16:
        chosen = m.unknown(text, "", "int")
        s.assume(or_(*(eq(as_int(chosen) or t, t) for t in known)))
        return chosen
    if values and all(isinstance(v, (Const, DType, Dotted)) for v in values):
        return m.unknown(text, "", "text")
    return m.opaque(text)


def _extent(m: Machine, s: State, v: ShapeOf, index: Value, text: str) -> Value:
    a = v.array
    k = _constant(index)
    if k is not None and -8 <= k < 32:
        found = v.extent(k)
        return Num(found) if found is not None else m.opaque(text)
    if m.tiles and isinstance(index, Bounds) and not v.tail:
        part = _part(v, index)
        if part is not None:
            return part
    place = as_int(index)
    if m.tiles and place is not None:
        return Num(fn(f"{a.shape_of or a.name}.shape", place, lo=0))
    if not isinstance(index, Bounds) or v.start or v.tail:
        return m.opaque(text)
    if index.start is None and index.step is None and index.stop:
        stop = _constant(index.stop)
        if stop is not None and 0 <= stop <= 8:
            s.assume(ge(a.ndim, stop))
            return Seq(tuple(Num(a.extent(k)) for k in range(stop)))
    return m.opaque(text)


def _part(v: ShapeOf, b: Bounds) -> Value | None:
    """`x.shape[1:]`, `x.shape[:-1]` and the like."""
    start = 0 if b.start is None else _constant(b.start)
    stop = 0 if b.stop is None else _constant(b.stop)
    if start is None or stop is None or b.step is not None or start < 0 or stop > 0 or start > 8 or stop < -8:
        return None
    return ShapeOf(v.array, v.start + start, v.drop - stop)


def unpack(m: Machine, s: State, v: Value, count: int, text: str) -> tuple[Value, ...] | None:
    """The elements of a value that is unpacked into `count` names."""
    if isinstance(v, Seq):
        return v.items if len(v.items) == count else None
    if isinstance(v, ShapeOf) and count >= len(v.tail):
        count -= len(v.tail)
        s.assume(eq(v.array.ndim, count + v.start + v.drop))
        return (*(Num(v.array.extent(k + v.start)) for k in range(count)), *(Num(t) for t in v.tail))
    if isinstance(v, Unknown) and v.kind == "":
        m.indexed[v.name] = max(m.indexed.get(v.name, 0), count)
        return tuple(m.part(v, f"[{k}]") for k in range(count))
    return None
