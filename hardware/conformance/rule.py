"""A rule: a check with a sentence, which raises `BrokenError` if a driver breaks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT_S = 30.0
"""Time limit for real parts; it only guards against hanging and measures nothing."""

Check = TypeVar("Check")


class BrokenError(Exception):
    """A driver breaks a rule of its port; the text says how."""


def require(kept: object, otherwise: str) -> None:
    """Raises BrokenError with the text unless the condition holds."""
    if not kept:
        raise BrokenError(otherwise)


def sentence(check: Callable[..., object]) -> str:
    """The sentence of a rule, for people."""
    return (check.__doc__ or check.__name__).splitlines()[0].rstrip(".")


def needing(*needs: str) -> Callable[[Check], Check]:
    """Marks a check with what it needs besides the driver.

    `fingers` to press, `contacts` that stay closed meanwhile, `eyes` to look, a `plug` to pull.
    """

    def mark(check: Check) -> Check:
        vars(check)["needs"] = frozenset(needs)
        return check

    return mark


def needs(check: Callable[..., object]) -> frozenset[str]:
    """What a check needs."""
    marked: frozenset[str] = vars(check).get("needs", frozenset())
    return marked
