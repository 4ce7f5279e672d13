"""`python -m dicetable.operating.sheets tray|lens a4|letter`: the sheet to print, as a PDF."""

from __future__ import annotations

import sys

from dicetable import texts
from dicetable.eye.sheets import PAPERS, lens_sheet, marker_sheet, pdf


def sheet(name: str, paper: str) -> bytes:
    """The tray's markers, or the lens sheet."""
    if name == "lens":
        return pdf(PAPERS[paper], lens_sheet(), texts.rig.LENS_SHEET[0])
    return pdf(PAPERS[paper], marker_sheet(), texts.rig.MARKER_SHEET[0])


if __name__ == "__main__":
    sys.stdout.buffer.write(sheet(*sys.argv[1:3]))
