"""The declared contract of a kernel: its clauses read, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass

from gpulint.contract.clause import Clause
from gpulint.contract.error import ClauseError
from gpulint.contract.parse import parse
from gpulint.ir.nodes import Kernel

MAX_CLAUSES = 200


@dataclass(frozen=True)
class Declared:
    """`errors` are clauses that mean nothing: they are never assumed."""

    clauses: tuple[Clause, ...]
    errors: tuple[ClauseError, ...]


def declared(kernel: Kernel) -> Declared:
    """Read every declared clause of the kernel, in order."""
    clauses: list[Clause] = []
    errors: list[ClauseError] = []
    for text, span in kernel.declared[:MAX_CLAUSES]:
        read = parse(text, span, kernel)
        if isinstance(read, Clause):
            clauses.append(read)
        else:
            errors.append(read)
    too_many = f"a kernel has at most {MAX_CLAUSES} clauses"
    for text, span in kernel.declared[MAX_CLAUSES:]:
        errors.append(ClauseError(too_many, text, 0, len(text), "", span))
    return Declared(tuple(clauses), tuple(errors))
