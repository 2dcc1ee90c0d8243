"""Download and unpack the corpus: `python bench/fetch.py [--dialect numba] [FOLDER]`.

Archives are fetched with pip, checked against pinned digests, and unpacked without running anything
of theirs: FOLDER/dl holds the archives, FOLDER/src one folder a package.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from packages import CORPUS, Package

STUB = Path(__file__).resolve().parent / "stub"


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gpulint" / "corpus"


def download(package: Package, folder: Path) -> Path:
    """The archive's path; pip refuses one whose digest differs from the pinned one."""
    with tempfile.TemporaryDirectory() as scratch:
        wanted = Path(scratch, "requirements.txt")
        wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
        command += [*choice(package), "--dest", scratch, "--requirement", str(wanted)]
        subprocess.run(command, check=True, env=environment(package))
        wanted.unlink()
        (archive,) = Path(scratch).iterdir()
        return Path(shutil.copy(archive, folder))


def choice(package: Package) -> list[str]:
    """pip's options that select the pinned file."""
    if package.source:
        return ["--no-binary=:all:", "--no-build-isolation", "--use-pep517"]
    platform = (
        ["--platform", package.platform, "--python-version", package.python] if package.platform else []
    )
    return ["--only-binary=:all:", *platform]


def environment(package: Package) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(STUB)} if package.source else dict(os.environ)


def safe(name: str) -> bool:
    """Whether an archive member stays within the folder that it is unpacked into."""
    path = PurePosixPath(name.replace("\\", "/"))
    return not path.is_absolute() and ".." not in path.parts and ":" not in (path.parts or ("",))[0]


def unpack(archive: Path, target: Path) -> None:
    """Write the archive's Python files (links and anything else are left out) below `target`."""
    for name, data in members(archive):
        if not safe(name):
            raise ValueError(f"{archive.name}: unsafe member {name!r}")
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """(name, bytes) of each regular file of the archive whose name ends in .py."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for entry in wheel.infolist():
                if entry.filename.endswith(".py"):
                    yield entry.filename, wheel.read(entry)
        return
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() and member.name.endswith(".py"):
                file = tar.extractfile(member)
                yield member.name, file.read() if file else b""


def fetch(package: Package, folder: Path) -> Path:
    """The unpacked package; what is there already is taken as it is."""
    target = folder / "src" / package.folder
    if target.is_dir():
        return target
    archives = folder / "dl"
    archives.mkdir(parents=True, exist_ok=True)
    archive = download(package, archives)
    partial = target.with_name(f".{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    unpack(archive, partial)
    partial.rename(target)
    return target


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialect", choices=sorted(CORPUS), default="numba")
    parser.add_argument("folder", nargs="?", type=Path, default=cache_folder())
    options = parser.parse_args()
    failed = 0
    for package in CORPUS[options.dialect]:
        try:
            print(f"{package.folder}: {fetch(package, options.folder)}", flush=True)
        except (subprocess.CalledProcessError, ValueError, OSError) as e:
            failed += 1
            print(f"{package.folder}: failed: {e}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
