"""The table [panel]: which driver has the buttons and lamps, and where each of them is wired."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from dicetable.config import pin_map
from dicetable.config.section import FilePath, Section
from hardware.wiring import WHOLE_BOARD, Wiring

Names = Annotated[Mapping[str, str], BeforeValidator(pin_map.flat)]


NO_SCREEN = "pins have no display: nobody sees what the table says; name a screen in panel.screen"


class AnyPanel(Section):
    """What every panel can have."""

    screen: FilePath | None = Field(default=None, examples=["/dev/tty1"])
    """A terminal that also shows what the table says; /dev/tty1 is a monitor at the HDMI socket. Pins have no
    other display."""


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
        """Refuses a map that cannot be."""
        if faults := pin_map.faults(self.KIND, self.controls, self.lamps):
            raise PydanticCustomError("impossible_map", "impossible", {"faults": faults})
        return self


class SerialPanel(Wired):
    """The panel's board on a serial line, as in docs/panel-link.md: up to eight seats, colours, a display."""

    KIND = "link"
    driver: Literal["serial"]
    device: FilePath = Field(examples=["/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0"])
    """The board's path, best one of `ls /dev/serial/by-id`: it stays the same when the board is replugged."""
    board_id: str = Field(default="dicetable-25x9", min_length=1, max_length=16, examples=["dicetable-25x9"])
    """What the board must call itself."""
    controls: Names = Field(default={name: f"link:{n}" for name, n in WHOLE_BOARD.controls.items()})
    """Which input of the board each control is; leave it out for the project's own board."""
    lamps: Names = Field(default={name: f"link:{n}" for name, n in WHOLE_BOARD.lamps.items()})
    """Which lamp of the board each lamp is; leave it out for the project's own board."""


class Pins(Wired):
    """Buttons and one-colour lamps on a Raspberry Pi's pins; a screen beside them has the text."""

    KIND = "gpio"
    controls: Names = Field(examples=[{"seat1.ok": "gpio:13"}])
    """The pin of each control: minus, plus and ok of each seat, and table.menu."""
    lamps: Names = Field(default={})
    """The pin of each lamp that there is."""
    buttons: Literal["to_ground", "to_3v3"] = Field(default="to_ground", examples=["to_ground"])
    """Where a pressed button connects its pin; the pin is pulled the other way inside the Pi."""
    lamps_lit: Literal["high", "low"] = Field(default="high", examples=["high"])
    """The level at which a lamp shines."""
    bounce_ms: float = Field(default=5.0, ge=1, le=50, examples=[5.0])
    """A button must hold so long before it counts."""

    @property
    def note(self) -> str:
        """What is lacking, though nothing is wrong; empty if nothing is."""
        return "" if self.screen else NO_SCREEN


class RpiPins(Pins):
    """Pins by the RPi.GPIO interface of Debian's python3-rpi-lgpio, on every Raspberry Pi.

    RPi.GPIO itself works up to the Pi 4; with Linux 6.6 or newer it has no edges, and the buttons are polled.
    Pulsing lamps swell and fade.
    """

    driver: Literal["rpi"]


class GpiodPins(Pins):
    """Pins by the kernel's GPIO character device (libgpiod 2), which has no dimming: pulsing lamps flash."""

    driver: Literal["gpiod"]
    chip: str | None = Field(default=None, min_length=1, max_length=64, examples=["pinctrl-rp1"])
    """The label of the chip with the pins; leave it out on a Raspberry Pi: its header is found by itself."""


class KeyboardPanel(AnyPanel):
    """The terminal that the service was started from: typed lines are presses."""

    driver: Literal["keyboard"]


class SimulatedPanel(AnyPanel):
    """The panel of the simulated table."""

    driver: Literal["simulated"]


class WebPanel(AnyPanel):
    """Phones, or one tablet, as the seats' buttons, lamps and display: nothing is soldered.

    It needs [web] and the gateway; docs/screen.md says how seats are claimed.
    """

    driver: Literal["web"]


PanelSection = Annotated[
    SerialPanel | RpiPins | GpiodPins | KeyboardPanel | SimulatedPanel | WebPanel,
    Field(discriminator="driver"),
]

WIRED: dict[str, type[Wired]] = {"serial": SerialPanel, "rpi": RpiPins, "gpiod": GpiodPins}


def map_faults(panel: Any) -> list[pin_map.Fault]:
    """What is wrong with the pin map in a [panel] as it was read, though other parts of it be wrong too."""
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
