"""The section [panel]: the panel's driver, and how each button and lamp is wired, with the rules for that.

Controls and lamps are named as in hardware/ports.py. `seat1.ok = "gpio:17"` may be written with or without
quotes around the name: both mean the same.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from dicetable.config.sections import CHOSEN, ON_PAGE, FilePath, Section
from hardware.ports import CONTROLS, LAMPS, SEATS, WHOLE_BOARD, Wiring

KEYS = ("minus", "plus", "ok")
HEADER_PINS = range(2, 28)
"""The pins of the Raspberry Pi's header that may be used."""
RESERVED_PINS = {0: "the identification of add-on boards", 1: "the identification of add-on boards"}
LINK_NUMBERS = {"controls": len(CONTROLS), "lamps": len(LAMPS)}
FIRST_FREE = {"gpio": "gpio:17", "link": "link:3"}
NO_SCREEN = "a panel of pins has no display, so players can't read what the table says: set panel.screen"
PinMistake = tuple[str, str, str]
"""The place within the section, what is wrong, and a correct example."""


def flat(value: Any) -> Any:
    """Names with dots, whether TOML parsed them as nested tables or not."""
    if not isinstance(value, Mapping):
        return value
    spelled: dict[str, Any] = {}
    for name, inner in value.items():
        if isinstance(inner, Mapping):
            spelled |= {f"{name}.{key}": deep for key, deep in inner.items()}
        else:
            spelled[str(name)] = inner
    return spelled


Names = Annotated[Mapping[str, str], BeforeValidator(flat)]


class AnyPanel(Section):
    """Settings that all panels have."""

    screen: FilePath | None = Field(default=None, examples=["/dev/tty1"])
    """A terminal that also shows the panel's text; /dev/tty1 is a monitor at the HDMI socket. A panel of pins
    has no other display."""


class Wired(AnyPanel):
    """A panel whose controls and lamps each have a number."""

    KIND: ClassVar[str]
    controls: Names
    lamps: Names

    @property
    def wiring(self) -> Wiring:
        controls, lamps = (
            {name: int(number.partition(":")[2]) for name, number in numbers.items()}
            for numbers in (self.controls, self.lamps)
        )
        return Wiring(controls, lamps)

    @staticmethod
    def seats(controls: Any) -> set[str]:
        """The seats that a map of controls names, such as `seat1`."""
        written = flat(controls)
        names = written if isinstance(written, Mapping) else {}
        return {name.partition(".")[0] for name in names if name.startswith("seat")}

    @model_validator(mode="after")
    def possible(self) -> Wired:
        if faults := pin_faults(self.KIND, self.controls, self.lamps):
            raise PydanticCustomError("impossible_map", "impossible", {"faults": faults})
        return self


class SerialPanelSection(Wired):
    """A board on a serial line (docs/panel-link.md): up to eight seats, coloured lamps, a display."""

    KIND = "link"
    driver: Literal["serial"] = Field(json_schema_extra=CHOSEN)
    device: FilePath = Field(
        examples=["/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0"], json_schema_extra=CHOSEN
    )
    """The board's path, preferably one from `ls /dev/serial/by-id`, which survives replugging."""
    board_id: str = Field(default="dicetable-25x9", min_length=1, max_length=16, examples=["dicetable-25x9"])
    """The id that the board must report."""
    controls: Names = Field(default={name: f"link:{n}" for name, n in WHOLE_BOARD.controls.items()})
    """The board's input for each control; leave it out for the project's own board."""
    lamps: Names = Field(default={name: f"link:{n}" for name, n in WHOLE_BOARD.lamps.items()})
    """The board's lamp number for each lamp; leave it out for the project's own board."""


class PinsSection(Wired):
    """Buttons and one-colour lamps on a Raspberry Pi's pins; a screen shows the text.

    It uses Debian's python3-rpi-lgpio, on every Raspberry Pi. RPi.GPIO itself works up to the Pi 4 and before
    Linux 6.6. Pulsing lamps fade in and out.
    """

    KIND = "gpio"
    driver: Literal["rpi"] = Field(json_schema_extra=CHOSEN)
    controls: Names = Field(examples=[{"seat1.ok": "gpio:13"}])
    """The pin of each control: minus, plus and ok of each seat, and table.menu."""
    lamps: Names = Field(default={})
    """The pin of each lamp."""
    buttons: Literal["to_ground", "to_3v3"] = Field(
        default="to_ground", examples=["to_ground"], json_schema_extra=ON_PAGE
    )
    """Where a pressed button connects its pin; the Pi pulls the pin the other way."""
    lamps_lit: Literal["high", "low"] = Field(default="high", examples=["high"], json_schema_extra=ON_PAGE)
    """The level of the pin at which a lamp is lit."""
    bounce_ms: float = Field(default=5.0, ge=1, le=50, examples=[5.0], json_schema_extra=ON_PAGE)
    """Debounce time: a press counts after this time."""

    @property
    def note(self) -> str:
        """Says what is missing although the config is valid; empty if nothing is."""
        return "" if self.screen else NO_SCREEN


class KeyboardPanel(AnyPanel):
    """The terminal that the service was started from: typed lines are button presses."""

    driver: Literal["keyboard"] = Field(json_schema_extra=CHOSEN)


class SimulatedPanelSection(AnyPanel):
    """The panel of the simulated table."""

    driver: Literal["simulated"] = Field(json_schema_extra=CHOSEN)


