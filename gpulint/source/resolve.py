"""Names across modules: what a dotted name means, by reading files and never importing them."""

from __future__ import annotations

import ast
import builtins
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpulint.source import trace
from gpulint.source.dialects import canonical
from gpulint.source.load import decoded, load
from gpulint.source.model import Binding, Module, Scope
from gpulint.source.places import Places
from gpulint.source.trace import MAX_FILES

Chain = tuple[str, ...]
_MAX_HOPS = 40
_MAX_BINDINGS = 64
_ALIAS = "<alias>"


@dataclass(frozen=True)
class Reached:
    """One thing that a dotted name may mean.

    `binding` is the last binding that was reached, None for an attribute that a readable module
    does not bind. `dotted` is its canonical origin once an import was followed. `rest` are the
    attributes that could not be followed; `external`: the import leads to a module that is not read.
    """

    binding: Binding | None
    dotted: str | None = None
    rest: Chain = ()
    external: bool = False


class Project:
    """The readable modules around the files under analysis.

    Reads at most `max_files` files; import cycles end. Assumes that modules are not rebound from
    outside their own text. `load` files through the project so that nodes keep one identity.
    """

    def __init__(self, roots: Sequence[Path] = (), max_files: int = MAX_FILES) -> None:
        self.max_files = max_files
        self.attribute_stores: dict[Module, frozenset[str]] = {}  # a cache of `constants`
        self._places = Places(roots)
        self._modules: dict[Path, Module | None] = {}
        self._texts: dict[Path, dict[Path, str]] = {}  # the source of packages, by root
        self._found: dict[tuple[Path, str, str], list[Path]] = {}  # what `package` found in them
        self._reached: dict[tuple[Scope, Chain], tuple[Reached, ...]] = {}

    def load(self, path: Path, filename: str | None = None) -> Module | None:
        """The module of a file; None when it cannot be read or parsed, or the limit is reached."""
        key = path.absolute()
        if key not in self._modules and len(self._modules) < self.max_files:
            read = load(path, filename)
            self._modules[key] = read if isinstance(read, Module) else None
        return self._modules.get(key)

    def add(self, module: Module) -> None:
        """Makes a module that was loaded elsewhere the one for its path, unless one is known."""
        if module.path is not None:
            self._modules.setdefault(module.path.absolute(), module)

    def locates(self, top: str, importer: Module) -> bool:
        """Whether a top-level name stands for something that is read, as the importing module finds it."""
        return self._places.top(top, importer) is not None

    def module_of(self, dotted: str, importer: Module | None = None) -> Module | None:
        """The module of that dotted name as the importing module would find it."""
        top, *rest = dotted.split(".")
        place = self._places.top(top, importer)
        for name in rest:
            if place is None:
                return None
            place = self._submodule(place, name)
        return self._read(place, importer)

    def package(self, module: Module, text: str, pattern: str = "") -> list[Module]:
        """The modules of a module's package whose source holds the text, and matches the pattern if any.

        A module that lies in no package is all there is of its own.
        """

        def holds(source: str) -> bool:
            return text in source and (not pattern or re.search(pattern, source) is not None)

        if module.path is None or not module.name:
            return [module] if holds(module.text) else []
        root = module.path.absolute()
        for _ in range(module.name.count(".") + (root.name == "__init__.py")):
            root = root.parent
        if root == module.path.absolute():
            return [module] if holds(module.text) else []
        if root not in self._texts:
            self._texts[root] = _sources(root)
        key = root, text, pattern
        if key not in self._found:
            self._found[key] = [path for path, source in self._texts[root].items() if holds(source)]
        read = (self.load(path, _shown(path, module)) for path in self._found[key])
        return [m for m in read if m is not None]

    def dotted(self, expr: ast.expr, scope: Scope) -> str | None:
        """The canonical dotted origin of a Name/Attribute chain that starts at an import.

        `numba.cuda.jit` for every alias and re-export of it in readable modules. A name that is
        imported in one branch and stubbed in another counts as imported. None for local names,
        parameters and builtins.
        """
        named = [r for r in self.reach(expr, scope) if r.dotted is not None]
        best = next((r for r in named if r.external), named[0] if named else None)
        if best is None or best.dotted is None:
            return None
        return canonical(".".join((best.dotted, *best.rest)))

    def definitions(self, expr: ast.expr, scope: Scope) -> list[Binding]:
        """The bindings that a Name/Attribute chain reaches, through imports and plain aliases.

        An import that leads to no readable definition is itself returned. Empty when nothing binds
        the name, or an attribute of something else than a module or class is asked for.
        """
        found: dict[int, Binding] = {}
        for r in self.reach(expr, scope):
            if r.binding is not None and (r.external or not r.rest):
                found.setdefault(id(r.binding), r.binding)
        return list(found.values())

    def reach(self, expr: ast.expr, scope: Scope) -> tuple[Reached, ...]:
        """Everything that the chain may mean; complete unless empty."""
        chain = chain_of(expr)
        if chain is None:
            return ()
        key = (scope, chain)
        if key not in self._reached:
            self._reached[key] = tuple(self._chain(chain, scope, set(), 0))
        return self._reached[key]

    def _chain(
        self, chain: Chain, scope: Scope, seen: set[tuple[Scope, Chain]], hops: int
    ) -> Iterable[Reached]:
        if (scope, chain) in seen:
            return []
        seen.add((scope, chain))
        bindings = scope.lookup(chain[0])
        if not bindings:
            return self._starred(chain, scope, seen, hops)
        if hops > _MAX_HOPS or len(bindings) > _MAX_BINDINGS:
            return [Reached(bindings[0], rest=chain)]
        return [r for b in bindings for r in self._binding(b, chain[1:], seen, hops + 1)]

    def _binding(
        self, binding: Binding, rest: Chain, seen: set[tuple[Scope, Chain]], hops: int
    ) -> Iterable[Reached]:
        if binding.kind == "import":
            return self._import(binding, (*binding.target.split("."), *rest), seen, hops)
        if binding.kind == "assign" and binding.value is not None:
            chains = _alternatives(binding.value)
            alias = (binding.scope, (_ALIAS, str(id(binding))))
            if chains and alias not in seen:  # `node = node.next` would go on for ever
                seen.add(alias)
                return [r for c in chains for r in self._chain((*c, *rest), binding.scope, seen, hops)]
        if binding.kind == "class" and rest and isinstance(binding.node, ast.ClassDef):
            return self._member(binding, binding.node, rest, seen, hops)
        return [Reached(binding, rest=rest)]

    def _member(
        self, binding: Binding, node: ast.ClassDef, rest: Chain, seen: set[tuple[Scope, Chain]], hops: int
    ) -> Iterable[Reached]:
        inner = binding.scope.module.scopes[node]
        own = inner.bindings.get(rest[0], [])
        if own and hops <= _MAX_HOPS:
            return [r for b in own for r in self._binding(b, rest[1:], seen, hops + 1)]
        for base in node.bases:
            chain = chain_of(base)
            found = self._chain((*chain, *rest), binding.scope, seen, hops + 1) if chain else ()
            inherited = [r for r in found if not r.rest]
            if inherited:
                return inherited
        return [Reached(binding, rest=rest)]

    def _import(
        self, binding: Binding, parts: Chain, seen: set[tuple[Scope, Chain]], hops: int
    ) -> Iterable[Reached]:
        """Follows an imported dotted name into the modules that can be read.

        A package that takes a name from its submodule of that name (`from .Thing import Thing`) means the
        submodule there, and what it took everywhere else.
        """
        importer = binding.scope.module
        place = self._places.top(parts[0], importer)
        if place is None or hops > _MAX_HOPS:
            return [Reached(binding, ".".join(parts), external=True)]
        for i in range(1, len(parts)):
            module = self._read(place, importer)
            own = [] if module is None else module.scope.bindings.get(parts[i], [])
            inside = self._submodule(place, parts[i])
            within = any(b is binding for b in own) or _is_submodule(own, parts[: i + 1])
            if module is not None and (inside is None or not within):
                reached = list(self._chain(parts[i:], module.scope, seen, hops))
                if inside is not None and reached and all(r.rest for r in reached):
                    place = inside  # `from .thing import thing` beside it means the module
                    continue
                home = ".".join(parts[:i])
                return [_homed(r, home, parts[i:]) for r in reached] or [Reached(None, home, rest=parts[i:])]
            if inside is None:
                return [Reached(binding, ".".join(parts), external=True)]
            place = inside
        return [Reached(binding, ".".join(parts))]

    def _starred(
        self, chain: Chain, scope: Scope, seen: set[tuple[Scope, Chain]], hops: int
    ) -> Iterable[Reached]:
        """A name that only a wildcard import can have brought."""
        if hops > _MAX_HOPS:
            return []
        unread: list[Reached] = []
        for star in scope.module.scope.bindings.get("*", []):
            module = self.module_of(star.target, scope.module)
            if module is not None:
                found = list(self._chain(chain, module.scope, seen, hops + 1))
                if found:
                    return [_homed(r, star.target, chain) for r in found]
            elif star.target == "math" and hasattr(math, chain[0]):
                return [Reached(star, ".".join(("math", *chain)), external=True)]
            elif star.target != "math" and not hasattr(builtins, chain[0]):
                unread.append(Reached(star, ".".join((star.target, *chain)), external=True))
        return unread

    def _submodule(self, place: Path, name: str) -> Path | None:
        if place.name == "__init__.py":
            return self._places.child(place.parent, name)
        return self._places.child(place, name) if place.suffix != ".py" else None

    def _read(self, place: Path | None, importer: Module | None) -> Module | None:
        if place is None or place.suffix != ".py":
            return None
        return self.load(place, _shown(place, importer))


