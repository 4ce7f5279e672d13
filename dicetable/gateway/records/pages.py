"""The pages about players and dice, HTML made of what the table told; every text in them is escaped."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from dicetable import texts
from dicetable.gateway.guest_page import looks
from dicetable.gateway.records import drawings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dicetable.gateway.records.drawings import Drawing
    from dicetable.gateway.settings import Look

MOST_ROWS: Final = 8
"""Players of an evening in the chart of it."""
DOTS: Final = (".", "..")
"""Names that a browser takes for a way through the folders: they have no page."""


@cache
def shell() -> Template:
    """What all pages have around them."""
    return Template(files("dicetable.gateway").joinpath("static", "records.html").read_text("utf-8"))


def page(look: Look, heading: str, main: Iterable[str], picture: str = "", state: str = "") -> bytes:
    """A whole page.

    Args:
        look: how it looks.
        heading: its title.
        main: its sections.
        picture: the path of the picture that shows the same; empty if there is none.
        state: `counting` while the page is to be asked for again, or `wall` if it stays up to date.
    """
    share = (
        f'<button id="share" type="button" data-picture="{escape(picture)}">'
        f"{escape(texts.gateway.SHARE)}</button>"
    )
    named = looks(look) | {"title": f"{escape(heading)} · {looks(look)['title']}"}
    return (
        shell()
        .substitute(
            named,
            game=escape(texts.gateway.GAME),
            records=escape(texts.gateway.RECORDS),
            dice=escape(texts.gateway.DICE),
            bar=escape(look.name or texts.gateway.TITLE),
            share=share if picture else "",
            state=state,
            main="\n".join(main),
        )
        .encode()
    )


def note(look: Look, heading: str, sentence: str, state: str = "") -> bytes:
    """A page that says one thing."""
    return page(
        look, heading, [f"<h1>{escape(heading)}</h1>", f'<p class="note">{escape(sentence)}</p>'], state=state
    )


def records(look: Look, told: Mapping[str, Any]) -> bytes:
    """The newest evening for a wall, all players and the records."""
    evening = told["evening"]
    if evening is None:
        return note(look, texts.gateway.RECORDS, texts.gateway.NO_GAMES, "wall")
    shown = [
        f'<section id="evening"><h1>{escape(evening["day"])}</h1>',
        paragraph(evening["counted"]),
        figure(drawings.wins(evening["players"][:MOST_ROWS], accent(look)), texts.gateway.WINS),
        "</section>",
        f'<section id="highlights">{listed(evening["highlights"], "highlights")}</section>',
        f'<section id="all"><h2>{escape(texts.gateway.ALL_GAMES)}</h2>',
        listed(told["records"], "highlights"),
        f"<ol>{''.join(player_row(one) for one in told['players'])}</ol></section>",
        f'<section id="matches">{listed(evening["matches"], "matches")}</section>',
    ]
    return page(look, texts.gateway.RECORDS, shown, "/pictures/evening", "wall")


def player_row(one: Mapping[str, Any]) -> str:
    """A player in the list, with the way to the player's page."""
    name = escape(one["name"])
    if one["name"] not in DOTS:
        name = f'<a href="{path_of(one["name"])}">{name}</a>'
    won, played = sum(one["won"].values()), sum(one["played"].values())
    return f"<li>{name} <span>{escape(texts.statistics.won(won, played))}</span></li>"


def path_of(name: str) -> str:
    """Where the page of a player is."""
    return f"/players/{escape(quote(name, safe=''))}"


