"""The guest page, put together once: its texts and the games, every one of them escaped."""

from __future__ import annotations

from functools import cache, lru_cache
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Final

from dicetable import texts
from dicetable.gateway.fairness import fairness
from dicetable.texts.catalogue import LANGUAGE
from games.registry import GAMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dicetable.gateway.settings import Look

KINDS: Final = {
    "guest.css": "text/css; charset=utf-8",
    "phone.css": "text/css; charset=utf-8",
    "fairness.css": "text/css; charset=utf-8",
    "fairness.js": "text/javascript; charset=utf-8",
    "guest.js": "text/javascript; charset=utf-8",
    "phone.js": "text/javascript; charset=utf-8",
    "dice.js": "text/javascript; charset=utf-8",
    "captions.js": "text/javascript; charset=utf-8",
    "last_throw.js": "text/javascript; charset=utf-8",
    "sound.js": "text/javascript; charset=utf-8",
    "stream.js": "text/javascript; charset=utf-8",
    "stage.js": "text/javascript; charset=utf-8",
    "choices.js": "text/javascript; charset=utf-8",
    "codes.js": "text/javascript; charset=utf-8",
    "moments.css": "text/css; charset=utf-8",
    "moments.js": "text/javascript; charset=utf-8",
    "records.css": "text/css; charset=utf-8",
    "records.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""The files under /static and their media types."""
LONG_NAME: Final = 12
"""A longer name is written in smaller letters between games."""
COLOUR: Final = "colour.css"
"""Where the bar's colour is."""


@cache
def static_files() -> Mapping[str, tuple[bytes, str]]:
    """The files that the page is made of, with their media types, by name."""
    folder = files("dicetable.gateway").joinpath("static")
    return {name: (folder.joinpath(name).read_bytes(), kind) for name, kind in KINDS.items()}


@lru_cache(maxsize=1)
def guest_page(look: Look, *, records: bool = True) -> bytes:
    """The whole page, HTML; with the way to the records, if there are any."""
    page = Template(files("dicetable.gateway").joinpath("static", "guest.html").read_text("utf-8"))
    words = {name: escape(text) for name, text in texts.gateway.GUEST_PAGE.items()}
    words |= {"idle_heading": escape(look.name)} if look.name else {}
    return page.substitute(
        words,
        **looks(look),
        logo='<img class="logo" src="/logo" alt="">' if look.logo else "",
        long=' class="long"' if len(look.name) > LONG_NAME else "",
        pause=f"{look.pause:g}",
        records='<a href="/records">{tonight}</a>'.format(**words) if records else words["tonight"],
        best='<section id="best" hidden><h2>{best_of_all}</h2><ul></ul></section>\n  '.format(**words)
        if records
        else "",
        games=games(),
        fairness=fairness(),
    ).encode()


def looks(look: Look) -> dict[str, str]:
    """The title, the bar's colour and the language, as each page has them."""
    link = f'<link rel="stylesheet" href="/{COLOUR}">' if look.colour else ""
    return {"title": escape(look.name or texts.gateway.TITLE), "colour": link, "lang": LANGUAGE}


def colour_sheet(look: Look) -> bytes:
    """The style sheet with the bar's colour."""
    return f":root {{ --gold: {look.colour}; }}\n".encode()


def games() -> str:
    """A card for each game: its name, how many play, and its rules in short."""
    return "\n".join(
        f'<article class="game"><h3>{escape(game.title)}</h3>'
        f"<p>{escape(texts.gateway.players(game.fewest_seats, game.most_seats))}</p>"
        f"<ul>{''.join(f'<li>{escape(rule)}</li>' for rule in game.words.rules)}</ul></article>"
        for game in GAMES.values()
    )
