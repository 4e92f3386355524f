"""Libraries whose warnings say nothing, in many threads."""

from __future__ import annotations

import threading
import time
import warnings

from segmetry._base.optional import translate_errors
from segmetry.errors import DataWarning


def test_threads_that_enter_and_leave_in_any_order_leave_the_filters_as_they_were() -> None:
    def decode(pause: float) -> None:
        time.sleep(pause)
        with translate_errors("a file", "file"):
            warnings.warn("of a library", UserWarning, stacklevel=1)
            time.sleep(0.02)

    before = list(warnings.filters)
    threads = [threading.Thread(target=decode, args=(0.005 * at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(warnings.filters) == before


def test_our_own_notes_are_kept() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        with translate_errors("a file", "file"):
            warnings.warn("ours", DataWarning, stacklevel=1)
            warnings.warn("theirs", UserWarning, stacklevel=1)
    assert [str(one.message) for one in caught] == ["ours"]
