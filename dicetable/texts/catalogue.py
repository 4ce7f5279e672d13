"""Texts in the language of whoever runs the table, by gettext; English where there is no catalogue.

A catalogue is `locale/LANGUAGE/LC_MESSAGES/dicetable.mo` beside this file, chosen by the usual LANGUAGE,
LC_ALL, LC_MESSAGES and LANG. `xgettext --keyword=tr dicetable/texts/*.py` collects the texts.
"""

from __future__ import annotations

import gettext
from pathlib import Path
from typing import Final

DOMAIN: Final = "dicetable"
FOLDER: Final = Path(__file__).with_name("locale")
tr: Final = gettext.translation(DOMAIN, FOLDER, fallback=True).gettext
"""The text in the language that is spoken here."""
