"""What commands ask of Python."""

import gc
from collections.abc import Iterator

import pytest

from dodona.cli.surroundings import OBJECTS, collect_rarely


@pytest.fixture
def usual() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


@pytest.mark.usefixtures("usual")
def test_garbage_is_looked_for_rarely_but_it_is() -> None:
    collect_rarely()
    assert gc.isenabled()
    assert gc.get_threshold()[0] == OBJECTS
    assert gc.get_freeze_count() > 1000
