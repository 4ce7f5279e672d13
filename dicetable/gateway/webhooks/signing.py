"""Signatures of deliveries, as Standard Webhooks 1.0 has them: HMAC-SHA-256 over id, time and body."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from typing import Final

PREFIX: Final = b"whsec_"


def key_of(secret: bytes) -> bytes:
    """The key of a secret: what stands in base64 after `whsec_`, else the secret's own bytes."""
    if not secret.startswith(PREFIX):
        return secret
    try:
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        return secret


def headers(key: bytes, delivery: str, sent_s: int, body: bytes) -> dict[str, str]:
    """The headers that prove who sent a body, and when; `sent_s` counts from 1970."""
    signed = b"%s.%d.%s" % (delivery.encode(), sent_s, body)
    signature = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return {
        "webhook-id": delivery,
        "webhook-timestamp": str(sent_s),
        "webhook-signature": f"v1,{signature}",
    }
