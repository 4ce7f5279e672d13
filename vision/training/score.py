"""Prints what the nets read in photographs as JSON lines, in the form that tools/score_photos.py wants."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict

import cv2

from vision.training.net_reader import read_dice


def main() -> None:
    """Reads the images of the command line, one JSON line each."""
    parser = argparse.ArgumentParser(prog="python -m vision.training.score", description=__doc__)
    parser.add_argument("images", nargs="+", metavar="IMAGE")
    cv2.setNumThreads(1)
    for image in parser.parse_args().images:
        frame = cv2.imread(image)
        if frame is None:
            sys.stdout.write(json.dumps({"image": image, "error": "not a picture"}) + "\n")
            continue
        start = time.perf_counter()
        dice = read_dice(frame)
        spent = 1000 * (time.perf_counter() - start)
        sys.stdout.write(
            json.dumps({"image": image, "ms": round(spent, 1), "dice": [asdict(die) for die in dice]}) + "\n"
        )


if __name__ == "__main__":
    main()
