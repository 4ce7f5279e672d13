"""docs/config.md is up to date and describes every setting."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicetable.config.camera import UsbCamera
from dicetable.config.file import Config
from docs.make_config import reference

PAGE = Path(__file__).resolve().parents[2] / "docs" / "config.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == reference(), "make config-reference"


def test_every_setting_is_named_and_described() -> None:
    models = Config.model_json_schema()["$defs"]
    page = reference()
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    wanted = {name for model in models.values() for name in model["properties"] if name != "driver"}
    assert {row.split("`")[1] for row in rows} == wanted
    for row in rows:
        assert not row.endswith("|  |"), row


@pytest.mark.parametrize(
    "row",
    [
        "| `width_px` | whole number, 320 to 4096 | `1280` |"
        " Width of a frame in pixels, before it is rotated. |",
        '| `lamps_lit` | `"high"` or `"low"` | `"high"` | The level of the pin at which a lamp is lit. |',
        "| `focus_dioptres` | number, 0 to 32; such as `2.5` | `2.3` | Focus in dioptres, one over the"
        " distance in metres (2.3 is 43 cm); locked. A fixed lens ignores it. |",
        "| `mirror` | `true` or `false`; such as `true` | `false` | Mirrors the picture left to right, for a"
        " camera that looks through a mirror; done after rotating. |",
    ],
)
def test_limits_defaults_and_words_are_told(row: str) -> None:
    assert row in reference().splitlines()


def test_a_required_setting_is_told_apart() -> None:
    assert UsbCamera.model_fields["device"].is_required()
    row = next(line for line in reference().splitlines() if line.startswith("| `device`"))
    assert "| required |" in row
