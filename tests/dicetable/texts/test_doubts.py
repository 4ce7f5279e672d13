"""Every reason for doubt has a text for people, and a line in the documentation."""

from __future__ import annotations

from pathlib import Path

from dicetable import texts
from vision.reading import Doubt

DOCS = Path(__file__).resolve().parents[3] / "docs" / "eye.md"


def test_every_doubt_has_words() -> None:
    assert set(texts.throws.DOUBTS) == set(Doubt)
    assert len(set(texts.throws.DOUBTS.values())) == len(Doubt)


def test_every_doubt_is_documented() -> None:
    page = DOCS.read_text(encoding="utf-8")
    assert [doubt for doubt in Doubt if f"| `{doubt}` |" not in page] == []
