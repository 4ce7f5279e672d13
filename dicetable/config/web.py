"""The section [web]: the screens."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from dicetable.config.section import ON_PAGE, SECRET, FilePath, Section

THIS_MACHINE = "127.0.0.1:8080"
LISTEN = re.compile(r"^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([0-9A-Fa-f:.]{2,45})\]):(\d{1,5})$")
SCRYPT = r"^scrypt\$\d{1,8}\$\d{1,3}\$\d{1,3}\$[A-Za-z0-9_-]{16,86}\$[A-Za-z0-9_-]{32,86}$"
BOTH = "must have both tls_cert and tls_key, or neither"
HOST_NAME = r"^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$"


def address(listen: str) -> tuple[str, int]:
    """The address and the port in `listen`; ValueError if it is invalid."""
    found = LISTEN.match(listen)
    if found is None:
        raise ValueError(f"{listen!r} is no address with a port")
    host, port = found[1] or found[2], int(found[3])
    ipaddress.ip_address(host)
    if not 1 <= port <= 65535:
        raise ValueError(f"{port} is no port")
    return host, port


def checked_listen(listen: str) -> str:
    """The same text, if it is an address and a port."""
    try:
        address(listen)
    except ValueError:
        raise PydanticCustomError("listen", "must be an IP address and a port") from None
    return listen


class WebSection(Section):
    """The pages that `dicetable gateway` serves ([the web pages](screen.md))."""

    listen: Annotated[str, AfterValidator(checked_listen)] = Field(
        default=THIS_MACHINE, examples=["0.0.0.0:8080"]
    )
    """Address and port: `127.0.0.1:8080` for this machine only, `0.0.0.0:8080` for the whole network."""
    hosts: list[Annotated[str, Field(pattern=HOST_NAME)]] = Field(
        default=[], max_length=20, examples=[["dice.example.org"]]
    )
    """Host names that browsers may use, in addition to the machine's own names and addresses."""
    odds: bool = Field(default=True, examples=[False], json_schema_extra=ON_PAGE)
    """Whether phones show exact odds, computed from what everyone can see."""
    records: Literal["names", "numbers", "off"] = Field(default="names", examples=["numbers"])
    """What guests may look up: wins, luck and records of players by `names` or by `numbers`, and of dice; or
    nothing."""
    tls_cert: FilePath | None = Field(default=None, examples=["/etc/dicetable/web.pem"])
    """The certificate (PEM) for TLS on all pages; the user `dicetable-web` must be able to read it."""
    tls_key: FilePath | None = Field(default=None, examples=["/etc/dicetable/web.key"])
    """The certificate's private key (PEM)."""
    operator_plain_http: bool = Field(default=False, examples=[True])
    """Whether other machines may use the operator page without TLS. Anyone who can listen on the network can
    then read along. This machine may always use it."""
    proxied: bool = Field(default=False, examples=[True])
    """Set this if a proxy or forwarder on this machine passes requests on to these pages: otherwise its
    visitors may count as sitting at this machine and see login codes. Every display then has to be paired,
    and a visitor's address is the last one in the proxy's `X-Forwarded-For`."""
    operator_passphrase: str | None = Field(
        default=None, pattern=SCRYPT, examples=["scrypt$16384$8$1$…"], json_schema_extra=SECRET
    )
    """The hash of a passphrase that operators need besides the code on the panel, as `dicetable gateway
    passphrase` prints it."""

    @model_validator(mode="after")
    def whole(self) -> WebSection:
        """Rejects a certificate without a key, and a key without a certificate."""
        if (self.tls_cert is None) != (self.tls_key is None):
            raise PydanticCustomError("tls", BOTH)
        return self
