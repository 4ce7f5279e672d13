"""The eye's program as on a machine that is slower by a factor, its first argument."""

from __future__ import annotations

import sys
import time

from dicetable.eye.child import Signs, main

if __name__ == "__main__":
    factor = int(sys.argv[1])
    give = Signs.give
    since_s = time.thread_time()

    def give_late(self: Signs) -> None:
        """A sign of life, after as long as the slower machine would have worked since the last call."""
        global since_s
        time.sleep((factor - 1) * (time.thread_time() - since_s))
        give(self)
        since_s = time.thread_time()

    Signs.give = give_late  # type: ignore[method-assign]
    sys.exit(main())
