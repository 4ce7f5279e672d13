"""`python -m training STAGE`: makes the reader's nets from nothing, in stages that can be resumed."""

import argparse
import importlib
import logging
import re
from collections.abc import Callable
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
BEARING = ("face-views", "faces")
"""The stages that make the net of what a face bears; they need finished nets and `--icons`."""
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
WRITERS = ("export", "numerals", "faces", "segmentation", "attitude", "cocked-weights", "calibrate")
"""The stages that write models; their checksums are pinned after each."""
NAMED = ("taken-up", "numerals", *BEARING, "moving", "segmentation")
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
        help=f"any of {', '.join(dict.fromkeys((*STAGES, *NAMED)))}; or all but the last six",
    )
    parser.add_argument(
        "--work",
        type=Path,
        required=True,
        help="folder for packs and half-trained weights, outside the project",
    )
    parser.add_argument("--photos", type=Path, help="folder of labelled photographs; only its train/ is read")
    parser.add_argument("--icons", type=Path, help="folder of icon fonts, for face-views and faces")
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
    if not set(BEARING).isdisjoint(args.stages) and args.icons is None:
        parser.error("--icons is needed: name a folder of icon fonts")
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
    from training import calibrate, photos, rasterised, shots, tilts, traced
    from training.packs import render_packs
    from vision.nets import load_nets
    from vision.recognition.attitude import AttitudeNet

    work, packs, without = args.work, args.work / "packs", tuple(args.without)
    first, step = args.part
    stages: dict[str, Callable[[], object]] = {
        "photos": lambda: photos.photo_packs(args.photos, packs),
        "scenes": lambda: render_packs(packs, range(first, args.packs, step)),
        "traced": lambda: traced.trace_packs(packs, range(first, args.traced, step)),
        "rasterised": lambda: rasterised.raster_packs(packs, range(first, args.rasters, step)),
        "shots": lambda: shots.render_shots(work / "shots"),
        "mined": lambda: photos.mine(packs, args.packs // 4, args.photos, without),
        "six-nine-judged": lambda: shots.judge_six_nine(work, args.dice),
        "tilts": lambda: tilts.tilt_packs(
            work / "tilts", range(first, args.tilts, step), range(first, args.traced_tilts, step)
        ),
        "cocked-weights": lambda: tilts.fit_cocked(work, MODELS, AttitudeNet(load_nets().attitude)),
        "calibrate": lambda: calibrate.calibrate(work, MODELS, args.photos, without),
    }
    stages.get(stage, lambda: _learn(stage, args))()
    if stage in WRITERS:
        pin(MODELS)


def _learn(stage: str, args: argparse.Namespace) -> None:
    """Runs a stage that needs PyTorch."""
    import torch

    from training import (
        learn_detector,
        learn_faces,
        learn_segmentation,
        learn_six_nine,
        learn_symbols,
        learn_tops,
    )
    from training.course import export
    from training.learn_attitude import learn_attitude
    from training.taken_up import take_up

    torch.set_num_threads(args.threads)
    work, minutes, without, go_on = args.work, args.minutes, tuple(args.without), args.go_on
    start = stage.replace("-", "_") if go_on else ""
    first, step = args.part
    stages: dict[str, Callable[[], object]] = {
        "moving": lambda: learn_segmentation.scene_packs(work / "packs", range(first, args.packs, step)),
        "segmentation": lambda: learn_segmentation.learn_segmentation(
            work, MODELS, minutes=minutes, go_on=go_on
        ),
        "taken-up": lambda: take_up(work, MODELS),
        "export": lambda: export(work, MODELS),
        "attitude": lambda: learn_attitude(work, MODELS, go_on=go_on),
        "detector": lambda: learn_detector.learn(work, minutes=minutes, without=without, start=start),
        "tops": lambda: learn_tops.learn(work, minutes=minutes, without=without, start=start),
        "tops-found": lambda: learn_tops.learn_found(work, minutes=minutes / 4, without=without),
        "numerals": lambda: learn_tops.learn_numerals(work, MODELS, minutes=minutes, without=without),
        "face-views": lambda: learn_faces.face_packs(
            work / "packs", range(first, args.packs, step), args.icons
        ),
        "faces": lambda: learn_faces.learn(
            work, MODELS, args.icons, minutes=minutes, without=without, start=start
        ),
        "six-nine": lambda: learn_six_nine.learn(work, minutes=minutes / 4, start=start),
        "symbols": lambda: learn_symbols.learn(work, minutes=minutes, start=start),
        "symbols-found": lambda: learn_symbols.learn_found(work, minutes=minutes / 4, without=without),
    }
    stages[stage]()


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


if __name__ == "__main__":
    main()
