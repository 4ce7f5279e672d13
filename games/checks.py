"""Whether a request answers a prompt. The order of the checks is part of the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from games.dice import FACES
from games.errors import BadRequest, GameOver, IllegalAction, NotNow, NotYourTurn, WrongDice
from games.prompts import ActPrompt, OverPrompt, Prompt, ThrowPrompt

if TYPE_CHECKING:
    from games.requests import Act, Dice


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
    count = prompt.count if isinstance(prompt, ThrowPrompt) else len(spare)
    dice = request.dice
    if len(dice) != count:
        raise WrongDice(f"{count} dice are due, not {len(dice)}")
    for kind, face in dice:
        try:
            spare.remove(kind)
        except ValueError:
            raise WrongDice(f"no {kind} is due" if kind in FACES else "no such kind of die") from None
        if not 1 <= face <= FACES[kind]:
            raise WrongDice(f"a {kind} has no such face")
