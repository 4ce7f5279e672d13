"""`dicetable calibrate`: checks the empty tray, reports what is right and wrong, and saves the calibration.

With `--lens` it measures the lens sheet, and saves the camera's focal length and distortion.
"""

import argparse
import json
from itertools import count
from pathlib import Path

import cv2

from common import files, texts
from dicetable.commands.read import same_file
from dicetable.commands.usage import CommandError, Commands, complain, named_path
from dicetable.config.drivers import camera_of
from dicetable.config.file import load
from dicetable.eye.operator_view import look_at_rig, picture
from dicetable.eye.rig import Calibration, CalibrationError, load_lens, save_lens
from dicetable.eye.stills import VIEWS, NoFramesError, new_views, next_frame, still_picture
from hardware.photograph import PhotographError, load_photograph
from hardware.ports import SystemClock
from hardware.simulated.clock import VirtualClock
from hardware.simulated.world import World
from vision.reading import Image
from vision.tray.camera import LensError, SheetView, find_sheet, fit_lens


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("calibrate", help=text, description=text)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--config", type=named_path, metavar="FILE", help="use the camera of this config")
    source.add_argument(
        "--photo",
        type=named_path,
        nargs="+",
        metavar="IMAGE",
        help="use a photograph of the empty tray; with --lens, several photographs of the lens sheet",
    )
    source.add_argument("--simulated", type=int, metavar="SEED", help="use a simulated table")
    out = "where to save the calibration (default with --config: in the ledger's folder)"
    parser.add_argument("--out", type=named_path, metavar="DIR", help=out)
    help_text = "write an annotated picture of the tray to a .jpg or .png"
    parser.add_argument("--picture", type=named_path, metavar="FILE", help=help_text)
    parser.add_argument("--json", action="store_true", help="print the findings as one line of JSON")
    help_text = "calibrate the lens with its printed sheet (`dicetable markers --sheet lens`)"
    parser.add_argument("--lens", action="store_true", help=help_text)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 if the rig was calibrated, or could be; 1 if not."""
    if (mistake := mistake_in(args)) is not None:
        raise CommandError(f"dicetable calibrate: {mistake}", 2)
    try:
        if args.lens:
            return calibrate_lens(args)
        return calibrate_tray(args)
    except (NoFramesError, CalibrationError, LensError, PhotographError) as error:
        raise CommandError(f"dicetable calibrate: {error}") from None


def mistake_in(args: argparse.Namespace) -> str | None:
    if args.simulated is not None and not 0 <= args.simulated < 2**53:
        return f"--simulated {args.simulated}: a seed is 0 or more"
    if args.lens and args.simulated is not None:
        return "--lens: the simulated camera has no distortion; name a --config or --photo"
    if args.lens and args.picture:
        return "--lens draws no picture: leave --picture out"
    if args.photo and not args.lens and len(args.photo) > 1:
        return "--photo: name one photograph of the empty tray"
    if args.photo and args.picture and same_file(args.photo[0], args.picture):
        return f"--picture {args.picture}: it is the photograph itself"
    return None


def calibrate_tray(args: argparse.Namespace) -> int:
    """Checks the empty tray; 0 if the calibration was saved, or could be without `--out`."""
    frame, out = still_frame(args)
    lens = None if out is None else load_lens(out, frame.shape)
    findings = look_at_rig(frame, lens)
    if args.json:
        every = [{"name": f.name, "good": f.good, "text": f.text, "remedy": f.remedy} for f in findings.all]
        print(json.dumps({"usable": findings.usable, "findings": every}))
    else:
        for finding in findings.all:
            print(f"{'ok ' if finding.good else 'NO '} {finding.name}: {finding.text}")
            if finding.remedy:
                print(f"    {finding.remedy}")
    drawn = not args.picture or write_picture(args.picture, picture(findings))
    if not findings.usable or findings.tray is None:
        return 1
    if out is not None:
        Calibration(findings.tray, frame).save(out)
        if not args.json:
            print(texts.commands.saved(str(out)))
    return 0 if drawn else 1


def still_frame(args: argparse.Namespace) -> tuple[Image, Path | None]:
    """A picture of the still tray, and where to save the calibration."""
    if args.photo is not None:
        return photograph(args.photo[0]), args.out
    if args.simulated is not None:
        return still_picture(World(args.simulated, VirtualClock()).camera), args.out
    config = load(args.config)
    camera = camera_of(config.camera, SystemClock())
    return still_picture(camera), args.out or config.ledger.calibration


def write_picture(path: Path, shown: Image) -> bool:
    reason = "the format is unknown: name a .jpg or .png"
    try:
        done, packed = cv2.imencode(path.suffix or ".jpg", shown)
        if done:
            files.atomic_write(path, packed.tobytes())
            return True
    except cv2.error:
        pass
    except OSError as error:
        reason = f"{error.strerror}; {texts.health.disk_remedy(error, path)}"
    complain(f"dicetable calibrate: {path} cannot be written: {reason}")
    return False


def calibrate_lens(args: argparse.Namespace) -> int:
    """Measures the lens with its sheet; 0 if it was saved. Raises LensError if there are too few views."""
    if args.photo:
        sheets, out = [find_sheet(photograph(path)) for path in args.photo], args.out
        views = [view for view in sheets if view is not None]
        for path, view in zip(args.photo, sheets, strict=True):
            if not args.json:
                words = texts.commands
                sentence = words.SHEET_NOT_SEEN if view is None else words.corners(len(view.pixels))
                print(f"{path}: {sentence}")
    else:
        views, out = views_of_camera(args)
    lens = fit_lens(views)
    result: dict[str, float | list[float]] = {
        "focal_px": round(float(lens.matrix[0, 0]), 1),
        "focal_error": round(lens.focal_error, 4),
        "centre_px": lens.matrix[:2, 2].round(1).tolist(),
        "distortion": lens.distortion.round(4).tolist(),
        "reprojection_error_px": round(lens.error_px, 3),
    }
    if args.json:
        print(json.dumps(result))
    else:
        print("\n".join(f"ok  {name}: {value}" for name, value in result.items()))
    if out is not None:
        save_lens(lens, out)
        if not args.json:
            print(texts.commands.lens_saved(str(out)))
    return 0


def views_of_camera(args: argparse.Namespace) -> tuple[list[SheetView], Path | None]:
    """The views of the sheet under the camera of a config, and where to save the lens."""
    config = load(args.config)
    camera = camera_of(config.camera, SystemClock())
    if not args.json:
        print(texts.rig.SHOW_THE_SHEET)
    views = []
    camera.start()
    try:
        for view in new_views(next_frame(camera) for _ in count()):
            views.append(view)
            if not args.json:
                print(texts.commands.view(len(views), VIEWS), flush=True)
    finally:
        camera.stop()
    return views, args.out or config.ledger.calibration


def photograph(path: Path) -> Image:
    """The pixels of a photograph. Raises PhotographError, which names it, if it cannot be read."""
    try:
        return load_photograph(path).pixels
    except PhotographError as error:
        raise PhotographError(f"{path}: {error}") from None
