"""What reading a frame costs: medians on one thread, beside two rivals in the same run.

The rivals are the same nets in OpenCV's own engine, and a blob-and-cluster pip counter.

    python -m benchmarks.reader [--runs 15] [--plot reader.svg]

The frames are the simulated table's, 1280 × 720, of dice of all kinds, smaller ones where many must fit.
Memory is the most that this process has held so far.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.world import frame_of
from vision.motion.background import downsample
from vision.nets import FOLDER, NAMES, load_nets
from vision.reader import DiceReader
from vision.reading import Image, Net
from vision.tray.markers import find_markers
from vision.tray.pose import learn

REACH = 2.2
"""Blobs nearer than this many blob widths belong to one die."""
COUNTS = (0, 1, 2, 4, 6, 12, 18, 24, 30, 36, 42, 48)
BUDGET_MS = {0: 13, 1: 14, 6: 30, 30: 120}
"""With the first nets."""
CALIBRATED_MS = {0: 4, 1: 8, 6: 25, 30: 100}


def detector() -> cv2.SimpleBlobDetector:
    """OpenCV's blob detector set to round spots, as the tutorials have it."""
    params = cv2.SimpleBlobDetector.Params()
    params.filterByInertia = True
    params.minInertiaRatio = 0.6
    return cv2.SimpleBlobDetector.create(params)


def count_pips(frame: Image, blobs: cv2.SimpleBlobDetector) -> list[int]:
    """How many pips each cluster of blobs has, in a frame (uint8, H×W×3, BGR)."""
    grey = cv2.medianBlur(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), 3)
    found = blobs.detect(grey)
    if not found:
        return []
    places = np.array([spot.pt for spot in found])
    widths = np.array([spot.size for spot in found])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    near = apart < REACH * np.minimum.outer(widths, widths)
    cluster = np.arange(len(found))
    while True:
        lowest = np.where(near, cluster[None], len(found)).min(1)
        if (lowest == cluster).all():
            break
        cluster = lowest
    return [int(count) for count in np.unique(cluster, return_counts=True)[1]]


@dataclass(frozen=True)
class Cost:
    """Median processor time in ms to read `dice` dice, for the reader and its rivals; memory in MB.

    `calibrated_ms` is the reader's on a rig whose tray and background are known.
    """

    dice: int
    ours_ms: float
    calibrated_ms: float
    opencv_ms: float
    rival_ms: float
    memory_mb: float


def cost_ms(work: Callable[[], object], runs: int) -> float:
    """The median processor time of `runs` runs, after one that does not count."""
    work()
    times = []
    for _ in range(runs):
        begun = time.process_time()
        work()
        times.append(1000 * (time.process_time() - begun))
    return median(times)


def in_opencv(path: Path) -> Net:
    """The net in OpenCV's engine, one picture at a time."""
    engine = cv2.dnn.readNetFromONNX(str(path))

    def net(pictures: NDArray[Any]) -> NDArray[Any]:
        outputs = []
        for picture in pictures:
            engine.setInput(picture[None])
            outputs.append(np.array(engine.forward()))
        return np.concatenate(outputs)

    return net


def opencv_reader() -> DiceReader:
    """The same reader with the same nets in OpenCV's engine."""
    nets: dict[str, Any] = {name: in_opencv(FOLDER / f"{name}.onnx") for name in NAMES}
    return DiceReader(replace(load_nets(), **nets))


def measure(count: int, runs: int, ours: DiceReader, opencv: DiceReader) -> Cost:
    frame = frame_of(count, seed=count + 1)
    empty = frame_of(0, seed=count + 1)
    tray, background = learn(find_markers(empty)), downsample(empty)
    if tray is None:
        raise RuntimeError("the markers are not seen")
    blobs = detector()
    ours_ms = cost_ms(lambda: ours.read(frame), runs)
    calibrated_ms = cost_ms(lambda: ours.read(frame, tray, background), runs)
    rival_ms = cost_ms(lambda: count_pips(frame, blobs), runs)
    opencv_ms = cost_ms(lambda: opencv.read(frame), runs)
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Cost(count, ours_ms, calibrated_ms, opencv_ms, rival_ms, memory_mb)


def plot(costs: list[Cost]) -> str:
    """The costs as an SVG drawing: milliseconds of both over the number of dice, and the memory."""
    top_ms = max(max(c.ours_ms, c.rival_ms) for c in costs)
    top_mb = max(c.memory_mb for c in costs)

    def line(values: list[float], top: float, colour: str) -> str:
        points = " ".join(
            f"{60 + 10 * c.dice},{320 - 280 * v / top:.1f}" for c, v in zip(costs, values, strict=True)
        )
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'

    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" width="620" height="380" font-family="sans-serif">',
            '<path d="M60 30V320H550" fill="none" stroke="black"/>',
            *(f'<text x="{55 + 10 * n}" y="338" font-size="12">{n}</text>' for n in (0, 12, 24, 36, 48)),
            f'<text x="8" y="44" font-size="12">{top_ms:.0f} ms</text>',
            f'<text x="552" y="44" font-size="12">{top_mb:.0f} MB</text>',
            line([c.ours_ms for c in costs], top_ms, "#06c"),
            line([c.rival_ms for c in costs], top_ms, "#c60"),
            line([c.memory_mb for c in costs], top_mb, "#888"),
            '<text x="60" y="365" font-size="12">over the number of dice: '
            '<tspan fill="#06c">DiceReader</tspan>, <tspan fill="#c60">blob and cluster</tspan>, '
            '<tspan fill="#888">most memory held</tspan></text>',
            "</svg>\n",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="time and memory for reading a frame")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--counts", type=int, nargs="+", default=COUNTS, help="numbers of dice")
    parser.add_argument("--plot", type=Path, default=Path("reader.svg"))
    args = parser.parse_args()
    cv2.setNumThreads(1)
    ours, opencv = DiceReader(), opencv_reader()
    costs = [measure(count, args.runs, ours, opencv) for count in args.counts]
    for c in costs:
        known = c.dice in BUDGET_MS
        budget = f" (budgets {BUDGET_MS[c.dice]} and {CALIBRATED_MS[c.dice]} ms)" if known else ""
        print(
            f"{c.dice:3} dice: {c.ours_ms:6.1f} ms, calibrated {c.calibrated_ms:6.1f} ms{budget}, "
            f"OpenCV's engine {c.opencv_ms:6.1f} ms, ratio {c.ours_ms / c.opencv_ms:.2f}, "
            f"blob and cluster {c.rival_ms:6.1f} ms, "
            f"{c.memory_mb:.0f} MB"
        )
    args.plot.write_text(plot(costs), encoding="utf-8")
    print(f"drawn in {args.plot}")


if __name__ == "__main__":
    main()
