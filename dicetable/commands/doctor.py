"""`dicetable doctor`: the state of every part of the table, and remedies."""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from common import texts
from dicetable.commands.cameras import described
from dicetable.commands.usage import INSTALLED, Commands, add_config_option
from dicetable.config.drivers import camera_of, panel_of
from dicetable.config.file import LAPTOP, Config, load
from dicetable.config.mistakes import ConfigError
from dicetable.config.panel import PinsSection
from dicetable.service import doctor, doctor_machine
from dicetable.service.doctor_bench import bench
from dicetable.service.doctor_machine import Check, machine
from dicetable.service.start import is_strict
from hardware.attached import attached_cameras
from hardware.ports import Clock, SystemClock


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("doctor", help=text, description=text)
    add_config_option(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object, also with sensors, load, memory and disk"
    )
    parser.add_argument(
        "--selftest", action="store_true", help="run all conformance rules on the parts; stop the table first"
    )
    parser.add_argument(
        "--bench",
        action="store_true",
        help="measure for a minute or two whether this machine is fast enough; stop the table first",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 if all is well, 1 if anything is wrong."""
    findings = []
    asks = sys.stdin.isatty() and not args.json
    for finding in checks(args.config, selftest=args.selftest, measure=args.bench, asks=asks):
        findings.append(finding)
        if not args.json:
            print("\n".join(finding.lines()), flush=True)
    well = all(finding.ok for finding in findings)
    if args.json:
        print(json.dumps({"ok": well, "parts": [finding.json() for finding in findings], **machine()}))
    return 0 if well else 1


def checks(file: Path | None, *, selftest: bool, measure: bool, asks: bool) -> Iterator[Check]:
    """Checks every part, one after the other; `asks`: a person is there to press buttons."""
    clock = SystemClock()
    yield doctor.program()
    yield doctor.clock(clock)
    if not measure:  # the benchmark checks the power too
        yield doctor.power()
    used = file or (INSTALLED if INSTALLED.exists() else None)
    try:
        config = load(used) if used else LAPTOP
    except ConfigError as error:
        for mistake in error.mistakes:
            place = f"{error.path}: {mistake.where}" if mistake.where else str(error.path)
            yield Check(f"config ({place})", ok=False, state=mistake.what, remedy=mistake.right)
        return
    state = texts.doctor.correct(str(used)) if used else texts.doctor.SIMULATED
    yield Check("config", ok=True, state=state)
    status = doctor_machine.status_of_running(config.ledger.folder)
    if status is None:
        yield from hardware_checks(config, clock, selftest=selftest, asks=asks)
    else:
        yield from doctor_machine.of_running(config, status)
        if selftest:
            yield Check("selftest", ok=False, state=texts.doctor.NOT_ASKED, remedy=texts.doctor.STOP)
    if attached := attached_cameras():
        yield Check("attached cameras", ok=True, state="; ".join(map(described, attached)))
    yield from doctor.of_signals(config)
    if config.games.folder is not None:
        yield from doctor.games(config.games.folder)
    yield doctor.models(config.eye.models)
    if config.eye.dice is not None:
        yield doctor.dice(config.eye.dice)
    yield doctor.ledger(config.ledger.folder)
    if measure:
        yield from bench()


def hardware_checks(config: Config, clock: Clock, *, selftest: bool, asks: bool) -> Iterator[Check]:
    """Checks camera and panel; with the self-test also all rules of their ports."""
    camera = camera_of(config.camera, clock)
    check = doctor.camera(config.camera.driver, camera, clock, strict=is_strict(config))
    yield replace(check, notes=(*check.notes, *doctor_machine.trusted(config)))
    note = config.panel.note if isinstance(config.panel, PinsSection) else ""
    yield doctor.panel(config.panel.driver, panel_of(config.panel, clock), note)
    if selftest:
        yield from doctor.of_clock(clock)
        yield from doctor.of_camera(lambda: camera_of(config.camera, clock), clock)
        yield from doctor.of_panel(
            lambda: panel_of(config.panel, clock), (lambda text: print(text, flush=True)) if asks else None
        )
