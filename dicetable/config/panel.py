"""The section [panel]: the panel's driver, and how each button and lamp is wired."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from dicetable.config import pin_map
from dicetable.config.section import CHOSEN, ON_PAGE, FilePath, Section
from hardware.ports import WHOLE_BOARD, Wiring

Names = Annotated[Mapping[str, str], BeforeValidator(pin_map.flat)]


NO_SCREEN = (
    "a panel of pins has no display, so nobody sees what the table says: name a screen in panel.screen"
)


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
        """The numbers by name."""
        return Wiring(pin_map.numbers(self.controls), pin_map.numbers(self.lamps))

    @staticmethod
    def seats(controls: Any) -> set[str]:
        """The seats that a map of controls names, such as `seat1`."""
        written = pin_map.flat(controls)
        names = written if isinstance(written, Mapping) else {}
        return {name.partition(".")[0] for name in names if name.startswith("seat")}

    @model_validator(mode="after")
    def possible(self) -> Wired:
        """Rejects an impossible map."""
        if faults := pin_map.faults(self.KIND, self.controls, self.lamps):
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

    It uses Debian's python3-rpi-lgpio, on every Raspberry Pi. RPi.GPIO itself works up to the Pi 4; on Linux
    6.6 or newer it detects no edges, and buttons are polled. Pulsing lamps fade in and out.
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
        """What is missing although the config is valid; empty if nothing is."""
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

WIRED: dict[str, type[Wired]] = {
    "serial": SerialPanelSection,
    "rpi": PinsSection,
}


def map_faults(panel: Any) -> list[pin_map.PinMistake]:
    """The faults in the pin map of a [panel] as it was read, even if other parts of it are wrong too."""
    driver = panel.get("driver") if isinstance(panel, Mapping) else None
    kind = WIRED.get(driver) if isinstance(driver, str) else None
    if kind is None:
        return []
    maps = []
    for what in ("controls", "lamps"):
        default = kind.model_fields[what].get_default()
        given = pin_map.flat(panel.get(what, default if isinstance(default, Mapping) else {}))
        maps.append(given if isinstance(given, Mapping) else {})
    return pin_map.faults(kind.KIND, *maps)
