"""The weights of the probability that a die is cocked are fitted only where there are dice to fit them on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from training import __main__ as training
from training.tilts import HELD, fit_cocked
from vision.nets import FOLDER, load_nets
from vision.recognition.attitude import AttitudeNet
from vision.recognition.classifiers import CROP_PX

if TYPE_CHECKING:
    from pathlib import Path

DICE = 6


def pack(path: Path, tilts_deg: list[float], confidence: float) -> None:
    """A pack of one frame, with dice that tilt so much and are read with this confidence."""
    path.parent.mkdir(exist_ok=True)
    count = len(tilts_deg)
    np.savez(
        path,
        crops=np.zeros((count, CROP_PX, CROP_PX, 3), np.uint8),
        kinds=np.ones(count, int),
        right=np.ones(count, bool),
        on_top=np.ones(count, bool),
        symbols=np.tile((56.0, 56.0, 20.0, 0.9), (count, 1)),
        ups=np.full(count, 90.0),
        confidences=np.full(count, confidence),
        said=np.full((count, 3), 0.01),
        boxes=np.array([(200 * i, 100.0 + 90 * (i % 2), 100, 100, 0.9) for i in range(count)]),
        shapes=np.tile((720, 1280), (count, 1)),
        tilts=np.array(tilts_deg),
        tops=np.zeros((count, 2)),
        plumbs=np.zeros((count, 2)),
        scenes=np.zeros(count, int),
    )


@pytest.mark.parametrize(
    ("tilts_deg", "confidence"),
    [
        pytest.param([0.0, 9.0] * 3, 0.1, id="no die is sure"),
        pytest.param([0.0] * DICE, 0.999, id="none is cocked"),
        pytest.param([9.0] * DICE, 0.999, id="none is flat"),
    ],
)
def test_one_sentence_says_that_the_packs_lack_dice(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tilts_deg: list[float],
    confidence: float,
) -> None:
    pack(tmp_path / "tilts" / f"{HELD[-1]}.npz", tilts_deg, confidence)
    models = tmp_path / "models"
    models.mkdir()
    before = (FOLDER / "fitted.json").read_text(encoding="utf-8")
    (models / "fitted.json").write_text(before, encoding="utf-8")
    monkeypatch.setattr(training, "MODELS", models)
    monkeypatch.setattr("sys.argv", ["training", "cocked-weights", "--work", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        training.main()
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert said.startswith("training: no flat die, or no cocked one, is sure in the packs tilts000, ")
    assert said.count("\n") == 1
    assert (models / "fitted.json").read_text(encoding="utf-8") == before


def test_the_weights_are_fitted_where_some_dice_are_flat_and_some_cocked(tmp_path: Path) -> None:
    pack(tmp_path / "tilts" / f"{HELD[-1]}.npz", [0.0, 9.0, 16.0] * 2, 0.999)
    (tmp_path / "fitted.json").write_text((FOLDER / "fitted.json").read_text(encoding="utf-8"))
    fit_cocked(tmp_path, tmp_path, AttitudeNet(load_nets().attitude))
    told = json.loads((tmp_path / "fitted.json").read_text(encoding="utf-8"))
    before = json.loads((FOLDER / "fitted.json").read_text(encoding="utf-8"))
    assert {part for part in told if told[part] != before[part]} == {"cocked"}
