"""Arrays whose shape changes in place: `a.resize(n)`, `x.unsqueeze_(0)`, `a.shape = (n, m)`."""

from __future__ import annotations

from dataclasses import replace

from gpulint.frontend.host.cells import lost_all
from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.memories import among, meet, within
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import Arr, Unknown, Value, as_array

RESHAPING = frozenset(
    {
        "resize", "resize_", "resize_as_", "set_", "unsqueeze_", "squeeze_", "t_", "transpose_", "swapaxes_",
        "swapdims_", "as_strided_",
    }
)  # fmt: skip
DESCRIBING = frozenset({"shape", "strides", "dtype", "data"})


def reshaped(m: Machine, s: State, owner: Value) -> bool:
    """Forgets the shape of an array under every name that it may have; False for what is none."""
    a = as_array(owner)
    if a is None:
        return False
    for held in (s.env, s.heap):
        for name, v in held.items():
            if isinstance(v, (Arr, Unknown)) and meet(within(v), a.memories):
                held[name] = _other(m, name, v)
    lost_all(s)
    return True


def _other(m: Machine, name: str, v: Arr | Unknown) -> Value:
    found = among(m.opaque(name, "changes its shape in place", "array"), v)
    return replace(found, cls=v.cls) if isinstance(v, Unknown) and isinstance(found, Unknown) else found
