"""How dice are counted in words, and names joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.texts.catalogue import ntr, tr

if TYPE_CHECKING:
    from collections.abc import Iterable


def dice_count(count: int) -> str:
    """`one die`, `6 dice`."""
    return ntr("one die", "{count} dice", count).format(count=count)


def joined(names: Iterable[str]) -> str:
    """`ann and bob`."""
    return tr(" and ").join(names)
