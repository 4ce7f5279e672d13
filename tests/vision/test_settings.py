"""The tunable numbers: all are reached from `ReaderSettings`, frozen, and each is documented."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import pytest

import vision.motion.settings
import vision.settings
from vision.settings import ReaderSettings

if TYPE_CHECKING:
    from collections.abc import Iterator


def stages(settings: Any) -> Iterator[Any]:
    """The settings and all that they hold."""
    yield settings
    for field in fields(settings):
        if is_dataclass(value := getattr(settings, field.name)):
            yield from stages(value)


STAGES = list(stages(ReaderSettings()))


def test_every_group_of_settings_belongs_to_the_readers() -> None:
    modules = (vision.settings, vision.motion.settings)
    groups = {each for module in modules for each in vars(module).values() if is_dataclass(each)}
    assert {type(stage) for stage in STAGES} == groups


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: type(stage).__name__)
def test_every_setting_is_documented_and_frozen(stage: Any) -> None:
    text = type(stage).__doc__ or ""
    documented = re.findall(r"^        ([a-z_0-9][a-z_0-9, ]*): ", text, re.MULTILINE)
    names = {name for line in documented for name in line.split(", ")}
    assert names == {field.name for field in fields(stage)}
    with pytest.raises(FrozenInstanceError):
        setattr(stage, fields(stage)[0].name, 0)
