"""Python looks for garbage rarely while sentences are parsed."""

import gc

from dodona.pipeline.pipeline import collect_rarely


def test_garbage_is_looked_for_rarely_but_it_is() -> None:
    before = gc.get_threshold()
    with collect_rarely():
        assert gc.isenabled()
        assert gc.get_threshold()[0] > 100 * before[0]
    assert gc.get_threshold() == before
