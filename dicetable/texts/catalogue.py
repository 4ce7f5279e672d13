"""Texts in the language of whoever runs the table, by gettext; English where there is no catalogue.

A catalogue is `locale/LANGUAGE/LC_MESSAGES/dicetable.mo` beside this file, chosen by the usual LANGUAGE,
LC_ALL, LC_MESSAGES and LANG when the program starts. `xgettext --keyword=tr --keyword=ntr:1,2
dicetable/texts/*.py` collects the texts. Constants are looked up once, when their module is loaded.
"""

from __future__ import annotations

import gettext
from pathlib import Path
from typing import Final

DOMAIN: Final = "dicetable"
FOLDER: Final = Path(__file__).with_name("locale")
CATALOGUE: Final = gettext.translation(DOMAIN, FOLDER, fallback=True)
tr: Final = CATALOGUE.gettext
"""The text in the language that is spoken here."""
ntr: Final = CATALOGUE.ngettext
"""The same for a text with a count, by its singular, its plural and the count."""
