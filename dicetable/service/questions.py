"""What the table asks people about a throw or a request, for screens: dice, their picture, who may answer."""

from collections.abc import Sequence
from typing import Final

from common import texts
from common.snapshot import AskedDie, Question
from dicetable.ledger.pictures import parts
from dicetable.service.throws import ListedThrow, RecentThrows, marks
from dicetable.table.confirm_throw import ConfirmReading, OfThrow
from dicetable.table.correct_throw import CorrectThrow
from dicetable.table.pages import Confirm
from dicetable.table.play import Play
from dicetable.table.table import Table
from games.dice import Die
from games.prompts import ActPrompt, OverPrompt
from games.requests import JsonObject

WAITING_FROM: Final = 2**52
"""Pictures of throws that wait for an answer have numbers from here on; the ledger never has as many rows."""


def guide(table: Table) -> str:
    """What a guided game explains at this moment; empty in any other game, and once it is over."""
    match, words = table.state.match, texts.phones
    if match is None or table.guided is not table.state.opened or isinstance(match.prompt, OverPrompt):
        return ""
    if isinstance(match.prompt, ActPrompt):
        return words.FIRST_DECISION
    return words.FIRST_READ if table.state.last_throw() else words.FIRST_THROW


def question(table: Table, throws: Sequence[ListedThrow]) -> Question | None:
    """What the table asks now; None if it only waits for the game to go on."""
    screen = table.screen
    if isinstance(screen, OfThrow):
        return of_throw(table, screen)
    if isinstance(screen, CorrectThrow):
        thrown = next((throw for throw in throws if throw.revision == screen.revision), None)
        shows = thrown is not None and thrown.to_json()["picture"]
        return {
            **plain_question(table, f"{screen.asks} {screen.body}", screen.answering),
            "about": "correction",
            "seat": screen.thrower,
            "dice": dice_json(screen.dice, screen.before),
            "picture": thrown.number if thrown is not None and shows else 0,
        }
    if isinstance(screen, Confirm):
        return plain_question(table, f"{screen.asks} {screen.body}", screen.answering)
    if isinstance(screen, Play) and screen.witnesses:
        return plain_question(table, screen.wrong(), screen.witnesses)
    return None


def plain_question(table: Table, text: str, answering: Sequence[int]) -> Question:
    """A question without dice."""
    roster, house = table.state.roster, table.state.house
    people = [seat for seat in answering if seat in roster and roster[seat].name not in house] or answering
    who = texts.phones.may_answer(map(table.name, people))
    return {"text": text, "answer": who, "about": "game", "seat": "", "dice": [], "picture": 0}


def of_throw(table: Table, screen: OfThrow) -> Question:
    current = screen.die if isinstance(screen, ConfirmReading) else None
    dice: list[AskedDie] = [
        {
            "kind": die.kind,
            "value": die.value,
            "before": None,
            "asked": die.unseen if current is None else die is current,
        }
        for die in screen.dice
    ]
    shown: Question = {
        **plain_question(table, screen.question, screen.answering),
        "about": "throw" if current is None else "value",
        "seat": table.state.to_act or "",
        "dice": dice,
        "picture": WAITING_FROM + round(1000 * screen.throw.settled.time_s)
        if screen.throw.settled.evidence
        else 0,
    }
    return shown if screen.lies_still else {**shown, "answer": texts.throws.HANDS_OFF}


def dice_json(dice: Sequence[Die], before: Sequence[Die]) -> list[AskedDie]:
    """The dice, each with the value that it had before, if that was another."""
    return [
        {"kind": kind, "value": value, "before": old if old != value else None, "asked": old != value}
        for (kind, value), (_, old) in zip(dice, before, strict=True)
    ]


def waiting_evidence(table: Table, throws: RecentThrows, number: int) -> tuple[bytes, bytes]:
    """Picture and strip of the throw that waits for an answer; empty if another waits, or cups are down."""
    screen = table.screen
    if not isinstance(screen, OfThrow) or not throws.shows(throws.archive.count + 1):
        return b"", b""
    settled = screen.throw.settled
    return parts(settled.evidence) if number == WAITING_FROM + round(1000 * settled.time_s) else (b"", b"")


def waiting_marks(table: Table, throws: RecentThrows, number: int) -> JsonObject | None:
    """Where the dice of that throw are in its picture; None without one."""
    picture, motion = waiting_evidence(table, throws, number)
    screen = table.screen
    if not picture or not isinstance(screen, OfThrow):
        return None
    return marks([die.reading.box for die in screen.throw.dice], picture, motion)
