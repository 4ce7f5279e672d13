"""Every text that people read is looked up in the catalogue."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FOLDER: Final = Path(__file__).resolve().parents[3] / "common" / "texts"
WITHOUT_TEXTS: Final = {
    "__init__.py": "names of modules",
    "language.py": "keys",
    "plain.py": "letters that stand for others",
}
MODULES: Final = sorted(file.name for file in FOLDER.glob("*.py") if file.name not in WITHOUT_TEXTS)
SAME_EVERYWHERE: Final = {
    "catalogue.py": ["dicetable", "locale"],
    "gateway.py": ["http", "https"],
    "league.py": ["http://"],
    "speaking.py": ["--config=", "utf-8"],
    "panel.py": ["act", "alone", "menu", "question"],
    "statistics.py": ["1e", "1e", "p = ", "p = "],
    "throws.py": ["nd", "rd", "st", "th"],
}
"""Names of files, URLs, formulas, keys, and the endings of English ordinals, which only English texts use."""
TAKES: Final = {"tr": 1, "ntr": 2}
"""By function: how many texts it takes."""


def texts_outside(source: str) -> list[str]:
    """Texts of a module that no catalogue can change."""
    tree = ast.parse(source)
    return [*strings(tree), *(ast.unparse(node) for node in ast.walk(tree) if not collected(node))]


def strings(node: ast.AST) -> Iterator[str]:
    """The strings below a node that hold a letter outside of placeholders and may be shown."""
    left_out = not_shown(node)
    for child in ast.iter_child_nodes(node):
        if child in left_out:
            continue
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            if re.search(r"[^\W\d_]", re.sub(r"\{[^{}]*\}", "", child.value)):
                yield child.value
        else:
            yield from strings(child)


def not_shown(node: ast.AST) -> Sequence[ast.AST | None]:
    """Its docstring, keys, format, annotation, or a text that is in the catalogue."""
    match node:
        case ast.Expr(value=ast.Constant() as docstring):
            return [docstring]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.Dict(keys=keys):
            return keys
        case ast.Subscript(slice=key):
            return [key]
        case ast.FormattedValue(format_spec=format_spec):
            return [format_spec]
        case ast.AnnAssign(annotation=annotation) | ast.arg(annotation=annotation):
            return [annotation]
        case ast.Assign(targets=[ast.Name(id="__all__")], value=names):
            return [names]
        case ast.Call(func=ast.Name(id=name), args=args):
            return args[: TAKES.get(name, 0)]
    return []


def collected(node: ast.AST) -> bool:
    """Whether xgettext finds the texts of this node; an empty one would stand for a catalogue's header."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in TAKES:
        return True
    texts = node.args[: TAKES[node.func.id]]
    return all(isinstance(text, ast.Constant) and text.value for text in texts)


@pytest.mark.parametrize("name", MODULES)
def test_every_text_is_in_the_catalogue(name: str) -> None:
    found = texts_outside((FOLDER / name).read_text(encoding="utf-8"))
    assert sorted(found) == SAME_EVERYWHERE.get(name, [])


@pytest.mark.parametrize(
    "source",
    [
        'CODE = "Code"',
        'MENU = {"help": "Help"}',
        'LINES = (tr("Good night."), "Good night.")',
        'def f(n):\n    return f"{n} players"',
        'def f(n):\n    return "{n} players".format(n=n)',
        'def f(n):\n    return tr(f"{n} players")',
        'def f(n):\n    return ntr("one die", f"{n} dice", n)',
        'def f(a):\n    return tr("{a} wins").format(a=a or "nobody")',
        'def f(a, b="nobody"):\n    return a',
        "def f(text):\n    return tr(text)",
        'EMPTY = tr("")',
    ],
)
def test_a_text_outside_the_catalogue_is_found(source: str) -> None:
    assert texts_outside(source) != []
