"""The gateway's sections: [web], [screen], [mqtt], [metrics], [webhooks] and [league].

`contradictions` checks settings that depend on each other. `file_faults` checks the files that they name;
only check-config and the doctor use it, because a table must start without these files.
"""

from __future__ import annotations

import ipaddress
import os
import re
import ssl
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from common.files import first_bytes
from common.network import DEFAULT_PORTS, SEAT_FIELD, WEBHOOK_FIELD, allowed_as, webhook_url
from common.sound_folder import RIGHT, sounds_in
from dicetable.config.mistakes import Mistake
from dicetable.config.sections import ON_PAGE, SECRET, FilePath, Name, Section

LISTEN = re.compile(r"^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([0-9A-Fa-f:.]{2,45})\]):(\d{1,5})$")
SCRYPT = r"^scrypt\$\d{1,8}\$\d{1,3}\$\d{1,3}\$[A-Za-z0-9_-]{16,86}\$[A-Za-z0-9_-]{32,86}$"
HOST_NAME = r"^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$"
ORIGIN = re.compile(
    r"(https?)://([a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::(\d{1,5}))?/?"
)
GROUND = (0x10, 0x14, 0x1B)
"""The colour of the pages behind everything."""
COLOUR: Final = re.compile(r"#[0-9A-Fa-f]{6}")
LEAST_CONTRAST = 7.0
QUIET = r"^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$"
BROKER = r"^[A-Za-z0-9]([A-Za-z0-9._:-]{0,252}[A-Za-z0-9])?$"
"""A name, an IPv4 or an IPv6 address."""
SEGMENT = r"^[A-Za-z0-9_-]{1,64}$"
PREFIX = r"^[A-Za-z0-9_-]{1,64}(/[A-Za-z0-9_-]{1,64}){0,4}$"
PLAIN_PORT, TLS_PORT = 1883, 8883
ALLOWED = r"^([A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$"
EventName = Literal["throw", "turn", "bust", "rack", "game_over"]
EVENTS: tuple[EventName, ...] = ("throw", "turn", "bust", "rack", "game_over")
MOST_UNNAMED: Final = 100
SHORTEST_SECRET_BYTES = 16
LONGEST_SECRET_BYTES = 1000
READABLE_BY_OTHERS = stat.S_IROTH | stat.S_IWOTH


def address(listen: str) -> tuple[str, int]:
    """The address and the port in `listen`; ValueError if it is invalid."""
    match = LISTEN.match(listen)
    if match is None:
        raise ValueError(f"{listen!r} is not an address with a port")
    host, port = match[1] or match[2], int(match[3])
    ipaddress.ip_address(host)
    if not 1 <= port <= 65535:
        raise ValueError(f"{port} is not a port")
    return host, port


def checked_listen(listen: str) -> str:
    try:
        address(listen)
    except ValueError:
        raise PydanticCustomError("listen", "must be an IP address and a port") from None
    return listen


def checked_origin(origin: str) -> str:
    """The origin as browsers write it: in small letters, without the port that its scheme has anyway."""
    match = ORIGIN.fullmatch(origin.lower())
    if match is None:
        raise PydanticCustomError("origin", "must be an origin such as https://dice.example.org")
    scheme, host, port = match.groups()
    own = port is None or int(port) == DEFAULT_PORTS[scheme]
    return f"{scheme}://{host}" if own else f"{scheme}://{host}:{port}"


