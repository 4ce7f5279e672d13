"""What a match waits for: the only source of legal answers, for menus, lamps, dice and checks alike.

`check_action` and `check_dice` say whether a request answers a prompt. The order of the checks is part of
the protocol.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from games.dice import VALUES, Kind
from games.errors import BadRequest, GameOver, IllegalAction, NotNow, NotYourTurn, WrongDice
from games.requests import Act, Dice, JsonObject

Bid = tuple[int, int]
"""A bid in Liar's Dice: (quantity, face)."""


@dataclass(frozen=True, slots=True)
class Plain:
    """An action without a value, such as `stick`."""

    type: str

    fields: ClassVar[tuple[str, ...]] = ()

    def allows(self) -> bool:
        return True

    def to_json(self) -> JsonObject:
        return {"type": self.type}

    def actions(self) -> Iterator[JsonObject]:
        yield {"type": self.type}


@dataclass(frozen=True, slots=True)
class RangeOffer:
    """An action with one number from `min` to `max`, in the field that `fields` names."""

    min: int
    max: int

    type: ClassVar[str]
    fields: ClassVar[tuple[str, ...]]

    def allows(self, number: int) -> bool:
        return self.min <= number <= self.max

    def to_json(self) -> JsonObject:
        return {"type": self.type, "min": self.min, "max": self.max}

    def actions(self) -> Iterator[JsonObject]:
        return ({"type": self.type, self.fields[0]: number} for number in range(self.min, self.max + 1))


@dataclass(frozen=True, slots=True)
class BetOffer(RangeOffer):
    """A bet of `min` … `max` chips."""

    type: ClassVar[str] = "bet"
    fields: ClassVar[tuple[str, ...]] = ("amount",)


@dataclass(frozen=True, slots=True)
class RecastOffer(RangeOffer):
    """Recasting `min` … `max` of the dice under the cup."""

    type: ClassVar[str] = "recast"
    fields: ClassVar[tuple[str, ...]] = ("count",)


@dataclass(frozen=True, slots=True)
class BidOffer:
    """Every (quantity, face) from `min` to `max` in lexicographic order, with a face of 2 to 6."""

    min: Bid
    max: Bid

    type: ClassVar[str] = "bid"
    fields: ClassVar[tuple[str, ...]] = ("quantity", "face")

    def allows(self, quantity: int, face: int) -> bool:
        return 2 <= face <= 6 and self.min <= (quantity, face) <= self.max

    def to_json(self) -> JsonObject:
        return {"type": "bid", "min": list(self.min), "max": list(self.max)}

    def actions(self) -> Iterator[JsonObject]:
        for quantity in range(self.min[0], self.max[0] + 1):
            for face in range(2, 7):
                if self.allows(quantity, face):
                    yield {"type": "bid", "quantity": quantity, "face": face}


@dataclass(frozen=True, slots=True)
class CallOffer:
    """A call out of `calls`, which are in ascending order."""

    calls: tuple[int, ...]

    type: ClassVar[str] = "call"
    fields: ClassVar[tuple[str, ...]] = ("value",)

    def allows(self, value: int) -> bool:
        return value in self.calls

    def to_json(self) -> JsonObject:
        return {"type": "call", "calls": list(self.calls)}

    def actions(self) -> Iterator[JsonObject]:
        return ({"type": "call", "value": value} for value in self.calls)


@dataclass(frozen=True, slots=True)
class PickOffer:
    """An action of any type with one of `values`, which are in ascending order.

    The game says what a value means: a box of a score sheet, a number of dice, or dice to set aside
    (`games.keeping`).
    """

    type: str
    values: tuple[int, ...]

    fields: ClassVar[tuple[str, ...]] = ("value",)

    def allows(self, value: int) -> bool:
        return value in self.values

    def to_json(self) -> JsonObject:
        return {"type": self.type, "values": list(self.values)}

    def actions(self) -> Iterator[JsonObject]:
        return ({"type": self.type, "value": value} for value in self.values)


Offer = Plain | BetOffer | RecastOffer | BidOffer | CallOffer | PickOffer


@dataclass(frozen=True, slots=True)
class ActPrompt:
    """`seat` chooses one of `actions`: all legal actions and no others."""

    seat: str
    actions: tuple[Offer, ...]

    def to_json(self) -> JsonObject:
        return {"kind": "act", "seat": self.seat, "actions": [offer.to_json() for offer in self.actions]}


