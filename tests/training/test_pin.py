"""The stages that write models pin their checksums."""

from __future__ import annotations

import shutil
from hashlib import sha256
from pathlib import Path

from training.__main__ import pin
from vision import checksums


def test_the_checksums_of_what_is_there_are_written_and_the_others_stay(tmp_path: Path) -> None:
    module = tmp_path / "checksums.py"
    shutil.copy(checksums.__file__, module)
    (tmp_path / "die.onnx").write_bytes(b"a net")
    (tmp_path / "README.md").write_text("no model")
    pin(tmp_path, module)
    written: dict[str, dict[str, str]] = {}
    exec(module.read_text(), written)
    expected = {**checksums.SHA256, "die.onnx": sha256(b"a net").hexdigest()}
    assert written["SHA256"] == expected


def test_pinning_the_released_models_changes_nothing(tmp_path: Path) -> None:
    module = tmp_path / "checksums.py"
    shutil.copy(checksums.__file__, module)
    pin(Path(checksums.__file__).parent / "models", module)
    assert module.read_bytes() == Path(checksums.__file__).read_bytes()
