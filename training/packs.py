"""Stage `scenes`: packs of rendered crops and small frames, and how they are drawn from at random."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from training import Array, Rng
from training.scenes import DieLabel, Scene, scene
from vision.reader import DiceReader
from vision.recognition.classifiers import COCKED, CROP_PX, CROP_SPAN, NO_DIE, SYMBOL_PX, UNREADABLE, cut

CANVAS = 192
"""Pixels along a stored frame for the detector."""
BOXES = 64
"""Most boxes that a stored frame keeps."""
SCENES = 150
"""Scenes in a pack."""
FAINT = 8.0
"""Standard deviation in grey levels under which a symbol's square shows nothing."""
SYMBOLS = 3
"""Most symbols that say one die's value: a d4 has three."""


@dataclass
class Pack:
    """Crops (CROP_PX × CROP_PX × 3) with what is known of them; canvases, boxes (kind, x, y, w, h).

    Of a crop: the class of its body (kind, or why there is none to read), its value (0 if it has none),
    the symbols that say it (SYMBOLS × 4 in the crop's pixels, nan where there are fewer; see
    training.body.Patch), whether those are faces of pips, whether more than the way up distinguishes
    a 6 from a 9, and whether the crop may be turned.
    """

    crops: list[Array] = field(default_factory=list)
    bodies: list[int] = field(default_factory=list)
    values: list[int] = field(default_factory=list)
    symbols: list[Array] = field(default_factory=list)
    pips: list[bool] = field(default_factory=list)
    told: list[bool] = field(default_factory=list)
    turnable: list[bool] = field(default_factory=list)
    canvases: list[Array] = field(default_factory=list)
    boxes: list[Array] = field(default_factory=list)
    _small: dict[int, list[tuple[Array, Array]]] = field(default_factory=dict)

    def add(self, shot: Scene, rng: Rng) -> None:
        """Keeps a scene's dice, a place where none lies, and the frame at some reduced size."""
        side = shot.frame.shape[0]
        boxes = np.array([d.box for d in shot.dice]).reshape(-1, 4)
        turnable = shot.lean_deg < 25
        for die in shot.dice:
            self.keep_die(shot.frame, die, die.box, turnable=turnable)
        size = (
            float(np.median(boxes[:, 2:].max(1)))
            if len(boxes)
            else float(np.exp(rng.uniform(np.log(21), np.log(150))))
        )
        for _ in range(2):
            x, y = rng.uniform(0, side, 2)
            span = size * rng.uniform(0.5, 1.6)
            far = (
                np.abs(boxes[:, :2] + boxes[:, 2:] / 2 - (x, y)).max(1) if len(boxes) else np.array([np.inf])
            )
            if far.min() > 0.55 * size:
                self.keep(shot.frame, (x, y, span), NO_DIE)
        self._shrink(shot, boxes, size, rng)

    def keep_die(self, frame: Array, die: DieLabel, box: tuple[float, ...], *, turnable: bool) -> None:
        """Keeps a rendered die as it looks from `box` (x, y, w, h)."""
        x, y, w, h = box
        readable = die.readable and legible(frame, die.symbols)
        body = die.kind if readable else COCKED if die.cocked else UNREADABLE
        symbols = die.symbols if readable else die.symbols[:0]
        value = die.value if readable else 0
        square = (x + w / 2, y + h / 2, max(w, h))
        self.keep(
            frame, square, body, value=value, symbols=symbols, pips=die.pips, told=die.told,
            turnable=turnable,
        )  # fmt: skip

    def keep(
        self,
        frame: Array,
        square: tuple[float, float, float],
        body: int,
        *,
        value: int = 0,
        symbols: Array | None = None,
        pips: bool = False,
        told: bool = True,
        turnable: bool = True,
    ) -> None:
        """Keeps the crop about `square` (middle x, y and longer side of the die, in the frame's pixels)."""
        x, y, longer = square
        scale = CROP_PX / (CROP_SPAN * longer)
        rows = np.full((SYMBOLS, 4), np.nan, np.float32)
        if symbols is not None and len(symbols):
            placed = (symbols - (x, y, 0, 0)) * (scale, scale, 1, scale) + (CROP_PX / 2, CROP_PX / 2, 0, 0)
            rows[: len(symbols)] = placed[:SYMBOLS]
        self.crops.append(cut(frame, x, y, CROP_SPAN * longer, CROP_PX))
        self.bodies.append(body)
        self.values.append(value)
        self.symbols.append(rows)
        self.pips.append(pips)
        self.told.append(told)
        self.turnable.append(turnable)

    def _shrink(self, shot: Scene, boxes: Array, size: float, rng: Rng) -> None:
        """Puts the frame, reduced so that its dice are 7 to 36 pixels, on a canvas alone or among others."""
        side = shot.frame.shape[0]
        wanted = float(np.exp(rng.uniform(np.log(7), np.log(36))))
        whole = int(np.clip(side * min(1.0, wanted / size), 52, side))
        scale = whole / side
        small = cv2.resize(shot.frame, (whole, whole), interpolation=cv2.INTER_AREA)
        cell = CANVAS if whole >= CANVAS else CANVAS // 2 if whole >= CANVAS // 2 else CANVAS // 4
        if whole < cell:
            small, scale = cv2.resize(shot.frame, (cell, cell), interpolation=cv2.INTER_AREA), cell / side
            whole = cell
        x0, y0 = (int(rng.integers(0, whole - cell + 1)) for _ in range(2))
        kinds = np.array([d.kind for d in shot.dice]).reshape(-1, 1)
        rows = np.hstack([kinds, boxes * scale - (x0, y0, 0, 0)])
        middle = rows[:, 1:3] + rows[:, 3:] / 2
        rows = rows[((middle > 0) & (middle < cell)).all(1)]
        waiting = self._small.setdefault(cell, [])
        waiting.append((small[y0 : y0 + cell, x0 : x0 + cell], rows))
        across = CANVAS // cell
        if len(waiting) == across * across:
            canvas = np.zeros((CANVAS, CANVAS, 3), np.uint8)
            found = []
            for k, (tile, rows) in enumerate(waiting):
                y, x = k // across * cell, k % across * cell
                canvas[y : y + cell, x : x + cell] = tile
                found.append(rows + (0, x, y, 0, 0))
            kept = np.concatenate(found)[:BOXES]
            self.canvases.append(canvas)
            self.boxes.append(np.vstack([kept, np.full((BOXES - len(kept), 5), -1.0)]).astype(np.float32))
            waiting.clear()

    def write(self, path: Path) -> None:
        write_pack(
            path,
            crops=np.array(self.crops, np.uint8),
            bodies=np.array(self.bodies, np.int16),
            values=np.array(self.values, np.int16),
            symbols=np.array(self.symbols, np.float32).reshape(-1, SYMBOLS, 4),
            pips=np.array(self.pips, bool),
            told=np.array(self.told, bool),
            turnable=np.array(self.turnable, bool),
            canvases=np.array(self.canvases, np.uint8).reshape(-1, CANVAS, CANVAS, 3),
            boxes=np.array(self.boxes, np.float32).reshape(-1, BOXES, 5),
        )


