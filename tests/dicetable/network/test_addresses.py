"""Where a request comes from: behind a proxy, over IPv6, and when nothing true is known of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dicetable.gateway.hosts import OwnHost
from dicetable.network.addresses import ClientAddress, network_of


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
    assert OwnHost(nothing, ()).is_own(asked) is own


def test_no_rule_counts_single_addresses() -> None:
    """`client_of` names the network. Who may read the metrics is asked of the address itself."""
    package = Path(__file__).resolve().parents[3] / "dicetable"
    own = {package / "network" / "addresses.py", package / "gateway" / "metrics" / "page.py"}
    found = [path.name for path in package.rglob("*.py") if "client.host" in path.read_text("utf-8")]
    assert sorted(found) == sorted(path.name for path in own)
