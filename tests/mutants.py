"""Puts small faults into the code, one at a time, and counts those that no test notices.

    make mutants MUTANTS="ledger --sample 300"

mutmut makes the faults and runs the tests that reach them, in a copy of the tree under build/mutants/. The
faults that passed every test stand in build/mutants/AREA.txt, each as a difference.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
SOURCES: Final = (
    "games",
    "vision",
    "firmware_bridge",
    "hardware",
    "common",
    "dicetable",
    "gateway",
    "league",
)


@dataclass(frozen=True)
class Area:
    """What is mutated and which tests shall notice: globs of files, and files or folders of tests."""

    mutated: tuple[str, ...]
    tests: tuple[str, ...]


AREAS: Final = {
    "games": Area(
        ("games/*.py",), ("tests/games", "tests/common/test_game_folder.py", "tests/hardware/simulated")
    ),
    "table": Area(("dicetable/table/*.py",), ("tests/dicetable/table", "tests/dicetable/service")),
    "ledger": Area(
        ("dicetable/ledger/*.py",),
        (
            "tests/dicetable/ledger",
            "tests/dicetable/service/test_outbox.py",
            "tests/dicetable/statistics/test_totals.py",
        ),
    ),
    "throws": Area(("dicetable/service/throws.py",), ("tests/dicetable/service", "tests/dicetable/table")),
    "motion": Area(("vision/motion/*.py",), ("tests/vision/motion", "tests/vision/test_observer.py")),
    "doubts": Area(
        ("vision/recognition/doubts.py", "vision/recognition/cocked.py"), ("tests/vision/recognition",)
    ),
    "link": Area(
        ("firmware_bridge/host_session.py",),
        (
            "tests/firmware_bridge/test_bad_line.py",
            "tests/firmware_bridge/test_reconnecting.py",
            "tests/firmware_bridge/test_refusal.py",
            "tests/firmware_bridge/test_session.py",
            "tests/firmware_bridge/test_golden_exchange.py",
        ),
    ),
    "seats": Area(("gateway/seats.py",), ("tests/gateway/test_seats.py", "tests/gateway/test_attacks.py")),
    "login": Area(
        (
            "gateway/operator/login.py",
            "gateway/operator/codes.py",
            "gateway/operator/passphrase.py",
            "gateway/sessions.py",
            "gateway/invitation.py",
        ),
        (
            "tests/gateway/operator/test_access.py",
            "tests/gateway/operator/test_invitation.py",
            "tests/gateway/operator/test_lockout.py",
            "tests/gateway/operator/test_passphrase.py",
        ),
    ),
    "league": Area(("league/ingestion.py",), ("tests/league",)),
}

KILLED: Final = {1, 3, 36, 24, -24, 152, 255, -9, -11}
"""Exit codes of mutmut's runs in which a test failed, hung or died.

0 is a fault that passed every test, 5 and 33 one that no test reached, None one that was not tried.
"""


def copy_tree(target: Path) -> None:
    """Copies the tracked files, and the compiled catalogues that they are read with."""
    shutil.rmtree(target, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    names = [name for name in listed.stdout.split("\0") if name]
    names += [str(path.relative_to(ROOT)) for path in (ROOT / "common/texts").rglob("*.mo")]
    for name in names:
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def write_settings(target: Path, area: Area, only: str | None) -> None:
    beside = sorted({path.name for path in target.iterdir()} - {*SOURCES, "tests", "pyproject.toml"})
    listed = {
        "source_paths": SOURCES,
        "only_mutate": (only,) if only else area.mutated,
        "also_copy": beside,
        "pytest_add_cli_args_test_selection": area.tests,
        # The runs are forks of one process: of a child of that process they know no end.
        "pytest_add_cli_args": (
            "-m",
            "not slow",
            "-p",
            "no:xdist",
            "-W",
            "ignore::pytest.PytestUnraisableExceptionWarning",
        ),
    }
    lines = ["[mutmut]"]
    for key, values in listed.items():
        lines += [f"{key}=", *(f"    {value}" for value in values)]
    (target / "setup.cfg").write_text("\n".join(lines) + "\n")


def mutmut(target: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "mutmut", *arguments]
    shared = os.environ.get("DICETABLE_SHARED", str(ROOT.parent / "shared"))
    environment = {**os.environ, "DICETABLE_SHARED": shared}
    ended = subprocess.run(command, cwd=target, env=environment, check=False, capture_output=True, text=True)
    return ended.stdout + ended.stderr


def outcomes(target: Path) -> dict[str, int | None]:
    """The exit code of each mutant's tests, by the mutant's name."""
    found: dict[str, int | None] = {}
    for path in sorted((target / "mutants").rglob("*.py.meta")):
        found |= json.loads(path.read_text())["exit_code_by_key"]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("area", choices=AREAS)
    parser.add_argument("--only", metavar="FILE", help="one file of the area, or a glob")
    parser.add_argument("--sample", type=int, metavar="N", help="try N of the mutants, drawn by chance")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    target = ROOT / "build" / "mutants" / options.area
    copy_tree(target)
    write_settings(target, AREAS[options.area], options.only)
    said = mutmut(target, "run", "none of them")  # makes the mutants, and learns which tests reach which
    names = sorted(outcomes(target))
    if not names:
        sys.stderr.write(said)
        return 1
    if options.sample is not None:
        names = random.Random(options.seed).sample(names, min(options.sample, len(names)))
    said = mutmut(target, "run", *names)
    tried = {name: code for name, code in outcomes(target).items() if name in set(names)}
    if None in tried.values():
        sys.stderr.write(said)
        return 1
    left = sorted(name for name, code in tried.items() if code not in KILLED)
    report = target.with_suffix(".txt")
    report.write_text("\n".join(mutmut(target, "show", name) for name in left))
    by_file = Counter(name.split(".x")[0] for name in left)
    for module, count in sorted(by_file.items()):
        of = sum(name.startswith(f"{module}.") for name in tried)
        sys.stdout.write(f"{module}: {count} of {of} not noticed\n")
    noticed = len(tried) - len(left)
    sys.stdout.write(f"{options.area}: {noticed} of {len(tried)} noticed; the others are in {report}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
