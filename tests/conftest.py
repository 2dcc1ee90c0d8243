"""Shared by all tests: deterministic Hypothesis runs, a cache of their own, terms that outlive an epoch."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from gpulint.term import node

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=200)
settings.register_profile("dev", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_collection_finish() -> None:
    """The terms of test modules stay the same objects when a test ends an epoch."""
    for term in list(node._table.values()):
        node.keep(term)


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Results are kept in a folder of the session."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield
