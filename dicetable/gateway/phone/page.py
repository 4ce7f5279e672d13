"""The phone page, put together once: its texts and the rules of the games, every one of them escaped."""

from __future__ import annotations

import json
from functools import lru_cache
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.gateway.fairness import fairness
from dicetable.gateway.guest_page import looks
from games.registry import GAMES

if TYPE_CHECKING:
    from dicetable.gateway.settings import Look


@lru_cache(maxsize=1)
def phone_page(look: Look, *, records: bool = True) -> bytes:
    """The whole page, HTML; with the way to the records, if there are any."""
    page = Template(files("dicetable.gateway").joinpath("static", "phone.html").read_text("utf-8"))
    words = {name: escape(text) for name, text in texts.phones.PAGE.items()}
    told = escape(json.dumps(texts.phones.PAGE))
    return page.substitute(
        words,
        **looks(look),
        texts=told,
        rules=rules(),
        fairness=fairness(),
        records=ways() if records else "",
    ).encode()


def ways() -> str:
    """The way to the records, the dice, and the own games, which appears once the player is known."""
    told = texts.gateway
    return (
        f'<nav id="more"><a id="mine" href="/records" hidden>{escape(told.MY_PAGE)}</a> '
        f'<a href="/records">{escape(told.RECORDS)}</a> <a href="/dice">{escape(told.DICE)}</a></nav>'
    )


def rules() -> str:
    """The rules of each game, folded away."""
    return "\n".join(
        f'<details data-game="{escape(name)}"><summary>{escape(game.title)}</summary>'
        f"<ul>{''.join(f'<li>{escape(rule)}</li>' for rule in game.words.rules)}</ul></details>"
        for name, game in GAMES.items()
    )
