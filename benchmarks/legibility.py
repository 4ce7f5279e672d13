"""How the code reads: its length, its vague names, its comments, and the circles of imports in its folders.

    python -m benchmarks.legibility [--names]

Lines are those of the product without blanks, comments and docstrings. A vague name is a binding called
`found` or `what`, which tells a reader nothing that the line does not. `--names` lists where they are.
"""

from __future__ import annotations

import argparse
import ast
import io
import tokenize
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tests.test_imports import circles_in_folders

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("games", "vision", "firmware_bridge", "hardware", "common", "dicetable", "gateway", "league")
VAGUE = frozenset(
    [
        "found",
        "each",
        "one",
        "at",
        "what",
        "seen",
        "known",
        "given",
        "asked",
        "other",
        "here",
        "there",
        "said",
        "came",
        "kept",
        "those",
        "thing",
        "it",
        "its",
    ]
)


def docstring_lines(tree: ast.Module) -> set[int]:
    """The lines of strings that stand alone: docstrings, and those below a constant."""
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def code_lines(text: str, tree: ast.Module) -> int:
    """The lines with code on them."""
    layout = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    layout.add(tokenize.ENDMARKER)
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in layout
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(lines - docstring_lines(tree))


def comments_in_functions(text: str, tree: ast.Module) -> int:
    """The lines inside functions that are a comment and nothing else."""
    inside = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = enumerate(text.splitlines(), 1)
    return sum(number in inside and line.lstrip().startswith("# ") for number, line in lines)


def bindings(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Every name that is bound, with its line: targets, arguments, functions and classes."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name, node.lineno
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--names", action="store_true", help="list the vague names, by file and line")
    options = parser.parse_args()
    paths = sorted(path for package in PRODUCT for path in (ROOT / package).rglob("*.py"))
    trees = {path: ast.parse(path.read_text()) for path in paths}
    vague = []
    lines = comments = names = 0
    for path, tree in trees.items():
        text = path.read_text()
        lines += code_lines(text, tree)
        comments += comments_in_functions(text, tree)
        for name, line in bindings(tree):
            names += 1
            if name in VAGUE:
                vague.append((path.relative_to(ROOT), line, name))
    if options.names:
        for path, line, name in vague:
            print(f"{path}:{line}: {name}")
    print(f"{lines} lines of code in {len(paths)} files, {comments} comment lines in functions")
    counts = Counter(name for _, _, name in vague)
    most = ", ".join(f"{name} {count}" for name, count in counts.most_common(8))
    print(f"{len(vague)} of {names} bindings have a vague name: {most}")
    loops = [f"{folder or 'the top'}: {' → '.join(parts)}" for folder, parts in circles_in_folders().items()]
    print(f"parts of a folder that import each other: {'; '.join(loops) or 'none'}")


if __name__ == "__main__":
    main()
