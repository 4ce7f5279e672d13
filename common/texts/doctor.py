"""What the doctor finds, and what to do about it."""

from typing import Final

from common.texts.catalogue import ntr, tr

GOOD: Final = tr("ok")
BAD: Final = tr("WRONG")

NOT_INSTALLED: Final = tr("dicetable (not installed)")
FORWARD_ONLY: Final = tr("runs forward only")
RESTART: Final = tr("restart the machine")
SIMULATED: Final = tr("no file: using the simulated table")

REPLUG: Final = tr("unplug it and plug it in again")
LIGHT_ON: Final = tr("switch the light on, or raise camera.exposure_ms")
LESS_LIGHT: Final = tr("reduce the light or the exposure")
WORKS: Final = tr("works")

RUNNING: Final = tr("a table is running")
SEE_LOG: Final = tr("see docs/trouble.md and the log: journalctl -u dicetable -n 50")
IN_USE: Final = tr("in use by the running table")
STOP: Final = tr("to measure it, stop the table first: sudo systemctl stop dicetable")
PLUG: Final = tr("plug it in; the table finds it by itself")

DELETE_LEARNED: Final = tr("delete the file with the learned pictures")
ENROL: Final = tr("enrol them with `dicetable enrol`, or remove eye.dice from the config")
MODELS_USABLE: Final = tr("can be used")
MODELS_UNMODIFIED: Final = tr("unmodified")

MAKE_ROOM: Final = tr("make room on the disk")
LASTING: Final = tr("set ledger.folder to a folder on a disk, or switch the overlay off with raspi-config")
SEE_VERIFY: Final = tr("see `dicetable ledger verify`")
SET_ASIDE: Final = tr("start the table: it sets the damaged part aside and continues with the sound part")

NO_THERMOMETER: Final = tr("this machine has no temperature sensor")
NO_THROTTLING: Final = tr("this machine does not report throttling")
NO_VOLTAGE: Final = tr("this machine does not report under-voltage")
SLOWED_NOW: Final = tr("slowed down now")
NOT_SLOWED_NOW: Final = tr("not slowed down now")
FIRMWARE: Final = tr("the firmware")
COOLER: Final = tr("give it a heat sink or a fan, and room for air")
STRONGER: Final = tr("use the power supply made for this computer, and a short, thick cable")

FASTER: Final = tr(
    "the table works, but slowly: cool the machine, stop other programs on it, or use a faster one"
)
NOT_STARTING: Final = tr("the table doesn't start on this machine")
TO_WATCH: Final = tr("to process an idle frame")
TO_START: Final = tr("from start to ready")
RESIDENT: Final = tr("resident, table and eye together")
SEE_OUTPUT: Final = tr("see the output of `dicetable run`")

NOT_ASKED: Final = tr("not checked: a table is running")
PULL_PLUG: Final = tr("pull the panel's plug")
PLUG_AGAIN: Final = tr("plug the panel in again")
PASSED: Final = tr("passed")
REPORT: Final = tr("run `dicetable doctor`; if it finds nothing, report this")
BY_HAND: Final = {
    "fingers": tr("a person to press buttons"),
    "plug": tr("a person to pull the plug"),
    "eyes": tr("a person to look"),
}

BROKER_UNASKED: Final = tr("cannot be checked")


def correct(file: str) -> str:
    return tr("{file} is correct").format(file=file)


def too_slow(least: float) -> str:
    return tr(
        "below {least:.0f} frames/s another seat must vouch for each throw: add light, choose fewer "
        'pixels, or set throws = "friendly"'
    ).format(least=least)


def no_frame(seconds: float) -> str:
    return tr("no frame arrived within {seconds:g} s").format(seconds=seconds)


def frames(width: int, height: int, rate: float, light: float) -> str:
    return tr("{width} by {height} pixels, {rate:.0f} frames/s, mean brightness {light:.0f} of 255").format(
        width=width, height=height, rate=rate, light=light
    )


def bad_frames(count: int) -> str:
    return tr("damaged frames: {count}; try another USB port or cable").format(count=count)


def board(name: str, firmware: str, inputs: int, lamps: int, damaged: int) -> str:
    return tr(
        "board {name}, firmware {firmware}, {inputs} inputs, {lamps} lamps, {damaged} damaged frames"
    ).format(name=name, firmware=firmware, inputs=inputs, lamps=lamps, damaged=damaged)


