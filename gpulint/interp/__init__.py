"""Reference interpreter: a kernel on one concrete launch, with every check that a proof stands for."""

from gpulint.interp.launch import ConcreteArray, ConcreteLaunch, Outcome, Violation

__all__ = ["ConcreteArray", "ConcreteLaunch", "Outcome", "Violation", "run"]


def __getattr__(name: str) -> object:
    if name == "run":
        from gpulint.interp.machine import run

        return run
    raise AttributeError(name)
