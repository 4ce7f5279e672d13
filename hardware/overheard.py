"""What C libraries write to standard error while they work, where they tell nothing otherwise.

Theirs is descriptor 2 of the whole process: what other threads write there meanwhile is overheard too.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

STANDARD_ERROR = 2


class Overheard:
    """The words, once the work is done."""

    text = ""


@contextmanager
def overheard() -> Iterator[Overheard]:
    """Keeps off standard error what is written there within; it is put back whatever happens."""
    words = Overheard()
    try:
        before = os.dup(STANDARD_ERROR)
    except OSError:  # it is closed: nothing can be written there
        yield words
        return
    with TemporaryFile() as file:
        os.dup2(file.fileno(), STANDARD_ERROR)
        try:
            yield words
        finally:
            os.dup2(before, STANDARD_ERROR)
            os.close(before)
            file.seek(0)
            words.text = file.read().decode(errors="replace")
