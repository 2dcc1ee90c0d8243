"""What random tile programs are made of: lines, arguments, masks, loads and stores, right or off."""

from __future__ import annotations

from dataclasses import dataclass, field

from fuzz.choose import Chooser


@dataclass
class Pieces:
    """Kernel lines, host lines and the arguments of the launch, as (parameter, host expression)."""

    ch: Chooser
    faults: int
    lines: list[str] = field(default_factory=list)
    host: list[str] = field(default_factory=list)
    arguments: list[tuple[str, str]] = field(default_factory=list)
    constants: list[tuple[str, str]] = field(default_factory=list)
    made: int = 0
    depth: int = 1
    given: bool = False

    # --- choices ------------------------------------------------------------------------------

    def off(self, right: str, *wrong: str, percent: int = 22) -> str:
        """The right text, or a wrong one while there are faults left."""
        if self.faults and wrong and self.ch.chance(percent):
            self.faults -= 1
            return self.ch.pick(wrong)
        return right

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def fresh(self, stem: str) -> str:
        self.made += 1
        return f"{stem}{self.made}"

    def constant(self, name: str, value: str) -> str:
        self.constants.append((name, value))
        return name

    def array(self, name: str, shape: str, dtype: str = "float32", outcome: bool = False) -> str:
        """An allocation of the host, handed to the kernel; an outcome may start without values."""
        how = "zeros" if self.ch.chance(35) or (outcome and self.ch.chance(20)) else "ones"
        if outcome and self.ch.chance(60):
            how = "empty"
        self.host.append(f'{name} = torch.{how}(({shape},), device="cuda", dtype=torch.{dtype})')
        self.arguments.append((name, name))
        return name

    def number(self, name: str, value: str) -> str:
        if all(known != name for known, _ in self.arguments):
            self.arguments.append((name, value))
        return name

    # --- pieces -------------------------------------------------------------------------------

    def mask(self, point: str, limit: str) -> str:
        return self.off(f"{point} < {limit}", f"{point} <= {limit}", f"{point} < {limit} + 1", f"{point} > 0",
                        f"{point} >= 0", f"{point} < {limit} - 1", percent=16)  # fmt: skip

    def masked(self, mask: str) -> str:
        return self.off(f", mask={mask}", "", percent=12)

    def load(self, place: str, mask: str, other: str = "0") -> str:
        padding = self.ch.pick((f", other={other}", f", other={other}", ""))
        return f"tl.load({place}{self.masked(mask)}{padding})" if mask else f"tl.load({place})"

    def store(self, place: str, value: str, mask: str) -> None:
        self.emit(f"tl.store({place}, {value}{self.masked(mask) if mask else ''})")

    def value(self, name: str) -> str:
        return self.ch.pick((name, f"{name} + 1", f"{name} * 2", f"{name} + {name}"))

    def cdiv(self, size: str, block: str) -> str:
        right = self.ch.pick((f"triton.cdiv({size}, {block})", f"({size} + {block} - 1) // {block}"))
        more = f"triton.cdiv({size}, {block}) + 1"
        return self.off(right, f"{size} // {block}", f"max(1, {size} // {block})", more, percent=12)
