"""Checks a board's HELLO against the configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from firmware_bridge.errors import BoardMismatchError, VersionMismatchError
from firmware_bridge.protocol import NEWEST_VERSION, OLDEST_VERSION, common_version

if TYPE_CHECKING:
    from firmware_bridge.hello import BoardHello


@dataclass(frozen=True, slots=True)
class ExpectedBoard:
    """The kind of board that the configuration needs, with the minimum numbers of inputs and lamps."""

    board_id: str
    inputs: int
    lamps: int

    def accept(self, hello: BoardHello) -> int:
        """The protocol version to speak with this board. Raises RefusedError if the board does not match."""
        version = common_version(hello.oldest, hello.newest)
        if version is None:
            raise VersionMismatchError(
                f"the board's firmware {hello.firmware} speaks versions {hello.oldest} to {hello.newest}, "
                f"this host versions {OLDEST_VERSION} to {NEWEST_VERSION}: flash the firmware of this release"
            )
        if hello.board_id != self.board_id:
            raise BoardMismatchError(
                f"the board is {hello.board_id!r}, expected is {self.board_id!r}: correct config or firmware"
            )
        for what, has, needed in (
            ("inputs", hello.inputs, self.inputs),
            ("lamps", hello.lamps, self.lamps),
        ):
            if has < needed:
                raise BoardMismatchError(
                    f"board {hello.board_id!r} has {has} {what}, configured are {needed}"
                )
        return version
