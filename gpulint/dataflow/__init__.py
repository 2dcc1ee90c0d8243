"""Kernel IR to the set of accesses over the launch space."""

from gpulint.dataflow.access import Access, AccessSet, Array, IntOp, Loop, Sync
from gpulint.dataflow.analysis import analyse

__all__ = ["Access", "AccessSet", "Array", "IntOp", "Loop", "Sync", "analyse"]
