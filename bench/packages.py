"""The corpus: published packages that hold kernels, by dialect, pinned by version and digest."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Package:
    """One distribution. `source`: published as a source archive only.

    `platform` chooses among binary wheels (for CPython 3.12); the kernels are the same in all of them.
    """

    name: str
    version: str
    sha256: str
    source: bool = False
    platform: str = ""

    @property
    def folder(self) -> str:
        return f"{self.name.replace('-', '_')}-{self.version}"


X86 = "manylinux_2_28_x86_64"

CORPUS: dict[str, tuple[Package, ...]] = {
    "numba": (
        Package(
            "numba-cuda", "0.30.4",
            "4f229a9314c98a6084e43c3a29ae1568a182bdcab7e87d8fc628a651ea2336ca", platform=X86,
        ),
        Package("cubie", "0.17.0", "659f948336a98a7b9f57b3a0b75e58a321c010475de5183eb90614a53c105bad"),
        Package("gamdpy", "0.8.3", "78ad78b9779b7c605d3ce83bc80ed771d497d4984ef8fe26fc222d7d7fa13515"),
        Package("datashader", "0.19.1", "7ce7154ff3ed070607f429355f57002fee5a17964e47c0b6447eeafe8cef9c82"),
        Package("fbpic", "0.27.1", "906ad9ca4a2a10fde2f052805ec3fba0c84b4bec014e7078c6eb0cee564ef041"),
        Package("algotom", "1.7.0", "77b1f1fa1a8ce014d761cbc9b72a4e612fdca7bdeea357298a2f7aafff666955"),
        Package(
            "nvmath-python", "1.0.0",
            "74127b86957521fc5434a3b90c20be9e0fb45fe497cef17e12d3e776cf241cbd", platform=X86,
        ),
        Package("sgkit", "0.10.0", "498920c8b4812f1419f0e8085f3fa00cb8e68e3c34d61ea03a9765b96ecd5735"),
        Package("alphapept", "0.5.3", "f21ed88382d81706294f657b18ff97a06f4b5677ce96a8400860d575c61e92b3"),
        Package("awkward", "2.14.0", "bbdcecf16c8358bac2eb20285659325fc7a71e439779f1259277693357689efd"),
        Package(
            "torchlpc", "0.7.2",
            "260a765645cdf0112d3fcfcebc41d11855ac52264b3185f24068ad873b1b0be3", source=True,
        ),
        Package(
            "pisa", "4.2",
            "35bf07cb097e7ecc7f2fb380602a7436fd6af3ca8fdad842d6779fc118052bf5", source=True,
        ),
        Package(
            "hepaccelerate", "0.2.3",
            "83f2af9d812d5a8c59e1625eb4e6ace2a53f45e39ca83878f643229536987ff3", source=True,
        ),
    ),
}  # fmt: skip
