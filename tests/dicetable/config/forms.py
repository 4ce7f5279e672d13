"""Forms of the operator page, honest and hostile."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.gateway.serving import ROOT
from tests.zygote import run

if TYPE_CHECKING:
    from pathlib import Path


TEXT = """# My table
[camera]
driver = "usb"
device = "/dev/video0"
exposure_ms = 8.0   # short

[panel]
driver = "simulated"

[table]
seats = 2
names = ["Ann", "Bob"]

[web]
operator_passphrase = "{secret}"
"""


WHOLE = """
[mqtt]
host = "broker.example"
username = "table"
password_file = "/etc/dicetable/mqtt"

[metrics]

[webhooks]
allow = ["hooks.example"]
secret_file = "/etc/dicetable/secret"

# to = the old one was https://hooks.example/OLD-TOKEN
[[webhooks.to]]
url = "https://hooks.example/TOKEN-IN-THE-PATH"
body = "TOKEN-IN-THE-BODY"

[league]
server = "https://league.example"
"""


HOSTILE: dict[str, Any] = {
    "mqtt.host": "203.0.113.7", "mqtt.port": 1883, "mqtt.tls": False, "mqtt.username": "x",
    "mqtt.commands": True, "mqtt.topic": "other", "mqtt.discovery": "other",
    "mqtt.password_file": "/etc/shadow", "mqtt.ca_file": None, "metrics.allow": ["0.0.0.0/0"],
    "webhooks.allow": ["203.0.113.7"], "webhooks.secret_file": "/etc/shadow",
    "webhooks.to": [{"url": "http://203.0.113.7/"}], "web.hosts": ["evil.example"],
    "web.listen": "0.0.0.0:8080", "web.proxied": True, "web.operator_plain_http": True,
    "web.operator_passphrase": None, "web.tls_cert": None, "web.tls_key": None,
    "league.server": "http://203.0.113.7", "ledger.folder": "/", "eye.models": "/tmp", "camera.driver": "pi",
}  # fmt: skip


def asked(file: Path, what: str, line: bytes) -> dict[str, Any]:
    done = run("-m", "dicetable.config.form", what, file, cwd=ROOT, typed=line)
    assert done.returncode == 0
    found: dict[str, Any] = json.loads(done.stdout)
    return found
