"""GL203."""

from __future__ import annotations

from gpulint.rules.base import View
from gpulint.rules.bounds import OutOfRange, tail
from gpulint.solver.verdict import Verdict


class UnguardedLaunchTail(OutOfRange):
    """The threads that rounding up adds to a launch run past the data.

    ## What it does
    Reports an access at a thread's place in the grid that nothing limits to the array. An *error*
    when a launch in view has more threads than the array has elements; a *warning* when no launch
    is in view, since launches usually round up to whole blocks.

    ## Why is this bad
    A grid of `(n + 255) // 256` blocks of 256 threads has up to 255 threads more than elements.
    Without a guard these read or overwrite what lies behind the array.

    ## Example
    ```python
    @cuda.jit
    def scale(x, out, a):
        i = cuda.grid(1)
        out[i] = a * x[i]

    scale[(x.size + 255) // 256, 256](x, out, 2.0)
    ```

    ## Use instead
    ```python
    @cuda.jit
    def scale(x, out, a):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a * x[i]
    ```
    """

    code = "GL203"
    name = "unguarded-launch-tail"

    def claims(self, verdict: Verdict, view: View) -> bool:
        return tail(verdict)
