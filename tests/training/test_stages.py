"""Every stage of the training runs from a clone to finished models, on a tiny scale.

Nets that have learnt nothing find no dice, on which later stages live. So the learners run twice: from
nothing as far as `export`, and from the released nets, which `taken-up` takes up, through all stages.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

import cv2
import numpy as np
import onnxruntime
import pytest
import torch

from tests.training.shrunk import families
from training import calibrate, learn_detector, lettering, taken_up
from training.__main__ import HELD, NAMED, STAGES
from training.course import FILES, NETS
from training.packs import BOXES, CANVAS
from training.photos import SOURCES
from training.shots import STYLES
from vision import nets
from vision.nets import Fitted
from vision.recognition.classifiers import BODIES, CROP_PX, DIE_PX, NO_DIE, UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterable

pytestmark = [pytest.mark.slow, pytest.mark.photos]
ROOT: Final = Path(__file__).resolve().parents[2]
SHRUNK: Final = Path(__file__).with_name("shrunk.py")
PICTURES: Final = {source: 16 if source in HELD else 6 for source in SOURCES}
"""Labelled pictures of each source."""
PACKS, TRACED, RASTERS, TILTS, TRACED_TILTS = 4, 2, 2, 3, 1
ICONS: Final = "/usr/share/fonts/truetype/dejavu"
"""A folder of fonts with symbols that every machine of the project has."""
AMOUNTS: Final = (
    f"--packs={PACKS}", f"--traced={TRACED}", f"--rasters={RASTERS}",
    f"--tilts={TILTS}", f"--traced-tilts={TRACED_TILTS}",
    "--minutes=0.005", "--dice=1", "--threads=1",
)  # fmt: skip
EXPORTED: Final = tuple(f"{FILES.get(name, name)}.onnx" for name in NETS)
NEAR: Final = 0.05
"""How far a weight may come in so few steps: farther, the net did not go on from where it was."""
MADE: Final = ("photos", "scenes", "traced", "rasterised", "shots")
"""The stages that need no net."""


class Clone:
    """A copy of what is trained, with its own models, and the work folder of a training in it."""

    def __init__(self, folder: Path, photos: Path) -> None:
        self.folder, self.photos, self.work = folder, photos, folder / "work"
        for package in ("games", "vision", "training"):
            shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
        self.work.mkdir()
        self.models = folder / "vision" / "models"

    def run(self, *arguments: str) -> None:
        """Runs `python -m training` there."""
        folders = f"--work={self.work}", f"--photos={self.photos}"
        done = subprocess.run(
            [sys.executable, str(SHRUNK), *arguments, *folders, *AMOUNTS],
            cwd=self.folder, env={**os.environ, "PYTHONPATH": str(self.folder)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    def weights(self, name: str) -> dict[str, Any]:
        """The trainable weights of one of NETS."""
        state: dict[str, Any] = torch.load(self.work / f"{name}.pt", weights_only=True)
        return state

    def pack(self, name: str) -> dict[str, Any]:
        """The columns of a pack, by the path in the work folder."""
        with np.load(self.work / f"{name}.npz") as stored:
            return {key: stored[key] for key in stored.files}

    def pinned(self) -> dict[str, str]:
        """The checksums that the clone's reader demands."""
        told: dict[str, Any] = {}
        exec((self.folder / "vision" / "checksums.py").read_text(encoding="utf-8"), told)
        return dict(told["SHA256"])


