"""`dicetable panel`: shows live what the panel does; `dicetable panel flash` writes the board's firmware."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from dicetable.commands.complaint import complain
from dicetable.commands.usage import named_path

if TYPE_CHECKING:
    import argparse

    from dicetable.__main__ import Commands


def add_parser(subparsers: Commands) -> None:
    """Adds the command and its subcommand to the command line."""
    text = "test the panel: show presses and the link live, until Ctrl-C"
    parser = subparsers.add_parser("panel", help=text, description=text)
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--config", type=named_path, metavar="FILE", help="the config file that names the panel"
    )
    where.add_argument("--device", type=named_path, metavar="PATH", help="a board's serial device")
    parser.add_argument("--seconds", type=float, metavar="S", help="stop after S seconds")
    parser.set_defaults(run=run)
    inner = parser.add_subparsers(dest="action", metavar="flash")
    text = "print the command that writes the board's firmware, or run it"
    flash = inner.add_parser("flash", help=text, description=text)
    flash.add_argument("device", type=named_path, metavar="PATH", help="the board's serial device")
    flash.add_argument(
        "--firmware",
        type=named_path,
        metavar="HEX",
        help="a firmware image to use in place of the prebuilt one, for example build/firmware/panel.hex",
    )
    flash.add_argument(
        "--old-nano", action="store_true", help="the board is an Arduino Nano from before 2018"
    )
    flash.add_argument("--write", action="store_true", help="run the command")
    flash.set_defaults(run=run_flash)


def run(args: argparse.Namespace) -> int:
    """Shows the panel until Ctrl-C; 1 if it never connected or the config is wrong."""
    import asyncio

    from dicetable.commands.panel_watch import PanelWatch
    from dicetable.config.drivers import panel_of
    from dicetable.config.file import load
    from dicetable.config.mistakes import ConfigError
    from hardware.ports import SystemClock
    from hardware.serial_panel import SerialPanel

    if args.config is None and args.device is None:
        complain("dicetable panel: name the panel: --config FILE or --device PATH")
        return 2
    try:
        panel = SerialPanel(args.device) if args.device else panel_of(load(args.config).panel, SystemClock())
    except ConfigError as error:
        complain(*error.lines)
        return 1
    watch = PanelWatch(panel, lambda line: print(line, flush=True))
    try:
        asyncio.run(watch.run(args.seconds))
    except KeyboardInterrupt:
        print()
    return 0 if watch.came_up else 1


def run_flash(args: argparse.Namespace) -> int:
    """Prints the avrdude command, or runs it."""
    from firmware_bridge.errors import FlashError
    from firmware_bridge.flash import PREBUILT, Bootloader, avrdude_command, checked_image, flash

    firmware = args.firmware or PREBUILT
    bootloader = Bootloader.OLD_NANO if args.old_nano else Bootloader.OPTIBOOT
    try:
        if not args.write:
            print(shlex.join(avrdude_command(checked_image(firmware), args.device, bootloader)))
            return 0
        flash(firmware, args.device, bootloader)
    except FlashError as error:
        complain(f"dicetable panel flash: {error}")
        return 1
    print(f"{firmware} is written to the board at {args.device} and verified")
    return 0
