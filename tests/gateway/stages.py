"""The stages of each game with eight long names, and what is measured of them on a television."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dicetable.ledger.entries import Decided, Entry, MemoryJournal, Opened, Thrown
from dicetable.service.healing_ledger import MemoryArchive
from dicetable.service.publisher import snapshot
from dicetable.service.throws import RecentThrows
from dicetable.table.table import Table
from games.match import Match
from games.players import RandomPlayer
from games.requests import Act
from tests.games.tabletop import Tabletop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

FIRST = "Maximilian Wilhelmine Christophe Marguerite"
NAMES = tuple(f"{FIRST} Gwendolynn Montgomery Bartholomy Cassiopeia".split())
MOST = 24
"""Steps of a game that are measured."""
SMALL = """() => [...document.querySelectorAll("body *")].filter((each) => {
    const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !each.checkVisibility() || each.closest(".unseen")) return false;
    const scale = each.matches("svg text") ? each.getScreenCTM().d : 1;
    return scale * parseFloat(getComputedStyle(each).fontSize) < 0.03 * innerHeight;
}).map((each) => `${each.tagName}#${each.id}.${each.className}: ${each.textContent.slice(0, 20)}`)"""
CUT_OFF = """() => [...document.querySelectorAll(
    "body, main, section, .game, #seats li, .name, #todo, #caption")]
    .filter((each) => each.checkVisibility()
        && (each.scrollHeight > each.clientHeight + 4 || each.scrollWidth > each.clientWidth + 1)
        && getComputedStyle(each).display !== "inline")
    .map((each) => `${each.tagName}#${each.id}.${each.className}: ${each.textContent.slice(0, 30)}`)"""
COVERED = """() => {
    const shown = [...document.querySelectorAll(
        "#seats li > *, #seats .more, #seats .die, #stage > *, #stage-dice > *, #caption, #tokens, \
        #beside li, #turn p, #last-who, #dice, #last h2, .hero > *, #join, #tonight li, .game > *, \
        .game .dice > *, #best h2, #best li > *, #set-up > *, #in li, #sit h2, #codes li > *")]
        .filter((each) => each.checkVisibility() && (each.textContent.trim() || each.matches("img, .die")))
        .map((each) => [each, each.getBoundingClientRect()]);
    return shown.flatMap(([one, a], at) => shown.slice(at + 1).filter(([other, b]) =>
        !one.contains(other) && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.01 * innerHeight)
        .map(([other]) => `${one.id || one.className}: ${one.textContent} / ${other.textContent}`));
}"""
"""What lies over something else."""
DIGITS = """(id) => {
    const style = getComputedStyle(document.querySelector(id));
    const brush = document.createElement("canvas").getContext("2d");
    brush.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    return brush.measureText("8").actualBoundingBoxAscent / innerHeight;
}"""


def evening(game: str, seed: int = 5, most: int = MOST) -> list[Entry]:
    """The entries of a game of eight."""
    match = Match.new(game, NAMES, {}, seed=seed)
    top = Tabletop(match, {seat: RandomPlayer(seed + n) for n, seat in enumerate(NAMES)}, seed)
    top.play(most)
    opening = top.match.opening
    entries: list[Entry] = [Opened(game, NAMES, {}, seed, opening.draws, tuple(range(1, 9)), ())]
    for record in top.match.log[1:]:
        if record["op"] == "act":
            act = Act(record["seat"], record["action"])
            entries.append(Decided(act.seat, act.action))
        else:
            entries.append(Thrown(tuple((kind, face) for kind, face in record["dice"]), ()))
    return entries[:most]


def states(game: str) -> Iterator[dict[str, Any]]:
    """What screens are told after each entry."""
    entries = evening(game)
    for count in range(1, len(entries) + 1):
        journal = MemoryJournal()
        journal.entries = entries[:count]
        recent = RecentThrows(MemoryArchive(journal))
        recent.step(1000)
        table = Table(journal, lambda: 1, entries=journal.entries, names=NAMES)
        yield snapshot(table, recent.throws, count) | {"revision": count}


def faults(page: Page) -> dict[str, Any]:
    found = {"small": page.evaluate(SMALL), "cut off": page.evaluate(CUT_OFF)}
    found |= {"covered": page.evaluate(COVERED)}
    return {name: each for name, each in found.items() if each}


OFF_THE_SCREEN = """() => [...document.querySelectorAll("#moment > *, #moment .spot .die")].filter((each) => {
    const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const room = each.parentElement.closest(".felt")?.getBoundingClientRect() ?? screen;
    const range = document.createRange();
    range.selectNodeContents(each);
    const box = (each.matches(".who, .large") ? range : each).getBoundingClientRect();
    const beside = box.left < room.left - 1 || box.right > room.right + 1;
    return beside || box.top < room.top - 1 || box.bottom > room.bottom + 1;
}).map((each) => `${each.className.baseVal ?? each.className}: ${each.textContent}`)"""
"""What of a moment is not all to be seen: words and the felt on the screen, dice on the felt."""
