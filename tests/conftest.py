"""Shared by all tests: deterministic Hypothesis runs, and terms that outlive an epoch."""

from __future__ import annotations

import os

from hypothesis import settings

from gpulint.term import node

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=200)
settings.register_profile("dev", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_collection_finish() -> None:
    """The terms of test modules stay the same objects when a test ends an epoch."""
    for term in list(node._table.values()):
        node.keep(term)
