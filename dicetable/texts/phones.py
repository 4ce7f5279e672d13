"""What phones are told that are the panel's buttons."""

from __future__ import annotations

from typing import Final

WRONG_CODE: Final = "This code is not good any more: read it again from the table's display."
TOO_MANY: Final = "Too many wrong codes: wait half a minute."
NO_SEAT: Final = "This phone has no seat now: enter a code to take one."
NO_CONTROL: Final = "The table has no such button."
TOO_LATE: Final = "Too late: the table asks something else now."
NOT_YOURS: Final = "Not pressed: this seat is another phone's, or the table is out of reach."
