"""GL510."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.rules import launching
from gpulint.rules.base import Rule, View, launched, severity
from gpulint.rules.finding import Finding


class ArangeNotPowerOfTwo(Rule):
    """A `tl.arange` gets a length that is no power of two.

    ## What it does
    Reports a range whose length, with the values that a launch passes, can be other than a power of
    two, or more than 1,048,576 elements.

    ## Why is this bad
    Triton refuses to compile the kernel: the launch fails for that shape, and only for that shape.

    ## Example
    ```python
    WIDTH: tl.constexpr = HEADS * DIM
    offs = tl.arange(0, WIDTH)
    ```

    ## Use instead
    ```python
    WIDTH: tl.constexpr = triton.next_power_of_2(HEADS * DIM)
    offs = tl.arange(0, WIDTH)
    mask = offs < HEADS * DIM
    ```

    ## References
    Triton language reference, `triton.language.arange`.
    """

    code = "GL510"
    name = "arange-not-power-of-two"
    property = "contract"

    def check(self, view: View) -> Iterator[Finding]:
        for v in launching.contract_verdicts(view, (launching.ARANGE,)):
            related = launched(v, v.witness) if v.witness is not None else ()
            yield self.finding(
                severity(v, view.result), f"{v.reason}: not always a power of two up to 1048576",
                v.obligation.span, kernel=view.kernel.qualname, related=related, witness=v.witness,
                help="pad with triton.next_power_of_2 and mask the lanes past the end",
            )  # fmt: skip