def write_pack(path: Path, **columns: Array) -> None:
    """Writes a pack whole, or not at all."""
    part = path.with_suffix(".part.npz")
    np.savez(part, **columns)  # type: ignore[arg-type]  # one of them could be allow_pickle
    part.rename(path)


def lacking(folder: Path, name: str, numbers: Iterable[int]) -> Iterator[tuple[int, Path]]:
    """The numbers of the packs that `folder` lacks, and their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    for number in numbers:
        if not (path := folder / f"{name}{number:03}.npz").exists():
            yield number, path


def scene_packs(
    folder: Path, name: str, numbers: Iterable[int], seed: int, scenes: Callable[[Rng, int], Iterable[Scene]]
) -> None:
    """Makes the packs that `folder` lacks of scenes, by a generator and the pack's number."""
    for number, path in lacking(folder, name, numbers):
        rng = np.random.default_rng((seed, number))
        pack = Pack()
        for shot in scenes(rng, number):
            pack.add(shot, rng)
        pack.write(path)


def render_packs(folder: Path, numbers: range) -> None:
    """Renders the packs of these numbers; pack 0 is kept for judging."""
    scene_packs(folder, "render", numbers, 20, lambda rng, _: (scene(rng) for _ in range(SCENES)))


def legible(frame: Array, symbols: Array) -> bool:
    """Whether light and focus have left anything of the symbols (n, 4) in the frame."""
    for x, y, up_deg, span in symbols:
        seen = cut(frame, x, y, 0.8 * span, SYMBOL_PX, 90 - up_deg)
        if cv2.GaussianBlur(seen, (0, 0), 1.5).astype(np.float32).std((0, 1)).max() > FAINT:
            return True
    return False


KEYS = ("crops", "bodies", "values", "symbols", "pips", "told", "turnable")
"""The fields of a pack's crops."""
JUDGED = ("render000", "traced000", "raster000")
"""Packs that no net is trained on."""
ROUGH = ("mined", "render9", "photo_rune")
"""Packs whose crops were not cut about true boxes: mined ones, which training.photos numbers from 900,
and rune_pips_grey, whose labels hold the top face alone."""
PARTS = {"traced": 0.2, "raster": 0.35}
"""The part of the rendered crops that is path-traced, or rasterised, as soon as there are any."""


