"""The corpus: published packages that hold kernels, by dialect, pinned by version and digest."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Package:
    """One distribution. `source`: published as a source archive only.

    `platform` and `python` choose among binary wheels; the kernels are the same in all of them.
    """

    name: str
    version: str
    sha256: str
    source: bool = False
    platform: str = ""
    python: str = "3.12"

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
    "triton": (
        Package("flag-gems", "5.0.2", "d7c5a6121bf2d3f7daddde43bfa7cae739de6cb5b294dcfe7ae6173045c35552"),
        Package("fla-core", "0.6.0", "b0708b70e0b119cd58a0a5146ea56cb175cef6ed969d8ac60267e3e077ce3ebd"),
        Package("liger-kernel", "0.8.5", "60789cd576af073ab9b192b570d2597fd0cdad489cd62fb44fb16256d43754c9"),
        Package(
            "lmdeploy", "0.18.0",
            "e6790a25dcdb0345c160567fdf2ac604fec319389523a8b806834c9d92c8ffe1", platform=X86, python="3.11",
        ),
        Package("unsloth", "2026.10.9", "feb40b99bc4f8c543a36cbd0fe6e1410d6e4ac16bd4d0c731f607adce3d63bb0"),
        Package(
            "torchao", "0.18.0",
            "6540b148e40ba81cbd4de86392225a076a1591146e9cebb099b3b234ba9feebe", platform=X86,
        ),
        Package(
            "conch-triton-kernels", "1.3",
            "bbbdbbcc2ea5650f582a00d9c9ad9ca65b822a64b3cf41856c5e83efcdbe7cea",
        ),
        Package("flashnn", "0.1.1", "926b068a851e0d2585b2b09b0a41d8c83c21a4ba1ea4492c3e5f6f40e3f02096"),
        Package(
            "flash-sinkhorn", "0.4.1",
            "a12cb0cce68cb08afc15bde9b5b52a47f753669d9803652855a35bec208f4323",
        ),
        Package("mase-triton", "0.0.7", "75f001a6fc0fa487d2b44ecb0293ba6d4fd3484edb76e649ec446a2bd8d7560c"),
        Package(
            "late-interaction-kernels", "0.4.5",
            "ccb09faf2bb4a48a56ced3aaccf63f4616d64f58038e23d4a09c0300a52e5b34",
        ),
        Package(
            "cut-cross-entropy", "25.1.1",
            "e46f26d348f6a67927d17e65c5a212e795be13dcad5b10a77a200d6b8102d9d1",
        ),
        Package("moe-ops", "0.1.0", "aa39fde8dedd8c68ed36da1b280ff2595b377fa1095f59232c93aad8ed0d6d4c"),
        Package("flash-kmeans", "0.3.1", "4bf2a89f36a6e358ca587322c991fb097f4b92d7a1ec1f29363778903756ff89"),
    ),
}  # fmt: skip
