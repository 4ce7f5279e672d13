"""The phone page in a language of the phone's own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from starlette.requests import Request

from common.texts import phones
from common.texts.language import LANGUAGES
from games.registry import GAMES
from gateway.languages import COOKIE, language_of, preferred, translations
from gateway.pages import phone_page
from gateway.settings import Look

ROOT = Path(__file__).resolve().parents[2]
FIELD = re.compile(r"\{(\w*)\}")
PAGES = """
import json, sys
from gateway.languages import translations
from gateway.pages import phone_page
from gateway.settings import Look
from common.texts.language import LANGUAGES
json.dump([{each: phone_page(Look(), each).decode() for each in LANGUAGES}, translations("en")], sys.stdout)
"""


def asked(*headers: tuple[bytes, bytes]) -> Request:
    return Request({"type": "http", "method": "GET", "path": "/phone", "headers": list(headers)})


def words(page: str) -> dict[str, str]:
    """What phone.js says."""
    found = re.search(r'data-texts="([^"]*)"', page)
    assert found is not None
    return dict(json.loads(unescape(found[1])))


def prose(page: str) -> str:
    """The page without the part that translates."""
    return re.sub(r'data-translations="[^"]*"', "", page)


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", ""),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("fr, es;q=0.5, en;q=0.7", "en"),
        ("en;q=0, es;q=0.1", "es"),
        ("fr,*;q=0.5", ""),
        (";;,q=,de;q=much", ""),
        ("fr," * 100_000 + "de", ""),
    ],
)
def test_the_browser_s_first_language_that_the_table_has(accepted: str, language: str) -> None:
    assert preferred(accepted) == language


def test_the_player_s_choice_counts_before_the_browser_s() -> None:
    german = (b"accept-language", b"de")
    assert language_of(asked()) == "en"
    assert language_of(asked((b"accept-language", b"fr"))) == "en"
    assert language_of(asked(german)) == "de"
    assert language_of(asked(german, (b"cookie", f"{COOKIE}=es".encode()))) == "es"
    assert language_of(asked(german, (b"cookie", f"{COOKIE}=../x".encode()))) == "de"


def test_the_whole_page_is_in_the_phone_s_language() -> None:
    english, german = phone_page(Look()).decode(), phone_page(Look(), "de").decode()
    assert '<html lang="de">' in german
    assert '<option value="de" lang="de" selected>Deutsch</option>' in german
    assert "Nimm Platz" in german
    assert words(german).keys() == phones.PAGE.keys()
    assert words(german)["colours"].split(", ")[0] == "rot"
    same = {name for name, text in words(german).items() if text == phones.PAGE[name]}
    assert same <= {"name", "code"}
    assert not [rule for game in GAMES.values() for rule in game.words.rules if f"<li>{rule}</li>" in german]
    assert 'data-translations="{}"' in english


def test_a_table_in_another_language_has_the_same_pages() -> None:
    """Every text finds its way back, although German has one word for some pairs of English ones."""
    done = subprocess.run(
        [sys.executable, "-c", PAGES],
        cwd=ROOT,
        env=os.environ | {"DICETABLE_LANGUAGE": "de", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=True,
    )
    pages, known = json.loads(done.stdout)
    for language in LANGUAGES:
        assert prose(pages[language]) == prose(phone_page(Look(), language).decode())
    assert known["{seat}: wirf {dice}"] == "{seat}: throw {dice}"
    assert known["{first} und {others}"] == "{first} and {others}"


@pytest.mark.parametrize("language", ["de", "es"])
def test_every_field_of_a_translation_is_known(language: str) -> None:
    for text, translated in translations(language).items():
        assert set(FIELD.findall(translated)) <= set(FIELD.findall(text)), text


def test_a_phone_knows_what_the_table_may_ask() -> None:
    known = translations("de")
    assert known["Start a game"] == "Ein Spiel beginnen"
    assert known["one die"] == "1 Würfel"
    assert {"{seat} bids {bid}", "I didn't see {dice} roll. Fair?", "SAFE MODE: I crashed three times."} <= (
        known.keys()
    )
    assert not [text for text in known if "matplotlib" in text]