def says(status: str) -> str:
    return tr("a table is running: {status}").format(status=status)


def no_device(path: str) -> str:
    return tr("{path}: no such device").format(path=path)


def learned_unusable(why: str) -> str:
    return tr("the dice can be used, but not their learned pictures: {why}").format(why=why)


def unusable(why: str) -> str:
    return tr("cannot be used: {why}").format(why=why)


def enrolled(faces: int, pictures: int) -> str:
    return tr("faces enrolled: {faces}; pictures learned: {pictures}").format(faces=faces, pictures=pictures)


def unreadable(why: str) -> str:
    return tr("cannot be read: {why}").format(why=why)


def little_free(megabytes: int) -> str:
    return tr("only {megabytes} MB are free").format(megabytes=megabytes)


def free(megabytes: int) -> str:
    return tr("{megabytes} MB free").format(megabytes=megabytes)


def lost_at_switching_off(why: str) -> str:
    return tr("switching the machine off loses every game: {why}").format(why=why)


def is_in_memory(folder: str, kind: str) -> str:
    return tr("{folder} is a {kind}").format(folder=folder, kind=kind)


def is_overlay(folder: str) -> str:
    return tr("{folder} is an overlay in memory").format(folder=folder)


def no_game_yet(room: str) -> str:
    """There is no ledger yet; `room` as by `free`."""
    return tr("no games yet, {room}").format(room=room)


def sound(entries: int, pictures: int, room: str) -> str:
    """The ledger is as it was written; `room` as by `free`."""
    return tr("{entries} entries and {pictures} pictures are sound, {room}").format(
        entries=entries, pictures=pictures, room=room
    )


def temperature(celsius: float, zone: str, limit: float) -> str:
    return tr("{celsius:.0f} °C in {zone}; it slows down at {limit:.0f} °C").format(
        celsius=celsius, zone=zone, limit=limit
    )


def slowed_now(bits: int) -> str:
    return tr("slowed down now (0x{bits:x})").format(bits=bits)


def slowed_before(bits: int) -> str:
    return tr("slowed down at some point since power-on (0x{bits:x}), but not now").format(bits=bits)


def never_slowed(bits: int) -> str:
    return tr("never slowed down since power-on (0x{bits:x})").format(bits=bits)


def low_voltage(by: str) -> str:
    return tr("under-voltage, reported by {by}").format(by=by)


def low_voltage_before(bits: int) -> str:
    return tr("under-voltage at some point since power-on (0x{bits:x}), but not now").format(bits=bits)


def enough_voltage(by: str) -> str:
    return tr("no under-voltage, reported by {by}").format(by=by)


def within(figure: float, unit: str, subject: str, budget: float) -> str:
    return tr("{figure:.3g} {unit} {what}, within the budget of {budget:g} {unit}").format(
        figure=figure, unit=unit, what=subject, budget=budget
    )


def over(figure: float, unit: str, subject: str, budget: float) -> str:
    return tr("{figure:.3g} {unit} {what}, over the budget of {budget:g} {unit}").format(
        figure=figure, unit=unit, what=subject, budget=budget
    )


def to_read(dice: int) -> str:
    return ntr("to read a frame with {dice} die", "to read a frame with {dice} dice", dice).format(dice=dice)


def to_follow(rate: int) -> str:
    return tr("to follow dice into a frame, {rate} frames/s at most").format(rate=rate)


def idle(rate: int) -> str:
    return tr("of a core while idle at {rate} frames/s").format(rate=rate)


def budgets_met(count: int) -> str:
    return tr("all {count} figures are within budget").format(count=count)


def budgets_not_met(some: int, count: int, parts: str) -> str:
    return tr("{some} of {count} figures are over budget: {parts}").format(
        some=some, count=count, parts=parts
    )


def hold(control: str) -> str:
    return tr("hold {control} down").format(control=control)


def release(control: str) -> str:
    return tr("release {control}").format(control=control)


def skipped(lacks: str) -> str:
    return tr("skipped: it needs {lacks}").format(lacks=lacks)


def events_go_to(hosts: str) -> str:
    return tr("events go to {hosts}").format(hosts=hosts)


def takes_connections(port: int) -> str:
    return tr("accepts connections on port {port}").format(port=port)


def takes_encrypted_connections(port: int) -> str:
    return tr("accepts connections on port {port}, encrypted").format(port=port)
