"""Texts of the table come from a gettext catalogue, where there is one."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from common.texts import catalogue, gateway, phones

ROOT = Path(__file__).resolve().parents[3]
GERMAN = {
    "The rules in short": "Die Regeln in Kürze",
    "THROW {dice}": "WIRF {dice}",
    "one die\0{count} dice": "einen\0alle {count}",
    "thrown {dice} (entered by hand)": "{dice}, von Hand",
    "not seen: {corners}": "nicht zu sehen: {corners}",
    "far left": "hinten links",
}
SHOWN = """
import gettext, sys
real = gettext.translation
gettext.translation = lambda domain, folder, *rest, **more: real(domain, sys.argv[1], *rest, **more)
from gateway.pages import guest_page
from gateway.settings import Look
from dicetable.ledger.entries import Thrown
from dicetable.ledger.reader import sentence
from common.texts import gateway, rig
from tests.dicetable.table.hands_on import HandsOn
at = HandsOn()
at.open("six_by_6", 2)
print(at.lines[1])
print(sentence(Thrown((("d6", 4),), None, by_hand=True)))
print(rig.markers_missing([0]))
print(gateway.GUEST_PAGE["rules_heading"] in guest_page(Look()).decode(), gateway.GUEST_PAGE["rules_heading"])
print(gateway.TITLE)
"""


def compiled(texts: dict[str, str]) -> bytes:
    """A catalogue as msgfmt writes it."""
    pairs = sorted({"": "Content-Type: text/plain; charset=UTF-8\n", **texts}.items())
    count = len(pairs)
    at = 28 + 16 * count
    tables: list[list[tuple[int, int]]] = [[], []]
    data = b""
    for column in (0, 1):
        for pair in pairs:
            text = pair[column].encode()
            tables[column].append((len(text), at + len(data)))
            data += text + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 0)
    return head + b"".join(struct.pack("<2I", *each) for table in tables for each in table) + data


def test_a_catalogue_changes_what_people_read(tmp_path: Path) -> None:
    folder = tmp_path / "de" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "dicetable.mo").write_bytes(compiled(GERMAN))
    done = subprocess.run(
        [sys.executable, "-c", SHOWN, str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"DICETABLE_LANGUAGE": "de", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "WIRF alle 6",
        "4, von Hand",
        "nicht zu sehen: hinten links (0)",
        "True Die Regeln in Kürze",
        "Dice table",
    ]


def test_without_a_catalogue_it_is_english() -> None:
    assert catalogue.tr("Dice table") == "Dice table"
    assert gateway.GUEST_PAGE["idle_heading"]
    assert phones.PAGE["claim"] == "Sit down"


def test_every_text_of_the_operator_pages_is_in_the_catalogue() -> None:
    done = subprocess.run(
        [sys.executable, "-c", TRANSLATED], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout == ""


TRANSLATED = """
import json, re
from html.parser import HTMLParser
from common.texts import catalogue

catalogue.tr = lambda text: f"«{text}»"
from gateway.operator import pages
from common.texts import operator, rig, throws

def untranslated(name, text):
    if re.search("[A-Za-z]{2}", re.sub("«[^»]*»", "", text)):
        print(name, text)

class Texts(HTMLParser):
    skips = 0
    def handle_starttag(self, tag, attributes):
        self.skips += tag in ("pre", "code")
        for key, value in attributes:
            if key in ("alt", "aria-label", "placeholder", "title"):
                untranslated(tag, value)
    def handle_endtag(self, tag):
        self.skips -= tag in ("pre", "code")
    def handle_data(self, data):
        if not self.skips:
            untranslated("page", data)

for name in (*pages.PAGES, *pages.OPEN):
    Texts().feed(pages.html(name).substitute(attributes=""))

def walk(name, value):
    if isinstance(value, str):
        untranslated(name, value)
    elif isinstance(value, dict):
        for each in value.values():
            walk(name, each)
    elif isinstance(value, tuple | list):
        for each in value:
            walk(name, each)

walk("DOUBTS", throws.DOUBTS)
for module in (operator, rig):
    for name, value in vars(module).items():
        if name.isupper():
            walk(name, value)
"""


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], ""),
        (["Ann"], "Ann"),
        (["Ann", "Bob"], "Ann and Bob"),
        (["Ann", "Bob", "Eve"], "Ann, Bob and Eve"),
    ],
)
def test_names_are_joined_as_in_a_sentence(names: list[str], said: str) -> None:
    assert catalogue.joined(names) == said
