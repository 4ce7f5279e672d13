"""The command that installs a missing system package where this program finds it."""

from __future__ import annotations

import sys
from pathlib import Path


def with_apt(package: str) -> str:
    """The command for a system package, and what makes it visible in this environment."""
    install = f"sudo apt install {package}"
    if sees_system_packages():
        return install
    return f"{install}; then, for {sys.prefix} does not see it: sudo make install-service"


def sees_system_packages() -> bool:
    """Whether this is the system's own Python, or an environment that sees its packages."""
    try:
        settings = (Path(sys.prefix) / "pyvenv.cfg").read_text()
    except OSError:
        return True
    return "include-system-site-packages = true" in settings
