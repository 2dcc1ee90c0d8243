"""Obligation to verdict: normal forms, lemmas, Z3, witness search and replay, budgets."""

from __future__ import annotations


def __getattr__(name: str) -> object:
    if name == "decide":
        from gpulint.solver.decide import decide

        return decide
    raise AttributeError(name)
