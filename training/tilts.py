"""Stages `tilts` and `cocked-weights`: packs of dice of known tilt, and the probability of cocked."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from training import Array, Rng
from training.packs import lacking, write_pack
from training.scenes import DieTruth, Scene, Tilted, scene
from vision.reader import DiceReader
from vision.reading import Detection, iou
from vision.recognition.attitude import AttitudeNet, UprightDie, attitude_shifts, top_of, top_shifts
from vision.recognition.classifiers import CROP_PX, CROP_SPAN, Orientation, Symbol
from vision.recognition.cocked import (
    COCKED_FEATURES,
    REFERENCE_COCKED,
    REFERENCE_CONFIDENCE,
    cocked_features,
    off_level,
)
from vision.recognition.doubts import LEAST_CONFIDENCE
from vision.recognition.evidence import Evidence
from vision.tray.camera import KNOWN_SLANT, USUAL_SLANT, CameraPose, usual_camera

SCENES = 60
"""Rendered scenes in a pack."""
TRACED = 12
"""Path-traced scenes in a pack."""
SAME = 0.5
"""IoU from which a detection and a die are one."""
ABOVE_DEG = 25.0
"""A camera that is farther from the vertical shows a side as well as the top."""
ON_TOP = 0.2
"""A symbol that is farther from that of the top, in parts of the die's box, is on another face."""
HELD = (
    "tilts000", "tilts001", "tilts-traced000", "sim000", "sim001", "sim002", "sim020",
    "sim-thrown000", "sim-thrown001", "sim-thrown002",
)  # fmt: skip
"""Packs that the net never sees: they measure how good it is, and the weights are fitted to them."""
TILTS = (Tilted(0.55, 3.0, 26.0), Tilted(0.25, 5.0, 40.0), Tilted(0.0))
"""How many dice of a scene are tilted, and how far."""
OFTEN = (0.6, 0.15, 0.25)
"""How often each of these is drawn."""


@dataclass
class TiltPack:
    """What the reader finds of dice whose tilt is known; one row for each that it has a symbol of."""

    rows: list[dict[str, object]] = field(default_factory=list)
    scenes: int = 0

    def add(self, frame: Array, dice: Sequence[DieTruth], reader: DiceReader) -> None:
        """Keeps the dice of a scene that the reader finds."""
        for seen in reader.recognize(np.asarray(frame, np.uint8)):
            die = max(dice, key=lambda one: iou(seen.detection.sides, one.box), default=None)
            if die is not None and iou(seen.detection.sides, die.box) >= SAME:
                self.keep(seen, die, reader.confidence(seen), frame.shape)
        self.scenes += 1

    def keep(self, seen: Evidence, die: DieTruth, confidence: float, shape: tuple[int, ...]) -> None:
        """Keeps one, if it has a symbol with an orientation."""
        prediction, box = seen.prediction, seen.detection
        symbol = prediction.symbol
        if symbol is None or not symbol.orientations:
            return
        scale = CROP_SPAN * box.longer / CROP_PX
        at = np.array(box.middle) + (np.array([symbol.x, symbol.y]) - CROP_PX / 2) * scale
        off = np.linalg.norm(die.symbols[:, :2] - at, axis=1).min() / box.longer if len(die.symbols) else 1.0
        self.rows.append(
            {
                "crops": seen.crop,
                "kinds": prediction.best[0],
                "right": prediction.best == (die.kind, die.value),
                "on_top": off < ON_TOP,
                "symbols": (symbol.x, symbol.y, symbol.span, symbol.score),
                "ups": symbol.orientations[0].up_deg,
                "confidences": confidence,
                "said": (prediction.cocked, prediction.unreadable, prediction.no_die),
                "boxes": (box.x, box.y, box.width, box.height, box.score),
                "shapes": shape[:2],
                "tilts": die.tilt_deg,
                "tops": die.top,
                "plumbs": die.plumb,
                "scenes": self.scenes,
            }
        )

    def write(self, path: Path) -> None:
        write_pack(path, **{name: np.array([row[name] for row in self.rows]) for name in self.rows[0]})


