"""Times the motion watch on 1280×720 frames, beside OpenCV's background subtractors in the same run.

    python -m benchmarks.motion [--frames N]

One thread, medians and 95th percentiles in milliseconds of processor time, which other load hardly changes.
The rivals are what most projects use to tell a still scene: `cv2.createBackgroundSubtractorMOG2` and `KNN`,
on the full frame and on the same small frame that the watch works on. Neither tells a hand that stays from an
empty tray, nor a rocking die from noise; this compares cost only.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import cv2
import numpy as np

from vision.frames import downsample
from vision.motion.segmentation import Segmenter
from vision.motion.watch import Motion, MotionWatch
from vision.nets import load_nets
from vision.reading import Image

IDLE_MS, MOVING_MS = 1.5, 5.0


def idle_frames() -> list[Image]:
    """A still tray with sensor noise: eight frames that differ by noise alone."""
    rng = np.random.default_rng(1)
    floor = np.full((720, 1280, 3), (60, 110, 40), np.float64)
    for _ in range(6):
        x, y = rng.integers((100, 100), (1100, 600))
        floor[y : y + 70, x : x + 70] = rng.uniform(20, 240, 3)
    return [np.clip(floor + rng.normal(0, 3, floor.shape), 0, 255).astype(np.uint8) for _ in range(8)]


def timed(step: Callable[[Image, float], object], frames: list[Image], count: int) -> tuple[float, float]:
    """Median and 95th percentile of milliseconds a frame, after a second of warming up."""
    spent = []
    for number in range(count + 30):
        frame = frames[number % len(frames)]
        started = time.process_time()
        step(frame, number / 30)
        spent.append(1000 * (time.process_time() - started))
    return float(np.median(spent[30:])), float(np.percentile(spent[30:], 95))


def main() -> int:
    """Prints the table; 1 if the watch takes more than its budget."""
    parser = argparse.ArgumentParser(description="times the motion watch on an idle frame")
    parser.add_argument("--frames", type=int, default=600)
    count = parser.parse_args().frames
    cv2.setNumThreads(1)
    frames = idle_frames()
    watch, moving = (MotionWatch(Segmenter(load_nets().segmentation)) for _ in range(2))
    for number in range(30):
        if watch.watch(frames[number % len(frames)], number / 30 - 1) is Motion.SETTLED:
            watch.settle(number / 30 - 1)
    mog, mog_small = cv2.createBackgroundSubtractorMOG2(), cv2.createBackgroundSubtractorMOG2()
    knn_small = cv2.createBackgroundSubtractorKNN()
    steps: dict[str, Callable[[Image, float], object]] = {
        "motion watch, idle": watch.watch,
        "motion watch, moving": moving.watch,
        "MOG2, full frame": lambda frame, _: mog.apply(frame),
        "MOG2, small frame": lambda frame, _: mog_small.apply(downsample(frame)),
        "KNN, small frame": lambda frame, _: knn_small.apply(downsample(frame)),
    }
    print(f"{'idle 1280×720 frame':22}{'median ms':>12}{'95 % ms':>12}")
    medians = {}
    for name, step in steps.items():
        medians[name], high = timed(step, frames, count)
        print(f"{name:22}{medians[name]:12.2f}{high:12.2f}")
    settled = watch.watch(frames[0], (count + 30) / 30) is Motion.SETTLED
    within = medians["motion watch, idle"] <= IDLE_MS and medians["motion watch, moving"] <= MOVING_MS
    print(f"settled: {settled}; budgets {IDLE_MS} and {MOVING_MS} ms: {'kept' if within else 'missed'}")
    return 0 if within and settled else 1


if __name__ == "__main__":
    raise SystemExit(main())
