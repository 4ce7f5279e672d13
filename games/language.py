"""The language of the games' words: English, unless a program gives a catalogue before it loads a game."""

from __future__ import annotations

from gettext import NullTranslations

catalogue = NullTranslations()


def use(translations: NullTranslations) -> None:
    """Looks up all words of games loaded from now on in this catalogue."""
    global catalogue
    catalogue = translations


def tr(text: str) -> str:
    """The text in the language of this process."""
    return catalogue.gettext(text)


def ntr(one: str, many: str, count: int) -> str:
    """The same for a text with a count."""
    return catalogue.ngettext(one, many, count)
