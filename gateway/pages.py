"""The guest page and the phone page, static files, the logo and QR codes; made once and compressed once.

Every text in the pages is escaped.
"""

import gzip
import io
import json
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Final

import segno
from starlette.requests import Request
from starlette.responses import Response

from common import texts
from common.network import LOCAL_HOSTS, host_of
from common.texts.catalogue import LANGUAGE
from common.texts.language import LANGUAGES
from games.dice import Die
from games.dice_needed import dice_needed
from games.registry import GAMES
from gateway.languages import LANGUAGE_NAMES, language_of, translations
from gateway.settings import GatewaySettings, Look

MEDIA_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
LONG_NAME: Final = 12
"""A longer name of the bar is written in smaller letters between games."""
COLOUR: Final = "colour.css"
"""The path of the style sheet with the bar's colour."""
HALVES: Final = {(0, 0): "█", (0, 1): "▀", (1, 0): "▄", (1, 1): " "}
"""The character for a light (0) or dark (1) module above another."""
WHITE_ON_BLACK, ON_WHITE, ON_BLACK, PLAIN = "\033[1;37;40m", "\033[47m", "\033[40m", "\033[0m"
EVERY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104 - compared, not bound
ROUTE_PROBE: Final = ("192.0.2.1", 9)
"""An address that no machine has (RFC 5737): finding the route to it sends nothing."""


def source(name: str, package: str = "gateway") -> str:
    return files(package).joinpath("static", name).read_text("utf-8")


def in_skeleton(page: str) -> str:
    """The whole page: in the skeleton of all pages its own part, which begins with its title."""
    head, opening, body = page.partition("<body")
    return source("skeleton.html").replace("$head", head).replace("$body", opening + body)


@lru_cache(maxsize=8)
def template(name: str) -> Template:
    part = source(name)
    return Template(in_skeleton(part) if part.startswith("<title>") else part)


def translated_page(
    request: Request, name: str, texts_by_name: Mapping[str, str], look: Look, **more: str
) -> Response:
    """The HTML page in the language of the browser that requests it."""
    language = language_of(request)
    translation = translations(language) if language != LANGUAGE else {}
    words = translated(texts_by_name, translation)
    shown = {name: escape(text) for name, text in words.items()}
    general = looks(look, translation) | {"lang": language, "colour": ""}
    body = template(name).substitute(shown, **general, **more, texts=escape(json.dumps(words)))
    response = compressible(request, body.encode(), "text/html; charset=utf-8")
    response.headers["vary"] = "accept-encoding, accept-language, cookie"
    return response


@lru_cache(maxsize=2)
def static_files(package: str) -> Mapping[str, tuple[bytes, str]]:
    """What browsers load of a package's folder `static`, with media types, by name; not the templates."""
    entries = files(package).joinpath("static").iterdir()
    kinds = ((file, MEDIA_TYPES.get(Path(file.name).suffix)) for file in entries)
    return {file.name: (file.read_bytes(), kind) for file, kind in kinds if kind is not None}


@lru_cache(maxsize=1)
def guest_page(
    look: Look,
    house_rules: Sequence[tuple[str, str]] = (),
    sounds: Sequence[str] = (),
    *,
    records: bool = True,
) -> bytes:
    """The whole guest page, HTML; `house_rules` are names, each after the name of its game.

    `sounds` are the files of the bar's own sounds.
    """
    page = template("guest.html")
    words = {name: escape(text) for name, text in texts.gateway.GUEST_PAGE.items()}
    words |= {"idle_heading": escape(look.name)} if look.name else {}
    return page.substitute(
        words,
        **looks(look),
        logo=f'<img class="logo" src="{look.logo}" alt="">' if look.logo else "",
        long=' class="long"' if len(look.name) > LONG_NAME else "",
        pause=f"{look.pause:g}",
        loud=f"{look.volume / 100:g}",
        quiet=look.quiet,
        sounds=escape(json.dumps(sounds)) if sounds else "",
        records='<a href="/records">{tonight}</a>'.format(**words) if records else words["tonight"],
        best='<section id="best" hidden><h2>{best_of_all}</h2><ul></ul></section>\n  '.format(**words)
        if records
        else "",
        games=game_cards(house_rules),
        fairness=fairness(),
    ).encode()


