"""Small files are read within bounds, and anything but a regular file is rejected at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from common import files
from common.files import first_bytes
from tests.dicetable.oddities import ODDITIES, put

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_that_is_no_larger_than_allowed(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_bytes(b"content")
    link.symlink_to(path)
    assert files.read_file(link, 7) == b"content"
    assert first_bytes(path, 3) == b"con"
    with pytest.raises(OSError, match="larger than 6 bytes"):
        files.read_file(path, 6)


@pytest.mark.parametrize("oddity", [each for each in ODDITIES if each != "binary"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, oddity: str) -> None:
    put(tmp_path / "file", oddity)
    with pytest.raises(OSError, match=r"is no file|larger than|No such file"):
        files.read_file(tmp_path / "file", 1000)
