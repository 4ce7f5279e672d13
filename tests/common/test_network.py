"""The addresses of clients, and the logs of servers."""

from __future__ import annotations

import asyncio
import io
import logging
import socket
from pathlib import Path
from typing import Any

import pytest

from common.network import (
    ClientAddress,
    OneAMinute,
    OneLine,
    network_of,
)
from gateway.middleware import HostCheck


async def nothing(*_: object) -> None:
    """An application that answers nothing."""


def scope(peer: str, *forwarded: str, **headers: str) -> dict[str, Any]:
    given = [(b"x-forwarded-for", each.encode()) for each in forwarded]
    given += [(name.encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "client": (peer, 5000), "headers": given}


@pytest.mark.parametrize(
    ("peer", "forwarded", "behind", "alone"),
    [
        ("127.0.0.1", ("8.8.8.8",), "8.8.8.8", None),
        ("::1", ("8.8.8.8",), "8.8.8.8", None),
        ("127.0.0.1", ("127.0.0.1, 8.8.8.8",), "8.8.8.8", None),
        ("127.0.0.1", ("127.0.0.1", "8.8.8.8"), "8.8.8.8", None),
        ("127.0.0.1", ("[2001:db8::1]:443",), "2001:db8::1", None),
        ("127.0.0.1", ("127.0.0.1",), None, None),
        ("127.0.0.1", ("::ffff:127.0.0.1",), None, None),
        ("127.0.0.1", ("unknown",), None, None),
        ("127.0.0.1", ("8.8.8.8, ",), None, None),
        ("127.0.0.1", (), None, "127.0.0.1"),
        ("::ffff:127.0.0.1", (), None, "127.0.0.1"),
        ("192.0.2.7", ("127.0.0.1",), "192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", (), "192.0.2.7", "192.0.2.7"),
        ("", ("8.8.8.8",), None, None),
    ],
)
def test_only_a_proxy_on_this_machine_is_believed_and_only_where_one_is_configured(
    peer: str, forwarded: tuple[str, ...], behind: str | None, alone: str | None
) -> None:
    for proxied, wanted in ((True, behind), (False, alone)):
        found = ClientAddress(nothing, proxied=proxied).client(scope(peer, *forwarded))
        assert (found[0] if found else None) == wanted


@pytest.mark.parametrize("name", ["via", "forwarded", "x-real-ip"])
def test_who_comes_through_a_proxy_that_is_not_configured_is_not_known(name: str) -> None:
    assert ClientAddress(nothing, proxied=False).client(scope("127.0.0.1", **{name: "x"})) is None


def test_all_addresses_of_an_ipv6_network_are_one_client() -> None:
    addresses = {f"2001:db8:0:1:{number:x}::{number:x}" for number in range(1, 5000)}
    assert {network_of(each) for each in addresses} == {"2001:db8:0:1::/64"}
    assert network_of("2001:db8::1") == network_of("2001:db8:0:0:ffff::2") == "2001:db8::/64"
    assert network_of("fe80::1%eth0") == network_of("fe80::2%eth0")
    assert network_of("2001:db8:0:2::1") != network_of("2001:db8:0:1::1")
    assert network_of("::ffff:192.0.2.7") == network_of("192.0.2.7") == "192.0.2.7"
    assert network_of("::1") == "::1"
    assert network_of("nonsense") == network_of("") == ""


@pytest.mark.parametrize(
    ("server", "host", "own"),
    [
        ("::ffff:192.0.2.7", "192.0.2.7:8080", True),
        ("192.0.2.7", "192.0.2.7", True),
        ("fe80::1%wlan0", "[fe80::1]:8080", True),
        ("2001:db8::1", "[2001:db8:0::1]", True),
        ("::ffff:192.0.2.7", "192.0.2.8", False),
        ("::ffff:192.0.2.7", "evil.example.com", False),
    ],
)
def test_a_host_is_this_machine_by_the_address_that_it_was_reached_at(
    server: str, host: str, own: bool
) -> None:
    asked = {"type": "http", "server": (server, 8080), "headers": [(b"host", host.encode())]}
    assert HostCheck(nothing, ()).accepts(asked) is own


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("table", True),
        ("Table.fritz.box:8080", True),
        ("table.lan", True),
        ("table.home.arpa.", True),
        ("table.local", True),
        ("table.evil.example.com", False),
        ("table.fritz.box.example.com", False),
        ("table.box", False),
        ("other.lan", False),
        ("lan", False),
    ],
)
def test_the_own_name_with_the_router_s_suffix_is_this_machine(
    monkeypatch: pytest.MonkeyPatch, host: str, own: bool
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "table.example.net")
    asked = {"type": "http", "headers": [(b"host", host.encode())]}
    assert HostCheck(nothing, ()).accepts(asked) is own


@pytest.mark.parametrize(
    ("host", "told"), [("dice.example.org", 'hosts = ["dice.example.org"]'), ("<b>\\x", 'hosts = ["?"]')]
)
def test_a_foreign_name_is_told_the_remedy_and_its_connection_ends(host: str, told: str) -> None:
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    asked = {"type": "http", "headers": [(b"host", host.encode())]}
    asyncio.run(HostCheck(nothing, ())(asked, None, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == 421
    assert (b"connection", b"close") in sent[0]["headers"]
    assert told in sent[1]["body"].decode()


def test_what_a_stranger_can_have_logged_is_logged_once_a_minute() -> None:
    now_s = 0.0
    filter_ = OneAMinute(lambda: now_s)
    lines = []
    for _ in range(2000):
        record = logging.LogRecord("uvicorn.error", logging.WARNING, "", 0, "Invalid HTTP request.", (), None)
        if filter_.filter(record):
            lines.append(record.getMessage())
        now_s += 0.0625
    assert lines == ["Invalid HTTP request.", *["Invalid HTTP request. (959 more like this)"] * 2]


def test_no_rule_counts_single_addresses() -> None:
    """`client_of` names the network. Who may read the metrics is asked of the address itself."""
    root = Path(__file__).resolve().parents[2]
    paths = [
        path
        for package in ("common", "dicetable", "gateway", "league")
        for path in (root / package).rglob("*.py")
    ]
    assert {str(path.relative_to(root)) for path in paths if "client.host" in path.read_text("utf-8")} == {
        "common/network.py",
        "gateway/signals/metrics.py",
    }


EVIL = "dice\nlevel=INFO at=gateway login=accepted\r\x1b[2J"


def test_no_text_forges_a_line() -> None:
    out = io.StringIO()
    log = logging.Logger("test")
    handler = logging.StreamHandler(out)
    handler.setFormatter(OneLine())
    log.addHandler(handler)
    log.warning("command=refused topic=%s", EVIL)
    try:
        raise ValueError(EVIL)
    except ValueError:
        log.exception("signals=failed why=%s", EVIL)
    lines = out.getvalue().splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        f"level={level} at=test {text}={EVIL.encode('unicode_escape').decode()}"
        for level, text in (("WARNING", "command=refused topic"), ("ERROR", "signals=failed why"))
    ]
    assert out.getvalue().replace("\n", "").isprintable()
