"""The phone page in a language other than the table's: which one, and the texts of both.

The table writes a sentence once, in its own language, and the gateway passes it on as it is. A phone that
shows another language gets the texts of both, with their fields, and translates (static/language.js).
"""

import pkgutil
import re
import struct
from collections.abc import Iterator
from importlib.abc import InspectLoader
from importlib.util import find_spec
from types import CodeType
from typing import Final, TypeAlias

from starlette.requests import Request

import games
from common.texts.catalogue import DOMAIN, FOLDER, LANGUAGE
from common.texts.language import ENGLISH, LANGUAGES

Forms: TypeAlias = tuple[str, ...]
"""A text; one with a count has a form for one and a form for several."""
COOKIE: Final = "dicetable_language"
"""Set by the phone page when its player chooses a language."""
LANGUAGE_NAMES: Final = {ENGLISH: "English", "de": "Deutsch", "es": "Español"}
"""What each language calls itself."""
ON_A_PHONE: Final = (
    *("games", "throws", "panel", "health", "gateway", "league", "catalogue", "phone_camera"),
    "first_page",
)
"""The modules of `common.texts` whose texts a phone may show, besides its own and those of all games."""
MO_HEADER: Final = struct.Struct("<8x3I")
"""Header of a compiled catalogue: count of texts, and where the English and the translated table begin."""
MO_ENTRY: Final = struct.Struct("<2I")
"""The length of a text, and where it begins."""
BETWEEN_NAMES: Final = " and "
FIELD: Final = re.compile(r"\{(\w+)[^{}]*\}")


def language_of(request: Request) -> str:
    """The language that a phone chose, or else its browser's, if the table has it, or else the table's."""
    chosen = request.cookies.get(COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    return preferred(request.headers.get("accept-language", "")) or LANGUAGE


def preferred(accepted: str) -> str:
    """The first of our languages in an Accept-Language header, by its weights; empty if it names none."""
    weights: dict[str, float] = {}
    for entry in accepted[:200].lower().split(","):
        name, _, weight = entry.replace(" ", "").partition(";q=")
        language = name.partition("-")[0]
        if language in LANGUAGES and re.fullmatch(r"(0|1)?(\.\d+)?", weight):
            weights[language] = max(weights.get(language, 0.0), float(weight or 1))
    return max(
        (name for name in weights if weights[name]),
        key=weights.__getitem__,
        default="",
    )


def translations(language: str) -> dict[str, str]:
    """What a phone may show, by the text in the table's language; a field is `{name}` in both."""
    own, foreign = compiled(LANGUAGE), compiled(language)
    by_text = {english[0]: english for english in own or foreign}
    phrases: dict[str, str] = {}
    for text in on_a_phone():
        if text in by_text:
            english = by_text[text]
            pairs = zip(own.get(english, english), foreign.get(english, english), strict=False)
            for pair in pairs:
                ours, theirs = (shape(form, names=text == BETWEEN_NAMES) for form in pair)
                phrases.setdefault(ours, theirs)
    return phrases


def shape(text: str, *, names: bool) -> str:
    """The text with its fields as `{field}`; if it stands between names, with these as fields too."""
    return f"{{first}}{text}{{others}}" if names else FIELD.sub(r"{\1}", text)


def on_a_phone() -> Iterator[str]:
    """The strings in the compiled modules whose texts a phone may show."""
    of_games = [f"games.{module.name}" for module in pkgutil.iter_modules(games.__path__)]
    others = [f"common.texts.{name_of_module}" for name_of_module in ON_A_PHONE]
    for name in ("common.texts.phones", *of_games, *others):
        spec = find_spec(name)
        if spec is not None and isinstance(spec.loader, InspectLoader):
            yield from strings(spec.loader.get_code(name))


def strings(code: CodeType | None) -> Iterator[str]:
    for constant in code.co_consts if code is not None else ():
        if isinstance(constant, CodeType):
            yield from strings(constant)
        for text in constant if isinstance(constant, tuple) else (constant,):
            if isinstance(text, str) and text:
                yield text


def compiled(language: str) -> dict[Forms, Forms]:
    """The texts of a language by the English ones; empty for English and without a compiled catalogue."""
    path = FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.mo"
    if not path.is_file():
        return {}
    data = path.read_bytes()
    count, english, translated = MO_HEADER.unpack_from(data)

    def forms(table: int, number: int) -> Forms:
        size, start = MO_ENTRY.unpack_from(data, table + MO_ENTRY.size * number)
        return tuple(data[start : start + size].decode().split("\0"))

    return {forms(english, number): forms(translated, number) for number in range(count)}
