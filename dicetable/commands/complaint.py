"""Error messages on standard error."""

from __future__ import annotations

import sys

from dicetable.texts.plain import plain


def complain(*lines: object) -> None:
    """Prints each argument as one line, even if the name of a file in it contains a line feed."""
    for line in lines:
        print(plain(str(line)), file=sys.stderr)