def player(look: Look, one: Mapping[str, Any], everybody: Sequence[Mapping[str, Any]]) -> bytes:
    """Wins, streaks, luck and skill of a player, the last beside that of the others."""
    won, played = sum(one["won"].values()), sum(one["played"].values())
    shown = [
        f'<section id="player"><h1>{escape(one["name"])}</h1>',
        f'<p class="big"><strong>{won}</strong> {escape(texts.gateway.of_games(played))}</p>',
        paragraph(texts.gateway.streaks(one["longest_streak"], one["streak"])),
        figure(drawings.form(one["form"], accent(look)), texts.gateway.FORM) if one["form"] else "",
        "</section>",
    ]
    if rows := luck_of(one):
        shown += [
            f"<section><h2>{escape(texts.gateway.LUCK)}</h2>",
            figure(drawings.luck(rows), texts.gateway.LUCK_TEXT),
            "</section>",
        ]
    for game in one["skill"]:
        chart = drawings.skill(skill_of(game, one["name"], everybody), one["name"], accent(look))
        shown += [
            f"<section><h2>{escape(texts.gateway.skill_in(game))}</h2>",
            figure(chart, texts.gateway.SKILL_TEXT),
            "</section>",
        ]
    shown += [
        f'<section id="games"><h2>{escape(texts.gateway.BY_GAME)}</h2><div>',
        *(game_of(one, game) for game in dict.fromkeys((*one["played"], *one["luck"], *one["skill"]))),
        "</div></section>",
    ]
    return page(look, one["name"], shown, f"/pictures{path_of(one['name'])}")


def luck_of(one: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The luck of a player by game, where it is known."""
    return [
        (texts.games.title(game), found["standard_deviations"])
        for game, found in one["luck"].items()
        if found["standard_deviations"] is not None
    ]


def skill_of(game: str, name: str, everybody: Sequence[Mapping[str, Any]]) -> list[tuple[str, float]]:
    """What each player gives away in a decision, the best first: `name` and those next to it."""
    found = sorted(
        (skill["chips_lost"] / skill["decisions"], one["name"])
        for one in everybody
        if (skill := one["skill"].get(game)) is not None
    )
    at = next(number for number, (_, player) in enumerate(found) if player == name)
    first = max(0, min(at - MOST_ROWS // 2, len(found) - MOST_ROWS))
    return [(player, loss) for loss, player in found[first : first + MOST_ROWS]]


def game_of(one: Mapping[str, Any], game: str) -> str:
    """A game of a player in words."""
    said = [texts.statistics.won(one["won"].get(game, 0), one["played"].get(game, 0))]
    if (luck := one["luck"].get(game)) is not None:
        numbers = luck["came"], luck["expected"], luck["times"], luck["standard_deviations"]
        said.append(texts.gateway.luck(game, *numbers))
    if (skill := one["skill"].get(game)) is not None:
        said.append(texts.gateway.skill(skill["chips_lost"], skill["decisions"]))
    return f"<div><h3>{escape(texts.games.title(game))}</h3>{listed(said, 'facts')}</div>"


def dice(look: Look, told: Mapping[str, Any]) -> bytes:
    """Every known die: its counts, the verdict in words and in pictures."""
    found = told["dice"]
    if not found:
        return note(look, texts.gateway.DICE, texts.gateway.NO_DICE)
    shown = [f"<header><h1>{escape(texts.gateway.DICE)}</h1>{paragraph(texts.gateway.DICE_TEXT)}</header>"]
    for die in found:
        title = texts.statistics.title(die["name"], die["kind"], die["throws"])
        shown.append(
            f'<section class="die"><div><h2>{escape(title)}</h2>'
            f'<p class="verdict {escape(die["verdict"])}">{escape(capital(die["words"]))}.</p></div>'
            f"{drawings.faces(die).svg(texts.statistics.FACES_PLOT)}"
            f"{drawings.evidence(die['curve']).svg(texts.statistics.EVIDENCE_PLOT)}</section>"
        )
    return page(look, texts.gateway.DICE, shown)


def capital(text: str) -> str:
    """The text as a sentence."""
    return text[:1].upper() + text[1:]


def accent(look: Look) -> str:
    """The bar's colour."""
    return look.colour or drawings.GOLD


def figure(drawing: Drawing, caption: str) -> str:
    """A chart with what it shows below it."""
    return f"<figure>{drawing.svg(caption)}<figcaption>{escape(caption)}</figcaption></figure>"


def listed(lines: Sequence[str], name: str) -> str:
    """The lines as a list; nothing without any."""
    return f'<ul class="{name}">{"".join(f"<li>{escape(line)}</li>" for line in lines)}</ul>' if lines else ""


def paragraph(text: str) -> str:
    """The text as a paragraph; nothing for an empty one."""
    return f"<p>{escape(text)}</p>" if text else ""
