"""Marks on a face: numerals in many fonts, pips of many shapes, as ink masks on a square."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from games.dice import PIPS
from training import Array, Rng

SIDE = 96
"""Pixels along a symbol's square."""
FONT_FOLDER = Path("/usr/share/fonts")
UNFIT = (
    "symbol", "dingbat", "emoji", "math", "music", "bullets", "braille", "stix", "outline", "icon",
    "d050000l", "standardsymbols", "ornament", "blankenburg", "sketch", "swash", "unifraktur",
    "cyklop", "rufscript",
    "fontawesome", "opens___", "adobeblank", "hidekel", "hairline",
)  # fmt: skip
PLAIN = (
    "aerial", "bebasneue", "cabin-", "cantarell", "carlito", "comfortaa", "dejavusans", "dosis", "freesans",
    "gilliusadf", "ikariusadf", "inter", "jura", "karla", "lato", "liberationsans", "linbiolinum",
    "mekanusadf", "opensans", "ptc", "ptn", "pts", "play", "quicksand", "radissans", "roboto", "switzeraadf",
    "tuffy", "universalisadf", "verana", "yanonekaffeesatz", "okolaks", "millimetre",
)  # fmt: skip
"""How the files of fonts without serifs begin, as most dice have them."""
USUAL = 0.5
"""The part of the dice that have a font without serifs."""


@lru_cache(maxsize=1)
def font_files() -> tuple[str, ...]:
    """Every usable font file of the machine's packages, sorted; those without lining digits are left out."""
    found = [
        str(path)
        for path in sorted(FONT_FOLDER.rglob("*.[to]tf"))
        if not any(word in path.name.lower() for word in UNFIT) and _has_digits(path)
    ]
    if len({Path(f).parent for f in found}) < 10:
        message = f"too few fonts under {FONT_FOLDER}: install the packages that docs/research/data.md lists"
        raise FileNotFoundError(message)
    return tuple(found)


@lru_cache(maxsize=2)
def _families(*, plain: bool) -> tuple[tuple[str, ...], ...]:
    """The font files, all or the `plain` ones, by family: one with many cuts is not drawn more often."""
    stems: dict[str, list[str]] = {}
    for file in font_files():
        if plain and not Path(file).name.lower().startswith(PLAIN):
            continue
        stems.setdefault(Path(file).stem.split("-")[0], []).append(file)
    return tuple(tuple(files) for files in stems.values())


def _has_digits(path: Path) -> bool:
    try:
        font = ImageFont.truetype(str(path), 40)
        boxes = [font.getbbox(d) for d in "0123456789"]
    except OSError:
        return False
    shapes = {bytes(font.getmask(d)) for d in "0123456789"}
    heights = [b[3] - b[1] for b in boxes]
    return len(shapes) == 10 and min(heights) > 0.75 * max(heights) and min(heights) > 8


@lru_cache(maxsize=256)
def _font(path: str) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, 60)


@dataclass(frozen=True)
class Lettering:
    """How one die's symbols look: a font or pips, and the hand that made them."""

    font: str
    stroke: int
    squeeze: float
    slant: float
    wobble: float
    six_nine: str
    pips: str
    pip_radius: float
    pip_spread: float
    big_one: float
    border: str


def lettering(rng: Rng, *, pips: bool) -> Lettering:
    """A die's lettering drawn by chance; with `pips` its faces bear pips."""
    families = _families(plain=bool(rng.random() < USUAL))
    family = families[int(rng.integers(len(families)))]
    pip_radius = float(rng.uniform(0.05, 0.14))
    return Lettering(
        font=family[int(rng.integers(len(family)))],
        stroke=int(rng.choice([0, 0, 1, 2, 3])),
        squeeze=float(rng.uniform(0.75, 1.2)),
        slant=float(rng.normal(0, 0.06)),
        wobble=float(rng.choice([0.0, 0.0, 1.0, 2.2])),
        six_nine=str(
            rng.choice(["line", "line", "line", "dot", "dot", "none"], p=[0.25, 0.2, 0.2, 0.15, 0.12, 0.08])
        ),
        pips=str(
            rng.choice(
                ["round", "round", "ring", "square", "diamond", "heart"], p=[0.5, 0.26, 0.1, 0.06, 0.05, 0.03]
            )
        )
        if pips
        else "",
        pip_radius=pip_radius,
        pip_spread=float(rng.uniform(max(0.18, 1.8 * pip_radius), 0.31)),
        big_one=float(rng.choice([1.0, 1.0, 1.0, 1.5, 2.0])),
        border=str(rng.choice(["", "", "", "", "", "", "", "frame", "disc", "corners"])),
    )


