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
FRAGMENT: Final = re.compile(
    r"^(Of |The same\b|What is |Such as |By |For |With |Only |And |Also |…|\.\.\.)|(…|\.\.\.)$"
)


def docstrings(tree: ast.Module) -> Iterator[str]:
    """Those of a module, its classes and functions, and those below its constants."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text.strip()


@pytest.mark.parametrize("package", PACKAGES)
def test_no_docstring_is_a_fragment_of_another(package: str) -> None:
    texts = [
        (path.relative_to(ROOT), text.splitlines()[0])
        for path in (ROOT / package).rglob("*.py")
        for text in docstrings(ast.parse(path.read_text(encoding="utf-8")))
        if text
    ]
    assert texts
    assert [(path, text) for path, text in texts if FRAGMENT.search(text)] == []
