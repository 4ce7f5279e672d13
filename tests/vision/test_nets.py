"""ONNX Runtime reads dice and nothing else: it keeps no id of the machine and tells nobody what is done."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def test_nothing_is_left_in_the_home_folder(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    # Without CI's own variables, in whose presence ONNX Runtime is quiet by itself.
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    for program in ("import vision.nets as nets; nets.load_nets()", "import vision.reader"):
        subprocess.run([sys.executable, "-c", program], check=True, env=environment, timeout=60)
    assert list(home.rglob("*")) == []
