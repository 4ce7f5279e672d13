"""Runs the gateway: one socket, one application, until SIGTERM."""

from __future__ import annotations

import asyncio
import logging
import signal
import ssl
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dicetable import texts
from dicetable.gateway.app import application
from dicetable.gateway.link import TableLink
from dicetable.gateway.signals import Signalling
from dicetable.network import log_lines
from dicetable.network.connections import Listener
from dicetable.network.serving import run

if TYPE_CHECKING:
    from dicetable.gateway.settings import GatewaySettings

MOST_CONNECTIONS: Final = 400
FAREWELL_S: Final = 1


def serve(settings: GatewaySettings) -> int:
    """Serves until it is stopped; 1 if the address or the certificate cannot be used."""
    host, port = settings.host, settings.port
    log_lines.set_up()
    if sys.stdout.isatty():
        logging.getLogger().setLevel(logging.WARNING)
    if not port:
        return asyncio.run(without_pages(settings))
    try:
        listening = Listener(host, port, MOST_CONNECTIONS)
    except OSError as error:
        sys.stderr.write(f"{texts.web.cannot_listen(host, port, error.strerror or str(error))}\n")
        return 1
    if settings.tls_cert and (why := unusable(settings)):
        listening.close()
        sys.stderr.write(f"{texts.web.cannot_encrypt(settings.tls_cert, settings.tls_key, why)}\n")
        return 1
    where = texts.web.serving(host, port, tls=bool(settings.tls_cert))
    sys.stdout.write(framed(where) if sys.stdout.isatty() else f"{where}\n")
    sys.stdout.flush()
    own = application(TableLink(Path(settings.state)), settings)
    tls = {"ssl_certfile": settings.tls_cert or None, "ssl_keyfile": settings.tls_key or None}
    run(own, listening, FAREWELL_S, **tls)
    return 0


def framed(text: str) -> str:
    """The text in a bold frame, so that people at a terminal find it among other lines."""
    rule = "━" * (len(text) + 6)
    return f"\n\x1b[1m┏{rule}┓\n┃   {text}   ┃\n┗{rule}┛\x1b[0m\n\n"


async def without_pages(settings: GatewaySettings) -> int:
    """Tells whom the settings name what the table does, until SIGTERM; 0."""
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    link = TableLink(Path(settings.state))
    signalling = Signalling(link, settings.signals, link, lambda _: None)
    running = [asyncio.create_task(each.run()) for each in (link, signalling)]
    await ended.wait()
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    return 0


def unusable(settings: GatewaySettings) -> str:
    """Why the certificate and its key cannot be used; empty if they can."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(settings.tls_cert, settings.tls_key)
    except OSError as error:  # SSLError is one
        return error.strerror or str(error)
    return ""