def rendered_packs(folder: Path) -> list[Path]:
    """The finished packs of renders in a folder that may be trained on."""
    packs = sorted(path for name in ("render", *PARTS) for path in folder.glob(f"{name}*.npz"))
    return [path for path in packs if path.stem not in JUDGED and ".part" not in path.name]


def is_boxed(path: Path) -> bool:
    """Whether a pack's crops were cut about true boxes."""
    return not path.stem.startswith(ROUGH)


@dataclass(frozen=True, slots=True)
class Crop:
    """One stored crop; fields as in training.packs.Pack. Symbols are known of rendered ones alone.

    `boxed`: the crop was cut about the die's true box, not where something found it.
    """

    pixels: Array
    body: int
    value: int
    symbols: Array
    pips: bool
    told: bool
    turnable: bool
    rendered: bool
    boxed: bool


@dataclass
class Shelf:
    """The crops of the packs taken so far."""

    rendered: bool
    packs: list[dict[str, Array]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    _parts: list[str] = field(default_factory=list)
    _boxed: list[bool] = field(default_factory=list)
    _reach: Array = field(default_factory=lambda: np.zeros(0))

    def add(self, pack: dict[str, Array], *, part: str = "", boxed: bool = False) -> None:
        """Adds a pack's crops, if any; those of one of PARTS have that part of all."""
        if not len(pack["bodies"]):
            return
        self.packs.append(pack)
        self._parts.append(part)
        self._boxed.append(boxed)
        shares = np.array([float(len(pack["bodies"])) for pack in self.packs])
        parts = np.array(self._parts)
        others = ~np.isin(parts, list(PARTS))
        for name, share in PARTS.items():
            shares[parts == name] *= share / max(1.0, shares[parts == name].sum())
        rest = 1 - sum(share for name, share in PARTS.items() if name in self._parts)
        shares[others] *= rest / max(1.0, shares[others].sum())
        self._reach = np.cumsum(shares)
        self._reach /= self._reach[-1]

    def take(self, path: Path) -> None:
        """Adds a pack's crops, once."""
        if path.name in self.names:
            return
        with np.load(path) as pack:
            self.add(
                {key: pack[key] for key in KEYS},
                part=path.stem[:6],
                boxed=is_boxed(path),
            )
        self.names.add(path.name)

    def take_all(self, folder: Path) -> None:
        """Adds the rendered packs that have come since."""
        for path in rendered_packs(folder):
            self.take(path)

    def draw(self, rng: Rng) -> Crop:
        """Any crop; where there is no die at all, another is drawn more often than not."""
        part = int(np.searchsorted(self._reach, rng.random(), side="right"))
        i = int(rng.integers(len(self.packs[part]["bodies"])))
        if self.packs[part]["bodies"][i] == NO_DIE and rng.random() < 0.6:
            i = int(rng.integers(len(self.packs[part]["bodies"])))
        return self.crop(part, i)

    def crop(self, part: int, i: int) -> Crop:
        """The crop `i` of the pack `part`."""
        pack = self.packs[part]
        return Crop(
            pack["crops"][i],
            int(pack["bodies"][i]),
            int(pack["values"][i]),
            pack["symbols"][i],
            bool(pack["pips"][i]),
            bool(pack["told"][i]),
            bool(pack["turnable"][i]),
            self.rendered,
            self._boxed[part],
        )


LEAST_SCORE = 0.4
AGREES = 0.05
"""Least probability of the labelled value at one of a symbol's ways up, or the place is not trusted."""


def found_symbols(path: Path, reader: DiceReader) -> dict[str, Array]:
    """A pack of photographs with the symbols that were found and are read as the label's value."""
    with np.load(path) as stored:
        pack = {key: stored[key] for key in stored.files if key not in ("canvases", "boxes")}
    symbols = np.full_like(pack["symbols"], np.nan)
    pips = np.zeros(len(symbols), bool)
    for i in np.flatnonzero(pack["bodies"] < UNREADABLE):
        value = int(pack["values"][i])
        die = reader.dice.predict(pack["crops"][i])
        if not die.symbols or die.symbols[0].score < LEAST_SCORE:
            continue
        symbol = die.symbols[0]
        ups = [(symbol, up.up_deg) for up in symbol.orientations]
        odds = reader.symbols.predict_all(pack["crops"][i], ups)[:, value] if ups else np.zeros(0)
        if ups and max(odds) >= AGREES:
            up = symbol.orientations[int(np.argmax(odds))].up_deg
            symbols[i, 0] = (symbol.x, symbol.y, up, symbol.span)
            pips[i] = pack["bodies"][i] == 1 and len(symbol.orientations) >= 3
    return pack | {"symbols": symbols, "pips": pips}


def only_found(pack: dict[str, Array]) -> dict[str, Array]:
    """The crops of such a pack in which a symbol was found."""
    kept = ~np.isnan(pack["symbols"][:, 0, 0])
    return {key: rows[kept] for key, rows in pack.items()}
