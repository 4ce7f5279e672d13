"""What the panel and the stage have to show whole, in any language: sentences, lines, games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from common import texts
from common.texts.plain import ascii_letters
from dicetable.table import display
from games.dice import KINDS
from games.match import Match
from games.prompts import ActPrompt
from hardware.ports import COLUMNS
from tests.games.entries import ENTRIES

if TYPE_CHECKING:
    from games.game import Game

SENTENCES = (
    texts.throws.TOO_EARLY,
    texts.games.EVERYBODY_AWAY,
    texts.panel.SAME_NAME,
    texts.panel.not_enough(3, 8),
    *texts.health.EYE.values(),
    *texts.panel.HELP_TEXTS,
    *(texts.throws.not_seen(reveal=reveal) for reveal in (True, False)),
    texts.throws.TURNED,
    texts.throws.TOUCHED,
    texts.throws.OTHER_VALUE,
    *(texts.throws.old_die_moved(reveal=reveal) for reveal in (True, False)),
    *(texts.throws.cocked(kind, reveal=reveal) for kind in (None, "d20") for reveal in (True, False)),
    *(texts.throws.unknown_dice(count) for count in (1, 12)),
    *(texts.throws.unsure(count, likely, reveal=True) for count, likely in ((1, ["d20:17"]), (12, []))),
    *(texts.throws.unsure(count, likely, reveal=False) for count, likely in ((1, ["d20:17"]), (12, []))),
    *(texts.throws.wrong_count(seen, due) for seen in (0, 1, 48) for due in (1, 48)),
    *(texts.throws.left_lying(count) for count in (1, 12)),
    texts.throws.nothing_thrown(12),
    *(
        texts.throws.nothing_new(12, old=old, reveal=reveal)
        for old in (True, False)
        for reveal in (True, False)
    ),
    texts.throws.wrong_kind("second d20", ["d6"]),
    texts.throws.wrong_kind("d20", KINDS[:5]),
)
LINES_OF_THE_PANEL = (
    *texts.panel.ATTRACT,
    *texts.panel.GOOD_NIGHT,
    *texts.panel.SAFE_TO_UNPLUG,
    texts.games.take("999/999"),
    texts.panel.TURN_PAGES,
    *texts.games.HINTS,
    texts.games.THINKS,
    texts.panel.CHOOSE_GAME,
    texts.panel.WHO_PLAYS,
    *texts.games.REMATCH_HINTS,
    texts.games.rematch(8, 8),
    texts.panel.LETTER,
    texts.panel.MENU_HEADING,
    texts.panel.WHOSE_MENU,
    texts.panel.PAUSED,
    texts.panel.PAUSED_TEXT,
    texts.panel.ANOTHER_SEAT,
    texts.panel.SAME_SEAT,
    texts.panel.NO_HOLD,
    texts.panel.IS_IT_RIGHT,
    texts.panel.LAST_WON,
    *map(texts.health.degraded, texts.health.PARTS),
    texts.health.degraded("ledger"),
    texts.panel.goes_on(8),
    texts.panel.seats_needed(3, 8, 8),
    texts.panel.players(2, 8),
    texts.panel.countdown(60),
    texts.games.throw_line(6, for_somebody=True),
    texts.games.show_line(48),
    texts.games.still_to_show(48),
    texts.panel.name_of(8),
    texts.panel.die_field(48, 48, "d20"),
    texts.panel.kind_field(6, 6),
    texts.panel.face_field(20),
    *(f"> {item}" for item in texts.panel.MENU_ITEMS.values()),
    *(f"> {item}" for item in texts.health.SAFE_ITEMS.values()),
    *(f"> {item}" for item in texts.games.OPTIONS.values()),
)


def sentence_fits_below_a_heading(sentence: str) -> None:
    lines = display.wrapped(sentence)
    assert len(lines) <= 3
    assert " ".join(lines) == sentence
    assert sentence.endswith((".", "..."))
    assert all(display.printable(line) == ascii_letters(line) for line in lines)


def line_fits(line: str) -> None:
    assert display.printable(line) == ascii_letters(line)


def words_fit(game: Game[Any, Any]) -> None:
    words = game.words
    options = game.options.__dataclass_fields__
    assert len(game.title) <= 14
    assert set(words.options) <= set(options)
    labels = [f"> {texts.games.option(game.name, name)}" for name in options]
    assert [line for line in labels if display.printable(line) != ascii_letters(line)] == []
    assert words.rules
    for sentence in words.rules:
        assert len(display.wrapped(sentence)) <= 3, sentence
        assert sentence.endswith((".", ","))


def whole_game_fits(game: str) -> None:
    entry = ENTRIES[game]
    match = Match.new(game, tuple(entry.seats), entry.options, seed=1)
    for request in entry.sample:
        words = match.rules.words
        offers = match.prompt.actions if isinstance(match.prompt, ActPrompt) else ()
        lines = [
            f"> {words.action(offer, list(action.values())[1:])}"
            for offer in offers
            for action in offer.actions()
        ]
        lines += words.facts(match.state())
        for seat in match.seats:
            lines += [f"{seat * 8} {display.score(match, seat)}", display.standing(match, seat)]
        assert [line for line in lines if len(line) > COLUMNS] == []
        match = match.apply(request)
