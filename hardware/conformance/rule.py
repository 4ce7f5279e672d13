"""What a rule is: a check with a sentence, which raises `BrokenError` when a driver does not keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT_S = 30.0
"""Real parts get so long for anything that they must do; it bounds what hangs and measures nothing."""

Check = TypeVar("Check")


class BrokenError(Exception):
    """A driver does not keep a rule of its port; the text says how."""


def require(kept: object, otherwise: str) -> None:
    """Raises BrokenError with the text unless it is so."""
    if not kept:
        raise BrokenError(otherwise)


def sentence(check: Callable[..., object]) -> str:
    """What a rule says, for people."""
    return (check.__doc__ or check.__name__).splitlines()[0].rstrip(".")


def needing(*needs: str) -> Callable[[Check], Check]:
    """Marks a check with what it needs beside the driver.

    `fingers` that press, `contacts` that stay closed while they do, `eyes`, a `plug` to pull.
    """

    def mark(check: Check) -> Check:
        vars(check)["needs"] = frozenset(needs)
        return check

    return mark


def needs(check: Callable[..., object]) -> frozenset[str]:
    """What a check was marked with."""
    marked: frozenset[str] = vars(check).get("needs", frozenset())
    return marked
