"""The gateway's own certificate, made at the first start: browsers lend a camera to pages over TLS alone.

No authority has signed it, so a browser warns once. The person who opens the page compares the fingerprint.
"""

import hashlib
import ipaddress
import socket
import ssl
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from common.files import atomic_write, read_file
from gateway.pages import network_address

CERTIFICATE, KEY = "camera.pem", "camera.key"
LIVES: Final = timedelta(days=800)
"""Phones refuse certificates that live longer than 825 days."""
RENEWED_S: Final = 700 * 24 * 3600.0
"""An older certificate is replaced at a start, and the phone warns once more."""
MOST_BYTES: Final = 20_000
LONGEST_LABEL: Final = 63
BACKDATED: Final = timedelta(days=1)
"""A Pi without a clock may start in the past of its phones."""


class Certificate(NamedTuple):
    """A certificate and its key, PEM files, and the certificate's fingerprint as browsers show it."""

    path: Path
    key: Path
    fingerprint: str


def folder_of(environment: Mapping[str, str]) -> Path:
    """Where the certificate is kept: the service's own folder, or else the user's."""
    state = environment.get("STATE_DIRECTORY")
    if state:
        return Path(state)
    data = environment.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local/share") / "dicetable"


def own_certificate(folder: Path) -> Certificate:
    """The certificate in that folder, which is made if there is none. Raises OSError or ssl.SSLError."""
    path, key = folder / CERTIFICATE, folder / KEY
    if not (is_fresh(path) and is_fresh(key)):
        make(path, key)
    return named(path, key)


def named(path: Path, key: Path) -> Certificate:
    """A certificate with its fingerprint. Raises OSError (ssl.SSLError if the two are no pair)."""
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(path, key)
    first = read_file(path, MOST_BYTES).decode("ascii").partition("-----END")[0]
    der = ssl.PEM_cert_to_DER_cert(f"{first[first.index('-----BEGIN') :]}-----END CERTIFICATE-----\n")
    digest = hashlib.sha256(der).hexdigest().upper()
    return Certificate(path, key, ":".join(digest[start : start + 2] for start in range(0, len(digest), 2)))


def is_fresh(path: Path) -> bool:
    """Whether the file is there and young enough."""
    try:
        return time.time() - path.stat().st_mtime < RENEWED_S
    except OSError:
        return False


def make(path: Path, key_path: Path) -> None:
    """Writes a new certificate and its key, which this user alone may read. Raises OSError."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "dicetable")])
    host = socket.gethostname()
    names: list[x509.GeneralName] = [
        x509.DNSName(name_of_host) for name_of_host in dict.fromkeys(("localhost", *dns(host)))
    ]
    addresses = dict.fromkeys(("127.0.0.1", network_address() or "127.0.0.1"))
    names += [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now - BACKDATED + LIVES)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    atomic_write(key_path, secret, private=True)
    atomic_write(path, made.public_bytes(serialization.Encoding.PEM))


def dns(host: str) -> tuple[str, ...]:
    """The names of this machine that a certificate can hold."""
    short = host.partition(".")[0].lower()
    fits = short.isascii() and short.replace("-", "").isalnum() and len(short) <= LONGEST_LABEL
    return (short, f"{short}.local") if fits else ()
