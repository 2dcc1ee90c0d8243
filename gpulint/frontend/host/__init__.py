"""Host code: where kernels are launched, and with what."""

from gpulint.frontend.host.analyse import sites

__all__ = ["sites"]
