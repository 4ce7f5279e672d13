"""What commands print that neither play a game nor run a table: read, watch, enrol, calibrate and others."""

from collections.abc import Mapping
from typing import Final

from common.texts.catalogue import ntr, tr

NO_DICE: Final = tr("no dice")
NOTHING_SURE: Final = tr("nothing sure")
A_DIE: Final = tr("die")
VERDICTS: Final[Mapping[str, str]] = {
    "counts": tr("counts"),
    "vouch": tr("vouch"),
    "confirm": tr("confirm"),
    "void": tr("void"),
    "unread": tr("unread"),
}
"""The texts by the value of `dicetable.commands.umpire.Word`."""
ARRIVALS: Final[Mapping[str, str]] = {
    "thrown": tr("thrown"),
    "handled": tr("handled"),
    "unseen": tr("unseen"),
    "lay": tr("lay"),
}
"""How a die came, by the value of `vision.reading.Arrival`."""
TYPE_THE_FACE: Final = tr(
    "Type the kind and the face that counts, like d6-4 or d20-17; only Enter leaves the die out."
)
EVERY_FACE: Final = tr("every face of these dice")
SHEET_NOT_SEEN: Final = tr("the sheet is not seen")


def read(sure: str, doubtful: str) -> str:
    """The dice of a photograph, those read for sure and those in doubt."""
    if not doubtful:
        return sure or NO_DICE
    return tr("{sure}; doubtful: {doubtful}").format(sure=sure or NOTHING_SURE, doubtful=doubtful)


def what_does_it_show(number: int, count: int) -> str:
    return tr(
        "What does die {number} of {count} from the left show? Type it like d6-4; only Enter leaves it out."
    ).format(number=number, count=count)


def enrolled(pictures: int, faces: int, missing: str) -> str:
    """`3 pictures of 2 faces: not shown yet: d4 2, 4`."""
    shown = ntr("{count} face", "{count} faces", faces).format(count=faces)
    return ntr(
        "{count} picture of {faces}: {missing}", "{count} pictures of {faces}: {missing}", pictures
    ).format(count=pictures, faces=shown, missing=missing)


def not_shown(faces: str) -> str:
    return tr("not shown yet: {faces}").format(faces=faces)


def saved(path: str) -> str:
    return tr("saved in {path}").format(path=path)


def lens_saved(path: str) -> str:
    return tr("saved in {path}: now calibrate the empty tray").format(path=path)


def corners(count: int) -> str:
    return ntr("{count} corner", "{count} corners", count).format(count=count)


def view(number: int, count: int) -> str:
    return tr("view {number} of {count}").format(number=number, count=count)


def recorded(path: str, frames: int, took_s: float, rate: float) -> str:
    return tr("{path}: {frames} frames in {seconds:.1f} s ({rate:.0f} frames/s)").format(
        path=path, frames=frames, seconds=took_s, rate=rate
    )


def print_it(path: str, paper: str) -> str:
    return tr("{path}: print it on {paper} at 100 % and check that the ruler measures 100 mm").format(
        path=path, paper=paper
    )


def flashed(firmware: str, device: str) -> str:
    return tr("{firmware} is written to the board at {device} and verified").format(
        firmware=firmware, device=device
    )
