"""The part of the guest page and the phone page that shows a test of dice."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from importlib.resources import files
from string import Template

from dicetable import texts


@cache
def fairness() -> str:
    """The section, HTML; fairness.js fills it."""
    part = Template(files("dicetable.gateway").joinpath("static", "fairness.html").read_text("utf-8"))
    words = {name: escape(text) for name, text in texts.panel.TEST_PAGE.items()}
    return part.substitute(words, texts=escape(json.dumps(texts.panel.TEST_PAGE)))