def drawn(rng: Rng) -> Tilted:
    """How the dice of a scene are tilted."""
    return TILTS[int(rng.choice(len(TILTS), p=OFTEN))]


def tilt_packs(folder: Path, numbers: range, traced: range) -> None:
    """Makes the packs of these numbers that are not in `folder` yet; packs 0 are kept for judging."""
    from vision.reader import DiceReader

    reader = DiceReader()
    for name, scenes, some in (("tilts", rendered, numbers), ("tilts-traced", path_traced, traced)):
        for number, path in lacking(folder, name, some):
            pack = TiltPack()
            for shot in scenes(number):
                pack.add(shot.frame, shot.dice, reader)
            pack.write(path)


def rendered(number: int) -> Iterator[Scene]:
    """The scenes of a pack."""
    rng = np.random.default_rng((24, number))
    for _ in range(SCENES):
        shot = scene(rng, tilted=drawn(rng))
        if shot.lean_deg < ABOVE_DEG:
            yield shot


def path_traced(number: int) -> Iterator[Scene]:
    """The scenes of a pack of path-traced ones, each as several cameras take it."""
    from training.traced import traced_scene

    rng = np.random.default_rng((25, number))
    for _ in range(TRACED):
        yield from traced_scene(rng, tilted=drawn(rng))


def symbol_of(rows: Mapping[str, Array], number: int) -> Symbol:
    """The symbol of a row of a pack, with its likeliest orientation."""
    x, y, span, score = rows["symbols"][number].tolist()
    return Symbol(x, y, span, score, (Orientation(float(rows["ups"][number]), 1.0),))


log = logging.getLogger(__name__)
FLAT_DEG, COCKED_DEG = 2.0, 6.0
"""Dice that are less off the level are flat, from so much on they are cocked; between them none is judged."""
FOCAL_ERRORS = (0.02, 0.15)
"""The least and the greatest standard deviation of the focal length of a rig's camera."""
RIGS = ("sim", "tilts-traced")
"""How the names of the packs begin whose lenses look at the middle of the frame, as those of rigs do."""
STIFFNESS = 0.003
"""Weight of the squared weights in the fit."""
Rows = dict[str, Array]


def fit_cocked(work: Path, models: Path, net: AttitudeNet) -> None:
    """Fits the weights on the tilt packs that `attitude` left out; writes them beside the nets.

    Raises FileNotFoundError if these packs lack dice to fit them on.
    """
    names = tuple(path.stem for path in sorted((work / "tilts").glob("*.npz")) if path.stem in HELD)
    rigs = tuple(name for name in names if name.startswith(RIGS))
    fitted = json.loads((models / "fitted.json").read_text(encoding="utf-8"))
    x, tilts = _seen(work, net, rigs)
    if not ((tilts < FLAT_DEG).any() and (tilts >= COCKED_DEG).any()):
        raise FileNotFoundError(
            f"no flat die, or no cocked one, is sure in the packs {', '.join(HELD)} of {work / 'tilts'}: "
            "make those that it lacks; see docs/training.md"
        )
    fitted["cocked"] = _fit(x, tilts)
    (models / "fitted.json").write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


def _fit(x: Array, tilts: Array) -> dict[str, object]:
    from sklearn.linear_model import LogisticRegression

    judged = (tilts < FLAT_DEG) | (tilts >= COCKED_DEG)
    cocked = tilts[judged] >= COCKED_DEG
    model = LogisticRegression(C=1 / (STIFFNESS * len(cocked)), max_iter=3000).fit(x[judged], cocked)
    p = model.predict_proba(x)[:, 1]
    flat = tilts < FLAT_DEG
    for limit in (0.3, 0.5, 0.7, 0.8, 0.9, 0.95):
        shares = [
            float((p[part] >= limit).mean())
            for part in (flat, (tilts >= 6) & (tilts < 12), tilts >= 12, tilts >= 15)
        ]
        log.info("from %.2f: flat %.4f, 6 to 12° %.3f, from 12° %.3f, from 15° %.3f", limit, *shares)
    for_it = np.maximum(model.coef_[0], 0)  # what speaks for a tilt never speaks against it
    weights = dict(zip(COCKED_FEATURES, np.round(for_it, 4).tolist(), strict=True))
    return {"weights": weights, "bias": round(float(model.intercept_[0]), 4)}


