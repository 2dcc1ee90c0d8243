"""Structured element types: `np.dtype([("x", np.float32), ("n", np.int32)])`, packed or aligned."""

from __future__ import annotations

from collections.abc import Sequence

from gpulint.frontend.host.arrays import Keywords, dtype_value
from gpulint.frontend.host.dtypes import ITEM_SIZES
from gpulint.frontend.host.values import Cond, Const, DType, Seq, Value
from gpulint.term import FALSE, TRUE

PATHS = ("numpy.dtype", "cupy.dtype")
MAX_FIELDS, MAX_TEXT = 64, 2000


def described(path: str, args: Sequence[Value], kw: Keywords) -> DType | None:
    """The type that a call of `np.dtype` makes, named `record(x=float32, n=int32)`; a plain one by its name.

    Aligned ones end in `, align=True)`. None for other calls, and for layouts that are not simply one field
    after the other.
    """
    align = kw.get("align", Cond(FALSE))
    if path not in PATHS or len(args) != 1 or set(kw) - {"align"}:
        return None
    if not isinstance(align, Cond) or align.term not in (TRUE, FALSE):
        return None
    given = args[0]
    if not isinstance(given, Seq):
        name = dtype_value(given)
        return DType(name) if name else None
    fields = [_field(x) for x in given.items[: MAX_FIELDS + 1]]
    if not fields or len(fields) > MAX_FIELDS or None in fields:
        return None
    more = ["align=True"] if align.term == TRUE else []
    return DType(f"record({', '.join([*(f for f in fields if f), *more])})")


def _field(given: Value) -> str | None:
    if not isinstance(given, Seq) or len(given.items) != 2:
        return None
    name, kind = given.items
    text = name.value if isinstance(name, Const) else None
    type_ = dtype_value(kind)
    if not isinstance(text, str) or not text.isidentifier() or not _kind(type_):
        return None
    return f"{text}={type_}"


def _kind(name: str | None) -> bool:
    """Whether a field can be of this type: a plain one, or a packed record."""
    packed = name is not None and name.startswith("record(") and "align=" not in name
    return (packed and len(name or "") < MAX_TEXT) or name in ITEM_SIZES
