"""Stage `faces`: trains the net that tells a value from a picture and from a percentile die's two digits.

It is shown faces drawn flat, and the symbols of photographed plain dice as the released nets find them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np
import torch
from fontTools.ttLib import TTFont
from PIL import Image, ImageDraw, ImageFont
from torch.nn import functional

from games.dice import FACES, KINDS, Kind
from training import Array, Rng
from training.architectures import FaceModule
from training.augment import degrade, tinted
from training.course import Course, write
from training.dice_sets import Model, model
from training.learn_six_nine import PATCH_PX, PATCH_SPAN, SQUARE, laid, others_beside, planes
from training.lettering import SIDE, Lettering, numeral, ornament, pip_face
from training.materials import body_picture
from training.packs import KEYS, Crop, Shelf, lacking, write_pack
from training.scenes import SMALL, Tilted, scene
from training.tilts import ABOVE_DEG, ON_TOP, SAME
from vision.reader import DiceReader
from vision.reading import iou
from vision.recognition.classifiers import (
    CROP_PX,
    CROP_SPAN,
    FACE_SPAN,
    FIRST_PERCENT,
    PICTURE,
    PLAIN,
    SYMBOL_PX,
    UNREADABLE,
    levelled,
    square_at,
    warp,
)
from vision.recognition.fusion import Views

SINGLE: Final = tuple(kind for kind in KINDS if kind != "d4")
"""Kinds whose value stands on one face: the numerals of a d4 bear one another out."""
DRAWN: Final = 1500
"""Faces that are drawn before the first step; each step draws some anew."""
ANEW: Final = 6
SCENES: Final = 60
"""Rendered scenes in a pack."""
PERCENTILE, PICTURED = 0.2, 0.6
"""Parts of the rendered dice that are percentile dice, and that bear pictures."""
ALMOST_READ: Final = 0.3
"""Confidence from which a rendered die is shown: on others no value is sure anyway."""
COARSEST: Final = 18.0
"""Pixels along the square of the smallest marks: on smaller ones no value is sure."""
BATCH: Final = 96
RATE: Final = 2e-3
PHOTOS, RENDERED = 0.2, 0.45
"""Parts of the views that show photographs of plain dice, and rendered dice, where there are any."""
MOST_OF_A_SOURCE: Final = 400
"""Photographed dice of one source that are shown at most."""
LETTERS: Final = tuple("ACDEFHJKLMNPRTUVWXY")
"""Letters that pass for no numeral, any way up."""
WORDLIKE: Final = (
    "number", "numeric", "digit", "dice", "circle", "dot", "record", "one", "two", "three", "four", "five",
    "six", "seven", "eight", "nine", "zero", "roman", "letter", "infinity", "percent", "ellipse", "point",
    "alpha", "battery", "blank", "space", "minus", "dash", "subtract", "line", "border", "separator",
)  # fmt: skip
"""Words in the names of icons that show a value, or next to nothing."""
PICTURES: Final = ((0x2600, 0x27C0), (0xE000, 0xF900), (0x1F300, 0x1FB00), (0xF0000, 0xFFFFE))
"""Characters that are pictures, each range from its first to before its end."""
VALUES: Final = ((0x2680, 0x2692), (0x26AA, 0x26AD), (0x2776, 0x2794), (0x1F51F, 0x1F520), (0x1F3B2, 0x1F3B3))
"""The pictures among them that show a value: dice, discs and numbers."""
LEAST_INK, MOST_INK = 0.08, 0.75
"""Part of an icon's square that is inked. Under the least it is a stroke, over the most a plate."""


class Drawn(NamedTuple):
    """A face as seen (uint8 PATCH_PX × PATCH_PX × 3), what it shows, and whether it has a way up."""

    picture: Array
    shows: int
    has_up: bool


@lru_cache(maxsize=4)
def icons(folder: Path) -> tuple[tuple[str, int], ...]:
    """The icons in a folder's fonts, each as the font's file and a character."""
    found = []
    for file in sorted(folder.rglob("*.[to]tf")):
        for code, name in TTFont(file, lazy=True).getBestCmap().items():
            pictures = any(first <= code < end for first, end in PICTURES)
            values = any(first <= code < end for first, end in VALUES)
            if pictures and not values and not is_wordlike(name):
                found.append((str(file), code))
    if not found:
        raise FileNotFoundError(f"no icon fonts under {folder}")
    return tuple(found)


