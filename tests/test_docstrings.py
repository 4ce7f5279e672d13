"""Every docstring is complete by itself: an editor shows it alone."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGES: Final = (
    *(
        "vision",
        "common",
        "dicetable",
        "gateway",
        "games",
        "hardware",
        "firmware_bridge",
        "league",
        "training",
        "benchmarks",
    ),
)
BEGINS: Final = r"Of |The same\b|What is |Such as |By |For |With |Only |And |Also |…|\.\.\."
ENDS: Final = r"…|\.\.\."
FRAGMENT: Final = re.compile(rf"^(?:{BEGINS})|(?:{ENDS})$")


SUSPECT: Final = re.compile(rf"[\"']\s*(?:{BEGINS})|(?:{ENDS})\s*(?:\n|[\"'])")
"""Source that may hold such a docstring. Only it is parsed: to parse all of the program takes seconds."""


def docstrings(tree: ast.Module) -> Iterator[str]:
    """Those of a module, its classes and functions, and those below its constants."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text.strip()


def fragments(source: str) -> list[str]:
    """The first lines of a module's docstrings that are no sentence."""
    if not SUSPECT.search(source):
        return []
    firsts = [text.splitlines()[0] for text in docstrings(ast.parse(source)) if text]
    return [first for first in firsts if FRAGMENT.search(first)]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_docstring_is_a_fragment_of_another(package: str) -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / package).rglob("*.py")}
    assert sources
    assert {path: found for path, source in sources.items() if (found := fragments(source))} == {}


@pytest.mark.parametrize(
    "docstring",
    [
        '"""Of a curve."""',
        '"""\n    The same, and nothing begins.\n    """',
        "'What is left.'",
        '"""It is read …\n\n    More of it."""',
        '"""It is read..."""',
        '"""… and judged."""',
    ],
)
def test_a_fragment_is_found(docstring: str) -> None:
    assert len(fragments(f"def read() -> None:\n    {docstring}\n")) == 1
    assert fragments('"""It is read."""\nwords = "Of a curve"\n') == []
