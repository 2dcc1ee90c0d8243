"""What a run was asked to do: options of the command line over `[tool.gpulint]` of pyproject.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

ASSUMPTIONS = (
    "int32-sizes",
    "grid-limits",
    "non-empty",
    "usual-inputs",
    "fitting-inputs",
    "distinct-arrays",
    "number-arguments",
    "functions-in-view",
    "named-axes",
    "cooperative-grids",
)
FILE_SECONDS = 300.0
WORKER_BYTES = 6 << 30
_LISTS = ("select", "ignore", "exclude", "no-assume")


class ConfigError(ValueError):
    """The configuration says something that cannot be honoured; the text is for the user."""


@dataclass(frozen=True)
class Config:
    """Options of a check.

    `select` and `ignore` are code prefixes or rule names; the longest one that fits a code decides.
    `no_assume` names the standing assumptions that are lifted. `exclude` are path patterns relative
    to the directory of the configuration. `deny_undecided` turns undecided obligations into
    warnings. `seconds` and `memory` are a last guard against a check that does not end, never a
    budget: proofs are limited by the solver's own counters.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    no_assume: frozenset[str] = frozenset()
    exclude: tuple[str, ...] = ()
    deny_undecided: bool = False
    seconds: float = FILE_SECONDS
    memory: int = WORKER_BYTES

    @property
    def assume(self) -> frozenset[str]:
        """The standing assumptions that are in force."""
        return frozenset(ASSUMPTIONS) - self.no_assume

    def with_options(self, **given: Any) -> Config:
        """This configuration with the options that were given; None and empty ones leave it."""
        names = {f.name for f in fields(self)}
        return replace(self, **{k: v for k, v in given.items() if k in names and v})


def load(start: Path) -> Config:
    """The configuration of the nearest pyproject.toml at or above `start` that has `[tool.gpulint]`.

    Raises ConfigError for an unreadable file, an unknown key or a value of the wrong type.
    """
    here = start.resolve()
    for folder in (here, *here.parents):
        path = folder / "pyproject.toml"
        if path.is_file() and (table := _table(path)) is not None:
            return from_table(table, str(path))
    return Config()


def _table(path: Path) -> Mapping[str, Any] | None:
    """The `[tool.gpulint]` table, or None when the file has none.

    Python 3.10 has no TOML reader of its own: there the table is read only with `tomli` installed,
    and a file that has the table is refused without it.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise ConfigError(f"{path}: {e}") from None
    if "tool.gpulint" not in text.replace(" ", "").replace('"', ""):
        return None
    try:
        import tomllib as toml  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        try:
            import tomli as toml  # type: ignore[import-not-found,no-redef,unused-ignore]
        except ImportError:
            raise ConfigError(f"{path}: reading [tool.gpulint] needs Python 3.11 or `tomli`") from None
    try:
        found = toml.loads(text).get("tool", {}).get("gpulint")
    except toml.TOMLDecodeError as e:
        raise ConfigError(f"{path}: {e}") from None
    return found if isinstance(found, dict) else None


def from_table(table: Mapping[str, Any], origin: str) -> Config:
    """Check the table key by key; `origin` names the file in errors."""
    lists = {key: _strings(table[key], key, origin) for key in _LISTS if key in table}
    deny = table.get("deny-undecided", False)
    if not isinstance(deny, bool):
        raise ConfigError(f"{origin}: `deny-undecided` must be true or false")
    for key in table:
        if key not in (*_LISTS, "deny-undecided"):
            raise ConfigError(f"{origin}: unknown key `{key}` in [tool.gpulint]{suggest(key, _LISTS)}")
    for name in lists.get("no-assume", ()):
        check_assumption(name, origin)
    return Config(
        select=lists.get("select", ()), ignore=lists.get("ignore", ()),
        exclude=lists.get("exclude", ()), no_assume=frozenset(lists.get("no-assume", ())),
        deny_undecided=deny,
    )  # fmt: skip


def check_assumption(name: str, origin: str) -> None:
    """Raise ConfigError unless the name is that of a standing assumption."""
    if name not in ASSUMPTIONS:
        known = ", ".join(ASSUMPTIONS)
        raise ConfigError(f"{origin}: no assumption is named `{name}` (known: {known})")


def suggest(word: str, known: tuple[str, ...] | list[str]) -> str:
    """`; did you mean ...?` for the nearest known word, or nothing."""
    import difflib

    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean `{near[0]}`?" if near else ""


def _strings(value: object, key: str, origin: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise ConfigError(f"{origin}: `{key}` must be a list of strings")
    return tuple(value)
