"""`python shrunk.py STAGE…` is `python -m training STAGE…` with all that takes long made small."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Final

SMALL: Final[dict[str, dict[str, int]]] = {
    "packs": {"SCENES": 20},
    "traced": {"SCENES": 2, "TAKES": 4, "SAMPLES": 2, "SKIN": 128, "GROUND": 128},
    "shots": {"SHOTS": 8},
    "photos": {"SCENES": 10},
    "learn_six_nine": {"DRAWN": 100},
    "learn_faces": {"DRAWN": 100, "SCENES": 4},
    "taken_up": {"BATCHES": 4},
    "rasterised": {"SCENES": 3, "SIDE": 240, "SKIN": 128, "GROUND": 128},
    "tilts": {"SCENES": 6, "TRACED": 8},
    "learn_attitude": {"STEPS": 10, "STEPS_ON": 10},
}
"""The constants of the modules of training that say how much is made."""
FONTS: Final = tuple(
    f"/usr/share/fonts/truetype/dejavu/DejaVu{cut}.ttf" for cut in ("Sans", "Sans-Bold", "SansMono", "Serif")
)
"""Fonts that every machine of the project has, in place of the packages of docs/research/data.md."""


def families(*, plain: bool) -> tuple[tuple[str, ...], ...]:  # noqa: ARG001 - as it is called
    """FONTS as one family."""
    return (FONTS,)


def main() -> None:
    """Runs the stages of the package that is in the working folder."""
    training = import_module("training.__main__")
    if not Path(str(training.__file__)).is_relative_to(Path.cwd()):
        raise SystemExit(f"{training.__file__} is none of this folder's")
    for module, constants in SMALL.items():
        for name, value in constants.items():
            setattr(import_module(f"training.{module}"), name, value)
    import_module("training.lettering")._families = families  # type: ignore[attr-defined]
    training.main()


if __name__ == "__main__":
    main()
