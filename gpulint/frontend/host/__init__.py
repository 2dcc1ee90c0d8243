"""Host code: where kernels are launched, and with what."""

from gpulint.frontend.host.analyse import sites
from gpulint.frontend.host.ranks import with_rank
from gpulint.frontend.host.reach import kernels_in_reach

__all__ = ["kernels_in_reach", "sites", "with_rank"]
