"""`--camera phone`: the sockets and the gateway of a game under a phone's camera, and the code for it."""

import os
import secrets
import sys
import time
from dataclasses import replace
from typing import Final

from common import texts
from common.camera_socket import FrameDoor
from common.local_sockets import ForeignSocketError
from dicetable.commands.gateway import camera_lines, show_code
from dicetable.commands.usage import CommandError
from dicetable.config.camera import PhoneCamera
from dicetable.config.gateway import WebSection, address
from dicetable.service.sockets import PolledSockets, installed, own_folder, settings_of
from hardware.phone_camera import phone_camera
from hardware.ports import Clock

LISTEN: Final = "0.0.0.0:8080"
"""Where phones find the page that leads to the camera's."""
SECURE: Final = "0.0.0.0:8443"
"""Where they find the camera's page."""
CODE_BYTES: Final = 9
"""Randomness in the code of the first page: enough that no one guesses it, and short enough to type."""
STARTING_S: Final = 30.0
RETRY_S: Final = 0.2


class PhoneTable:
    """What a phone as the camera needs beside a game at a terminal, for as long as the game lasts."""

    def __init__(self, command: str, clock: Clock, games: str) -> None:
        """Opens the sockets and starts the gateway, which knows the folder `games`. Raises CommandError."""
        if not installed():
            raise CommandError(texts.gateway.NOT_INSTALLED)
        self.command = command
        self.web = WebSection(listen=LISTEN, records="off")
        self.section = PhoneCamera(driver="phone", listen=SECURE)
        try:
            self.sockets = PolledSockets(self.web, os.environ, needed=True, camera=True)
        except OSError as error:
            reason = f"{error.filename or ''} {error.strerror}".strip()
            raise CommandError(f"dicetable {command}: --camera phone: {reason}") from None
        if self.sockets.door is None:
            raise ValueError("no socket for the camera")
        self.camera = phone_camera(FrameDoor(self.sockets.door), clock)
        settings = settings_of(self.web, os.environ, camera=self.section)
        self.first_code = secrets.token_urlsafe(CODE_BYTES)
        settings = replace(settings, games=games, first_code=self.first_code)
        self.sockets.start_gateway(settings, quiet=True)

    def show_code(self) -> None:
        """Shows the code for the phone. Raises CommandError if the gateway does not start."""
        scanned, lines = camera_lines(self.answer())
        show_code(scanned, [*lines, texts.phone_camera.WAITING], sys.stderr)

    def answer(self) -> str:
        """The gateway's address for the phone, once it has started. Raises CommandError if it does not."""
        from gateway.displays import SOCKET_NAME, ask_gateway

        end_s = time.monotonic() + STARTING_S
        gateway = self.sockets.gateway
        while time.monotonic() < end_s and gateway is not None and gateway.poll() is None:
            try:
                return ask_gateway(own_folder(os.environ) / SOCKET_NAME, {"camera": ""})
            except ForeignSocketError as error:
                raise CommandError(texts.operator.foreign_socket(str(error.place))) from None
            except OSError:
                time.sleep(RETRY_S)
        ports = address(self.web.listen)[1], address(self.section.listen)[1]
        why = texts.phone_camera.did_not_start(*ports)
        raise CommandError(f"dicetable {self.command}: --camera phone: {why}")

    def wait_for_picture(self) -> None:
        """Returns with the first picture; Ctrl-C ends the wait."""
        self.camera.start()
        while self.camera.frame(1.0) is None:
            continue

    def close(self) -> None:
        self.camera.stop()
        self.sockets.close()
