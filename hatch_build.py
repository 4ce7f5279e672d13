"""Compiles the catalogues of the texts when a wheel or an editable installation is built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CATALOGUES = "common/texts/locale/*/LC_MESSAGES/dicetable.po"


def compile_catalogues(root: Path, out: Path) -> None:
    """Writes `dicetable.mo` below `out` for each catalogue below `root`, at the same place."""
    for source in sorted(root.glob(CATALOGUES)):
        with source.open("rb") as file:
            catalogue = read_po(file)
        compiled = (out / source.relative_to(root)).with_suffix(".mo")
        compiled.parent.mkdir(parents=True, exist_ok=True)
        with compiled.open("wb") as file:
            write_mo(file, catalogue)


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg, misc, unused-ignore]  # hatchling is there only to build
    """Puts the compiled catalogues beside their sources, and into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's signature
        """Is called before the files are collected."""
        compile_catalogues(Path(self.root), Path(self.root))
        build_data["artifacts"].append("*.mo")
