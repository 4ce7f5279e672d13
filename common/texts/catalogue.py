"""Texts in the language of this process (common.texts.language), by gettext; the games' words too.

A catalogue is `locale/LANGUAGE/LC_MESSAGES/dicetable.po` beside this file, compiled to `dicetable.mo` when
the package is built (docs/translating.md). A text that it lacks is English; without a compiled one all are.
"""

import gettext
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import games.words
from common.texts.language import ENGLISH, spoken

DOMAIN: Final = "dicetable"
FOLDER: Final = Path(__file__).with_name("locale")
LANGUAGE: Final = spoken()
CATALOGUE: Final = (
    gettext.NullTranslations()
    if LANGUAGE == ENGLISH
    else gettext.translation(DOMAIN, FOLDER, [LANGUAGE], fallback=True)
)
games.words.use(CATALOGUE)
tr: Final = CATALOGUE.gettext
"""The text in the language that is spoken here."""
ntr: Final = CATALOGUE.ngettext
"""A text with a count in the language that is spoken here, by its singular, its plural and the count."""


def either(names: Iterable[str]) -> str:
    """`ann, bob or eve`."""
    every = list(names)
    return tr(" or ").join([", ".join(every[:-1]), every[-1]] if every[1:] else every)


def joined(names: Iterable[str]) -> str:
    """`ann, bob and eve`."""
    every = list(names)
    return tr(" and ").join([", ".join(every[:-1]), every[-1]] if every[1:] else every)