@pytest.fixture(scope="module")
def photos(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few labelled pictures of each source."""
    folder = tmp_path_factory.mktemp("photos")
    for source, count in PICTURES.items():
        here, there = folder / "train" / source, shared / "photos" / "train" / source
        here.mkdir(parents=True)
        lines = (there / "labels.jsonl").read_text(encoding="utf-8").splitlines()
        some = lines[:: len(lines) // count][:count]
        (here / "labels.jsonl").write_text("\n".join(some) + "\n", encoding="utf-8")
        for line in some:
            shutil.copy(there / json.loads(line)["image"], here)
    return folder


@pytest.fixture(scope="module")
def packed(photos: Path, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone in which the stages ran that need no net."""
    clone = Clone(tmp_path_factory.mktemp("packed"), photos)
    clone.run(*MADE)
    return clone


@pytest.fixture(scope="module")
def from_nothing(packed: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone in which the nets began to learn from nothing, and were exported."""
    clone = Clone(tmp_path_factory.mktemp("from-nothing"), packed.photos)
    (clone.work / "packs").symlink_to(packed.work / "packs")
    clone.run("face-views", f"--icons={ICONS}")
    clone.run("detector", "tops", "symbols", "six-nine", "export")
    clone.run("faces", f"--icons={ICONS}")
    return clone


@pytest.fixture(scope="module")
def took_up(packed: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone that took the released nets up."""
    clone = Clone(tmp_path_factory.mktemp("took-up"), packed.photos)
    (clone.work / "packs").symlink_to(packed.work / "packs")
    clone.run(NAMED[0])
    return clone


@pytest.fixture(scope="module")
def went_on(packed: Clone, took_up: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone in which all stages ran in their order, the learners from the released nets on.

    In its work folder `seen` are the weights as they were before the learners went on with photographs.
    """
    clone = Clone(tmp_path_factory.mktemp("went-on"), packed.photos)
    shutil.copytree(packed.work / "packs", clone.work / "packs")
    for name in NETS:
        shutil.copy(took_up.work / f"{name}.pt", clone.work)
    seen = STAGES.index("symbols-found")
    clone.run(*STAGES[:seen], "--go-on")
    (clone.work / "seen").mkdir()
    for name in NETS:
        shutil.copy(clone.work / f"{name}.pt", clone.work / "seen")
    clone.run(*STAGES[seen:], "--go-on")
    return clone


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def is_of_crops(pack: dict[str, Any]) -> bool:
    """Whether a pack holds crops and says of each what it shows."""
    count = len(pack["crops"])
    columns = ("bodies", "values", "symbols", "pips", "told", "turnable")
    return (
        count > 0
        and pack["crops"].shape == (count, CROP_PX, CROP_PX, 3)
        and all(len(pack[column]) == count for column in columns)
        and bool(np.std(pack["crops"], axis=(1, 2, 3)).any())
    )


def test_photographs_become_packs_with_their_labels_values(packed: Clone) -> None:
    for source in SOURCES:
        pack = packed.pack(f"packs/photo_{source}")
        lines = (packed.photos / "train" / source / "labels.jsonl").read_text(encoding="utf-8").splitlines()
        values = [die["value"] for line in lines for die in json.loads(line)["dice"] if die["value"]]
        assert is_of_crops(pack), source
        read = pack["values"][pack["bodies"] < UNREADABLE].tolist()
        assert read, source
        assert not set(read) - set(values), source
        assert (len(pack["canvases"]) > 0) == (source != "catan_pips"), source


def test_rendered_and_traced_scenes_become_packs_with_symbols_and_boxes(packed: Clone) -> None:
    rendered = [f"render{number:03}" for number in range(PACKS)]
    traced = [f"traced{number:03}" for number in range(TRACED)]
    traced += [f"raster{number:03}" for number in range(RASTERS)]
    sources = [f"photo_{source}" for source in SOURCES]
    assert names(packed.work / "packs") == {f"{name}.npz" for name in (*rendered, *traced, *sources)}
    for name in (*rendered, *traced):
        pack = packed.pack(f"packs/{name}")
        assert is_of_crops(pack), name
        readable = pack["bodies"] < UNREADABLE
        assert readable.any(), name
        assert np.isfinite(pack["symbols"][readable, 0]).all(), name
        assert (pack["values"][readable] > 0).all(), name
    canvases, boxes = learn_detector.load([packed.work / "packs" / f"{name}.npz" for name in rendered])
    assert canvases.shape[1:] == (CANVAS, CANVAS, 3)
    assert boxes.shape == (len(canvases), BOXES, 5)
    assert (boxes[:, 0, 0] >= 0).any()


def test_shots_are_labelled_as_photographs_are(packed: Clone) -> None:
    shots = packed.work / "shots"
    labels = [json.loads(line) for line in (shots / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    assert names(shots) == {"labels.jsonl", *(label["image"] for label in labels)}
    assert any(label["dice"] for label in labels)


def assert_usable(clone: Clone, changed: Iterable[str]) -> None:
    """A clone's models load and are pinned; `changed` files differ from the released ones."""
    loaded = nets.load_nets(folder=clone.models)
    assert loaded.sha256 == clone.pinned()
    for file in changed:
        assert loaded.sha256[file] != sha256((nets.FOLDER / file).read_bytes()).hexdigest(), file


def assert_alike(clone: Clone, models: Path, most: float) -> None:
    """The weights in a clone's work folder and exported nets say the same, but for `most` of the spread."""
    exported = nets.load_nets(folder=models)
    for name, (make, shape) in NETS.items():
        net = make()
        net.load_state_dict(clone.weights(name))
        views = torch.rand(4, *shape, generator=torch.Generator().manual_seed(1))
        with torch.no_grad():
            said = net.eval()(views).numpy()
        run = getattr(exported, FILES.get(name, name))
        wanted = np.concatenate([run(view[None]) for view in views.numpy()])
        assert np.abs(said - wanted).max() < most * max(wanted.std(), 0.1), name


def moved(some: dict[str, Any], others: dict[str, Any]) -> float:
    """How far training has moved the weight that it moved most; statistics of batch norms do not count."""
    learnt = [key for key in some if key.endswith(("weight", "bias"))]
    return max(float((some[key] - others[key]).abs().max()) for key in learnt)


def test_nets_that_begin_from_nothing_are_exported_as_the_reader_demands(from_nothing: Clone) -> None:
    assert_usable(from_nothing, (*EXPORTED, "face.onnx"))
    assert_alike(from_nothing, from_nothing.models, 0.02)
    for name in NETS:
        weights = from_nothing.weights(name)
        assert all(torch.isfinite(part).all() for part in weights.values()), name
        assert all(weights[key] > 0 for key in weights if key.endswith("num_batches_tracked")), name


def test_nets_that_are_taken_up_say_what_the_released_ones_say(took_up: Clone) -> None:
    assert_usable(took_up, ())
    assert_alike(took_up, nets.FOLDER, 0.001)


@pytest.mark.parametrize("name", NETS)
def test_nets_that_are_taken_up_say_nearly_the_same_while_they_train(
    took_up: Clone, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lettering, "_families", families)
    monkeypatch.setattr(taken_up, "BATCHES", 1)
    (views,) = taken_up._views(name, took_up.work / "packs")
    net = NETS[name][0]()
    net.load_state_dict(took_up.weights(name))
    with torch.no_grad():
        said, training = net.eval()(views), net.train()(views)
    assert np.corrcoef(said.ravel(), training.ravel())[0, 1] > 0.98


def test_every_net_goes_on_to_learn(took_up: Clone, went_on: Clone) -> None:
    assert_usable(went_on, (*EXPORTED, "attitude.onnx", "fitted.json"))
    assert_alike(went_on, went_on.models, 0.02)
    for name in NETS:
        seen = went_on.weights(f"seen/{name}")
        assert 0 < moved(seen, took_up.weights(name)) < NEAR, name
        found = moved(went_on.weights(name), seen)
        assert 0 < found < NEAR if name in ("tops", "symbols") else found == 0, name


def test_the_die_net_goes_on_to_learn_numerals(
    packed: Clone, went_on: Clone, tmp_path_factory: pytest.TempPathFactory
) -> None:
    clone = Clone(tmp_path_factory.mktemp("numerals"), packed.photos)
    (clone.work / "packs").symlink_to(went_on.work / "packs")
    crop = packed.pack("packs/render000")["crops"][:1]
    views = cv2.dnn.blobFromImages([cv2.resize(crop[0], (DIE_PX, DIE_PX))], 1 / 255)
    before = said_of(clone.models / "die.onnx", views)
    clone.run("numerals")
    after = said_of(clone.models / "die.onnx", views)
    assert np.abs(after - before).max() > 0
    assert after[:, :BODIES].argmax(1) == before[:, :BODIES].argmax(1)


def said_of(model: Path, views: Any) -> Any:
    """What an exported net says of views."""
    return onnxruntime.InferenceSession(model.read_bytes()).run(None, {"frame": views})[0]


def test_what_passes_for_a_die_is_mined(packed: Clone, went_on: Clone) -> None:
    learnt_from = [source for source in SOURCES if source not in HELD]
    mined = {"render900.npz", *(f"mined_{source}.npz" for source in learnt_from)}
    assert names(went_on.work / "packs") == names(packed.work / "packs") | mined
    pack = went_on.pack("packs/render900")
    assert is_of_crops(pack)
    assert {NO_DIE} < set(pack["bodies"].tolist())
    for source in learnt_from:
        assert set(went_on.pack(f"packs/mined_{source}")["bodies"].tolist()) <= {NO_DIE}, source


def test_the_confidence_is_fitted_and_told_of_in_the_model_card(went_on: Clone) -> None:
    told, before = (
        json.loads((folder / nets.FITTED).read_bytes()) for folder in (went_on.models, nets.FOLDER)
    )
    Fitted.of(json.dumps(told))
    changed = {part for part in told if told[part] != before[part]}
    assert changed == {"confidence", "thrown", "cocked"}
    cards = [(folder / "README.md").read_text(encoding="utf-8") for folder in (went_on.models, nets.FOLDER)]
    tables = []
    for card in cards:
        table = card.partition(calibrate.BEGIN)[2].partition(calibrate.END)[0]
        assert card.count(calibrate.BEGIN) == card.count(calibrate.END) == 1
        tables.append(table.splitlines())
    now, released = tables
    assert cards[0].replace("\n".join(now), "") == cards[1].replace("\n".join(released), "")
    assert [line.split("|")[1] for line in now] == [line.split("|")[1] for line in released]
    assert now[0] == released[0]
    assert now != released
    chart = (went_on.models / "confidence.svg").read_text(encoding="utf-8")
    assert chart != (nets.FOLDER / "confidence.svg").read_text(encoding="utf-8")
    assert ET.fromstring(chart).tag.endswith("svg")
    assert all(source in chart for source in (calibrate.RENDERS, *HELD))


def test_dice_of_known_tilt_are_found(went_on: Clone) -> None:
    packs = [f"tilts{number:03}" for number in range(TILTS)]
    packs += [f"tilts-traced{number:03}" for number in range(TRACED_TILTS)]
    assert names(went_on.work / "tilts") == {f"{name}.npz" for name in packs}
    for name in packs:
        pack = went_on.pack(f"tilts/{name}")
        count = len(pack["crops"])
        assert count > 0, name
        assert pack["crops"].shape == (count, CROP_PX, CROP_PX, 3), name
        assert all(len(column) == count for column in pack.values()), name
        assert ((pack["tilts"] >= 0) & (pack["tilts"] < 90)).all(), name


def test_sixes_and_nines_of_every_style_are_judged(went_on: Clone) -> None:
    counts = json.loads((went_on.work / "six_nine.json").read_text(encoding="utf-8"))
    assert list(counts) == [style.name for style in STYLES]
    for name, count in counts.items():
        assert count["dice"] == sum(count[said] for said in ("right", "asked", "swapped", "wrong")) > 0, name
    assert sum(count["right"] for count in counts.values()) > 0