class WebPanelSection(AnyPanel):
    """Each seat chooses on a phone, or all on one tablet: no soldering.

    It needs [web] and the gateway; docs/screen.md says how seats are claimed.
    """

    driver: Literal["web"] = Field(json_schema_extra=CHOSEN)


PanelSection = Annotated[
    SerialPanelSection | PinsSection | KeyboardPanel | SimulatedPanelSection | WebPanelSection,
    Field(discriminator="driver"),
]
WIRED: dict[str, type[Wired]] = {"serial": SerialPanelSection, "rpi": PinsSection}


def map_faults(panel: Any) -> list[PinMistake]:
    """The faults in the pin map of a [panel] as it was read, even if other parts of it are wrong too."""
    driver = panel.get("driver") if isinstance(panel, Mapping) else None
    kind = WIRED.get(driver) if isinstance(driver, str) else None
    if kind is None:
        return []
    maps = []
    for part in ("controls", "lamps"):
        default = kind.model_fields[part].get_default()
        numbers = flat(panel.get(part, default if isinstance(default, Mapping) else {}))
        maps.append(numbers if isinstance(numbers, Mapping) else {})
    return pin_faults(kind.KIND, *maps)


def pin_faults(kind: str, controls: Mapping[str, Any], lamps: Mapping[str, Any]) -> list[PinMistake]:
    """All faults of a panel's two maps; kind is `gpio` or `link`."""
    maps = {"controls": controls, "lamps": lamps}
    faults = [fault for part, written in maps.items() for fault in wrong_entries(kind, part, written)]
    return faults + taken_twice(kind, maps) + incomplete(kind, maps)


def free(kind: str, part: str, maps: Mapping[str, Mapping[str, Any]], name: str) -> str:
    """How to wire `name` with a number that is still free, as an example."""
    places = maps.values() if kind == "gpio" else [maps[part]]
    taken = {str(value) for written in places for value in written.values()}
    numbers = HEADER_PINS if kind == "gpio" else range(LINK_NUMBERS[part])
    left = [f"{kind}:{number}" for number in numbers if f"{kind}:{number}" not in taken]
    return f'{name} = "{left[0]}"' if left else "fewer seats: no number is free"


def wrong_entries(kind: str, part: str, written: Mapping[str, Any]) -> list[PinMistake]:
    """Unknown names, and values that are not valid numbers."""
    names = CONTROLS if part == "controls" else LAMPS
    faults: list[PinMistake] = []
    for name, value in written.items():
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            singular = "control" if part == "controls" else "lamp"
            why = f"there is no such {singular}"
            faults.append((f"{part}.{name}", why, f'{near[0] if near else names[0]} = "{FIRST_FREE[kind]}"'))
        elif reason := bad_number(kind, part, value):
            faults.append((f"{part}.{name}", reason, f'{name} = "{FIRST_FREE[kind]}"'))
    return faults


def bad_number(kind: str, part: str, value: Any) -> str | None:
    """Says what is wrong with a pin or link number; None if it is valid."""
    match = re.fullmatch(r"(gpio|link):([0-9]{1,3})", value) if isinstance(value, str) else None
    if match is None:
        return f"{value!r} is not a {'pin' if kind == 'gpio' else 'number on the link'}"[:120]
    if match[1] != kind:
        return f"{value}: this driver has no {match[1]} numbers"
    number = int(match[2])
    if kind == "gpio" and number in RESERVED_PINS:
        return f"{value} is reserved for {RESERVED_PINS[number]}"
    if kind == "gpio" and number not in HEADER_PINS:
        return f"{value}: the header has gpio:{HEADER_PINS[0]} to gpio:{HEADER_PINS[-1]}"
    if kind == "link" and number >= LINK_NUMBERS[part]:
        return f"{value}: the board has {part} link:0 to link:{LINK_NUMBERS[part] - 1}"
    return None


def taken_twice(kind: str, maps: Mapping[str, Mapping[str, Any]]) -> list[PinMistake]:
    """Numbers that are used twice; controls and lamps share the pins, but not the link's numbers."""
    faults: list[PinMistake] = []
    taken: dict[tuple[str, str], str] = {}
    for part, written in maps.items():
        for name, value in written.items():
            place = ("" if kind == "gpio" else part, str(value))
            if place in taken:
                why = f"{value} is already taken by {taken[place]}"
                faults.append((f"{part}.{name}", why, free(kind, part, maps, name)))
            else:
                taken[place] = f"{part}.{name}"
    return faults


def incomplete(kind: str, maps: Mapping[str, Mapping[str, Any]]) -> list[PinMistake]:
    """Seats that lack a button, and a table without its menu."""
    controls = maps["controls"]
    faults: list[PinMistake] = []
    for seat in range(1, SEATS + 1):
        has = [key for key in KEYS if f"seat{seat}.{key}" in controls]
        if has and len(has) < len(KEYS):
            missing = next(key for key in KEYS if key not in has)
            name = f"seat{seat}.{missing}"
            why = "is missing: a seat has minus, plus and ok"
            faults.append((f"controls.{name}", why, free(kind, "controls", maps, name)))
    if not any(name.startswith("seat") for name in controls):
        faults.append(("controls", "no seat has controls", "seat1.minus, seat1.plus and seat1.ok"))
    if "table.menu" not in controls:
        why = "is missing: without it players can't open the menu"
        faults.append(("controls.table.menu", why, free(kind, "controls", maps, "table.menu")))
    return faults
