"""A launch as it is when a tensor of unknown layout is contiguous."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from gpulint.frontend.host.site import HostArray
from gpulint.ir import symbols as names
from gpulint.solver.setting import Setting
from gpulint.term import ONE, Bool, Int, Sym, mul, subst

T = TypeVar("T", Int, Bool)


def row_major(s: Setting, name: str) -> Setting | None:
    """The setting of a site with the argument for `name` contiguous; None where its layout is known.

    What is proved in it holds under `contiguous(name)`, a clause that the host can check. Other tensors
    whose strides the host code takes from the same one are contiguous with it.
    """
    a = s.site.arguments.get(name) if s.site is not None else None
    if s.binding is None or not isinstance(a, HostArray) or a.contiguous:
        return None
    known = {k: s.binding.host(v) for k, v in unknown_strides(a).items()}
    return known_at(s, known) if known else None


def known_at(s: Setting, known: Mapping[Sym, Int]) -> Setting:
    """The setting of a site with some of its free inputs given."""
    b = s.binding
    assert b is not None

    def told(term: T) -> T:
        return subst(term, known)

    binding = replace(
        b, mapping={k: told(v) for k, v in b.mapping.items()}, facts=tuple(map(told, b.facts)),
        device_facts=tuple(map(told, b.device_facts)), flags={k: told(v) for k, v in b.flags.items()},
    )  # fmt: skip
    return Setting(s.kernel, s.accesses, s.options, s.premises, s.site, binding, s.budget)


def unknown_strides(a: HostArray) -> dict[Sym, Int]:
    """The unknown strides (or span, without a shape) of the tensor as contiguity gives them."""
    out: dict[Sym, Int] = {}
    if a.shape is None:
        span = _unknown(a.span)
        return {span: names.size(a.name, None)} if span is not None else {}
    step = ONE
    for extent, given in zip(reversed(a.shape), reversed(a.strides or ()), strict=False):
        stride = _unknown(given)
        if stride is not None:
            out.setdefault(stride, step)
        step = mul(step, extent)
    return out


def _unknown(t: Int | None) -> Sym | None:
    """The symbol of a stride or span that the host code does not tell."""
    atom = t.atom if t is not None else None
    if isinstance(atom, Sym) and (".stride(" in atom.name or atom.name.endswith(".span")):
        return atom
    return None
