"""What a host session tells its owner, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firmware_bridge.errors import RefusedError
    from firmware_bridge.hello import BoardHello


class LossCause(Enum):
    """Why a link that stood stands no longer."""

    SILENCE = "nothing was heard from the board for 1.5 s"
    BOARD_RESET = "the board has restarted"
    BOARD_LOST_HOST = "the board no longer hears this host"
    DISCONNECTED = "the serial device is gone"


@dataclass(frozen=True, slots=True)
class Linked:
    """The board answers and fits; with ``resumed`` no event was lost since the link last stood."""

    board: BoardHello
    version: int
    resumed: bool


@dataclass(frozen=True, slots=True)
class Lost:
    """The link stands no longer."""

    cause: LossCause


@dataclass(frozen=True, slots=True)
class Refused:
    """A board answers that will not do; told once for each reason, and it may change."""

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