class WebSection(Section):
    """The pages that `dicetable gateway` serves ([the web pages](screen.md))."""

    listen: Annotated[str, AfterValidator(checked_listen)] = Field(
        default="127.0.0.1:8080", examples=["0.0.0.0:8080"]
    )
    """Address and port: `127.0.0.1:8080` for this machine only, `0.0.0.0:8080` for the whole network."""
    hosts: list[Annotated[str, Field(pattern=HOST_NAME)]] = Field(
        default=[], max_length=20, examples=[["dice.example.org"]]
    )
    """Host names that browsers may use, in addition to the machine's own names and addresses."""
    origins: list[Annotated[str, AfterValidator(checked_origin)]] = Field(
        default=[], max_length=20, examples=[["https://dice.example.org"]]
    )
    """Other web pages that may read `/roll` and `/overlay` ([rolls for streams](signals.md#rolls)), by their
    origin; none may without it."""
    odds: bool = Field(default=True, examples=[False], json_schema_extra=ON_PAGE)
    """Whether phones and television show exact odds, from what everyone can see."""
    records: Literal["names", "numbers", "off"] = Field(default="names", examples=["numbers"])
    """What guests may look up: `names` shows the dice and each player's wins, luck and records; `numbers`
    shows numbers in place of names; `off` shows nothing."""
    unnamed: list[Name] = Field(
        default=[], max_length=MOST_UNNAMED, examples=[["Ann"]], json_schema_extra=ON_PAGE
    )
    """Players whom the records show by a number in place of the name. The ledger keeps their games and names
    as they are."""
    tls_cert: FilePath | None = Field(default=None, examples=["/etc/dicetable/web.pem"])
    """The certificate (PEM) for TLS on all pages; the user `dicetable-web` must be able to read it."""
    tls_key: FilePath | None = Field(default=None, examples=["/etc/dicetable/web.key"])
    """The certificate's private key (PEM)."""
    operator_plain_http: bool = Field(default=False, examples=[True])
    """Whether other machines may use the operator page without TLS. Anyone who can listen on the network can
    then read everything. This machine may always use it."""
    proxied: bool = Field(default=False, examples=[True])
    """Set this if a proxy or forwarder on this machine passes requests on to these pages: otherwise its
    visitors may count as sitting at this machine and see login codes. Every display then has to be paired,
    and a visitor's address is the last one in the proxy's `X-Forwarded-For`."""
    operator_passphrase: str | None = Field(
        default=None, pattern=SCRYPT, examples=["scrypt$16384$8$1$…"], json_schema_extra=SECRET
    )
    """The hash of a passphrase that operators need besides the code on the panel, as `dicetable gateway
    passphrase` prints it. Without it, the first operator chooses one in the browser."""
    operator_code_alone: bool = Field(default=False, examples=[True])
    """Whether the code on the panel is enough, without a passphrase that somebody chose in the browser.
    Every guest who can read the panel can then become the operator."""

    @model_validator(mode="after")
    def whole(self) -> WebSection:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise PydanticCustomError("tls", "must have both tls_cert and tls_key, or neither")
        return self


def luminance(rgb: tuple[int, int, int]) -> float:
    scaled = [value / 255 for value in rgb]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in scaled)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def readable_colour(colour: str) -> str:
    """Returns the colour if text in it can be read on the dark pages. Raises PydanticCustomError."""
    if not COLOUR.fullmatch(colour):
        raise PydanticCustomError("colour", "must be # and six hexadecimal digits")
    red, green, blue = bytes.fromhex(colour[1:])
    if (luminance((red, green, blue)) + 0.05) / (luminance(GROUND) + 0.05) < LEAST_CONTRAST:
        raise PydanticCustomError("colour", "must be lighter: its text can't be read on the dark screen")
    return colour


class ScreenSection(Section):
    """How the television and the phones look."""

    name: str = Field(
        default="",
        max_length=20,
        pattern=r"^[^\x00-\x1f]*$",
        examples=["The Anchor"],
        json_schema_extra=ON_PAGE,
    )
    """The bar's name, in place of "Dice Table"."""
    logo: FilePath | None = Field(default=None, examples=["/etc/dicetable/logo.svg"])
    """A picture (PNG, JPEG, WebP or SVG, at most 500 kB) that the television shows between games and beside
    the title; the user `dicetable-web` must be able to read it."""
    colour: Annotated[str, AfterValidator(readable_colour)] | None = Field(
        default=None, examples=["#ffd166"], json_schema_extra=ON_PAGE
    )
    """The bar's colour, for headings and numbers. It must be light: the pages are dark."""
    pause: float = Field(default=2.0, ge=0.0, le=3.0, examples=[2.5], json_schema_extra=ON_PAGE)
    """How many seconds a throw, a bust or a win fills the television; 0 turns this off. A player's next
    decision, or a click, ends it early."""
    volume: int = Field(default=60, ge=0, le=100, examples=[40], json_schema_extra=ON_PAGE)
    """How loud the television begins, in percent of what it can; the slider on its page changes that."""
    quiet: str | None = Field(
        default=None, pattern=QUIET, examples=["23:00-08:00"], json_schema_extra=ON_PAGE
    )
    """The hours of the day in which the television makes no sound."""
    sounds: FilePath | None = Field(default=None, examples=["/etc/dicetable/sounds"])
    """A folder with sounds of your own ([names](screen.md#your-own-sounds)); the user `dicetable-web` must be
    able to read it."""


