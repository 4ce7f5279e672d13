"""The German and Spanish texts: complete, with the same fields as the English ones, and short enough."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from common.texts.language import ENGLISH, LANGUAGES
from games.registry import GAMES

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

ROOT: Final = Path(__file__).resolve().parents[3]
LOCALE: Final = ROOT / "common" / "texts" / "locale"
SOURCES: Final = ("games", "common/texts")
TRANSLATED: Final = [language for language in LANGUAGES if language != ENGLISH]
FIELD: Final = re.compile(r"\{[^{}]*\}")
ONLY_ENGLISH: Final = "{ending}"
"""The ending of an English ordinal."""

every_language = pytest.mark.parametrize("language", TRANSLATED)


def texts() -> set[str | tuple[str, ...]]:
    """Every text in the sources; one with a count as a pair."""
    keywords = {"tr": None, "ntr": (1, 2)}
    found = [
        text
        for folder in SOURCES
        for _, _, text, _, _ in extract_from_dir(ROOT / folder, [("**.py", "python")], keywords=keywords)
    ]
    return {text if isinstance(text, str) else tuple(text) for text in found}


def catalogue(language: str) -> Catalog:
    with (LOCALE / language / "LC_MESSAGES" / "dicetable.po").open("rb") as file:
        return read_po(file)


def parts(text: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text or ())


@every_language
def test_every_text_is_translated(language: str) -> None:
    held = {
        message.id if isinstance(message.id, str) else tuple(message.id)
        for message in catalogue(language)
        if message.id and all(parts(message.string)) and not message.fuzzy
    }
    assert texts() - held == set()
    assert held - texts() == set()


@every_language
def test_every_translation_has_the_fields_of_its_text(language: str) -> None:
    odd = []
    for message in catalogue(language):
        wanted = sorted(FIELD.findall(parts(message.id)[-1]))
        for number, said in enumerate(parts(message.string)):
            found = sorted(FIELD.findall(said))
            needed = [field for field in wanted if field != ONLY_ENGLISH]
            singular = len(parts(message.string)) > 1 and number == 0
            if not (set(found) <= set(needed) if singular else found == needed):
                odd.append((message.id, said))
    assert odd == []


@every_language
def test_spaces_at_the_ends_are_kept(language: str) -> None:
    for message in catalogue(language):
        if message.id and not isinstance(message.id, str | tuple):
            continue
        english, said = parts(message.id)[-1], parts(message.string)[-1]
        assert (english[:1] == " ", english[-1:] == " ") == (said[:1] == " ", said[-1:] == " "), said


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the compiled catalogues."""
    folder = tmp_path_factory.mktemp("locale")
    for language in TRANSLATED:
        (folder / language / "LC_MESSAGES").mkdir(parents=True)
        with (folder / language / "LC_MESSAGES" / "dicetable.mo").open("wb") as file:
            write_mo(file, catalogue(language))
    return folder


IN_LANGUAGE: Final = """
import gettext, sys
real = gettext.translation
gettext.translation = lambda domain, folder, *rest, **more: real(domain, sys.argv[1], *rest, **more)
from common.texts import speaking
speaking.speak()
"""
PLAYED: Final = """
from games.registry import GAMES
from tests.dicetable.table import cut_lines, fitting
from tests.dicetable.table.hands_on import EMPTY, HandsOn, lie
from tests.games.stages import stages_are_short

def tried(check, values):
    for value in values:
        try:
            check(value)
        except AssertionError:
            print("too long", value)

tried(fitting.sentence_fits_below_a_heading, fitting.SENTENCES)
tried(fitting.line_fits, fitting.LINES_OF_THE_PANEL)
tried(fitting.words_fit, GAMES.values())
tried(fitting.whole_game_fits, GAMES)
tried(stages_are_short, GAMES)
cut = cut_lines.cut_in_facts() | cut_lines.cut_while_a_name_is_spelled()
for game in GAMES:
    cut |= cut_lines.cut_in_an_evening(game, 1)
for line in cut:
    print("too long", line)

at = HandsOn()
at.settle(EMPTY)
print(at.text)
at.tap("1.ok")
print(at.heading)
for game in GAMES:
    at = HandsOn()
    at.open(game, 3)
    print(at.lines[1])
at = HandsOn()
at.open("six_by_6", 2)
at.settle(lie(1, 2, 3))
print(at.text)
at.tap("menu", "1.plus")
print(at.choice)
"""
SAID: Final = {
    "de": [
        "WURFELTISCH Druck eine Taste und spiel",
        "Welches Spiel?",
        "WIRF",
        "Ich sehe 3 Wurfel",
        "Zuruck zum Spiel",
    ],
    "es": ["MESA DE DADOS Pulsa un boton para jugar", "Que juego?", "TIRA", "Veo 3 dados", "Volver a jugar"],
}


def run(script: str, language: str, *arguments: Path) -> str:
    """What the script prints; `arguments` begin with the folder of the compiled catalogues."""
    done = subprocess.run(
        [sys.executable, "-c", IN_LANGUAGE + script, *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"DICETABLE_LANGUAGE": language, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


EVENING: Final = """
from pathlib import Path
from games.registry import GAMES
from hardware.simulated import physics
from hardware.simulated.faults import parse
from tests.dicetable.service.lives import Life

physics.available = lambda: False
for game in GAMES:
    life = Life(Path(sys.argv[2]) / game, game)
    life.until_entries(1)
    while not (life.over or life.closed):
        life.until_entries(1)
    print(game)
life = Life(Path(sys.argv[2]) / "dark", "sixes")
life.simulation.world.inject(parse("dark:600"))
life.until_entries(4)
print([entry.by_hand for entry in life.service.parts.ledger.entries()[1:]])
"""


@pytest.mark.slow
@every_language
def test_simulated_people_play_every_game_to_its_end(language: str, compiled: Path, tmp_path: Path) -> None:
    assert run(EVENING, language, compiled, tmp_path).splitlines() == [*GAMES, "[True, True, True]"]


@every_language
def test_a_table_speaks_it_and_every_line_fits_the_panel(language: str, compiled: Path) -> None:
    said = run(PLAYED, language, compiled)
    assert [line for line in said.splitlines() if line.startswith("too long")] == []
    for words in SAID[language]:
        assert words in said
