"""The checked launch of compiled kernels: limits, contract and arguments first, then the driver."""
