"""`dicetable cameras`: the cameras attached to this machine, with names and modes."""

import argparse

from common import texts
from dicetable.commands.usage import CommandError, Commands
from hardware.attached import AttachedCamera, attached_cameras


def add_parser(subparsers: Commands, text: str) -> None:
    description = (
        "list the cameras attached to this machine, without opening them: where, what, and their modes"
    )
    parser = subparsers.add_parser("cameras", help=text, description=description)
    parser.set_defaults(run=run)


def run(_args: argparse.Namespace) -> int:
    """0 if there is a camera, 1 if there is none."""
    cameras = attached_cameras()
    if not cameras:
        raise CommandError(f"dicetable cameras: {texts.rolls.NO_CAMERA}")
    for camera in cameras:
        print(described(camera))
        for mode in camera.modes:
            print(f"    {mode}")
    return 0


def described(camera: AttachedCamera) -> str:
    """Its path, its name, and whether it is built in."""
    place = texts.rolls.ON_USB if camera.on_usb else texts.rolls.BUILT_IN
    return f"{camera.path}  {camera.name} ({place})"
