"""Logs of servers, whose words may come from strangers: no text can look like a line of its own."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

INDENT = "    "


class OneLine(logging.Formatter):
    """One line for each record, its control characters escaped; a traceback follows, indented."""

    def __init__(self) -> None:
        super().__init__("level=%(levelname)s at=%(name)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name in logging
        """The line."""
        return escaped(super().formatMessage(record))

    def formatException(  # noqa: N802 - the name in logging
        self, ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
    ) -> str:
        """The traceback."""
        return "\n".join(f"{INDENT}{escaped(line)}" for line in super().formatException(ei).splitlines())


def escaped(text: str) -> str:
    """The text with everything that is not printable as Python writes it in a string."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def set_up() -> None:
    """Sends everything of level info and above to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(OneLine())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