def checked_broker(host: str) -> str:
    """Returns the host if it contains no port, which has a setting of its own. Raises PydanticCustomError."""
    if host.count(":") == 1:
        raise PydanticCustomError("host", "must be a name or an address without a port; set `port` for that")
    return host


class MqttSection(Section):
    """The MQTT broker to which the gateway publishes, also for Home Assistant ([signals](signals.md))."""

    host: Annotated[str, Field(pattern=BROKER), AfterValidator(checked_broker)] = Field(
        examples=["homeassistant.local"]
    )
    """Name or address of the broker."""
    port: int | None = Field(default=None, ge=1, le=65535, examples=[1883])
    """The broker's port. Leave it out for 1883, or 8883 with `tls`."""
    username: str | None = Field(default=None, min_length=1, max_length=100, examples=["dicetable"])
    """The table's user name at the broker."""
    password_file: FilePath | None = Field(default=None, examples=["/etc/dicetable/mqtt-password"])
    """A file with the password in its first line, readable only by root and `dicetable-web`."""
    tls: bool = False
    """Whether to use TLS; the broker's certificate must be valid for `host`."""
    ca_file: FilePath | None = Field(default=None, examples=["/etc/dicetable/mqtt-ca.pem"])
    """The certificate (PEM) of the authority that signed the broker's. Leave it out to trust the system's
    authorities."""
    topic: str = Field(default="dicetable", pattern=SEGMENT)
    """The first part of all topics. Each table needs its own."""
    discovery: str = Field(default="homeassistant", pattern=PREFIX)
    """Home Assistant's discovery prefix."""
    commands: bool = False
    """Whether the broker may pause the game and put messages on the screen; nothing else."""

    @property
    def port_used(self) -> int:
        return self.port or (TLS_PORT if self.tls else PLAIN_PORT)


def checked_network(text: str) -> str:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        raise PydanticCustomError(
            "network", "must be an IP address or a network such as 192.168.1.0/24"
        ) from None
    return text


class MetricsSection(Section):
    """Who may read `/metrics`, which the gateway serves at the address of [web] ([signals](signals.md))."""

    allow: list[Annotated[str, AfterValidator(checked_network)]] = Field(
        default=["127.0.0.0/8", "::1"], min_length=1, max_length=20, examples=[["127.0.0.1", "192.168.1.20"]]
    )
    """The addresses and networks that may read the metrics; by default only this machine."""


def checked_url(url: str) -> str:
    try:
        webhook_url(url)
    except ValueError:
        raise PydanticCustomError(
            "url", "must be a URL such as http://wled.local/json/state, without user and fragment"
        ) from None
    return url


class WebhookSection(Section):
    """One receiver. `[[webhooks.to]]` may appear up to ten times."""

    url: Annotated[str, Field(max_length=2000), AfterValidator(checked_url)] = Field(
        examples=["http://wled.local/json/state"], json_schema_extra=SECRET
    )
    """The receiver's URL; its host must be in `allow`."""
    events: list[EventName] = Field(default=list(EVENTS), min_length=1, examples=[["rack"]])
    """The events to send: any of `throw`, `turn`, `bust`, `rack` and `game_over`."""
    body: str | None = Field(
        default=None, max_length=4000, examples=['{"on": true, "ps": 2}'], json_schema_extra=SECRET
    )
    """The body, for devices and services with a form of their own; `{seat}`, `{dice}`, `{total}`,
    `{formula}`, `{result}` and `{verdict}` in it stand for those of a throw. Leave it out to send the event
    as JSON."""


