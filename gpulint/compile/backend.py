"""LLVM text to PTX through llvmlite. Nothing else of gpulint imports it."""

from __future__ import annotations

import importlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from gpulint.compile.error import CompileError, MissingTool
from gpulint.compile.mathematics import NO_LIBRARY

TRIPLE = "nvptx64-nvidia-cuda"
HOW = "install it with `pip install 'gpulint[compile]'`"


@lru_cache(maxsize=1)
def llvm() -> Any:
    """llvmlite's binding, with the NVPTX target ready. Raises MissingTool."""
    try:
        binding = importlib.import_module("llvmlite.binding")
    except ImportError:
        raise MissingTool("llvmlite is not installed", hint=HOW) from None
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    if not hasattr(binding, "create_pass_builder"):
        raise MissingTool("this llvmlite is too old: 0.50 is needed", hint=HOW)
    return binding


def version() -> str:
    """The version of llvmlite and of its LLVM."""
    binding = llvm()
    major = ".".join(map(str, binding.llvm_version_info))
    return f"llvmlite {importlib.import_module('llvmlite').__version__}, LLVM {major}"


def assemble(text: str, arch: str, library: Path | None, level: int = 3) -> tuple[str, str]:
    """(PTX, optimised LLVM text) of a module's text for an architecture such as `sm_90`.

    `library`: libdevice's bitcode, read only when the module calls functions of it. Raises CompileError.
    """
    binding = llvm()
    module = _parsed(binding, text)
    if "@__nv_" in text:
        _link(binding, module, library)
    machine = binding.Target.from_triple(TRIPLE).create_target_machine(cpu=arch, opt=level)
    tuning = binding.create_pipeline_tuning_options(speed_level=level)
    builder = binding.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_assembly(module), str(module)


def _parsed(binding: Any, text: str) -> Any:
    try:
        module = binding.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        first = " ".join(str(error).split())[:300]
        raise CompileError(f"LLVM refused the code that was made for it: {first}") from None
    return module


def _link(binding: Any, module: Any, library: Path | None) -> None:
    """Add libdevice; what the kernel does not call is dropped, the rest may be inlined."""
    if library is None:
        raise MissingTool("the kernel calls math functions of libdevice", hint=NO_LIBRARY)
    try:
        other = binding.parse_bitcode(library.read_bytes())
    except (OSError, RuntimeError) as error:
        raise MissingTool(f"libdevice at {library} cannot be read: {error}", hint=NO_LIBRARY) from None
    own = {f.name for f in module.functions if not f.is_declaration}
    other.triple, other.data_layout = module.triple, module.data_layout
    module.link_in(other)
    for f in module.functions:
        if not f.is_declaration and f.name not in own:
            f.linkage = "internal"
