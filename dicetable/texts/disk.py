"""What helps when a disk refuses, for each reason of its own."""

from __future__ import annotations

import errno
from pathlib import Path

from dicetable.texts.catalogue import tr

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
DENIED = (errno.EACCES, errno.EPERM)
WRONG_NAME = (errno.EISDIR, errno.ENOTDIR, errno.ENOENT, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP)


def remedy(error: OSError, path: Path) -> str:
    """What helps against an error at a file or in a folder."""
    if error.errno in FULL:
        return tr("make room on the disk that holds {path}").format(path=path)
    if error.errno == errno.EROFS:
        return tr("{path} is on a disk that is read-only; a worn card becomes read-only: replace it").format(
            path=path
        )
    if error.errno in DENIED:
        return tr("give {path} to this user with chown, or name another file").format(path=path)
    if error.errno in WRONG_NAME:
        return tr("name a file in a folder that exists")
    if error.errno == errno.EIO:
        return tr("the disk that holds {path} is failing: replace it").format(path=path)
    return tr("check the disk that holds {path}").format(path=path)


def refused(error: OSError) -> str:
    """The system refused something at the file that the error names."""
    if error.filename is None:
        return str(error)
    path = Path(str(error.filename))
    helps = tr("correct its name") if error.errno in WRONG_NAME else remedy(error, path)
    return f"{path}: {error.strerror}; {helps}"


def not_written(error: OSError, path: Path) -> str:
    """A file could not be written."""
    why = error.strerror or str(error)
    return tr("{path} cannot be written: {why}; {remedy}").format(
        path=path, why=why, remedy=remedy(error, path)
    )
