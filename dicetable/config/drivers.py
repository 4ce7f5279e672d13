"""Makes cameras and panels from their settings. Each driver is imported only when it is used."""

import logging
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from common import files
from common.camera_socket import FrameDoor
from dicetable.config import camera as cameras
from dicetable.config import panel as panels
from dicetable.config.camera import CameraOfDevice, CameraSection
from dicetable.config.panel import PanelSection
from hardware.ports import SEATS, Camera, Clock, Panel
from hardware.web_panel import WebPanel

PHONES: Final = "phones.json"
"""The file beside the ledger that maps phones to seats, as hashes of their tokens."""
MOST_PHONES_BYTES: Final = 64 * 1024

log = logging.getLogger(__name__)


def camera_of(
    section: CameraSection, clock: Clock, frames: Path | None = None, door: FrameDoor | None = None
) -> Camera:
    """The camera of the section [camera].

    `frames` is where a simulated table shares its frames; without it a simulated camera has its own tray.
    `door` is where a phone's frames come in; without it there are none.
    """
    match section:
        case cameras.UsbCamera():
            from hardware.usb_camera import UsbSettings, usb_camera

            return usb_camera(section.device, UsbSettings(**settings_of(section)), clock)
        case cameras.PiCamera():
            from hardware.pi_camera import PiSettings, pi_camera

            left, top, width, height = section.crop
            crop = {"crop": (left, top, width, height)}
            return pi_camera(section.number, PiSettings(**settings_of(section) | crop), clock)
        case cameras.FolderOfPhotographs():
            from hardware.photograph import FolderCamera

            return FolderCamera(section.folder, clock)
        case cameras.VideoFile():
            from hardware.recordings import VideoCamera

            return VideoCamera(section.file, clock)
        case cameras.PhoneCamera():
            from hardware.phone_camera import NO_DOOR, phone_camera

            return phone_camera(door or NO_DOOR, clock)
        case cameras.SimulatedCameraSection() if frames is not None:
            from hardware.simulated.camera import SharedCamera

            return SharedCamera(frames, clock)
        case cameras.SimulatedCameraSection():
            from hardware.simulated.world import World

            return World(section.seed, clock).camera


def settings_of(section: CameraOfDevice) -> dict[str, Any]:
    """The settings for a camera's driver, without those that identify the camera."""
    settings = section.model_dump(exclude={"driver", "device", "number", "mains_hz"})
    return settings | {"exposure_ms": section.steady_exposure_ms}


def panel_of(section: PanelSection, clock: Clock, seats: int = SEATS, folder: Path | None = None) -> Panel:
    """The panel of the section [panel], with its screen.

    `seats` is the number of seats for phones. Claims are stored in `folder`, or not at all without it.
    """
    return with_screen(bare_panel_of(section, clock, seats, folder), section)


def bare_panel_of(section: PanelSection, clock: Clock, seats: int, folder: Path | None) -> Panel:
    match section:
        case panels.SerialPanelSection():
            from hardware.serial_panel import SerialPanel

            return SerialPanel(section.device, section.wiring, section.board_id)
        case panels.PinsSection():
            from hardware.gpio_panel import PinPanel
            from hardware.gpio_pins import PinSetup, RpiPins

            pulled_up, lit_high = section.buttons == "to_ground", section.lamps_lit == "high"
            setup = PinSetup(section.wiring, pulled_up, lit_high, section.bounce_ms / 1000)
            return PinPanel(RpiPins(setup))
        case panels.KeyboardPanel():
            from hardware.terminal_panel import TerminalPanel

            return TerminalPanel(sys.stdin.fileno(), sys.stdout, clock)
        case panels.SimulatedPanelSection():
            from hardware.simulated.panel import SimulatedPanel

            return SimulatedPanel(clock)
        case panels.WebPanelSection():
            return web_panel_of(clock, seats, folder)


def with_screen(panel: Panel, section: PanelSection) -> Panel:
    """The panel, which also shows its lines on the screen if one is set; pins have no other display."""
    from hardware.screen_panel import ScreenPanel

    if section.screen is None:
        return panel
    return ScreenPanel(panel, section.screen, only_display=isinstance(section, panels.PinsSection))


def web_panel_of(clock: Clock, seats: int, folder: Path | None) -> WebPanel:
    """Phones as the panel. If their claims cannot be stored, a warning is logged."""
    from hardware.web_panel import NO_CLAIMS, SeatClaims, WebPanel

    if folder is None:
        return WebPanel(clock, SeatClaims(seats))
    path = folder / PHONES

    def keep(data: bytes) -> None:
        try:
            files.atomic_write(path, data)
        except OSError as error:
            log.warning("phones=not_kept path=%s error=%r", path, str(error))

    try:
        stored = files.read_file(path, MOST_PHONES_BYTES)
    except FileNotFoundError:
        stored = NO_CLAIMS
    except OSError as error:
        log.warning("phones=not_read path=%s error=%r", path, str(error))
        stored = b""
    claims = SeatClaims(seats, stored, keep)
    if claims.damaged:
        aside = path.with_name(f"damaged-{path.name}")
        with suppress(OSError):
            path.replace(aside)
        log.warning("phones=damaged kept=%s phones must take their seats again", aside)
    return WebPanel(clock, claims)
