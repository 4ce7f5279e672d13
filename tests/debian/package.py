"""The Debian package of this machine's release and architecture, built once for all tests."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
OUT = ROOT / "build" / "debian"
"""Below the project, which the machines that install it see."""


@cache
def built() -> Path:
    """The package, compressed as fast as lintian allows."""
    subprocess.run(["rm", "-rf", OUT], check=True)
    build = [sys.executable, "debian/build.py", "--compression=gzip", f"--out={OUT / 'first'}"]
    subprocess.run(build, cwd=ROOT, check=True, timeout=600)
    (package,) = (OUT / "first").iterdir()
    return package


@cache
def newer() -> Path:
    """The same package again, as a later version."""
    tree, package = OUT / "tree", OUT / "newer.deb"
    subprocess.run(["dpkg-deb", "--raw-extract", built(), tree], check=True)
    control = tree / "DEBIAN" / "control"
    control.write_text(re.sub(r"^Version: .*", "Version: 99.0.0", control.read_text(), flags=re.MULTILINE))
    subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "--build", tree, package], check=True)
    subprocess.run(["rm", "-rf", tree], check=True)
    return package
