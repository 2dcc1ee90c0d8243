"""GL509."""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.rules import launching
from gpulint.rules.base import Rule, View
from gpulint.rules.finding import ERROR, Finding, Related


class AutotunedRerun(Rule):
    """Autotuning runs a kernel several times that changes its own input.

    ## What it does
    Reports an autotuned kernel that accumulates into an argument, or writes one that it reads, when
    neither `restore_value`, `reset_to_zero` nor a hook puts the argument back between the runs.

    ## Why is this bad
    The first call for a new key runs the kernel once for each configuration on the same arguments. Its
    result then holds the sum, or the repeated update, of all these runs; later calls look right.

    ## Example
    ```python
    @triton.autotune(configs=[triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256})], key=["n"])
    @triton.jit
    def total(x, out, n, BLOCK: tl.constexpr):
        offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.atomic_add(out, tl.sum(tl.load(x + offs, mask=offs < n, other=0.0)))
    ```

    ## Use instead
    ```python
    @triton.autotune(
        configs=[triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256})],
        key=["n"],
        restore_value=["out"],
    )
    @triton.jit
    def total(x, out, n, BLOCK: tl.constexpr):
        offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.atomic_add(out, tl.sum(tl.load(x + offs, mask=offs < n, other=0.0)))
    ```
    """

    code = "GL509"
    name = "autotuned-rerun"
    property = "contract"

    def check(self, view: View) -> Iterator[Finding]:
        for v in launching.contract_verdicts(view, (launching.AUTOTUNE,)):
            array = v.obligation.access.array.name if v.obligation.access is not None else "it"
            yield self.finding(
                ERROR, v.reason, view.kernel.header, kernel=view.kernel.qualname,
                related=(Related("changed here", v.obligation.span),),
                help=f'add `restore_value=["{array}"]` (or `reset_to_zero`) to the autotuner',
            )  # fmt: skip