class WebhooksSection(Section):
    """The receivers to which `dicetable gateway` sends events ([signals](signals.md))."""

    allow: list[Annotated[str, Field(pattern=ALLOWED)]] = Field(
        min_length=1, max_length=20, examples=[["wled.local", "192.168.1.20:8123"]]
    )
    """The hosts that may get requests, each with its port unless that is the default."""
    secret_file: FilePath = Field(examples=["/etc/dicetable/webhook-secret"])
    """A file with the signing secret in its first line, readable only by root and `dicetable-web`."""
    to: list[WebhookSection] = Field(min_length=1, max_length=10, examples=["[[webhooks.to]]"])
    """The receivers."""


class LeagueSection(Section):
    """The league to which this table sends its rows, once it is registered ([leagues](league.md))."""

    server: str = Field(
        pattern=r"^https?://[A-Za-z0-9.\-\[\]:]{1,255}(/[A-Za-z0-9._~/\-]{0,200})?$",
        examples=["https://league.example.org"],
    )
    """The server's address. Rows are signed but not encrypted; `https` prevents others from reading them.
    No picture is sent."""


def contradictions(
    web: WebSection | None,
    mqtt: MqttSection | None,
    metrics: MetricsSection | None,
    webhooks: WebhooksSection | None,
) -> Iterator[Mistake]:
    if metrics is not None and web is None:
        fault = "/metrics is served at the address of [web], and there is no [web]"
        yield Mistake("metrics", fault, '[web] with listen = "127.0.0.1:8080"')
    if mqtt is not None and mqtt.password_file is not None and mqtt.username is None:
        yield Mistake("mqtt.password_file", "needs a username too", 'username = "dicetable"')
    if mqtt is not None and mqtt.ca_file is not None and not mqtt.tls:
        yield Mistake("mqtt.ca_file", "has no effect without tls", "tls = true")
    if webhooks is None:
        return
    for number, hook in enumerate(webhooks.to):
        host = allowed_as(hook.url)
        if host not in {allowed.lower() for allowed in webhooks.allow}:
            allow = ", ".join(f'"{name}"' for name in (*webhooks.allow, host))
            yield Mistake(f"webhooks.to.{number}.url", f"{host} is not in allow", f"allow = [{allow}]")
        fields = {match[0] for match in WEBHOOK_FIELD.finditer(hook.body or "")} - {SEAT_FIELD}
        if fields and set(hook.events) != {"throw"}:
            fault = f"{', '.join(sorted(fields))} in `body` are those of a throw, and other events have none"
            yield Mistake(f"webhooks.to.{number}.events", fault, 'events = ["throw"]')


def file_faults(
    mqtt: MqttSection | None, webhooks: WebhooksSection | None, screen: ScreenSection
) -> Iterator[Mistake]:
    if screen.sounds is not None:
        yield from sound_faults(screen.sounds)
    if mqtt is not None and mqtt.password_file is not None:
        yield from secret_faults("mqtt.password_file", mqtt.password_file, 1)
    if mqtt is not None and mqtt.ca_file is not None:
        path, right = mqtt.ca_file, "the certificate (PEM) of the authority that signed the broker's"
        if not os.access(path, os.R_OK) or not path.is_file():
            yield Mistake("mqtt.ca_file", f"{path} is not a readable file", right)
        else:
            try:
                ssl.create_default_context(cafile=str(path))
            except (ssl.SSLError, OSError):
                yield Mistake("mqtt.ca_file", f"{path} contains no certificate", right)
    if webhooks is not None:
        yield from secret_faults("webhooks.secret_file", webhooks.secret_file, SHORTEST_SECRET_BYTES)


def sound_faults(folder: Path) -> Iterator[Mistake]:
    """The files in the folder of sounds that can't be played, and one if the folder can't be read."""
    try:
        for path, fault in sounds_in(folder):
            if fault:
                yield Mistake("screen.sounds", f"{path} {fault}", RIGHT)
    except OSError as error:
        yield Mistake("screen.sounds", f"{folder}: {error.strerror}", "a folder with sounds")


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
        fault = f"the first line of {path} has {len(line)} bytes"
        yield Mistake(
            where,
            fault,
            f"{shortest} to {LONGEST_SECRET_BYTES} bytes, for example from: openssl rand -hex 32",
        )
