"""Stage `cocked-weights`: fits how probable it is that a die is cocked, on dice that the net did not see."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from training.tilts import HELD, symbol_of
from training.types import Array, Rng
from vision.reading import Detection
from vision.recognition.attitude import Attitude, AttitudeNet, UprightDie, attitude_shifts, top_of, top_shifts
from vision.recognition.classifiers import Symbol
from vision.recognition.cocked import COCKED_FEATURES, cocked_features, off_level
from vision.settings import ReaderSettings
from vision.tray.camera import CameraPose, usual_camera

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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

    Raises:
        FileNotFoundError: these packs lack dice to fit them on.
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
            float((p[part] >= limit).mean()) for part in (flat, _band(tilts, 6, 12), tilts >= 12, tilts >= 15)
        ]
        log.info("from %.2f: flat %.4f, 6 to 12° %.3f, from 12° %.3f, from 15° %.3f", limit, *shares)
    for_it = np.maximum(model.coef_[0], 0)  # what speaks for a tilt never speaks against it
    weights = dict(zip(COCKED_FEATURES, np.round(for_it, 4).tolist(), strict=True))
    return {"weights": weights, "bias": round(float(model.intercept_[0]), 4)}


def _band(tilts: Array, low: float, high: float) -> Array:
    return np.asarray((tilts >= low) & (tilts < high))


def _seen(work: Path, net: AttitudeNet, names: tuple[str, ...]) -> tuple[Array, Array]:
    """The features (n, features) of dice that are otherwise sure and right, and their tilts (n,)."""
    settings = ReaderSettings()
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
        attitudes = _attitudes(rows, net, symbols, boxes)
        tilt = settings.tilt
        read = rows["confidences"] > tilt.reference_confidence
        references = (read & (rows["said"][:, 0] < tilt.reference_cocked)).tolist()
        plumbs = [camera.plumb(box.middle, shape) for box in boxes]
        moved = attitude_shifts(attitudes, plumbs, references, settings.tilt, camera)
        tops = [top_of(s, box, camera, kind) for s, box, kind in zip(symbols, boxes, kinds, strict=True)]
        known = [top for top in tops if top is not None]
        sure = [good for good, top in zip(references, tops, strict=True) if top is not None]
        shifts = iter(top_shifts(known, sure, settings.tilt, camera))
        distances = [0.0 if top is None else next(shifts).distance(top) for top in tops]
        for i, distance in enumerate(distances):
            if rows["right"][i] and rows["confidences"][i] >= settings.doubts.least_confidence:
                off = off_level(attitudes[i], moved[i], plumbs[i])
                x.append(cocked_features(float(rows["said"][i, 0]), distance, off, kinds[i]))
                tilts.append(float(rows["tilts"][i]))
    return np.array(x), np.array(tilts)


def _attitudes(rows: Rows, net: AttitudeNet, symbols: list[Symbol], boxes: list[Detection]) -> list[Attitude]:
    dice = [
        UprightDie(crop, int(kind), symbol, box.width / box.height)
        for crop, kind, symbol, box in zip(rows["crops"], rows["kinds"], symbols, boxes, strict=True)
    ]
    return net.measure(dice)


def _frames(work: Path, names: tuple[str, ...]) -> Iterator[Rows]:
    """The rows of each frame of the packs."""
    for name in names:
        with np.load(work / "tilts" / f"{name}.npz") as pack:
            rows = {key: pack[key] for key in pack.files}
        for number in np.unique(rows["scenes"]):
            yield {key: column[rows["scenes"] == number] for key, column in rows.items()}


def _camera(rows: Rows, shape: tuple[int, ...], rng: Rng) -> CameraPose | None:
    """The camera of a frame as a rig would know it, its focal length a little off; None if it is not told."""
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
    return replace(camera, focal_px=camera.focal_px * factor, nadir_px=nadir, focal_error=error)
