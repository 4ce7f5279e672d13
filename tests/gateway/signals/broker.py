"""Debian's Mosquitto in a private folder on a free port, and a client that subscribes to it."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
from contextlib import asynccontextmanager, closing, suppress
from typing import TYPE_CHECKING

import aiomqtt
import pytest
import trustme

from tests.gateway.serving import HANGING_S, free_port, until

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

USER, PASSWORD = "dicetable", "open sesame"


def program(name: str) -> str:
    """Where it is; skips where there is none."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is None:
        pytest.skip(f"there is no {name}: apt install mosquitto")
    return found


class Broker:
    """One Mosquitto, which keeps nothing when it ends."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self.program = program("mosquitto")
        self.port = free_port()
        self.config = folder / "mosquitto.conf"
        self.log = folder / "mosquitto.log"
        lines = [f"listener {self.port} 127.0.0.1", "persistence false", "user root", *settings]
        self.config.write_text("\n".join(lines) + "\n")
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            command = [self.program, "-c", str(self.config)]
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        until(self.answers)

    def answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log.read_text()
        with suppress(OSError), closing(socket.create_connection(("127.0.0.1", self.port), 1.0)):
            return True
        return False

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(HANGING_S)
            self.process = None


def open_broker(folder: Path) -> Broker:
    """Whoever comes may come in."""
    return Broker(folder, "allow_anonymous true")


def closed_broker(folder: Path) -> Broker:
    """Only USER with PASSWORD may come in."""
    passwords = folder / "passwords"
    subprocess.run(
        [program("mosquitto_passwd"), "-b", "-c", str(passwords), USER, PASSWORD],
        check=True,
        timeout=HANGING_S,
    )
    return Broker(folder, "allow_anonymous false", f"password_file {passwords}")


def tls_broker(folder: Path, name: str = "127.0.0.1") -> tuple[Broker, trustme.CA]:
    """It talks TLS alone, with a certificate for `name` that the authority which is returned has signed."""
    authority = trustme.CA()
    certificate = authority.issue_cert(name)
    certificate.cert_chain_pems[0].write_to_path(str(folder / "cert.pem"))
    certificate.private_key_pem.write_to_path(str(folder / "key.pem"))
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    settings = (f"certfile {folder / 'cert.pem'}", f"keyfile {folder / 'key.pem'}", "allow_anonymous true")
    return Broker(folder, *settings), authority


class Home:
    """Listens to all topics, as a home does: `retained` is told to a newcomer, `heard` came since."""

    def __init__(self) -> None:
        self.retained: dict[str, str] = {}
        self.heard: list[tuple[str, str]] = []

    async def listen(self, client: aiomqtt.Client) -> None:
        await client.subscribe("#", qos=1)
        async for message in client.messages:
            assert isinstance(message.payload, bytes)
            topic, text = message.topic.value, message.payload.decode(errors="replace")
            if message.retain:
                self.retained[topic] = text
            else:
                self.heard.append((topic, text))

    def newest(self, topic: str) -> str | None:
        """What this topic said last."""
        return next(
            (text for heard, text in reversed(self.heard) if heard == topic), self.retained.get(topic)
        )


@asynccontextmanager
async def at_home(
    port: int, *, user: bool = False, context: ssl.SSLContext | None = None
) -> AsyncIterator[Home]:
    """Somebody who listens until the end of the block."""
    home = Home()
    name, word = (USER, PASSWORD) if user else (None, None)
    made = aiomqtt.Client("127.0.0.1", port, username=name, password=word, tls_context=context)
    async with made as client:
        listening = asyncio.create_task(home.listen(client))
        try:
            yield home
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError, aiomqtt.MqttError):
                await listening


async def soon(what: Callable[[], bool], turn: Callable[[], None] | None = None) -> None:
    """Waits until it is so; `turn` is called meanwhile. Fails if that never comes."""
    async with asyncio.timeout(HANGING_S):
        while not what():
            if turn is not None:
                turn()
            await asyncio.sleep(0.005)