def is_wordlike(name: str) -> bool:
    """Whether an icon of this name may show a value, or next to nothing."""
    lower = name.lower()
    numbered = any(part.isdecimal() for part in re.split("[-_]", lower))
    return numbered or any(word in lower for word in WORDLIKE)


@lru_cache(maxsize=64)
def icon_font(file: str) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(file, 72)


def icon(file: str, code: int) -> Array | None:
    """The ink of an icon on a SIDE × SIDE square, float32 in [0, 1]; None if it shows next to nothing."""
    canvas = Image.new("L", (2 * SIDE, 2 * SIDE), 0)
    ImageDraw.Draw(canvas).text((SIDE, SIDE), chr(code), fill=255, font=icon_font(file), anchor="mm")
    ink = np.asarray(canvas, np.uint8)
    x, y, w, h = cv2.boundingRect(ink)
    if min(w, h) < SIDE // 8:
        return None
    scale = 0.75 * SIDE / max(w, h)
    small = cv2.resize(ink[y : y + h, x : x + w], None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    out = np.zeros((SIDE, SIDE), np.float32)
    top, left = (SIDE - small.shape[0]) // 2, (SIDE - small.shape[1]) // 2
    out[top : top + small.shape[0], left : left + small.shape[1]] = small / 255
    filled = float(small.mean()) / 255
    return out if LEAST_INK < filled < MOST_INK else None


def marked(kind: Kind, style: Lettering, folder: Path, rng: Rng) -> tuple[Array, int, bool]:
    """Some ink (SIDE × SIDE), what it shows, and whether it has a way up."""
    draw = rng.random()
    if draw < 0.45:
        value = int(rng.integers(1, FACES[kind] + 1))
        if style.pips:
            return pip_face(value, style, rng), PLAIN, False
        text = "0" if kind == "d10" and value == 10 and rng.random() < 0.7 else str(value)
        shows = FIRST_PERCENT + value // 10 if text in ("10", "20") else PLAIN
        return numeral(text, style, rng, mark_six_nine=text in ("6", "9")), shows, True
    if draw < 0.68:
        tens = int(rng.integers(10))
        return numeral(f"{tens}0", style, rng, mark_six_nine=tens in (6, 9)), FIRST_PERCENT + tens, True
    return any_picture(style, folder, rng, letters=0.3), PICTURE, False


def any_picture(style: Lettering, folder: Path, rng: Rng, *, letters: float) -> Array:
    """The ink of an icon, or of one to three letters, in that part of the cases."""
    if rng.random() < letters:
        text = "".join(rng.choice(LETTERS, int(rng.choice([1, 1, 2, 3]))))
        return numeral(text, style, rng, mark_six_nine=False)
    while True:
        file, code = icons(folder)[int(rng.integers(len(icons(folder))))]
        if (ink := icon(file, code)) is not None:
            return ink


def patch(folder: Path, rng: Rng) -> Drawn:
    """A face with some mark, drawn by chance."""
    kind = SINGLE[int(rng.integers(len(SINGLE)))]
    die = model(kind, rng)
    style = die.style
    mark, shows, has_up = marked(kind, style, folder, rng)
    pips = bool(style.pips) and shows == PLAIN
    size = 1.0 if pips else float(rng.uniform(0.85, 1.2))
    ink = laid(mark, size, rng)
    border = ornament(kind, style, rng)
    if border is not None and rng.random() < 0.3:
        ink = np.maximum(ink, laid(border, 1.3, rng))
    if not pips:
        ink = np.maximum(ink, others_beside(style, rng))
    body = cv2.resize(body_picture(die.stuff, rng, 64), (PATCH_PX, PATCH_PX)) * planes(rng)[..., None]
    picture = body + (die.stuff.ink - body) * (ink * rng.uniform(0.6, 1.0))[..., None]
    if rng.random() < 0.3:  # engraved: one rim in the light, one in the shade
        slope = np.gradient(cv2.GaussianBlur(ink, (0, 0), 0.8))[int(rng.integers(2))]
        picture = picture + (slope * rng.normal(0, 0.8)).astype(np.float32)[..., None]
    fine = float(np.exp(rng.uniform(np.log(COARSEST), np.log(1.4 * SQUARE)))) / SQUARE
    small = round(PATCH_PX * min(1.0, fine))
    seen = cv2.resize(picture.astype(np.float32), (small, small), interpolation=cv2.INTER_AREA)
    stored = degrade(np.clip(seen, 0, 1), rng, strength=0.7)
    whole = cv2.resize(stored, (PATCH_PX, PATCH_PX), interpolation=cv2.INTER_LINEAR)
    return Drawn(whole, shows, has_up)


def example(drawn: Drawn, rng: Rng) -> tuple[Array, int]:
    """One view (3 × SYMBOL_PX × SYMBOL_PX) of a face, as far off as the die net is, and what it shows.

    A percentile die's digits upside down show no value of theirs: they count as a picture.
    """
    picture, shows = tinted(drawn.picture, rng), drawn.shows
    at = PATCH_PX / 2 + rng.normal(0, 0.06, 2) * SQUARE
    span = FACE_SPAN * SQUARE * float(np.exp(rng.normal(0, 0.12)))
    turn = float(rng.normal(0, 8))
    if not drawn.has_up:
        turn += float(rng.uniform(0, 360)) if shows == PICTURE else 90 * int(rng.integers(4))
    elif rng.random() < 0.15:
        turn += 180
        shows = PLAIN if shows == PLAIN else PICTURE
    matrix = square_at((float(at[0]), float(at[1])), span, SYMBOL_PX, turn)
    return levelled(warp(picture, matrix, SYMBOL_PX)), shows


def foreign_die(unit: float, rng: Rng, *, folder: Path) -> Model:
    """A die drawn by chance: plain, a percentile die, or with pictures on most of its faces."""
    kind: Kind = "d6" if unit < SMALL else SINGLE[int(rng.integers(len(SINGLE)))]
    draw = rng.random()
    if draw < PERCENTILE and unit >= SMALL:
        die = model("d10", rng)
        return replace(die, texts=tuple(f"{value % 10}0" for value in range(1, 11)), readable=True)
    die = model(kind, rng, pips=0.6)
    if draw < 1 - PICTURED:
        return die
    drawn = {
        value: any_picture(die.style, folder, rng, letters=0.2)
        for value in range(1, FACES[kind] + 1)
        if rng.random() < 0.8
    }
    return replace(die, pictures=drawn, readable=True)


def written(text: str | None) -> int:
    """What a face bears by its text, which is empty for pips and None for a picture."""
    if text is None or text.isalpha():
        return PICTURE
    return FIRST_PERCENT + int(text) // 10 if len(text) == 2 and text.endswith("0") else PLAIN


def face_packs(packs: Path, numbers: range, folder: Path) -> None:
    """Makes the packs of these numbers that are not in `packs` yet: tops as the reader finds them."""
    reader = DiceReader()
    for number, path in lacking(packs, "faces", numbers):
        rng = np.random.default_rng((27, number))
        drawn = [face for _ in range(SCENES) for face in seen_faces(rng, reader, folder)]
        write_pack(
            path,
            pictures=np.array([face.picture for face in drawn], np.uint8).reshape(-1, PATCH_PX, PATCH_PX, 3),
            shows=np.array([face.shows for face in drawn], np.int16),
        )


def seen_faces(rng: Rng, reader: DiceReader, folder: Path) -> Iterator[Drawn]:
    """The tops of a rendered scene's dice that are almost read, each upright as it was read."""
    shot = scene(rng, tilted=Tilted(0.0), die_of=partial(foreign_die, folder=folder))
    if shot.lean_deg >= ABOVE_DEG:
        return
    for seen in reader.recognize(shot.frame):
        symbol = seen.prediction.symbol
        die = max(shot.dice, key=lambda one: iou(seen.detection.sides, one.box), default=None)
        if symbol is None or die is None or iou(seen.detection.sides, die.box) < SAME or not die.readable:
            continue
        box = seen.detection
        scale = CROP_SPAN * box.longer / CROP_PX
        at = np.array(box.middle) + (np.array([symbol.x, symbol.y]) - CROP_PX / 2) * scale
        off = float(np.linalg.norm(die.symbols[:, :2] - at, axis=1).min()) / box.longer
        if off >= ON_TOP or reader.confidence(seen) < ALMOST_READ:
            continue
        up_deg = seen.prediction.up_deg
        shows = written(die.text)
        if shows >= FIRST_PERCENT and np.cos(np.radians(up_deg - die.symbols[0, 2])) < 0:
            shows = PLAIN if KINDS[die.kind] != "d10" else PICTURE
        matrix = square_at((symbol.x, symbol.y), PATCH_SPAN * symbol.span, PATCH_PX, 90.0 - up_deg)
        yield Drawn(warp(seen.crop, matrix, PATCH_PX), shows, has_up=True)


def photographed(packs: Path, without: tuple[str, ...]) -> list[tuple[Crop, float, float, float, float]]:
    """Crops of photographed dice that are read as labelled, and where: x, y, span and the way up."""
    reader = DiceReader()
    found = []
    for path in sorted(packs.glob("photo_*.npz")):
        if path.stem.removeprefix("photo_") in without:
            continue
        shelf = Shelf(rendered=False)
        with np.load(path) as pack:
            shelf.add({key: pack[key] for key in KEYS})
        of_source = len(shelf.packs[0]["bodies"]) if shelf.packs else 0
        for i in np.random.default_rng(7).permutation(of_source)[:MOST_OF_A_SOURCE].tolist():
            crop = shelf.crop(0, i)
            if crop.body >= UNREADABLE:
                continue
            seen = Views(reader.recognizer.classifiers, crop.pixels).predict()
            if seen.symbol is not None and seen.best[1] == crop.value:
                symbol = seen.symbol
                found.append((crop, symbol.x, symbol.y, symbol.span, seen.up_deg))
    return found


def photo_example(photo: tuple[Crop, float, float, float, float], rng: Rng) -> tuple[Array, int]:
    """One view of a photographed plain die's face."""
    crop, x, y, span, up_deg = photo
    at = np.array([x, y]) + rng.normal(0, 0.04, 2) * span
    side = FACE_SPAN * span * float(np.exp(rng.normal(0, 0.08)))
    matrix = square_at((float(at[0]), float(at[1])), side, SYMBOL_PX, 90.0 - up_deg + float(rng.normal(0, 5)))
    shows = FIRST_PERCENT + crop.value // 10 if crop.body != 3 and crop.value in (10, 20) else PLAIN
    return levelled(warp(tinted(crop.pixels, rng), matrix, SYMBOL_PX)), shows


def rendered_faces(packs: Path) -> list[Drawn]:
    """The faces in all packs of them."""
    found = []
    for path in sorted(packs.glob("faces[0-9]*.npz")):
        with np.load(path) as pack:
            rows = zip(pack["pictures"], pack["shows"].tolist(), strict=True)
            found += [Drawn(picture, shows, has_up=True) for picture, shows in rows]
    return found


def any_example(
    photos: list[tuple[Crop, float, float, float, float]],
    rendered: list[Drawn],
    drawn: list[Drawn],
    rng: Rng,
) -> tuple[Array, int]:
    """One view of a photographed, rendered or drawn face."""
    draw = rng.random()
    if photos and draw < PHOTOS:
        return photo_example(photos[int(rng.integers(len(photos)))], rng)
    if rendered and draw < PHOTOS + RENDERED:
        return example(rendered[int(rng.integers(len(rendered)))], rng)
    return example(drawn[int(rng.integers(len(drawn)))], rng)


def learn(
    work: Path,
    models: Path,
    folder: Path,
    *,
    minutes: float,
    without: tuple[str, ...] = (),
    start: str = "",
) -> None:
    """Trains for `minutes` with the icons in a folder's fonts, and writes the net into `models`.

    A run that was cut goes on where it was.
    """
    net = FaceModule().to(memory_format=torch.channels_last)
    rng = np.random.default_rng()
    photos = photographed(work / "packs", without)
    rendered = rendered_faces(work / "packs")
    drawn = [patch(folder, rng) for _ in range(DRAWN)]
    with Course(net, work, "faces", minutes=minutes, rate=RATE, start=start) as course:
        while course.goes_on():
            for _ in range(ANEW):
                drawn[int(rng.integers(DRAWN))] = patch(folder, rng)
            batch = [any_example(photos, rendered, drawn, rng) for _ in range(BATCH)]
            x = torch.from_numpy(np.stack([view for view, _ in batch])).to(course.device)
            shows = torch.tensor([show for _, show in batch]).to(course.device)
            scores = course.says(x)
            right = float((scores.argmax(1) == shows).float().mean())
            course.take(functional.cross_entropy(scores, shows, label_smoothing=0.01), right)
    net.load_state_dict(torch.load(course.goal, weights_only=True))
    write(net.to("cpu"), models / "face.onnx", (3, SYMBOL_PX, SYMBOL_PX))
