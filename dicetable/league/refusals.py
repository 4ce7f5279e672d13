"""Why the server refuses what it was sent: one class, one cause each, with the status of the answer."""

from __future__ import annotations

from typing import Final

STATUS: Final = {
    "malformed": 400,
    "version": 400,
    "forged": 403,
    "late": 403,
    "code": 403,
    "removed": 403,
    "unknown_table": 404,
    "not_found": 404,
    "gap": 409,
    "fork": 409,
    "withdrawn": 409,
    "reordered": 409,
    "epoch": 409,
    "conflict": 409,
    "too_large": 413,
    "away": 503,
}
"""Every cause and its HTTP status."""


class Refusal(Exception):  # noqa: N818 - a refused batch is no fault of the server
    """Nothing of it was stored, but a fork in quarantine; `cause` is a key of STATUS, the text says more."""

    def __init__(self, cause: str, what: str) -> None:
        super().__init__(what)
        self.cause = cause
        self.status = STATUS[cause]
