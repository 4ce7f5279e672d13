"""The models are those that were released, or one's own.

ONNX Runtime reads dice and nothing else: it keeps no id of the machine and tells nobody what is done.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from vision import checksums, nets
from vision.nets import FOLDER, NAMES, ModelError, load_nets

if TYPE_CHECKING:
    from pathlib import Path

FILES = (*(f"{name}.onnx" for name in NAMES), "fitted.json")


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A copy of the released models."""
    folder = tmp_path / "models"
    folder.mkdir()
    for name in FILES:
        shutil.copy(FOLDER / name, folder / name)
    return folder


def change(file: Path) -> None:
    """Changes one bit in its middle."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def test_the_released_models_are_those_that_are_pinned() -> None:
    assert set(checksums.SHA256) == set(FILES)
    assert load_nets().sha256 == checksums.SHA256


@pytest.mark.parametrize("name", FILES)
def test_a_released_model_with_one_changed_bit_is_refused(
    name: str, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(models / name)
    monkeypatch.setattr(nets, "FOLDER", models)
    with pytest.raises(ModelError) as refused:
        load_nets()
    assert refused.value.what == f"The model {name} was changed."
    assert "install dicetable again" in str(refused.value)
    assert "eye.models" in refused.value.remedy


def test_a_model_that_is_missing_or_cannot_be_read_is_named(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (models / "symbol.onnx").unlink()
    with pytest.raises(ModelError, match=r"The model symbol.onnx is missing: replace it in .*models"):
        load_nets(folder=models)
    (models / "symbol.onnx").mkdir()
    with pytest.raises(ModelError, match=r"symbol.onnx cannot be read: Is a directory: "):
        load_nets(folder=models)
    monkeypatch.setattr(nets, "FOLDER", models)
    with pytest.raises(ModelError, match=r"symbol.onnx cannot be read: Is a directory: install"):
        load_nets()


def test_ones_own_models_are_not_compared_with_the_pinned_ones(models: Path) -> None:
    fitted = models / "fitted.json"
    weights = json.loads(fitted.read_text())
    weights["confidence"]["bias"] = 0.25
    fitted.write_text(json.dumps(weights))
    own = load_nets(folder=models)
    assert own.fitted.confidence.bias == 0.25
    assert own.sha256["fitted.json"] == sha256(fitted.read_bytes()).hexdigest()
    assert own.sha256["die.onnx"] == checksums.SHA256["die.onnx"]


def test_what_is_no_net_or_another_one_is_refused(models: Path) -> None:
    shutil.copy(models / "symbol.onnx", models / "die.onnx")
    with pytest.raises(ModelError, match=r"The model die.onnx is not the expected net"):
        load_nets(folder=models)
    (models / "die.onnx").write_bytes(b"no net")
    with pytest.raises(ModelError, match=r"The model die.onnx is not the expected net"):
        load_nets(folder=models)


@pytest.mark.parametrize("text", ["[]", "{", '{"confidence": {}}', "\xff"])
def test_what_does_not_hold_the_weights_is_refused(text: str, models: Path) -> None:
    (models / "fitted.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(ModelError, match=r"The model fitted.json does not hold the expected weights"):
        load_nets(folder=models)


def test_a_weight_that_is_no_number_is_refused(models: Path) -> None:
    weights = json.loads((models / "fitted.json").read_text())
    weights["symbols"]["place"] = "high"
    (models / "fitted.json").write_text(json.dumps(weights))
    with pytest.raises(ModelError, match="does not hold the expected weights"):
        load_nets(folder=models)


def test_nothing_is_left_in_the_home_folder(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    # Without CI's own variables, in whose presence ONNX Runtime is quiet by itself.
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    for program in ("import vision.nets as nets; nets.load_nets()", "import vision.reader"):
        subprocess.run([sys.executable, "-c", program], check=True, env=environment, timeout=300)
    assert list(home.rglob("*")) == []