def numeral(text: str, style: Lettering, rng: Rng, *, mark_six_nine: bool) -> Array:
    """The ink of `text` on a SIDE × SIDE square, float32 in [0, 1], upright, filling its height."""
    canvas = Image.new("L", (2 * SIDE, SIDE), 0)
    font = _font(style.font)
    pen = ImageDraw.Draw(canvas)
    pen.text((SIDE, SIDE // 2), text, fill=255, font=font, anchor="mm", stroke_width=style.stroke)
    ink: Array = np.asarray(canvas, dtype=np.uint8)
    x, y, w, h = cv2.boundingRect(ink)
    if w == 0:
        return np.zeros((SIDE, SIDE), np.float32)
    ink = ink[y : y + h, x : x + w]
    marked = mark_six_nine and style.six_nine != "none"
    tall = (0.6 if marked else 0.72) * SIDE
    scale = min(tall / h, 0.92 * SIDE / (w * style.squeeze))
    wide, high = max(2, round(w * scale * style.squeeze)), max(2, round(h * scale))
    ink = cv2.resize(ink, (wide, high), interpolation=cv2.INTER_AREA)
    out = np.zeros((SIDE, SIDE), np.float32)
    left, top = (SIDE - wide) // 2, (SIDE - high) // 2 - (5 if marked else 0)
    out[top : top + high, left : left + wide] = ink / 255
    if marked:
        below = top + high + int(rng.integers(3, 9))
        thick = int(rng.integers(3, 9))
        if style.six_nine == "line":
            longer = round(wide * float(rng.uniform(-0.2, 0.1)))
            cv2.rectangle(out, (left - longer, below), (left + wide + longer, below + thick), 1.0, -1)
        else:
            beside = (left + wide // 2, below + 4) if rng.random() < 0.5 else (left + wide + 4, below - 8)
            cv2.circle(out, beside, thick // 2 + 2, 1.0, -1, cv2.LINE_AA)
    return _by_hand(out, style, rng)


def _by_hand(ink: Array, style: Lettering, rng: Rng) -> Array:
    """The ink slanted and wobbled as if drawn or cast by hand."""
    grid_y, grid_x = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32)
    x = grid_x + style.slant * (grid_y - SIDE / 2)
    y = grid_y
    if style.wobble:
        for axis in (0, 1):
            bend = cv2.resize(
                rng.normal(0, style.wobble, (4, 4)).astype(np.float32),
                (SIDE, SIDE),
                interpolation=cv2.INTER_CUBIC,
            )
            if axis:
                x = x + bend
            else:
                y = y + bend
    elif not style.slant:
        return ink
    return np.asarray(
        cv2.remap(ink, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR), np.float32
    )


def pip_face(value: int, style: Lettering, rng: Rng) -> Array:
    """The ink of `value` pips on a square that spans the whole face, float32 in [0, 1]."""
    out = np.zeros((SIDE, SIDE), np.float32)
    radius = style.pip_radius * (style.big_one if value == 1 else 1) * SIDE
    for right, up in PIPS[value]:
        spread = style.pip_spread * SIDE
        x = SIDE / 2 + right * spread + rng.normal(0, 0.4)
        y = SIDE / 2 - up * spread + rng.normal(0, 0.4)
        _pip(out, style.pips, (x, y), radius)
    return out


def _pip(out: Array, shape: str, at: tuple[float, float], radius: float) -> None:
    x, y = at
    centre = (round(x * 16), round(y * 16))
    if shape in ("round", "ring"):
        cv2.circle(out, centre, round(radius * 16), 1.0, -1, cv2.LINE_AA, 4)
        if shape == "ring":
            cv2.circle(out, centre, round(radius * 8), 0.25, -1, cv2.LINE_AA, 4)
        return
    r = radius * 0.9
    corners = {
        "square": [(-r, -r), (r, -r), (r, r), (-r, r)],
        "diamond": [(0, -1.3 * r), (1.3 * r, 0), (0, 1.3 * r), (-1.3 * r, 0)],
        "heart": [
            (0, 1.2 * r),
            (-1.2 * r, -0.2 * r),
            (-0.6 * r, -r),
            (0, -0.4 * r),
            (0.6 * r, -r),
            (1.2 * r, -0.2 * r),
        ],
    }[shape]
    points = np.array([[(x + a) * 16, (y + b) * 16] for a, b in corners]).round().astype(np.int32)
    cv2.fillPoly(out, [points], 1.0, cv2.LINE_AA, 4)


def ornament(kind: str, style: Lettering, rng: Rng) -> Array | None:
    """Lines beside the symbol on a square that spans the face, or None: a frame, a rim, corner flourishes."""
    if not style.border:
        return None
    out = np.zeros((SIDE, SIDE), np.float32)
    thick = int(rng.integers(2, 5))
    if style.border == "frame" and kind == "d6":
        edge = int(rng.integers(6, 12))
        cv2.rectangle(out, (edge, edge), (SIDE - edge, SIDE - edge), 1.0, thick)
    elif style.border == "disc":
        cv2.circle(
            out, (SIDE // 2, SIDE // 2), int(SIDE * (0.44 if kind == "d6" else 0.3)), 1.0, thick, cv2.LINE_AA
        )
    else:
        for sx in (10, SIDE - 10):
            for sy in (10, SIDE - 10):
                if kind == "d6":
                    cv2.ellipse(out, (sx, sy), (7, 7), 0, 0, int(rng.integers(180, 360)), 1.0, thick)
    return out
