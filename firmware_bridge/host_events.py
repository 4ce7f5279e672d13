"""The events that a host session reports, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firmware_bridge.errors import RefusedError
    from firmware_bridge.hello import BoardHello


class LossCause(Enum):
    """Why a link was lost."""

    SILENCE = "nothing was heard from the board for 1.5 s"
    BOARD_RESET = "the board has restarted"
    BOARD_LOST_HOST = "the board no longer hears this host"
    DISCONNECTED = "the serial device is gone"


@dataclass(frozen=True, slots=True)
class Linked:
    """The board answers and matches; with ``resumed`` no event was lost since the link was last up."""

    board: BoardHello
    version: int
    resumed: bool


@dataclass(frozen=True, slots=True)
class Lost:
    """The link is lost."""

    cause: LossCause


@dataclass(frozen=True, slots=True)
class Refused:
    """A board answers that does not match; reported once for each reason, and the reason may change."""

    reason: RefusedError


@dataclass(frozen=True, slots=True)
class InputChanged:
    """An input was pressed or released at time ``at``; unique by boot id and number."""

    board_boot_id: int
    number: int
    input: int
    pressed: bool
    at: float


@dataclass(frozen=True, slots=True)
class InputsReported:
    """The inputs held at the start of a session and after an overflow; ``lost`` changes were not seen."""

    board_boot_id: int
    number: int
    held: frozenset[int]
    lost: int


HostEvent = Linked | Lost | Refused | InputChanged | InputsReported
