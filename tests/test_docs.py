"""What the documentation names is there: pages, commands with their options, make targets, right configs."""

from __future__ import annotations

import argparse
import re
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree as ET

import pytest

from dicetable.__main__ import COMMANDS
from dicetable.config.file import config_of
from vision.nets import NAMES
from vision.recognition.doubts import LEAST_CONFIDENCE

ROOT = Path(__file__).resolve().parent.parent
CARD = ROOT / "vision" / "models" / "README.md"
PAGES = {
    str(page.relative_to(ROOT)): page
    for page in (*ROOT.glob("*.md"), CARD, *(ROOT / "docs").rglob("*.md"), *(ROOT / ".github").rglob("*.md"))
}
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^ {4}.+$|`[^`\n]+`", re.MULTILINE)
TOML = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
INDENTED_TOML = re.compile(r"^ {4}\[\[?\w+\]\]?\n(?: {4}.*\n)+", re.MULTILINE)

everywhere = pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def code(page: Path) -> str:
    """All that stands there as code, without comments."""
    return "\n".join(re.sub(r"\s#.*$", "", found).strip("` ") for found in CODE.findall(page.read_text()))


@cache
def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command."""
    subparsers = argparse.ArgumentParser().add_subparsers()
    for name, text in COMMANDS.items():
        import_module(f"dicetable.commands.{name.replace('-', '_')}").add_parser(subparsers, text)
    return dict(subparsers.choices)


def options(parser: argparse.ArgumentParser) -> set[str]:
    """All options of a command, and of the commands within it."""
    found = set()
    for action in parser._actions:
        found |= set(action.option_strings)
        for inner in action.choices.values() if isinstance(action.choices, dict) else ():
            found |= options(inner)
    return found


@everywhere
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text()):
        if link.startswith("http"):
            continue
        path, _, anchor = link.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), link
        assert not anchor or anchor in anchors(there), link


def test_the_index_leads_to_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in LINK.findall(index.read_text())}
    assert {*(ROOT / "docs").rglob("*.md")} - {index} <= linked


@everywhere
def test_pictures_are_there_and_well_formed(page: Path) -> None:
    for link in LINK.findall(page.read_text()):
        if link.endswith(".svg"):
            assert ET.parse(page.parent / link).getroot().tag.endswith("svg")


@everywhere
def test_commands_and_their_options_exist(page: Path) -> None:
    known = parsers()
    for name, rest in re.findall(
        r"^(?:.*[ /])?dicetable ([a-z][a-z-]*)\b([^|\n]*)", code(page), re.MULTILINE
    ):
        assert name in known, f"dicetable {name}"
        wanted = set(re.findall(r"(?<!\S)--[a-z-]+", rest))
        assert wanted <= options(known[name]), f"dicetable {name}{rest}"


@everywhere
def test_make_targets_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^(?:sudo )?make ([a-z][a-z-]*)", code(page), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"make {target}"


@everywhere
def test_configs_are_right(page: Path) -> None:
    simulated = {"driver": "simulated"}
    shown_there = page.read_text()
    indented = [dedent(text) for text in INDENTED_TOML.findall(shown_there)]
    for text in [*TOML.findall(shown_there), *indented]:
        shown = tomllib.loads(text)
        assert simulated not in (shown.get("camera"), shown.get("panel")), (
            "it plays by itself on a real table"
        )
        _, mistakes = config_of({"camera": simulated, "panel": simulated, "web": {}, **shown})
        assert mistakes == []


def test_the_project_is_cloned_from_the_address_in_pyproject() -> None:
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]
    named = {name: re.findall(r"git clone (\S+)", code(page)) for name, page in PAGES.items()}
    assert {name: found for name, found in named.items() if found} == {
        "docs/install.md": [urls["Repository"]]
    }


def test_the_readme_sums_up_the_photographs_of_the_model_card() -> None:
    rows = re.findall(
        r"^\| dev/\w+ \|.*\| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", CARD.read_text(), re.M
    )
    dice, right, asked, wrong = ([float(row[i]) for row in rows] for i in range(4))
    summed_up = (
        f"| {sum(dice):,.0f} | {min(right):.0f} to {max(right):.0f} % "
        f"| {min(asked):.0f} to {max(asked):.0f} % | {min(wrong):.0f} to {max(wrong):.1f} % |"
    )
    assert summed_up in (ROOT / "README.md").read_text()


def test_the_model_card_tells_the_files_as_they_are() -> None:
    card = CARD.read_text()
    told = re.findall(r"^\| (\w+\.\w+) \|.*\| ([\d,]+) \|$", card, re.MULTILINE)
    assert {name for name, _ in told} == {*(f"{net}.onnx" for net in NAMES), "fitted.json"}
    for name, size in told:
        assert (CARD.parent / name).stat().st_size == int(size.replace(",", "")), name
    assert f"sure from a confidence of {LEAST_CONFIDENCE} " in card
