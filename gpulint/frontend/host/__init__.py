"""Host code: where kernels are launched, and with what."""

from gpulint.frontend.host.analyse import sites
from gpulint.frontend.host.ranks import with_rank
from gpulint.frontend.host.reach import kernels_in_reach, leads_to

__all__ = ["kernels_in_reach", "leads_to", "sites", "with_rank"]
