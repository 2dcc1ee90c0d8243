"""GL304."""

from __future__ import annotations

from gpulint.rules.base import View
from gpulint.rules.races import Race, modes
from gpulint.solver.verdict import Verdict


class MixedAtomicAccess(Race):
    """One thread updates an element atomically while another loads or stores it plainly.

    ## What it does
    Reports an atomic update and a plain load or store of two different threads that can meet in an
    element with no barrier between them.

    ## Why is this bad
    An atomic operation is indivisible only against other atomic operations. A plain load may see a
    stale value, and a plain store may undo updates.

    ## Example
    ```python
    @cuda.jit
    def count(x, total, out):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.add(total, 0, x[i])
            out[i] = total[0]
    ```

    ## Use instead
    ```python
    @cuda.jit
    def count(x, total, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = cuda.atomic.add(total, 0, x[i])
    ```
    """

    code = "GL304"
    name = "mixed-atomic-access"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return "atomic" in modes(verdict)

    def help(self, verdict: Verdict) -> str:
        return "make both accesses atomic, or use what the atomic operation returns, or split the launch"
