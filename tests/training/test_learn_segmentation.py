"""The net that watches: its scenes are labelled as they are drawn, and its course ends in a usable net."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
import torch

from training import learn_segmentation, taken_up
from training.architectures import SegmentationModule
from training.moving_scenes import example
from training.moving_trays import HEIGHT, WIDTH
from vision import nets
from vision.motion.segmentation import DIE, OTHER, Segmenter

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow
STEPS = 120


def test_hands_and_dice_differ_from_the_tray_where_they_are_labelled() -> None:
    rng = np.random.default_rng(1)
    on, off = [], []
    for _ in range(60):
        frame, empty, classes = example(rng)
        if np.array_equal(frame, empty):
            continue
        differs = cv2.absdiff(frame, empty).max(axis=2)
        on.append(float(np.median(differs[classes > 0])) if (classes > 0).any() else 255.0)
        off.append(float(np.median(differs[classes == 0])))
    assert np.mean(np.array(on) > np.array(off)) > 0.9
    assert {DIE, OTHER} <= {int(each) for _ in range(20) for each in np.unique(example(rng)[2])}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch warns of the exporter that OpenCV reads
def test_a_short_course_ends_in_a_net_that_knows_a_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn_segmentation, "PACK", 40)
    learn_segmentation.scene_packs(tmp_path / "packs", range(2))
    seconds = count()  # a step takes one, on a fast machine and on a busy one
    monkeypatch.setattr("training.course.time.thread_time", lambda: float(next(seconds)))
    learn_segmentation.learn_segmentation(tmp_path, tmp_path, minutes=STEPS / 60, go_on=False)
    data = (tmp_path / "segmentation.onnx").read_bytes()
    segmenter = Segmenter(nets.session(data, nets.SHAPES["segmentation"]))
    frames, empty, classes = learn_segmentation.load(sorted((tmp_path / "packs").glob("*.npz")))
    seen = np.stack([segmenter.segment(*pair) for pair in zip(frames, empty, strict=True)])
    hands = classes == OTHER
    assert frames.shape[1:3] == (HEIGHT, WIDTH)
    assert (seen[hands] == OTHER).mean() > 2 * (seen[~hands] == OTHER).mean()


def test_the_released_net_is_taken_up_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn_segmentation, "PACK", 20)
    monkeypatch.setattr(taken_up, "BATCHES", 2)
    learn_segmentation.scene_packs(tmp_path / "packs", range(1))
    taken_up.take_up(tmp_path, nets.FOLDER)
    assert [path.name for path in tmp_path.glob("*.pt")] == ["segmentation.pt"]
    net = SegmentationModule()
    net.load_state_dict(torch.load(tmp_path / "segmentation.pt", weights_only=True))
    views = torch.rand(2, 6, HEIGHT, WIDTH, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        said = net.eval()(views).numpy()
    released = nets.load_nets().segmentation
    wanted = np.concatenate([released(view[None]) for view in views.numpy()])
    assert np.abs(said - wanted).max() < 0.001 * wanted.std()


def test_nothing_is_taken_up_without_packs(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="run the stage scenes or moving first"):
        taken_up.take_up(tmp_path, nets.FOLDER)