@dataclass(frozen=True, slots=True)
class ThrowPrompt:
    """`seat` throws `count` dice in the open, each a different entry of `dice`."""

    seat: str
    count: int
    dice: tuple[Kind, ...]

    def to_json(self) -> JsonObject:
        return {"kind": "throw", "seat": self.seat, "count": self.count, "from": list(self.dice)}


@dataclass(frozen=True, slots=True)
class AnyDicePrompt(ThrowPrompt):
    """`seat` throws any dice in the open: `count` or more of them, each a different entry of `dice`.

    Those of `needed` have to be among them.
    """

    most: int
    needed: tuple[Kind, ...] = ()

    def to_json(self) -> JsonObject:
        prompt: JsonObject = {"kind": "any", "seat": self.seat, "min": self.count, "max": self.most}
        if self.needed:
            prompt |= {"from": list(self.dice), "needed": list(self.needed)}
        return prompt


@dataclass(frozen=True, slots=True)
class RevealPrompt:
    """All cups are lifted; exactly `dice` must be read."""

    dice: tuple[Kind, ...]

    def to_json(self) -> JsonObject:
        return {"kind": "reveal", "dice": list(self.dice)}


@dataclass(frozen=True, slots=True)
class OverPrompt:
    """The game is over; `winners` are in seat order."""

    winners: tuple[str, ...]

    def to_json(self) -> JsonObject:
        return {"kind": "over", "winners": list(self.winners)}


Prompt = ActPrompt | ThrowPrompt | RevealPrompt | OverPrompt


def check_action(prompt: Prompt, request: Act) -> None:
    """Checks that the action is one of those offered to its seat.

    Raises, in this order: GameOver, NotNow, NotYourTurn, IllegalAction (its type), BadRequest (its fields),
    IllegalAction (its value).
    """
    if not isinstance(prompt, ActPrompt):
        if isinstance(prompt, OverPrompt):
            raise GameOver("the game is over")
        raise NotNow("dice are awaited, not an action")
    if request.seat != prompt.seat:
        raise NotYourTurn(f"{prompt.seat} is to act")
    action = request.action
    kind = action["type"]
    for offer in prompt.actions:
        if offer.type == kind:
            break
    else:
        raise IllegalAction(f"offered: {', '.join(offer.type for offer in prompt.actions)}")
    fields = offer.fields
    if len(action) != len(fields) + 1:
        raise BadRequest(f"{kind} takes {' and '.join(fields) or 'no other field'}")
    values: list[Any] = [action.get(field) for field in fields]
    for value in values:
        if type(value) is not int:
            raise BadRequest(f"{kind} takes {' and '.join(fields)}, whole numbers")
    if not offer.allows(*values):
        raise IllegalAction(f"that {kind} is outside what is offered")


def check_dice(prompt: Prompt, request: Dice) -> None:
    """Checks that these dice match the prompt and that each shows a face it has.

    Raises, in this order: GameOver, NotNow, WrongDice.
    """
    if isinstance(prompt, ActPrompt):
        raise NotNow(f"an action of {prompt.seat} is awaited, not dice")
    if isinstance(prompt, OverPrompt):
        raise GameOver("the game is over")
    spare = list(prompt.dice)
    least = most = prompt.count if isinstance(prompt, ThrowPrompt) else len(spare)
    if isinstance(prompt, AnyDicePrompt):
        most = prompt.most
    dice = request.dice
    if not least <= len(dice) <= most:
        due = f"{least}" if least == most else f"{least} to {most}"
        raise WrongDice(f"{due} dice are due, not {len(dice)}")
    for kind, face in dice:
        try:
            spare.remove(kind)
        except ValueError:
            raise WrongDice(f"no {kind} is due" if kind in VALUES else "no such kind of die") from None
        if face not in VALUES[kind]:
            raise WrongDice(f"a {kind} has no such face")
    if isinstance(prompt, AnyDicePrompt):
        check_needed(prompt, [kind for kind, _ in dice])


def check_needed(prompt: AnyDicePrompt, thrown: list[str]) -> None:
    for kind in prompt.needed:
        if thrown.count(kind) < prompt.needed.count(kind):
            raise WrongDice(f"a {kind} is due")
