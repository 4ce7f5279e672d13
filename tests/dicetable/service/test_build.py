"""What the service is built from."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicetable.config.camera import FolderOfPhotographs, SimulatedCameraSection
from dicetable.config.file import load
from dicetable.service.start import is_strict

LAPTOP = Path(__file__).parents[3] / "examples" / "laptop.toml"


@pytest.mark.parametrize(("house", "strict"), [({}, True), ({"throws": "friendly"}, False)])
def test_throws_are_strict_unless_the_house_is_friendly(house: dict[str, str], strict: bool) -> None:
    config = load(LAPTOP)
    config = config.model_copy(update={"house": config.house.model_copy(update=house)})
    assert isinstance(config.camera, SimulatedCameraSection)
    assert is_strict(config) is strict


def test_a_folder_of_photographs_is_always_friendly(tmp_path: Path) -> None:
    camera = FolderOfPhotographs(driver="folder", folder=tmp_path)
    config = load(LAPTOP).model_copy(update={"camera": camera})
    assert config.house.throws == "strict"
    assert not is_strict(config)
