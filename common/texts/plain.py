r"""Makes text from outside (names, paths, settings, file content) safe for a terminal, a panel or a log.

plain("\x1b[2Jx")                           # "\\x1b[2Jx": escaped and visible
sys.stdout = PlainStream(sys.stdout)        # whatever is printed from now on is plain
ascii_letters("Žofie")                     # "Zofie"
fold_name("Ánn") == fold_name("ＡＮＮ")     # two names that look alike
"""

from __future__ import annotations

import unicodedata

TYPE_CHECKING = False  # as in typing, which takes a tenth of the time of `dicetable --help`
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TextIO

HARMFUL = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories of control, format and surrogate characters and of line separators."""

LETTERS = {
    ord(letter): ascii_
    for letter, ascii_ in {
        "ß": "ss", "ẞ": "SS", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "AE",
        "œ": "oe", "Œ": "OE",
        "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ħ": "h", "Ħ": "H", "ı": "i", "ŧ": "t",
        "Ŧ": "T", "ŋ": "ng", "Ŋ": "Ng", "ĸ": "k", "ə": "e", "Ə": "E", "‘": "'", "’": "'", "“": '"', "”": '"',
        "–": "-", "—": "-", "…": "...", "¿": "", "¡": "",
    }.items()
}  # fmt: skip
"""Latin letters and punctuation that do not decompose into an ASCII letter and an accent."""

LOOK_ALIKES = str.maketrans(
    "авекмнорстухіјѕԁһαβεζηικμνορτυχ",
    "abekmhopctyxijsdhabezhikmvoptyx",
)
"""Cyrillic and Greek letters, in lower case, that look like Latin ones in at least one case."""
BLANKS = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""Characters that Python calls printable and that show nothing."""


def plain(text: str) -> str:
    """The text with harmful characters escaped as Python writes them."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(escaped(character) for character in text)


def shortened(text: str, longest: int) -> str:
    """The plain text, cut to at most `longest` characters; an ellipsis shows where it was cut."""
    safe = plain(text[: longest + 1])
    return safe if len(safe) <= longest else safe[: longest - 1] + "…"


def escaped(character: str) -> str:
    """The character, or its ASCII escape sequence if it is harmful."""
    if unicodedata.category(character) in HARMFUL:
        return (
            character.encode("ascii", "backslashreplace").decode()
            if ord(character) > 127
            else repr(character)[1:-1]
        )
    return character


def ascii_letters(text: str) -> str:
    """The text without the accents of its Latin letters; other characters are unchanged."""
    if text.isascii():
        return text
    return "".join(
        part
        for part in unicodedata.normalize("NFKD", text.translate(LETTERS))
        if not unicodedata.combining(part)
    )


def fold_name(name: str) -> str:
    """The form in which names that look alike are equal, to compare and to store beside the name.

    Case, accents, width, spaces and invisible characters make no difference, nor does a Cyrillic or Greek
    letter that looks like a Latin one.
    """
    letters = ascii_letters(unicodedata.normalize("NFKC", name))
    shown = "".join(c for c in letters if c not in BLANKS and unicodedata.category(c) not in HARMFUL)
    folded = unicodedata.normalize("NFKC", shown.casefold()).translate(LOOK_ALIKES)
    return " ".join(ascii_letters(folded).split())


class PlainStream:
    """A text stream that escapes harmful characters in everything written to it.

    `stream` is the underlying stream, for screens that must move the cursor.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Writes the text and keeps its line feeds. Returns the length of the text."""
        self.stream.write("\n".join(map(plain, text.split("\n"))))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def below(stream: TextIO) -> TextIO:
    """The underlying stream, which passes escape sequences through."""
    return stream.stream if isinstance(stream, PlainStream) else stream
