"""The steps of the Dockerfile, run in a fresh environment in place of a container."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
STEPS: Final = re.findall(r"^([A-Z]+) (.+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
HANGING_S: Final = 600


def test_no_step_is_left_out_below() -> None:
    names = " ".join(name for name, _ in STEPS)
    assert names == "FROM WORKDIR COPY RUN COPY RUN RUN USER WORKDIR EXPOSE ENTRYPOINT CMD"


@pytest.mark.slow
def test_its_installation_reads_dice(tmp_path: Path) -> None:
    left_out = shutil.ignore_patterns(
        *(line.removeprefix("**/") for line in (ROOT / ".dockerignore").read_text().split()), "*.mo"
    )
    source, home = tmp_path / "source", tmp_path / "home"
    shutil.copytree(ROOT, source, ignore=left_out)
    home.mkdir()
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True, timeout=HANGING_S)
    for name, step in STEPS:
        if name == "RUN" and step.startswith("pip "):
            subprocess.run(
                [tmp_path / "venv/bin" / step.split()[0], *step.split()[1:]],
                cwd=source,
                check=True,
                timeout=HANGING_S,
                capture_output=True,
            )
    shutil.rmtree(source)  # what runs is what was installed
    ((entry,),) = [json.loads(step) for name, step in STEPS if name == "ENTRYPOINT"]
    photographs = home / "throws"
    photographs.mkdir()
    shutil.copy(ROOT / "docs/images/simulated-throw.jpg", photographs)
    rolled = subprocess.run(
        [tmp_path / "venv/bin" / entry, "roll", "--camera", photographs, "--json"],
        cwd=home,
        check=True,
        timeout=HANGING_S,
        capture_output=True,
    )
    (line,) = rolled.stdout.splitlines()
    assert json.loads(line)["dice"]
    web = subprocess.run(
        [tmp_path / "venv/bin/python", "-c", "import gateway.app"],
        cwd=home,
        check=False,
        timeout=HANGING_S,
        capture_output=True,
        text=True,
    )
    assert web.returncode == 0, web.stderr
