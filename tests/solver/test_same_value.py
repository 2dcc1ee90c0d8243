"""Writes of one value are no conflict; writes that may differ are."""

from __future__ import annotations

import pytest
from bench import check

from gpulint.solver.verdict import PROVED
