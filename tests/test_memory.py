"""What strangers ask for leaves nothing in memory."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("common", "dicetable", "gateway", "league")


def unbounded(path: Path) -> list[str]:
    """Functions of a module that remember each different argument for ever."""
    source = path.read_text("utf-8")
    if "cache" not in source:
        return []
    return [
        f"{path.name}:{node.lineno} {node.name}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and ast.unparse(node.args)
        for each in node.decorator_list
        if ast.unparse(each) in ("cache", "functools.cache", "lru_cache(None)", "lru_cache(maxsize=None)")
    ]


def test_no_function_remembers_every_argument() -> None:
    found = {path: unbounded(path) for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    assert [each for names in found.values() for each in names] == []
