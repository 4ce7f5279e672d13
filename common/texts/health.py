"""Troubles of the camera, the panel, the config and the disk, and how to mend them."""

import errno
from pathlib import Path

from common.texts.catalogue import tr

PARTS = {
    "camera": tr("CAMERA"),
    "panel": tr("PANEL"),
    "journal": tr("MEMORY"),
    "dice": tr("DICE"),
    "phones": tr("PHONES"),
    "games": tr("GAMES"),
}
"""What a part is called on the panel."""
GUESTS = {
    "camera": tr("The table can't see the dice right now."),
    "panel": tr("The buttons don't answer right now."),
    "journal": tr("The game waits: the table can't save it right now."),
}
"""What guests read while a part fails; other parts don't concern them."""
EYE = {
    "moving": tr("Rolling..."),
    "hand": tr("Please take your hand out of the tray."),
    "unlit": tr("Too dark to read the dice: switch the light on."),
    "camera_moved": tr("The camera moved: put it back, or calibrate it."),
    "markers": tr("A corner marker is hidden: uncover it."),
}
"""The texts by vision.reading.Reason."""
COVERED = {
    "upper_left": tr("Something covers the upper left of the picture."),
    "top": tr("Something covers the top of the picture."),
    "upper_right": tr("Something covers the upper right of the picture."),
    "left": tr("Something covers the left of the picture."),
    "middle": tr("Something covers the middle of the picture."),
    "right": tr("Something covers the right of the picture."),
    "lower_left": tr("Something covers the lower left of the picture."),
    "bottom": tr("Something covers the bottom of the picture."),
    "lower_right": tr("Something covers the lower right of the picture."),
}
"""The texts by vision.reading.Part."""
CAMERA_SILENT = tr("No picture from the camera.")
CAMERA_SILENT_REMEDY = tr("check the camera's cable; `dicetable doctor` says more")
FRAMES_DAMAGED = tr("The camera's frames arrive damaged.")
FRAMES_DAMAGED_REMEDY = tr("try another USB port or a shorter cable, without a hub")
EYE_LOST = tr("The camera's program stopped and is restarting.")
EYE_LOST_REMEDY = tr("wait a moment; if it doesn't come back, run `dicetable doctor`")
SAFE_TEXT = tr("SAFE MODE: I crashed three times.")
SAFE_ITEMS = {"resume": tr("Resume the game"), "new": tr("New game"), "off": tr("Power off")}
DAMAGED = tr("The saved game is damaged.")
BAD_CONFIG_REMEDY = tr("fix it, check it with `dicetable check-config`, then restart the table")


def bad_config(where: str, fault: str) -> str:
    if not where:
        return tr("The config {what}").format(what=fault)
    return tr("The config is wrong: {where} {what}").format(where=where, what=fault)


def degraded(part: str) -> str:
    return tr("{part} TROUBLE").format(part=PARTS.get(part, part.upper()))


def fewer_seats(seat: int, seats: int) -> str:
    return tr("Seat {seat} plays, but the table has {seats}: resume without it?").format(
        seat=seat, seats=seats
    )


DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
DENIED = (errno.EACCES, errno.EPERM)
WRONG_NAME = (errno.EISDIR, errno.ENOTDIR, errno.ENOENT, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP)


def disk_remedy(error: OSError, path: Path) -> str:
    if error.errno in DISK_FULL:
        return tr("make room on the disk that holds {path}").format(path=path)
    if error.errno == errno.EROFS:
        return tr("{path} is on a read-only disk; a worn-out card turns read-only: replace it").format(
            path=path
        )
    if error.errno in DENIED:
        return tr("chown {path} to this user, or name another file").format(path=path)
    if error.errno in WRONG_NAME:
        return tr("name a file in a folder that exists")
    if error.errno == errno.EIO:
        return tr("the disk that holds {path} is failing: replace it").format(path=path)
    return tr("check the disk that holds {path}").format(path=path)


def named(error: OSError) -> str:
    """The file and the reason, without the number of the error."""
    return ": ".join(str(part) for part in (error.filename, error.strerror) if part) or str(error)


def disk_refused(error: OSError) -> str:
    if error.filename is None:
        return named(error)
    path = Path(str(error.filename))
    if error.errno == errno.ENOENT:
        return tr("{path}: there is no such file or folder").format(path=path)
    helps = tr("correct its name") if error.errno in WRONG_NAME else disk_remedy(error, path)
    return f"{path}: {error.strerror}; {helps}"


def folder_not_made(error: OSError, folder: Path) -> str:
    elsewhere = error.errno in (*WRONG_NAME, *DENIED)
    return tr("{path}: it cannot be made ({why}): {remedy}").format(
        path=folder,
        why=error.strerror or str(error),
        remedy=tr("name another folder") if elsewhere else disk_remedy(error, folder),
    )


def not_written(error: OSError, path: Path) -> str:
    why = error.strerror or str(error)
    return tr("{path} cannot be written: {why}; {remedy}").format(
        path=path, why=why, remedy=disk_remedy(error, path)
    )
