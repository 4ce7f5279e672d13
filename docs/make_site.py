"""Gathers the pages of the documentation site in build/site-source, for Zensical: `make docs`.

The pages stay as they are in the repository, and so do the links between them. What they link to outside
of docs/ comes along, and a folder that is linked gets a page that lists its files. The pages of commands, of
messages and of the Python modules are written from the program.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from make_messages import messages

from dicetable.__main__ import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "build" / "site-source"
PYTHON = {
    "games": "game match requests prompts errors protocol dice words registry",
    "vision": "reader reading observer tray.pose tray.markers tray.camera",
    "hardware": "ports errors conformance recordings",
}
"""The modules that games and drivers are written against. Zensical shows their docstrings."""
PYTHON_HEAD = """# Python: {}

*Written by `make docs` from the docstrings.* A new version may change these modules: they are not among [what
stays](promises.md).

"""
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(?=[)#])")


def main() -> int:
    """Makes the folder anew."""
    shutil.rmtree(SITE, ignore_errors=True)
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        gather(page)
    (SITE / "docs" / "commands.md").write_text(commands())
    (SITE / "docs" / "messages.md").write_text(messages())
    for package, modules in PYTHON.items():
        listed = "\n".join(f"::: {package}.{module}\n" for module in modules.split())
        (SITE / "docs" / f"python-{package}.md").write_text(PYTHON_HEAD.format(package) + listed)
    shutil.copyfile(ROOT / "docs" / "iframe-worker.js", SITE / "iframe-worker.js")
    shutil.copyfile(ROOT / "docs" / "mkdocs.yml", SITE.parent / "mkdocs.yml")
    return 0


def gather(path: Path) -> Path:
    """Copies a file, or a folder and a page that lists it, with what it links to; returns what to link to."""
    # Zensical leaves out what begins with a dot.
    copy = SITE / str(path.relative_to(ROOT)).removeprefix(".")
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
        page = copy / "README.md"
        listed = "".join(f"- [{file.relative_to(path)}]({file.relative_to(path)})\n" for file in files)
        for file in files:
            gather(file)
        if not page.exists():
            page.write_text(f"# {path.relative_to(ROOT)}\n\n{listed}")
        return page
    if copy.exists():
        return copy
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, copy)
    if path.suffix == ".md":
        copy.write_text(LINK.sub(lambda link: linked(link[0], path, copy), path.read_text()))
    return copy


def linked(link: str, page: Path, copy: Path) -> str:
    """The link as it is in the site."""
    if link.startswith(("http:", "https:", "mailto:")):
        return link
    there = (page.parent / link).resolve()
    return os.path.relpath(gather(there), copy.parent)


def commands() -> str:
    """The page of all commands, as they describe themselves."""
    subparsers = argparse.ArgumentParser(prog="dicetable").add_subparsers()
    for name, text in COMMANDS.items():
        import_module(f"dicetable.commands.{name.replace('-', '_')}").add_parser(subparsers, text)
    parts = [
        "# Commands\n\nEach command says the same with `--help`. It exits with 0 when it is done, 1 when it "
        "could not do it, 2 when the command line is wrong and 130 after Ctrl-C.\n"
    ]
    for name, parser in sorted(subparsers.choices.items()):
        parts += section(f"dicetable {name}", parser, 2)
    return "\n".join(parts)


def section(name: str, parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    """What one command says of itself, and each command within it."""
    yield f"{'#' * level} {name}\n"
    text = parser.format_help()
    yield "".join(f"    {line}\n" if line else "\n" for line in text.splitlines())
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner, its in action.choices.items():
                yield from section(f"{name} {inner}", its, level + 1)


if __name__ == "__main__":
    sys.exit(main())
