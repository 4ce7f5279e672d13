"""The page of an arena or a bracket, for a television."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.league.html import link, section, table_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SIDES: Final = {"W": "Winners", "L": "Losers", "F": "Final"}


def content(about: Mapping[str, Any]) -> str:
    """The page's content, from what the protocol tells."""
    title = f"{about['name']}: {texts.games.title(about['game'])}"
    now = [
        (link(f"/tables/{each['table']}", each["table_name"]), escape(", ".join(names(each["players"]))))
        for each in about["calls"]
    ]
    called = section("Now playing", table_of(("Table", "Players"), now)) if now else ""
    if about["kind"] == "arena":
        ranked = [(each["points"], escape(each["name"])) for each in about["places"]]
        waiting = ", ".join(names(about["waiting"]))
        free = section("Waiting", f"<p>{escape(waiting)}</p>") if waiting else ""
        return section(title, table_of(("Points", "Player"), ranked) if ranked else "") + called + free
    champion = about["champion"]
    crowned = section("Champion", f"<h3>★ {escape(champion['name'])}</h3>") if champion else ""
    if not about["matches"]:
        return section(title, f"<p>{escape(', '.join(names(about['entrants'])))}</p>")
    sides = {letter: side(letter, about["matches"], called_now(about)) for letter in SIDES}
    right = f"<div>{crowned}{sides['F']}{called}</div>"
    return f"<h2>{escape(title)}</h2><div class=bracket><div>{sides['W']}{sides['L']}</div>{right}</div>"


def names(players: Sequence[Mapping[str, str] | None]) -> list[str]:
    """The names of players who are known."""
    return [each["name"] for each in players if each]


def called_now(about: Mapping[str, Any]) -> set[str]:
    """The matches that are being played."""
    return {each["match"] for each in about["calls"]}


def side(letter: str, matches: Sequence[Mapping[str, Any]], called: set[str]) -> str:
    """One side of a bracket, a column for each round that anybody plays in."""
    rounds: dict[str, list[Mapping[str, Any]]] = {}
    for each in matches:
        played = not each["bye"] and (each["match"] != "F2" or any(each["players"]))
        if each["match"].startswith(letter):
            column = rounds.setdefault(each["match"].partition("-")[0], [])
            if played:
                column.append(each)
    columns = "".join(
        f"<div class=round><h3>{escape(round_name(name))}</h3>"
        f"{''.join(pairing(each, called) for each in found)}</div>"
        for name, found in rounds.items()
        if found
    )
    return section(SIDES[letter], f"<div class=rounds>{columns}</div>") if columns else ""


def round_name(name: str) -> str:
    """What a round is called: `Round 2` for W2 and L2."""
    return {"F1": "Final", "F2": "Second final"}.get(name, f"Round {name[1:]}")


def pairing(match: Mapping[str, Any], called: set[str]) -> str:
    """One match: its two players, and who has won."""
    winner = match["winner"]
    lines = "".join(
        f"<li class={'won' if winner and player == winner else 'known' if player else 'open'}>"
        f"<span>{escape(player['name'] if player else '…')}</span></li>"
        for player in match["players"]
    )
    return f'<ul class="pairing{" due" if match["match"] in called else ""}">{lines}</ul>'
