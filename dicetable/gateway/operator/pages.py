"""The operator's pages: one frame, and in it what each page has of its own; every text escaped."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Final

from starlette.responses import Response

from dicetable import texts
from dicetable.texts.catalogue import LANGUAGE

if TYPE_CHECKING:
    from collections.abc import Mapping

MENU: Final = ("overview", "set_up", "camera", "calibrate", "enrol", "health", "ledger", "settings")
"""In the order of the menu; the first is at /operator itself."""
PAGES: Final = (*MENU, "devices", "markers", "lens")
"""All that need a session; the last are reached from the set-up and from other pages."""
OPEN: Final = ("login", "pair", "refused")
"""Pages without a session, and so without a menu."""
KINDS: Final = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
STYLES: Final = ("operator.css", "display.css")
SCRIPTS: Final = {*PAGES, "login", "pair", "display", "common", "cards", "rail", "restart"}


def source(name: str) -> bytes:
    """A file of ours."""
    return files("dicetable.gateway.operator").joinpath("static", name).read_bytes()


@cache
def static_files() -> Mapping[str, tuple[bytes, str]]:
    """The styles and scripts, with their media types, by name."""
    names = [*STYLES, *(f"{name}.js" for name in SCRIPTS)]
    return {name: (source(name), KINDS[Path(name).suffix]) for name in names}


@lru_cache(maxsize=len(PAGES) + len(OPEN))
def html(name: str) -> Template:
    """A page without what differs from one request to the next."""
    words = {key: escape(text) for key, text in texts.operator.PAGE.items()}
    menu = "" if name in OPEN else navigation(name)
    body = Template(source(f"{name}.html").decode()).substitute(words)
    told = escape(json.dumps(texts.operator.SCRIPT))
    script, inert = "", ""
    if name in SCRIPTS:
        scripts = [name] if name in OPEN else ["rail", name]
        script = "".join(
            f'<script type="module" src="/operator/static/{each}.js"></script>' for each in scripts
        )
        inert = " inert"  # until the script runs and removes this, nothing can be pressed
    frame = Template(source("frame.html").decode())
    return Template(
        frame.substitute(
            words,
            lang=LANGUAGE,
            name=name,
            menu=menu,
            body=body,
            texts=told,
            script=script,
            inert=inert,
            attributes="$attributes",
        )
        .replace("$", "$$")
        .replace("$$attributes", "$attributes")
    )


def navigation(here: str) -> str:
    """The menu."""
    links = "".join(
        f'<a href="{path_of(name)}"{" aria-current=page" if name == here else ""}>'
        f"{escape(texts.operator.MENU[name])}</a>"
        for name in MENU
    )
    return (
        f'<nav aria-label="{escape(texts.operator.MENU_LABEL)}">{links}'
        f'<button id="log-out" type="button" disabled>{escape(texts.operator.LOG_OUT)}</button></nav>'
    )


def path_of(name: str) -> str:
    """Where a page is."""
    return "/operator" if name == PAGES[0] else f"/operator/{name}"


def page(name: str, attributes: Mapping[str, str], status: int = 200) -> Response:
    """A page; the attributes stand at its body, for its script."""
    told = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    body = html(name).substitute(attributes=told)
    return Response(body, status, {"cache-control": "no-store"}, "text/html")
