"""Checks of [mqtt], [metrics] and [webhooks] that involve more than one setting, or files.

`contradictions` checks the settings. `file_faults` checks the files that they name; only check-config and
the doctor use it, because a table must start without these files.
"""

from __future__ import annotations

import os
import ssl
import stat
from typing import TYPE_CHECKING

from dicetable.config.mistakes import Mistake
from dicetable.files import first_bytes
from dicetable.gateway.webhooks.address import allowed_as

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dicetable.config.metrics import MetricsSection
    from dicetable.config.mqtt import MqttSection
    from dicetable.config.web import WebSection
    from dicetable.config.webhooks import WebhooksSection

SHORTEST_SECRET_BYTES = 16
LONGEST_SECRET_BYTES = 1000
READABLE_BY_OTHERS = stat.S_IROTH | stat.S_IWOTH


def contradictions(
    web: WebSection | None,
    mqtt: MqttSection | None,
    metrics: MetricsSection | None,
    webhooks: WebhooksSection | None,
) -> Iterator[Mistake]:
    """Contradictory settings."""
    if metrics is not None and web is None:
        what = "/metrics is served at the address of [web], and there is no [web]"
        yield Mistake("metrics", what, '[web] with listen = "127.0.0.1:8080"')
    if mqtt is not None:
        yield from of_mqtt(mqtt)
    if webhooks is not None:
        yield from of_webhooks(webhooks)


def of_mqtt(mqtt: MqttSection) -> Iterator[Mistake]:
    """A password without a user, a certificate without TLS."""
    if mqtt.password_file is not None and mqtt.username is None:
        yield Mistake("mqtt.password_file", "there is no username to go with it", 'username = "dicetable"')
    if mqtt.ca_file is not None and not mqtt.tls:
        yield Mistake("mqtt.ca_file", "is of no use without tls", "tls = true")


def of_webhooks(webhooks: WebhooksSection) -> Iterator[Mistake]:
    """URLs whose host is not in `allow`."""
    for number, hook in enumerate(webhooks.to):
        host = allowed_as(hook.url)
        if host not in {allowed.lower() for allowed in webhooks.allow}:
            allow = ", ".join(f'"{name}"' for name in (*webhooks.allow, host))
            yield Mistake(f"webhooks.to.{number}.url", f"{host} is not in allow", f"allow = [{allow}]")


def file_faults(mqtt: MqttSection | None, webhooks: WebhooksSection | None) -> Iterator[Mistake]:
    """Faults of the files that the settings name."""
    if mqtt is not None and mqtt.password_file is not None:
        yield from secret_faults("mqtt.password_file", mqtt.password_file, 1)
    if mqtt is not None and mqtt.ca_file is not None:
        yield from certificate_faults("mqtt.ca_file", mqtt.ca_file)
    if webhooks is not None:
        yield from secret_faults("webhooks.secret_file", webhooks.secret_file, SHORTEST_SECRET_BYTES)


def secret_faults(where: str, path: Path, shortest: int) -> Iterator[Mistake]:
    """A secret file that is missing, readable by others, or too short or long."""
    try:
        mode = path.stat().st_mode
        data = first_bytes(path, LONGEST_SECRET_BYTES + 1) if stat.S_ISREG(mode) else b""
    except OSError as error:
        yield Mistake(where, f"{path}: {error.strerror}", "a file with the secret in its first line")
        return
    if mode & READABLE_BY_OTHERS:
        how = f"chown root:dicetable-web {path}; chmod 640 {path}"
        yield Mistake(where, f"{path} can be read or written by others", how)
    line = data.partition(b"\n")[0].strip()
    if not shortest <= len(line) <= LONGEST_SECRET_BYTES:
        what = f"the first line of {path} has {len(line)} bytes"
        yield Mistake(
            where, what, f"{shortest} to {LONGEST_SECRET_BYTES} bytes, for example from: openssl rand -hex 32"
        )


def certificate_faults(where: str, path: Path) -> Iterator[Mistake]:
    """A certificate file that is missing or invalid."""
    right = "the certificate (PEM) of the authority that signed the broker's"
    if not os.access(path, os.R_OK) or not path.is_file():
        yield Mistake(where, f"{path} is not a readable file", right)
        return
    try:
        ssl.create_default_context(cafile=str(path))
    except (ssl.SSLError, OSError):
        yield Mistake(where, f"{path} contains no certificate", right)
