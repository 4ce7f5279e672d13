"""`dicetable panel`: shows live what the panel does; `dicetable panel flash` writes the board's firmware."""

import argparse
import asyncio
import shlex
from collections.abc import Callable
from contextlib import suppress

from common import texts
from dicetable.commands.usage import CommandError, Commands, named_path
from dicetable.config.drivers import panel_of
from dicetable.config.file import load
from firmware_bridge.errors import FlashError
from firmware_bridge.flash import PREBUILT, Bootloader, avrdude_command, checked_image, flash
from hardware.ports import LAMPS, Colour, Lamp, LampMode, Panel, PanelView, SystemClock
from hardware.serial_panel import SerialPanel

POLL_S = 0.02


def add_parser(subparsers: Commands, text: str) -> None:
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
    if args.config is None and args.device is None:
        raise CommandError("dicetable panel: name the panel: --config FILE or --device PATH", 2)
    panel = SerialPanel(args.device) if args.device else panel_of(load(args.config).panel, SystemClock())
    watch = PanelWatch(panel, lambda line: print(line, flush=True))
    try:
        asyncio.run(watch.run(args.seconds))
    except KeyboardInterrupt:
        print()
    return 0 if watch.came_up else 1


def run_flash(args: argparse.Namespace) -> int:
    firmware = args.firmware or PREBUILT
    bootloader = Bootloader.OLD_NANO if args.old_nano else Bootloader.OPTIBOOT
    try:
        if not args.write:
            print(shlex.join(avrdude_command(checked_image(firmware), args.device, bootloader)))
            return 0
        flash(firmware, args.device, bootloader)
    except FlashError as error:
        raise CommandError(f"dicetable panel flash: {error}") from None
    print(texts.commands.flashed(str(firmware), str(args.device)))
    return 0


class PanelWatch:
    """Reports what happens at a panel, line by line; answers each press with its lamp and on the display."""

    def __init__(self, panel: Panel, report: Callable[[str], None]) -> None:
        self.panel = panel
        self.report = report
        self.came_up = False

    async def run(self, seconds: float | None) -> None:
        """Watches for that many seconds, or until it is cancelled."""
        colours = {"minus": Colour.RED, "plus": Colour.GREEN, "ok": Colour.WHITE, "menu": Colour.BLUE}
        news = asyncio.Event()
        reported: object = (
            self  # what degraded the panel at the last report; not None, so that all is reported
        )
        self.panel.show(
            PanelView(dict.fromkeys(LAMPS, Lamp(LampMode.PULSE)), ["dicetable panel", "press a button"])
        )
        self.panel.start(news.set)
        try:
            async with asyncio.timeout(seconds):
                while True:
                    degraded = self.panel.degraded
                    if degraded != reported:
                        reported = degraded
                        self.came_up = self.came_up or degraded is None
                        self.report(
                            f"{degraded.what}: {degraded.remedy}" if degraded else "the panel is connected"
                        )
                    for press in self.panel.presses():
                        how = "down" if press.down else "up"
                        self.report(f"{press.number:5} {press.control:12} {how}")
                        seat, _, key = press.control.partition(".")
                        lamps = {seat: Lamp(LampMode.ON, colours[key])} if press.down else {}
                        self.panel.show(PanelView(lamps, ["dicetable panel", press.control, how]))
                    news.clear()
                    with suppress(TimeoutError):  # a panel that reports no news is polled
                        async with asyncio.timeout(POLL_S):
                            await news.wait()
        except TimeoutError:
            return
        finally:
            self.panel.stop()
