"""Release 0.1.0, the last one with schema 1: its sources out of the history, and a ledger that it wrote.

python -m tests.dicetable.ledger.release_0_1_0     # writes the folder ledger_of_0_1_0 anew
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]
COMMIT: Final = "5a1e125"
LEDGER: Final = Path(__file__).with_name("ledger_of_0_1_0")
PLAYS: Final = """
import sys
from pathlib import Path
from dicetable.journal import Thrown
from dicetable.ledger.store import Ledger
from tests.dicetable.ledger.torture import script
ledger = Ledger(Path(sys.argv[1]))
for entry in [*script("sixes", 3)[:12], *script("money_shot", 3)[:20]]:
    ledger.append(entry, b"a picture of it" if isinstance(entry, Thrown) else b"")
ledger.close()
"""
"""Two games, the second of which is still played."""


def why_not() -> str | None:
    """Why its sources cannot be had; None if they can."""
    look = ["git", "cat-file", "-e", f"{COMMIT}^{{commit}}"]
    if (
        shutil.which("git") is None
        or subprocess.run(look, cwd=ROOT, capture_output=True, check=False).returncode
    ):
        return f"this is no clone with its whole history: there is no commit {COMMIT}"
    return None


def unpack(folder: Path) -> Path:
    """Puts its sources into a folder, which it returns."""
    folder.mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(["git", "archive", COMMIT], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x"], cwd=folder, input=archive.stdout, check=True)
    return folder


def run(sources: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs this interpreter with its modules."""
    env = {**os.environ, "PYTHONPATH": str(sources), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=sources, env=env, capture_output=True, text=True, check=False
    )


def main() -> None:
    with TemporaryDirectory() as folder:
        sources = unpack(Path(folder) / "sources")
        run(sources, "-c", PLAYS, str(Path(folder) / "ledger")).check_returncode()
        LEDGER.mkdir(exist_ok=True)
        for name in ("ledger.sqlite3", "ledger.head"):
            shutil.copy(Path(folder) / "ledger" / name, LEDGER)


if __name__ == "__main__":
    main()
