"""Reference interpreter: a kernel on one concrete launch, with every check that a proof stands for."""

from typing import TYPE_CHECKING

from gpulint.interp.launch import ConcreteArray, ConcreteLaunch, Outcome, Violation

if TYPE_CHECKING:
    from gpulint.interp.machine import run

__all__ = ["ConcreteArray", "ConcreteLaunch", "Outcome", "Violation", "run"]


def __getattr__(name: str) -> object:
    if name == "run":
        from gpulint.interp.machine import run

        return run
    raise AttributeError(name)
