"""A program speaks the language that its config names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, get_args

import pytest

from common.texts import language, speaking
from dicetable.config.sections import TableSection

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language before, which a config replaces; nothing is loaded anew."""
    monkeypatch.setenv(language.VARIABLE, "es")
    monkeypatch.setattr(speaking, "speak", lambda: None)


@pytest.mark.parametrize(
    ("config", "spoken"),
    [
        ('[table]\nlanguage = "de"\n', "de"),
        ("[table]\nseats = 4\n", "en"),
        ("", "en"),
        ('[table]\nlanguage = "tlh"\n', "en"),
        ("[table]\nlanguage = 3\n", "en"),
        ('table = "de"\n', "en"),
        ("no TOML", "en"),
    ],
)
@pytest.mark.parametrize("together", [True, False])
def test_the_config_among_the_arguments_decides(
    config: str, spoken: str, tmp_path: Path, *, together: bool
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(config, encoding="utf-8")
    speaking.speak_as_configured(["run", f"--config={file}"] if together else ["run", "--config", str(file)])
    assert language.spoken() == os.environ[language.VARIABLE] == spoken


@pytest.mark.parametrize("arguments", [[], ["play", "sixes"], ["run", "--config"]])
def test_without_a_config_the_environment_decides(arguments: list[str]) -> None:
    speaking.speak_as_configured(arguments)
    assert language.spoken() == "es"


def test_a_config_that_is_not_there_is_english(tmp_path: Path) -> None:
    speaking.speak_as_configured(["run", "--config", str(tmp_path / "none.toml")])
    assert language.spoken() == "en"


def test_an_unknown_language_is_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(language.VARIABLE, "tlh")
    assert language.spoken() == "en"


def test_the_config_offers_every_language() -> None:
    assert get_args(TableSection.model_fields["language"].annotation) == language.LANGUAGES
