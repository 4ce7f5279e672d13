"""The sources of labelled photographs, one a folder of train/, and what must be known of them."""

from __future__ import annotations

SOURCES = ("burks_black_tray", "catan_pips", "rune_pips_grey", "ucffool_d20", "ucffool_mixed")
OBLIQUE = ("catan_pips", "rune_pips_grey")
"""Sources whose picture must stay upright: which side is on top shows only by what is up."""
LOOSE: dict[str, float] = {"rune_pips_grey": 0.9}
"""How much of a label's box a die fills where labels were drawn wide."""
