"""`python -m training STAGE`: makes the reader's nets from nothing, in stages that can be resumed."""

from __future__ import annotations

import argparse
import importlib
import logging
import re
from hashlib import sha256
from pathlib import Path

import cv2

from training.photos import SOURCES
from vision import checksums

MODELS = Path(__file__).resolve().parent.parent / "vision" / "models"
LEARNT = (
    "detector", "export", "mined", "tops", "symbols", "six-nine", "export",
    "symbols-found", "tops-found", "export",
)  # fmt: skip
LEANT = ("tilts", "attitude", "cocked-weights")
"""The stages that fit the detection of cocked dice; they need only finished nets."""
WATCHING = ("moving", "segmentation")
"""The stages that make the net that watches hands and dice; they need nothing else."""
STAGES = (
    "photos",
    "scenes",
    "traced",
    "rasterised",
    "shots",
    *LEARNT,
    "calibrate",
    *LEANT,
    "six-nine-judged",
)
WRITERS = ("export", "numerals", "segmentation", "attitude", "cocked-weights", "calibrate")
"""The stages that write models; their checksums are pinned after each."""
NAMED = ("taken-up", "numerals", "moving", "segmentation")
"""Stages that need none of the others, or go on from the released nets: run only when they are named."""
FINISHED = "finished.txt"
"""The file in the work folder that counts which of STAGES a run of them all has finished."""
HELD = ("burks_black_tray", "catan_pips")
"""Sources that training leaves out, so that `calibrate` can judge on strangers."""