def _sources(root: Path) -> dict[Path, str]:
    """The text of the Python files below a package's folder, a bounded number of them."""
    out: dict[Path, str] = {}
    for path, data in trace.package(root).items():
        text = decoded(data, str(path))
        if isinstance(text, str):
            out[path] = text
    return out


def chain_of(expr: ast.expr) -> Chain | None:
    """("a", "b", "c") of `a.b.c`; None for anything that is not a name with attributes."""
    attributes: list[str] = []
    while isinstance(expr, ast.Attribute):
        attributes.append(expr.attr)
        expr = expr.value
    return (expr.id, *reversed(attributes)) if isinstance(expr, ast.Name) else None


def _alternatives(value: ast.expr) -> list[Chain]:
    """The chains that a plain alias `x = a.b` or `x = a.b if c else d` stands for."""
    todo, found = [value], []
    while todo:
        item = todo.pop()
        if isinstance(item, ast.IfExp):
            todo += (item.orelse, item.body)
            continue
        chain = chain_of(item)
        if chain is None:
            return []
        found.append(chain)
    return found


def _is_submodule(own: list[Binding], parts: Chain) -> bool:
    """Whether a package leaves a submodule's name to the submodule (or imports just that)."""
    return all(b.kind == "import" and b.target == ".".join(parts) for b in own)


def _homed(reached: Reached, home: str, chain: Chain) -> Reached:
    """What was found in a module under its own names, with its dotted origin."""
    if reached.dotted is not None or reached.binding is None:
        return reached
    scope = reached.binding.scope
    own = [scope.qualname, reached.binding.name] if scope.qualname else [reached.binding.name]
    return Reached(reached.binding, ".".join((home, *own)), reached.rest, reached.external)


def _shown(place: Path, importer: Module | None) -> str:
    if importer is None or importer.path is None or importer.path.is_absolute():
        return str(place)
    try:
        return str(place.relative_to(Path.cwd()))
    except ValueError:
        return str(place)
