"""`python -m vision.training STAGE`: makes the reader's nets from nothing, in stages that can be resumed."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import cv2

MODELS = Path(__file__).resolve().parent.parent / "models"
STAGES = ("photos", "scenes", "shots", "detector", "export", "mined", "held", "calibrate", "reader", "export")
HELD = ("burks_black_tray", "catan_pips")
"""Sources that stage `held` leaves out, so that `calibrate` can judge on strangers."""


def main() -> None:
    """Runs the stages named on the command line, or all of them, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m vision.training", description=__doc__)
    parser.add_argument(
        "stages", nargs="*", metavar="STAGE", help=f"any of {', '.join(STAGES)}; all without one"
    )
    parser.add_argument(
        "--work",
        type=Path,
        required=True,
        help="folder for packs and half-trained weights, outside the project",
    )
    parser.add_argument(
        "--photos", type=Path, required=True, help="folder of labelled photographs; only its train/ is read"
    )
    parser.add_argument("--packs", type=int, default=40, help="rendered packs in all (150 scenes each)")
    parser.add_argument(
        "--part", default="0/1", help="K/N: render only every Nth pack from the Kth on, for N processes"
    )
    parser.add_argument(
        "--minutes", type=float, default=50, help="time for each of detector, held and reader"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--reader", default="reader", help="name of the reader's weights that are exported")
    args = parser.parse_args()
    unknown = set(args.stages) - set(STAGES)
    if unknown:
        parser.error(f"no such stage: {', '.join(sorted(unknown))}")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    cv2.setNumThreads(1)
    for stage in args.stages or STAGES:
        _run(stage, args)


def _run(stage: str, args: argparse.Namespace) -> None:
    if stage == "photos":
        from vision.training.photos import photo_packs

        photo_packs(args.photos, args.work / "packs")
        return
    if stage == "scenes":
        from vision.training.packs import render_packs

        first, step = (int(n) for n in args.part.split("/"))
        render_packs(args.work / "packs", range(first, args.packs, step))
        return
    if stage == "shots":
        from vision.training.shots import render_shots

        render_shots(args.work / "shots", 80)
        return
    import torch

    torch.set_num_threads(args.threads)
    if stage == "detector":
        from vision.training import learn_detector

        learn_detector.learn(args.work, minutes=args.minutes)
    elif stage == "held":
        from vision.training import learn_reader

        learn_reader.learn(args.work, minutes=args.minutes, name="reader_held", without=HELD)
    elif stage == "reader":
        from vision.training import learn_reader

        learn_reader.learn(args.work, minutes=args.minutes, name="reader", start="reader_held", rate=1e-3)
    elif stage == "calibrate":
        from vision.training.calibrate import calibrate

        calibrate(args.work, "reader_held", HELD)
    elif stage == "mined":
        from vision.training.mined import mine_packs

        mine_packs(args.work / "packs", args.packs // 10)
    else:
        from vision.training.export import export

        names = {"detector": "detector", "reader": args.reader}
        export(args.work, MODELS, {k: v for k, v in names.items() if (args.work / f"{v}.pt").exists()})


if __name__ == "__main__":
    main()
