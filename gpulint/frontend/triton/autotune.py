"""What an autotuner does to a kernel's arguments: read from the decorator's expression.

Tuning runs the kernel once for each configuration on the same arguments. `restore_value` and
`reset_to_zero` name the arguments that it puts back in between; a `pre_hook` may do anything. Configurations
that another definition of the module makes are looked for there.
"""

from __future__ import annotations

import ast
from itertools import islice

MAX_NODES = 5000  # looked at of one expression or definition
SEVERAL, KEPT, HOOKED = "autotune-several", "autotune-kept", "autotune-hook"


def facts(decorator: ast.expr, module: ast.Module) -> tuple[tuple[str, str], ...]:
    """Kernel options: whether it may run several times, the arguments kept, whether a hook runs."""
    if not isinstance(decorator, ast.Call):
        return ()
    given = {k.arg: k.value for k in decorator.keywords if k.arg}
    configs = given.get("configs") or (decorator.args[0] if decorator.args else None)
    out: list[tuple[str, str]] = []
    if not (isinstance(configs, (ast.List, ast.Tuple)) and len(configs.elts) == 1):
        out.append((SEVERAL, ast.unparse(configs)[:60] if configs is not None else ""))
    for word in ("restore_value", "reset_to_zero"):
        names = given.get(word)
        if isinstance(names, (ast.List, ast.Tuple)):
            words = (e.value for e in names.elts if isinstance(e, ast.Constant))
            out += [(KEPT, w) for w in words if isinstance(w, str)]
        elif names is not None and not (isinstance(names, ast.Constant) and names.value is None):
            out.append((HOOKED, word))
    nodes = [n for part in (decorator, *_made_of(configs, module)) for n in islice(ast.walk(part), MAX_NODES)]
    if any(isinstance(n, ast.keyword) and n.arg in ("pre_hook", "post_hook") for n in nodes):
        out.append((HOOKED, "pre_hook"))
    return tuple(out)


def _made_of(configs: ast.expr | None, module: ast.Module) -> list[ast.stmt]:
    """The module's own functions and assignments that the configurations are made by."""
    names = (
        {n.id for n in islice(ast.walk(configs), MAX_NODES) if isinstance(n, ast.Name)} if configs else set()
    )
    out: list[ast.stmt] = []
    for x in module.body:
        made = [x.name] if isinstance(x, ast.FunctionDef) else []
        made += [t.id for t in getattr(x, "targets", ()) if isinstance(t, ast.Name)]
        if names.intersection(made):
            out.append(x)
    return out
