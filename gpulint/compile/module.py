"""The text of one LLVM module: declarations, globals, functions, metadata, places in the source."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath

from gpulint.ir.span import Span

NVPTX = ("nvptx64-nvidia-cuda", "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64")


def escaped(text: str) -> str:
    """A string of LLVM's metadata."""
    return "".join(chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\{b:02X}" for b in text.encode())


@dataclass
class Module:
    """Collects what the functions need. `triple` and `layout` are the target's; empty for the host's own."""

    triple: str = NVPTX[0]
    layout: str = NVPTX[1]
    declared: dict[str, str] = field(default_factory=dict)
    globals: dict[str, str] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)  # metadata, by number
    attributes: list[str] = field(default_factory=list)
    unit: str = ""
    _places: dict[tuple[str, int, int], str] = field(default_factory=dict)
    _files: dict[str, str] = field(default_factory=dict)

    def declare(self, result: str, name: str, types: tuple[str, ...], attributes: str = "") -> str:
        """The name of an outside function, declared once."""
        text = f"declare {result} @{name}({', '.join(types)})"
        self.declared.setdefault(name, f"{text} {attributes}".rstrip())
        return f"@{name}"

    def reserve(self, name: str, text: str) -> str:
        """A global variable; a number is added where the name is taken."""
        unique, k = name, 1
        while unique in self.globals:
            k += 1
            unique = f"{name}_{k}"
        self.globals[unique] = f"@{unique} = {text}"
        return f"@{unique}"

    def node(self, text: str) -> str:
        """A metadata node: `!N`."""
        self.nodes.append(text)
        return f"!{len(self.nodes) - 1}"

    def attribute_group(self, text: str) -> str:
        self.attributes.append(text)
        return f"#{len(self.attributes) - 1}"

    # --- places in the source

    def file(self, filename: str) -> str:
        if filename not in self._files:
            path = PurePath(filename)
            self._files[filename] = self.node(
                f'!DIFile(filename: "{escaped(path.name)}", directory: "{escaped(str(path.parent))}")'
            )
        return self._files[filename]

    def subprogram(self, name: str, span: Span) -> str:
        """The debug record of a function; its unit says that only line directives are wanted."""
        place = self.file(span.filename)
        if not self.unit:
            self.unit = self.node(
                f'distinct !DICompileUnit(language: DW_LANG_Python, file: {place}, producer: "gpulint", '
                "isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)"
            )
        types = self.node("!{null}")
        signature = self.node(f"!DISubroutineType(types: {types})")
        return self.node(
            f'distinct !DISubprogram(name: "{escaped(name)}", scope: {place}, file: {place}, '
            f"line: {span.row}, type: {signature}, "
            f"spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: {self.unit})"
        )

    def place(self, span: Span, scope: str, own: str) -> str:
        """The attachment of a place; one in another file than the function's is left out."""
        if span.filename != own or span.row < 1:
            return ""
        key = (scope, span.row, span.column)
        if key not in self._places:
            column = min(span.column + 1, 65535)
            self._places[key] = self.node(f"!DILocation(line: {span.row}, column: {column}, scope: {scope})")
        return f", !dbg {self._places[key]}"

    # --- the whole

    def text(self) -> str:
        flags = ""
        if self.triple:
            kept = [self.node('!{i32 4, !"nvvm-reflect-ftz", i32 0}')]
            if self.unit:
                kept.append(self.node('!{i32 2, !"Debug Info Version", i32 3}'))
            flags = f"!llvm.module.flags = !{{{', '.join(kept)}}}"
        parts = [
            f'target triple = "{self.triple}"' if self.triple else "",
            f'target datalayout = "{self.layout}"' if self.layout else "",
            *self.globals.values(),
            *self.declared.values(),
            *self.functions,
            *(f"attributes #{i} = {{ {a} }}" for i, a in enumerate(self.attributes)),
            flags,
            f"!llvm.dbg.cu = !{{{self.unit}}}" if self.unit else "",
            *(f"!{i} = {text}" for i, text in enumerate(self.nodes)),
        ]
        return "\n".join(p for p in parts if p) + "\n"
