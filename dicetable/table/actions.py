"""The menu of a decision, built from the prompt alone: kinds of action first, then their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.table.screens.walk import Walk
from games.prompts import BetOffer, BidOffer, CallOffer, RecastOffer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.prompts import ActPrompt, Offer
    from games.requests import JsonObject
    from games.words import Words


def numbers(offer: Offer, chosen: Sequence[int]) -> Sequence[int]:
    """What the next number of an action may be, after those that are chosen."""
    if isinstance(offer, BetOffer | RecastOffer):
        return range(offer.min, offer.max + 1)
    if isinstance(offer, CallOffer):
        return offer.calls
    if isinstance(offer, BidOffer):
        if not chosen:
            return range(offer.min[0], offer.max[0] + 1)
        return [face for face in range(2, 7) if offer.allows(chosen[0], face)]
    raise TypeError(f"{offer} takes no numbers")


def all_numbers(offer: Offer) -> list[tuple[int, ...]]:
    """Every legal choice of an action's numbers, ascending; empty if it takes none."""
    return [tuple(action[field] for field in offer.fields) for action in offer.actions() if offer.fields]


def action_of(offer: Offer, chosen: Sequence[int]) -> JsonObject:
    """The action that takes up the offer with these numbers."""
    return {"type": offer.type, **dict(zip(offer.fields, chosen, strict=True))}


def for_the_away(prompt: ActPrompt, first: Sequence[str]) -> JsonObject:
    """What the table does for a seat that sits out: the first of these that is offered, or else the least."""
    offers = {offer.type: offer for offer in prompt.actions}
    offer = next((offers[kind] for kind in first if kind in offers), prompt.actions[0])
    chosen: list[int] = []
    for _ in offer.fields:
        chosen.append(numbers(offer, chosen)[0])
    return action_of(offer, chosen)


class ActionMenu:
    """Where somebody stands in the menu of a decision."""

    def __init__(self, prompt: ActPrompt, words: Words) -> None:
        self.words = words
        self.offers: Walk[Offer] = Walk(prompt.actions)
        self.chosen: list[int] = []
        self.number: Walk[int] | None = None
        if len(prompt.actions) == 1:
            self.enter()

    def enter(self) -> None:
        """Goes on to the next number of the action, if it takes one more."""
        offer = self.offers.current
        more = len(self.chosen) < len(offer.fields)
        self.number = Walk(numbers(offer, self.chosen)) if more else None

    def step(self, by: int) -> None:
        """Shows another action or number."""
        (self.number or self.offers).step(by)

    def take(self) -> JsonObject | None:
        """Takes what is shown; the whole action once nothing is left to choose."""
        if self.number is not None:
            self.chosen.append(self.number.current)
        self.enter()
        return None if self.number else action_of(self.offers.current, self.chosen)

    def back(self) -> None:
        """Takes back the last choice, if there is one."""
        if self.chosen:
            last = self.chosen.pop()
            choices = numbers(self.offers.current, self.chosen)
            self.number = Walk(choices, choices.index(last))
        elif len(self.offers.items) > 1:
            self.number = None

    @property
    def inside(self) -> bool:
        """Whether there is a choice to go back from."""
        return bool(self.chosen) or (self.number is not None and len(self.offers.items) > 1)

    @property
    def position(self) -> str:
        """`3/9`: which of the choices is shown."""
        return (self.number or self.offers).position

    @property
    def label(self) -> str:
        """What is shown."""
        offer = self.offers.current
        values = [*self.chosen, *([] if self.number is None else [self.number.current])]
        return self.words.action(offer, values)