def looks(look: Look, translation: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """The title, the bar's colour and the language, for the template of any page."""
    link = f'<link rel="stylesheet" href="/{COLOUR}">' if look.colour else ""
    title = texts.gateway.TITLE
    return {"title": escape(look.name or translation.get(title, title)), "colour": link, "lang": LANGUAGE}


def colour_sheet(look: Look) -> bytes:
    return f":root {{ --gold: {look.colour}; }}\n".encode()


def game_cards(house_rules: Sequence[tuple[str, str]] = ()) -> str:
    """A poster for each game: its dice, name and house rules, how many play, its pitch and rules in short."""

    def own(game: str) -> str:
        names = " · ".join(name for of, name in house_rules if of == game)
        return f'<p class="own">{escape(names)}</p>' if names else ""

    return "\n".join(
        f'<article class="game" data-game="{escape(game.name)}">'
        f'<div class="dice" aria-hidden="true" data-dice="{dice_of(game.words.poster)}"></div>'
        f"<h3>{escape(game.title)}</h3>{own(game.name)}"
        f"<p>{escape(texts.gateway.players(game.fewest_seats, game.most_seats))}</p>"
        f"<p>{escape(texts.games.dice_needed(dice_needed(game.name, {})))}</p>"
        f'<p class="pitch">{escape(game.words.pitch or next(iter(game.words.rules), ""))}</p>'
        f"<ul>{''.join(f'<li>{escape(rule)}</li>' for rule in game.words.rules)}</ul></article>"
        for game in GAMES.values()
    )


def dice_of(dice: Iterable[Die]) -> str:
    """Dice as the page's script reads them: `d6:5 d12:11`."""
    return " ".join(f"{kind}:{value}" for kind, value in dice)


@lru_cache(maxsize=len(LANGUAGES))
def phone_page(look: Look, language: str = LANGUAGE, *, records: bool = True) -> bytes:
    """The whole phone page, HTML, in a language, with links to the records if there are any."""
    page = template("phone.html")
    translation = translations(language) if language != LANGUAGE else {}
    colours = ", ".join(translation.get(colour, colour) for colour in texts.phones.COLOURS)
    words = translated(texts.phones.PAGE, translation) | {"colours": colours}
    return page.substitute(
        {name: escape(text) for name, text in words.items()},
        **looks(look, translation) | {"lang": language},
        texts=escape(json.dumps(words)),
        translations=escape(json.dumps(translation, ensure_ascii=False)),
        languages=language_options(language),
        rules=game_rules(translation),
        fairness=fairness_section(translated(texts.panel.TEST_PAGE, translation)),
        records=record_links(translation) if records else "",
    ).encode()


def translated(words: Mapping[str, str], translation: Mapping[str, str]) -> dict[str, str]:
    """The words of a page by their names, each translated if the `translation` has it."""
    return {name: translation.get(text, text) for name, text in words.items()}


def language_options(language: str) -> str:
    """The languages to choose from, HTML, each in its own words; the page is in `language`."""
    return "".join(
        f'<option value="{code}" lang="{code}"{" selected" if code == language else ""}>{name}</option>'
        for code, name in LANGUAGE_NAMES.items()
    )


def record_links(translation: Mapping[str, str]) -> str:
    """Links to the records, the dice and the player's own page; the last appears once the player is known."""
    words = (texts.gateway.MY_PAGE, texts.gateway.RECORDS, texts.gateway.DICE)
    mine, records, dice = (escape(translation.get(text, text)) for text in words)
    return (
        f'<nav id="more"><a id="mine" href="/records" hidden>{mine}</a> '
        f'<a href="/records">{records}</a> <a href="/dice">{dice}</a></nav>'
    )


def game_rules(translation: Mapping[str, str]) -> str:
    """The rules of each game, folded away."""

    def shown(text: str) -> str:
        return escape(translation.get(text, text))

    return "\n".join(
        f'<details data-game="{escape(name)}"><summary>{shown(game.title)}</summary>'
        f"<ul>{''.join(f'<li>{shown(rule)}</li>' for rule in game.words.rules)}</ul></details>"
        for name, game in GAMES.items()
    )


@cache
def fairness() -> str:
    """The section that shows a test of dice, HTML, in the table's language."""
    return fairness_section(texts.panel.TEST_PAGE)


def fairness_section(words: Mapping[str, str]) -> str:
    """The section that shows a test of dice, HTML; fairness.js fills it."""
    shown = {name: escape(text) for name, text in words.items()}
    return template("fairness.html").substitute(shown, texts=escape(json.dumps(words)))


def own_address(request: Request) -> str:
    """`http://HOST:PORT` as phones reach this gateway: as the browser does, unless it runs on this machine.

    A television on the Pi asks for `localhost`; phones need the Pi's address in its network.
    """
    host = request.headers.get("host", "")
    server = request.scope.get("server") or ("127.0.0.1", 80)
    if host_of(host) in LOCAL_HOSTS and (address := network_address()) is not None:
        return f"{request.url.scheme}://{address}:{server[1]}"
    return f"{request.url.scheme}://{host}"


def address_of(settings: GatewaySettings) -> str:
    """`http://HOST:PORT` as phones reach a gateway with these settings."""
    host = settings.host
    if settings.tls_cert and settings.hosts:
        host = settings.hosts[0]
    elif host in EVERY_ADDRESS:
        host = network_address() or socket.gethostname()
    scheme = "https" if settings.tls_cert else "http"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{settings.port}"


def network_address() -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(ROUTE_PROBE)
        except OSError:
            return None
        address: str = probe.getsockname()[0]
    return None if address.startswith("127.") or address == "0.0.0.0" else address  # noqa: S104 - compared, not bound


@lru_cache(maxsize=8)
def qr_svg(text: str) -> bytes:
    out = io.BytesIO()
    segno.make(text, error="m").save(out, kind="svg", border=2, dark="#10141b", light="#f6f1e3", scale=4)
    return out.getvalue()


def qr_text(text: str) -> str:
    """The QR code as lines for a terminal, two modules to a character: it fits into a window of 80 by 24."""
    rows = modules(text)
    rows += [[0] * len(rows[0])] * (len(rows) % 2)
    lines = (
        "".join(HALVES[both] for both in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    )
    return "\n".join(f"{WHITE_ON_BLACK}{line}{PLAIN}" for line in lines)


def qr_spaces(text: str) -> str:
    """The QR code as lines of coloured spaces: the usual fonts of the Linux console have no half blocks."""
    return "\n".join(
        "".join(f"{ON_BLACK if dark else ON_WHITE}  " for dark in row) + PLAIN for row in modules(text)
    )


def modules(text: str) -> list[list[int]]:
    """The rows of the QR code with its light border; 1 is dark."""
    return [list(row) for row in segno.make(text, error="l").matrix_iter(border=2)]


def gzipped(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


cached_gzip = lru_cache(maxsize=64)(gzipped)
"""`gzipped` for texts that don't change while the gateway runs."""


def accepts_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header names gzip and does not refuse it."""
    for coding in accepted.lower().split(","):
        name, _, quality = coding.partition(";")
        if name.strip() == "gzip":
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def compressible(
    request: Request, data: bytes, kind: str, pack: Callable[[bytes], bytes] = cached_gzip
) -> Response:
    """A text without secrets that browsers fetch anew each time; `pack` compresses it."""
    headers = {"cache-control": "no-cache", "vary": "accept-encoding"}
    if accepts_gzip(request.headers.get("accept-encoding", "")):
        headers["content-encoding"] = "gzip"
        data = pack(data)
    return Response(data, media_type=kind, headers=headers)
