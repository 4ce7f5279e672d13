"""`dicetable calibrate --lens`: measures the lens with the lens sheet, and saves the result."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from vision.reading import Image
    from vision.tray.camera import Lens, SheetView


def calibrate_lens(args: argparse.Namespace) -> int:
    """0 if the lens was calibrated. Raises LensError if the views are not sufficient."""
    from dicetable.eye.rig import save_lens
    from vision.tray.camera import fit_lens

    views, out = views_of_photographs(args) if args.photo else views_of_camera(args)
    lens = fit_lens(views)
    told = described(lens)
    if args.json:
        print(json.dumps(told))
    else:
        print("\n".join(f"ok  {name}: {value}" for name, value in told.items()))
    if out is not None:
        save_lens(lens, out)
        if not args.json:
            print(f"remembered in {out}: now calibrate the empty tray")
    return 0


def described(lens: Lens) -> dict[str, float | list[float]]:
    """The result in OpenCV's terms."""
    return {
        "focal_px": round(float(lens.matrix[0, 0]), 1),
        "focal_error": round(lens.focal_error, 4),
        "centre_px": lens.matrix[:2, 2].round(1).tolist(),
        "distortion": lens.distortion.round(4).tolist(),
        "reprojection_error_px": round(lens.error_px, 3),
    }


def views_of_photographs(args: argparse.Namespace) -> tuple[list[SheetView], Path | None]:
    """The views of the sheet in photographs, and where to save the lens."""
    from vision.tray.camera import find_sheet

    views = [find_sheet(photograph(path)) for path in args.photo]
    if not args.json:
        for path, view in zip(args.photo, views, strict=True):
            print(f"{path}: {'the sheet is not seen' if view is None else f'{len(view.pixels)} corners'}")
    return [view for view in views if view is not None], args.out


def views_of_camera(args: argparse.Namespace) -> tuple[list[SheetView], Path | None]:
    """The views of the sheet under the camera of a config, and where to save the lens."""
    from dicetable import texts
    from dicetable.config.drivers import camera_of
    from dicetable.config.file import load
    from dicetable.eye.stills import VIEWS, frames_of, new_views
    from hardware.ports import SystemClock

    config = load(args.config)
    camera = camera_of(config.camera, SystemClock())
    if not args.json:
        print(texts.rig.SHOW_THE_SHEET)
    views = []
    camera.start()
    try:
        for view in new_views(frames_of(camera)):
            views.append(view)
            if not args.json:
                print(f"view {len(views)} of {VIEWS}", flush=True)
    finally:
        camera.stop()
    return views, args.out or config.ledger.calibration


def photograph(path: Path) -> Image:
    """The pixels of a photograph. Raises PhotographError, which names it, if it cannot be read."""
    from hardware.photograph import PhotographError, load_photograph

    try:
        return load_photograph(path).pixels
    except PhotographError as error:
        raise PhotographError(f"{path}: {error}") from None
