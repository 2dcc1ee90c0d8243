"""The runs of the interpreter for one kernel: each launch once, and so many steps in all.

The questions about a kernel often lead to one and the same launch, and a run shows all that goes wrong in
it. What a run costs is counted in steps: when those of the kernel are spent, only short launches are
still run in full, so that a kernel with a long loop does not hold up its file. A run that is cut off shows
less, never something that is not so.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from gpulint.interp.launch import ConcreteLaunch, Violation
from gpulint.interp.machine import run
from gpulint.ir.nodes import Kernel

ONE_RUN = 300_000  # statements (of a tile kernel: element operations) of one run
ALL_RUNS = 600_000  # of all runs of a kernel
SHORT = 6_000  # that any run may take


@dataclass
class Replays:
    """`left`: the steps that the kernel's runs may still take together."""

    left: int = ALL_RUNS
    _done: dict[Hashable, tuple[Violation, ...]] = field(default_factory=dict)

    def violations(
        self, kernel: Kernel, launch: ConcreteLaunch, most: int = ONE_RUN
    ) -> tuple[Violation, ...]:
        """All that goes wrong in a launch, up to the limits on steps (which this sets)."""
        key = launch.content(), most
        if key not in self._done:
            launch.max_steps = max(SHORT, min(most, self.left))
            outcome = run(kernel, launch)
            self.left -= outcome.steps
            self._done[key] = tuple(outcome.violations)
        return self._done[key]