def main() -> None:
    """Runs the stages named on the command line, or all of them, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument(
        "stages",
        nargs="*",
        metavar="STAGE",
        help=f"any of {', '.join(dict.fromkeys((*STAGES, *NAMED)))}; or all but the last four",
    )
    parser.add_argument(
        "--work",
        type=Path,
        required=True,
        help="folder for packs and half-trained weights, outside the project",
    )
    parser.add_argument("--photos", type=Path, help="folder of labelled photographs; only its train/ is read")
    parser.add_argument(
        "--tilts", type=int, default=50, help="rendered packs of dice of known tilt (60 scenes)"
    )
    parser.add_argument(
        "--traced-tilts", type=int, default=10, help="path-traced packs of dice of known tilt (12 scenes)"
    )
    parser.add_argument("--packs", type=int, default=40, help="rendered packs in all (150 scenes each)")
    parser.add_argument("--traced", type=int, default=16, help="path-traced packs in all (20 scenes each)")
    parser.add_argument("--rasters", type=int, default=20, help="rasterised packs in all (60 scenes each)")
    parser.add_argument(
        "--part",
        type=part,
        default=(0, 1),
        metavar="K/N",
        help="render, trace or rasterise only every Nth pack from the Kth on, for N processes",
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=55,
        help="time for each of detector, tops and symbols; a quarter of it for six-nine and the -found ones",
    )
    parser.add_argument("--dice", type=int, default=2000, help="of each style of six-nine-judged")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--go-on",
        action="store_true",
        help="train from the weights in the folder, not from nothing; attitude: from the released net",
    )
    parser.add_argument(
        "--without",
        nargs="*",
        choices=SOURCES,
        default=HELD,
        metavar="SOURCE",
        help="folders of train/ that are kept out; calibrate judges on them",
    )
    args = parser.parse_args()
    unknown = set(args.stages) - {*STAGES, *NAMED}
    if unknown:
        parser.error(f"no such stage: {', '.join(sorted(unknown))}")
    if args.photos is None and not {*LEANT, *WATCHING}.issuperset(args.stages or STAGES):
        parser.error("--photos is needed: name the folder of labelled photographs")
    if "calibrate" in (args.stages or STAGES) and not args.without:
        parser.error("calibrate judges on strangers: name one source at least with --without")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    cv2.setNumThreads(1)
    try:
        if not args.stages:
            _run_all(args)
        for stage in args.stages:
            _run(stage, args)
    except ModuleNotFoundError as error:
        parser.exit(1, f"training: {error.name} is not installed: pip install -r training/requirements.txt\n")
    except FileNotFoundError as error:
        lacking = f"{error.filename} is not there: run the stages that make it; see --photos, --without"
        parser.exit(1, f"training: {lacking if error.filename else error}\n")


def part(text: str) -> tuple[int, int]:
    """The first and the step of K/N, such as 0/2."""
    first, _, step = text.partition("/")
    if not (first.isdecimal() and step.isdecimal() and int(first) < int(step)):
        raise argparse.ArgumentTypeError(f"{text!r}: K/N is meant, K from 0 to N - 1, such as 0/2")
    return int(first), int(step)


def _run_all(args: argparse.Namespace) -> None:
    """Runs all stages, but for those that an earlier run of them all had finished before it was cut."""
    args.work.mkdir(parents=True, exist_ok=True)
    finished = args.work / FINISHED
    done = finished.read_text(encoding="utf-8").split() if finished.exists() else []
    for stage in STAGES[len(done) :]:
        _run(stage, args)
        done.append(stage)
        finished.write_text("\n".join(done) + "\n", encoding="utf-8")
    finished.unlink()


def _run(stage: str, args: argparse.Namespace) -> None:
    packs = args.work / "packs"
    first, step = args.part
    if stage == "photos":
        from training.photos import photo_packs

        photo_packs(args.photos, packs)
    elif stage == "scenes":
        from training.packs import render_packs

        render_packs(packs, range(first, args.packs, step))
    elif stage == "traced":
        from training.traced import trace_packs

        trace_packs(packs, range(first, args.traced, step))
    elif stage == "rasterised":
        from training.rasterised import raster_packs

        raster_packs(packs, range(first, args.rasters, step))
    elif stage == "moving":
        from training.learn_segmentation import scene_packs

        scene_packs(packs, range(first, args.packs, step))
    elif stage == "shots":
        from training.shots import render_shots

        render_shots(args.work / "shots")
    elif stage == "mined":
        from training.photos import mine_packs, mine_photos

        mine_packs(packs, args.packs // 4)
        mine_photos(args.photos, packs, tuple(args.without))
    elif stage == "six-nine-judged":
        from training.shots import judge_six_nine

        judge_six_nine(args.work, args.dice)
    elif stage == "tilts":
        from training.tilts import tilt_packs

        tilt_packs(args.work / "tilts", range(first, args.tilts, step), range(first, args.traced_tilts, step))
    elif stage == "cocked-weights":
        from training.tilts import fit_cocked
        from vision.nets import load_nets
        from vision.recognition.attitude import AttitudeNet

        fit_cocked(args.work, MODELS, AttitudeNet(load_nets().attitude))
    elif stage == "calibrate":
        from training.calibrate import calibrate

        calibrate(args.work, MODELS, args.photos, tuple(args.without))
    else:
        _learn(stage, args)
    if stage in WRITERS:
        pin(MODELS)


def _learn(stage: str, args: argparse.Namespace) -> None:
    import torch

    torch.set_num_threads(args.threads)
    without = tuple(args.without)
    start = stage if args.go_on else ""
    if stage == "taken-up":
        from training.taken_up import take_up

        take_up(args.work, MODELS)
    elif stage == "numerals":
        from training.learn_tops import learn_numerals

        learn_numerals(args.work, MODELS, minutes=args.minutes, without=without)
    elif stage == "segmentation":
        from training.learn_segmentation import learn_segmentation

        learn_segmentation(args.work, MODELS, minutes=args.minutes, go_on=args.go_on)
    elif stage == "export":
        from training.course import export

        export(args.work, MODELS)
    elif stage == "attitude":
        from training.learn_attitude import learn_attitude

        learn_attitude(args.work, MODELS, go_on=args.go_on)
    elif stage == "detector":
        from training import learn_detector

        learn_detector.learn(args.work, minutes=args.minutes, without=without, start=start)
    elif stage == "tops":
        from training import learn_tops

        learn_tops.learn(args.work, minutes=args.minutes, without=without, start=start)
    elif stage == "six-nine":
        from training import learn_six_nine

        learn_six_nine.learn(args.work, minutes=args.minutes / 4, start="six_nine" if args.go_on else "")
    elif stage == "symbols":
        from training import learn_symbols

        learn_symbols.learn(args.work, minutes=args.minutes, start=start)
    elif stage == "symbols-found":
        from training import learn_symbols

        learn_symbols.learn_found(args.work, minutes=args.minutes / 4, without=without)
    else:
        from training import learn_tops

        learn_tops.learn_found(args.work, minutes=args.minutes / 4, without=without)


if __name__ == "__main__":
    main()


def pin(models: Path, module: Path = Path(checksums.__file__)) -> None:
    """Writes the SHA-256 of each model of `models` that is there into the module; the rest stay as they are.

    Readers that are made in this process from now on go by the new ones.
    """
    text = module.read_text(encoding="utf-8")
    for name in checksums.SHA256:
        if (models / name).exists():
            digest = sha256((models / name).read_bytes()).hexdigest()
            text = re.sub(rf'(?<="{re.escape(name)}": ")[0-9a-f]*', digest, text)
    module.write_text(text, encoding="utf-8")
    importlib.reload(checksums)
