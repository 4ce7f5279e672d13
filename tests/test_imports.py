"""The arrows of docs/architecture.md: who may import whom. Any other import between our packages fails."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ("games", "vision", "firmware_bridge", "hardware", "common", "league", "gateway", "dicetable")
HOUSE = (*SHIPPED, "training")
# The parts of dicetable/ from the bottom to the top: each may import those before it.
ORDER = (
    *("logs", "config", "ledger", "eye", "table", "statistics", "simulated", "service", "commands"),
    "__main__",
)
MOST_FOLDERS = 10
BELOW = ("games", "vision", "firmware_bridge", "hardware", "common")
# The most specific entry wins: an importing module is judged by the longest prefix found here.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "games": ("games",),
    "vision": ("vision", "games.dice"),
    "training": ("training", "vision", "games.dice"),
    "firmware_bridge": ("firmware_bridge",),
    "hardware": ("hardware", "games.dice"),
    "hardware.serial_panel": ("hardware", "games.dice", "firmware_bridge"),
    "hardware.simulated": ("hardware", "games"),
    "common": (),
    "common.texts": ("common.texts", "games"),
    "common.strict_json": ("games.errors", "games.requests"),
    "common.network": ("common.strict_json",),
    "common.http_server": ("common.network",),
    "common.snapshot": ("games",),
    "common.camera_socket": ("common.local_sockets",),
    "common.game_folder": ("games", "common.files", "common.texts"),
    "common.sound_folder": ("common.files",),
    "gateway": ("gateway", "games", "common"),
    "league": (
        "league",
        "games",
        *(f"common.{part}" for part in ("network", "http_server", "strict_json", "texts", "statements")),
    ),
    "dicetable": ("dicetable",),
    **{
        f"dicetable.{part}": (*BELOW, *(f"dicetable.{lower}" for lower in ORDER[: at + 1]))
        for at, part in enumerate(ORDER)
    },
    "dicetable.statistics": (
        "games",
        *("common.files", "common.texts"),
        *(f"dicetable.{part}" for part in ("statistics", "table", "ledger")),
    ),
    "dicetable.service": (
        *BELOW,
        "gateway",
        *(f"dicetable.{lower}" for lower in ORDER[: ORDER.index("commands")]),
    ),
    "dicetable.commands": (*BELOW, "gateway", "dicetable"),
    "dicetable.commands.league": ("league", "common", "dicetable"),
}
# Third-party packages each part may use at import time; the standard library is always allowed.
LIBRARIES: dict[str, set[str]] = {
    "games": set(),
    "vision": {"numpy", "cv2", "onnxruntime"},
}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All nodes of the file's syntax tree that import something or name an attribute."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom | ast.Attribute)]


def imported(path: Path) -> list[tuple[int, str]]:
    """Every module that the file imports, at any depth, as (line, dotted name)."""
    package = module_name(path) if path.name == "__init__.py" else module_name(path).rpartition(".")[0]
    found = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base]).rstrip(".")
            found += [(node.lineno, f"{base}.{alias.name}") for alias in node.names]
    return found


def faults(path: Path) -> list[str]:
    module = module_name(path)
    rule = max((r for r in MAY_IMPORT if within(module, r)), key=len)
    libraries = LIBRARIES.get(module.partition(".")[0])
    bad = []
    for line, name in imported(path):
        top = name.partition(".")[0]
        if top in HOUSE:
            if not any(within(name, allowed) for allowed in MAY_IMPORT[rule]):
                bad.append(f"{path.relative_to(ROOT)}:{line}: {module} may not import {name}")
        elif libraries is not None and top not in sys.stdlib_module_names and top not in libraries:
            bad.append(f"{path.relative_to(ROOT)}:{line}: {module} may not need {top}")
    return bad


@pytest.mark.parametrize("package", HOUSE)
def test_imports_go_one_way(package: str) -> None:
    files = sorted((ROOT / package).rglob("*.py"))
    assert files, f"{package}/ holds no module"
    assert [fault for file in files for fault in faults(file)] == []


def test_a_wrong_arrow_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    culprit = tmp_path / "vision" / "culprit.py"
    culprit.parent.mkdir()
    culprit.write_text("from games import sixes\nimport torch\nfrom games.dice import FACES\n")
    assert faults(culprit) == [
        "vision/culprit.py:1: vision.culprit may not import games.sixes",
        "vision/culprit.py:2: vision.culprit may not need torch",
    ]


def modules() -> dict[str, Path]:
    return {module_name(path): path for package in HOUSE for path in (ROOT / package).rglob("*.py")}


def needed(path: Path, known: Mapping[str, Path]) -> set[str]:
    """The modules among those known that a module imports, at any depth, also for types alone."""
    found = set()
    for _, name in imported(path):
        module = name if name in known else name.rpartition(".")[0]
        if module in known and module != module_name(path):
            found.add(module)
    return found


def circle() -> list[str]:
    """Modules that need one another, the first also last; empty if there are none."""
    known = modules()
    return cycle_in({name: needed(path, known) for name, path in known.items()})


def circles_in_folders() -> dict[str, list[str]]:
    """In each folder at any depth, the parts (folders and modules) that need one another, as `circle`."""
    known = modules()
    parts = {
        name: (*name.split("."), *(["__init__"] if path.name == "__init__.py" else []))
        for name, path in known.items()
    }
    graphs: dict[str, dict[str, set[str]]] = {}
    for name, path in known.items():
        for other in needed(path, known):
            pairs = zip(parts[name], parts[other], strict=False)
            depth, (own, its) = next((at, pair) for at, pair in enumerate(pairs) if pair[0] != pair[1])
            graph = graphs.setdefault(".".join(parts[name][:depth]), {})
            graph.setdefault(own, set()).add(its)
    circles = {folder: cycle_in(graph) for folder, graph in graphs.items()}
    return {folder: parts for folder, parts in circles.items() if parts}


def cycle_in(graph: Mapping[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_no_modules_need_one_another() -> None:
    assert circle() == []


SUSPECT = re.compile(r"^\s*(?:from|import)\s+tests\b[^()\n]*(?:\([^)]*)?\btest_", re.MULTILINE)
"""Source that may take from the file of a test. Only it is parsed: to parse all tests takes seconds."""


def taken_from_tests(path: Path) -> list[str]:
    """The files of tests from which a module imports."""
    if not SUSPECT.search(path.read_text(encoding="utf-8")):
        return []
    return [name for _, name in imported(path) if name.startswith("tests.") and ".test_" in name]


def test_no_test_takes_from_the_file_of_another() -> None:
    assert [name for path in (ROOT / "tests").rglob("*.py") for name in taken_from_tests(path)] == []


@pytest.mark.parametrize(
    "line",
    [
        "from tests.games.test_match import played",
        "from tests.games import (\n    oracle,\n    test_match,\n)",
        "import tests.games.test_match as other",
        "def later():\n    from tests.games import test_match",
    ],
)
def test_an_import_from_the_file_of_another_test_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    for name in ("test_match", "tabletop"):
        (tmp_path / f"from_{name}.py").write_text(f"import json\n{line.replace('test_match', name)}\n")
    assert len({*taken_from_tests(tmp_path / "from_test_match.py")}) == 1
    assert taken_from_tests(tmp_path / "from_tabletop.py") == []


def test_every_part_of_the_program_has_its_place_in_the_order() -> None:
    parts = {path.stem for path in (ROOT / "dicetable").iterdir() if path.suffix == ".py" or path.is_dir()}
    assert parts - {"__init__", "__pycache__"} == set(ORDER)
    folders = [path for path in (ROOT / "dicetable").iterdir() if path.is_dir() and any(path.glob("*.py"))]
    assert len(folders) <= MOST_FOLDERS


def test_within_a_folder_no_parts_need_one_another() -> None:
    assert circles_in_folders() == {}


def test_a_circle_of_folders_is_found_though_no_modules_need_one_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    for name, text in (
        ("table/one", "from dicetable.ledger.two import thing"),
        ("ledger/two", ""),
        ("ledger/three", "from dicetable.table.four import thing"),
        ("table/four", ""),
    ):
        path = tmp_path / "dicetable" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    assert circle() == []
    circles = circles_in_folders()
    assert list(circles) == ["dicetable"]
    assert set(circles["dicetable"]) == {"table", "ledger"}


@pytest.mark.parametrize("late", ["", "if TYPE_CHECKING:\n    ", "def later():\n    "])
def test_a_circle_is_found_wherever_the_import_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    (tmp_path / "vision").mkdir()
    for name, text in (
        ("__init__", ""),
        ("one", "from vision import two\n"),
        ("two", "import vision.three\n"),
        ("three", f"{late}from vision.one import thing\n"),
    ):
        (tmp_path / "vision" / f"{name}.py").write_text(text)
    assert set(circle()) == {"vision.one", "vision.two", "vision.three"}


DECODERS = ("PIL", "pi_heif", "imagesize", "cv2.imread", "cv2.imdecode", "cv2.imreadmulti", "cv2.imcount")
DECODING = ("hardware.photograph", "gateway.logo")
"""Photographs are read by the one; in a process of its own the bar's logo is drawn anew by the other."""


def decoders(path: Path) -> list[str]:
    """What of a module could decode an image file, imported or called by its name."""
    module = module_name(path)
    if any(within(module, place) for place in DECODING):
        return []
    used = imported(path) + [
        (node.lineno, f"cv2.{node.attr}") for node in nodes(path) if isinstance(node, ast.Attribute)
    ]
    return [
        f"{path.relative_to(ROOT)}:{line}: {name}: photographs are read by hardware.photograph"
        for line, name in used
        if any(within(name, decoder) for decoder in DECODERS)
    ]


@pytest.mark.parametrize("package", SHIPPED)
def test_image_files_are_decoded_in_one_place(package: str) -> None:
    files = sorted((ROOT / package).rglob("*.py"))
    assert [fault for file in files for fault in decoders(file)] == []
