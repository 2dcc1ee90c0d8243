"""What the hardware asks of a tensor descriptor that a kernel makes, as clauses of the contract.

Its first element lies at a multiple of 16 bytes, all strides but the last are multiples of 16 bytes, and no
extent is zero. That the last stride is one, and that a block's rows are long enough, the compiler checks.
Source: CUDA driver API, `cuTensorMapEncodeTiled`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpulint.compile.error import CompileError
from gpulint.compile.tile.signature import UNIT, PointerSpec, Spec
from gpulint.contract.clause import Clause
from gpulint.contract.parse import parse
from gpulint.dataflow.access import AccessSet
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.term import Int, show

HINT = "make it of parameters, whose values a launch can check"


def clauses(kernel: n.Kernel, accesses: AccessSet, types: Mapping[str, Spec]) -> Iterator[tuple[str, Span]]:
    """The clauses of all descriptors, with their places. Raises CompileError for what is never met."""
    for array, parts, span in accesses.descriptors:
        spec = types.get(array)
        if not isinstance(spec, PointerSpec):
            raise CompileError("a descriptor of something that is no argument is not compiled", span)
        rank = (len(parts) - 1) // 2
        offset, strides, extents = parts[0], parts[1 : 1 + rank], parts[1 + rank :]
        yield f"aligned({array}, {UNIT})", span
        for what in (offset, *strides[:-1]):
            text = _multiple(what, UNIT // spec.size, span)
            if text:
                yield _checkable(text, kernel, span), span
        for extent in extents:
            if extent.lo is None or extent.lo < 1:
                yield _checkable(f"{show(extent)} >= 1", kernel, span), span


def _multiple(what: Int, unit: int, span: Span) -> str:
    """The clause that a number of elements is a multiple of a unit; empty where it is one in any case."""
    if all(k % unit == 0 for _, k in what.terms):
        return ""
    if what.value is not None:
        raise CompileError(
            f"a descriptor with {what.value} elements that are no multiple of {UNIT} bytes", span
        )
    return f"({show(what)}) % {unit} == 0" if len(what.terms) > 1 else f"{show(what)} % {unit} == 0"


def _checkable(text: str, kernel: n.Kernel, span: Span) -> str:
    if not isinstance(parse(text, span, kernel), Clause):
        raise CompileError(f"what a descriptor needs cannot be checked by a launch: {text}", span, HINT)
    return text