def _seen(work: Path, net: AttitudeNet, names: tuple[str, ...]) -> tuple[Array, Array]:
    """The features (n, features) of dice that are otherwise sure and right, and their tilts (n,)."""
    rng = np.random.default_rng(27)
    x, tilts = [], []
    for rows in _frames(work, names):
        shape = tuple(rows["shapes"][0].tolist())
        camera = _camera(rows, shape, rng)
        if camera is None:
            continue
        symbols = [symbol_of(rows, number) for number in range(len(rows["ups"]))]
        boxes = [Detection(*box) for box in rows["boxes"].tolist()]
        kinds = rows["kinds"].tolist()
        attitudes = net.measure(
            [
                UprightDie(crop, kind, symbol, box.width / box.height)
                for crop, kind, symbol, box in zip(rows["crops"], kinds, symbols, boxes, strict=True)
            ]
        )
        read = rows["confidences"] > REFERENCE_CONFIDENCE
        references = (read & (rows["said"][:, 0] < REFERENCE_COCKED)).tolist()
        plumbs = [camera.plumb(box.middle, shape) for box in boxes]
        moved = attitude_shifts(attitudes, plumbs, references, camera)
        tops = [top_of(s, box, camera, kind) for s, box, kind in zip(symbols, boxes, kinds, strict=True)]
        known = [top for top in tops if top is not None]
        sure = [good for good, top in zip(references, tops, strict=True) if top is not None]
        shifts = iter(top_shifts(known, sure, camera))
        distances = [0.0 if top is None else next(shifts).distance(top) for top in tops]
        for i, distance in enumerate(distances):
            if rows["right"][i] and rows["confidences"][i] >= LEAST_CONFIDENCE:
                off = off_level(attitudes[i], moved[i], plumbs[i])
                x.append(cocked_features(float(rows["said"][i, 0]), distance, off, kinds[i]))
                tilts.append(float(rows["tilts"][i]))
    return np.array(x), np.array(tilts)


def _frames(work: Path, names: tuple[str, ...]) -> Iterator[Rows]:
    for name in names:
        with np.load(work / "tilts" / f"{name}.npz") as pack:
            rows = {key: pack[key] for key in pack.files}
        for number in np.unique(rows["scenes"]):
            yield {key: column[rows["scenes"] == number] for key, column in rows.items()}


def _camera(rows: Rows, shape: tuple[int, ...], rng: Rng) -> CameraPose | None:
    """The camera of a frame as a rig would know it, its focal length a little off; None if it is unknown."""
    from scipy.optimize import least_squares

    places = rows["boxes"][:, :2] + rows["boxes"][:, 2:4] / 2
    if len(places) < 3 or np.ptp(places, axis=0).max() < 0.2 * max(shape):
        return None
    middle = np.array([shape[1] - 1, shape[0] - 1]) / 2
    usual = usual_camera(shape)

    def posed(guess: Array) -> CameraPose:
        return replace(
            usual, focal_px=max(shape) * float(np.exp(guess[2])), nadir_px=middle + guess[:2] * max(shape)
        )

    def off(guess: Array) -> Array:
        camera = posed(guess)
        seen = [camera.plumb(tuple(place), shape) for place in places.tolist()]
        return np.ravel(np.array(seen) - rows["plumbs"])

    camera = posed(least_squares(off, np.zeros(3)).x)
    error = float(np.exp(rng.uniform(*np.log(FOCAL_ERRORS))))
    factor = float(np.exp(rng.normal(0, error)))
    nadir = middle + (camera.nadir_px - middle) * factor**2
    slant_error = float(np.hypot(KNOWN_SLANT, USUAL_SLANT * error))
    return replace(
        camera,
        focal_px=camera.focal_px * factor,
        nadir_px=nadir,
        focal_error=error,
        slant_error=slant_error,
    )
