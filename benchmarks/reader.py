"""What reading a frame costs: medians on one thread, beside the same nets in OpenCV's own engine.

    python -m benchmarks.reader [--runs 15]

The frames are the simulated table's, 1280 × 720, of dice of all kinds, smaller ones where many must fit. A
table reads two frames of dice that lie still; in the second, `again`, the nets look at doubtful dice alone.
The ratios are those of one frame, and of both to two frames in OpenCV's engine, which looks at all dice in
each. Memory is the most that this process has held so far.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.world import frame_of
from vision.frames import downsample
from vision.nets import FOLDER, NAMES, load_nets
from vision.reader import DiceReader
from vision.reading import Box, Image, Net
from vision.recognition.fusion import Views
from vision.tray.markers import find_markers
from vision.tray.pose import learn

COUNTS = (0, 1, 2, 4, 6, 12, 18, 24, 30, 36, 42, 48)
BUDGET_MS = {0: 13, 1: 14, 6: 30, 30: 120}
CALIBRATED_MS = {0: 4, 1: 8, 6: 25, 30: 100}
"""On a rig whose tray and background are known."""


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


def measured(count: int, runs: int, ours: DiceReader, opencv: DiceReader) -> str:
    """One line: what it costs to read `count` dice."""
    frame, empty = frame_of(count, seed=count + 1), frame_of(0, seed=count + 1)
    tray, background = learn(find_markers(empty)), downsample(empty)
    if tray is None:
        raise RuntimeError("the markers are not seen")
    ours_ms = cost_ms(lambda: ours.read(frame), runs)
    calibrated_ms = cost_ms(lambda: ours.read(frame, tray, background), runs)
    again_ms = cost_ms(again(ours, frame), runs)
    opencv_ms = cost_ms(lambda: opencv.read(frame), runs)
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    budget = f" (budgets {BUDGET_MS[count]} and {CALIBRATED_MS[count]} ms)" if count in BUDGET_MS else ""
    return (
        f"{count:3} dice: {ours_ms:6.1f} ms, calibrated {calibrated_ms:6.1f} ms{budget}, "
        f"again {again_ms:6.1f} ms, OpenCV's engine {opencv_ms:6.1f} ms, ratio {ours_ms / opencv_ms:.2f}, "
        f"of both frames {(ours_ms + again_ms) / (2 * opencv_ms):.2f}, {memory_mb:.0f} MB"
    )


def again(reader: DiceReader, frame: Image) -> Callable[[], object]:
    """Reads a frame again, with another noise, as the second of two."""
    views: dict[Box, Views] = {}
    sure = [die.box for die in reader.read(frame, views=views).dice if die.sure]
    noise = np.random.default_rng(1).normal(0, 2, frame.shape)
    other = np.asarray(np.clip(frame + noise, 0, 255), np.uint8)
    return lambda: reader.read(other, lying=sure, views={box: views[box] for box in sure})


def main() -> None:
    parser = argparse.ArgumentParser(description="time and memory for reading a frame")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--counts", type=int, nargs="+", default=COUNTS, help="numbers of dice")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    nets: dict[str, Any] = {name: in_opencv(FOLDER / f"{name}.onnx") for name in NAMES}
    ours, opencv = DiceReader(), DiceReader(replace(load_nets(), **nets))
    for count in args.counts:
        print(measured(count, args.runs, ours, opencv), flush=True)


if __name__ == "__main__":
    main()
