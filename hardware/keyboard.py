"""The keyboard of a terminal: what was typed, without waiting, on Linux, macOS and Windows."""

import os
import select
import sys
from typing import Any, Final

try:
    import termios
    import tty
except ImportError:  # Windows, whose console has functions of its own
    HAS_TERMIOS = False
else:
    HAS_TERMIOS = True

CHUNK: Final = 4096


def typed(keyboard: int, *, echo: bool) -> bytes | None:
    """The bytes typed since the last call; None if there are none, empty if the keyboard is gone.

    `echo` shows what is typed, where the system does not do so itself.
    """
    if sys.platform == "win32":
        import msvcrt

        keys = ""
        while msvcrt.kbhit():
            keys += msvcrt.getwche() if echo else msvcrt.getwch()
        return keys.replace("\r", "\n").encode(errors="replace") if keys else None
    if not select.select([keyboard], [], [], 0)[0]:
        return None
    try:
        return os.read(keyboard, CHUNK)
    except OSError:  # the terminal was closed
        return b""


def discard_typed(keyboard: int) -> None:
    """Forgets what was typed at a terminal and not read yet."""
    if HAS_TERMIOS and os.isatty(keyboard):
        termios.tcflush(keyboard, termios.TCIFLUSH)


def make_raw(keyboard: int) -> Any:
    """Lets each key through at once, without an echo; returns what `restore` needs."""
    if not (HAS_TERMIOS and os.isatty(keyboard)):
        return None
    before = termios.tcgetattr(keyboard)
    tty.setraw(keyboard)
    return before


def restore(keyboard: int, before: Any) -> None:
    """Gives the terminal back as it was before `make_raw`."""
    if HAS_TERMIOS and before is not None:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
