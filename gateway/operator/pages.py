"""The operator's pages, HTML: one frame, and each page's own part in it; every text escaped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from string import Template
from typing import Final

from starlette.responses import Response

from common import texts
from common.texts.catalogue import LANGUAGE
from gateway.languages import LANGUAGE_NAMES
from gateway.pages import in_skeleton, source, static_files

MENU: Final = ("overview", "set_up", "camera", "calibrate", "enrol", "health", "ledger", "settings")
"""The pages in the order of the menu; the first is at /operator itself."""
PAGES: Final = (*MENU, "devices", "rules", "markers", "lens")
"""Pages that need a session; other pages link to the last ones."""
OPEN: Final = ("login", "passphrase", "pair", "refused")
"""Pages for those who are not let in yet, and so without a menu."""
PACKAGE: Final = "gateway.operator"


@lru_cache(maxsize=len(PAGES) + len(OPEN))
def html(name: str) -> Template:
    """The template of a page; only the attributes of its body differ between requests."""
    words = {key: escape(text) for key, text in texts.operator.PAGE.items()}
    menu = "" if name in OPEN else navigation(name)
    body = Template(source(f"{name}.html", PACKAGE)).substitute(words)
    script, inert = "", ""
    if f"{name}.js" in static_files(PACKAGE):
        scripts = [name] if name in OPEN else ["rail", name]
        script = "".join(
            f'<script type="module" src="/operator/static/{stem}.js"></script>' for stem in scripts
        )
        inert = " inert"  # until the script runs and removes this, nothing can be pressed
    frame = Template(in_skeleton(source("frame.html", PACKAGE)))
    return Template(
        frame.substitute(
            words,
            lang=LANGUAGE,
            name=name,
            menu=menu,
            body=body,
            texts=escape(json.dumps(texts.operator.SCRIPT | {"languages": LANGUAGE_NAMES})),
            script=script,
            inert=inert,
            attributes="$attributes",
        )
        .replace("$", "$$")
        .replace("$$attributes", "$attributes")
    )


def navigation(current: str) -> str:
    links = "".join(
        f'<a href="{path_of(name)}"{" aria-current=page" if name == current else ""}>'
        f"{escape(texts.operator.MENU[name])}</a>"
        for name in MENU
    )
    return (
        f'<nav aria-label="{escape(texts.operator.MENU_LABEL)}">{links}'
        f'<button id="log-out" type="button" disabled>{escape(texts.operator.LOG_OUT)}</button></nav>'
    )


def path_of(name: str) -> str:
    return "/operator" if name == PAGES[0] else f"/operator/{name}"


def page(name: str, attributes: Mapping[str, str], status: int = 200) -> Response:
    written = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    body = html(name).substitute(attributes=written)
    return Response(body, status, {"cache-control": "no-store"}, "text/html")
