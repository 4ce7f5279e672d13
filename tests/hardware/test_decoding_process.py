"""The decoding process may crash, hang or end: its caller says so in a sentence and reads the next image."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hardware.images import process
from hardware.images.process import CRASHED, STUCK, TOO_LONG, DecodingProcess
from tests.hardware.files import quarters, write

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def decoding() -> Iterator[DecodingProcess]:
    ours = DecodingProcess()
    yield ours
    ours.close()


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    return write(tmp_path / "photo.png", quarters())


def is_read(decoding: DecodingProcess, path: Path) -> bool:
    found = decoding.decode(path, 2400)
    return not isinstance(found, str) and np.array_equal(found[0], quarters()) and found[1] == 1


def child_of(decoding: DecodingProcess) -> subprocess.Popen[bytes]:
    assert decoding.child is not None
    return decoding.child


def test_one_child_serves_many_images(decoding: DecodingProcess, photo: Path) -> None:
    assert is_read(decoding, photo)
    first = child_of(decoding).pid
    for _ in range(5):
        assert is_read(decoding, photo)
        assert "no such file" in str(decoding.decode(photo.with_name("none"), 2400))
    assert child_of(decoding).pid == first


def test_the_child_has_limits(decoding: DecodingProcess, photo: Path) -> None:
    assert is_read(decoding, photo)
    lines = Path(f"/proc/{child_of(decoding).pid}/limits").read_text().splitlines()
    soft = {line[:25].strip(): line[26:].split()[0] for line in lines[1:]}
    assert int(soft["Max address space"]) < 700_000_000
    assert int(soft["Max cpu time"]) <= 10
    assert int(soft["Max stack size"]) == 1 << 20
    assert int(soft["Max file size"]) == 1 << 16
    assert int(soft["Max core file size"]) == 0


@pytest.mark.parametrize(
    ("deadly", "said"), [(signal.SIGSEGV, CRASHED), (signal.SIGKILL, CRASHED), (signal.SIGXCPU, TOO_LONG)]
)
def test_a_child_that_dies_is_named_and_replaced(
    decoding: DecodingProcess, photo: Path, deadly: signal.Signals, said: str
) -> None:
    decoding.start()
    child_of(decoding).send_signal(signal.SIGSTOP)
    child_of(decoding).send_signal(deadly)
    child_of(decoding).send_signal(signal.SIGCONT)
    assert decoding.decode(photo, 2400) == said
    assert is_read(decoding, photo)


def test_a_child_that_hangs_is_named_and_replaced(decoding: DecodingProcess, photo: Path) -> None:
    assert is_read(decoding, photo)
    child_of(decoding).send_signal(signal.SIGSTOP)
    decoding.patience_s = 0.1
    assert decoding.decode(photo, 2400) == STUCK
    decoding.patience_s = 30
    assert is_read(decoding, photo)


def test_a_child_that_has_ended_by_itself_is_replaced_without_a_word(
    decoding: DecodingProcess, photo: Path
) -> None:
    assert is_read(decoding, photo)
    decoding.close()
    decoding.child = subprocess.Popen(["true"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    decoding.child.wait()
    assert is_read(decoding, photo)


def test_a_child_ends_with_its_caller(decoding: DecodingProcess, photo: Path) -> None:
    assert is_read(decoding, photo)
    child = child_of(decoding)
    assert child.stdin is not None
    child.stdin.close()
    assert child.wait(30) == 0


def test_an_interrupted_image_is_not_taken_for_the_next(
    decoding: DecodingProcess, photo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = write(photo.with_name("other.png"), np.full((40, 50, 3), 7, np.uint8))
    with monkeypatch.context() as patched:
        patched.setattr(process, "received", interrupted)
        with pytest.raises(KeyboardInterrupt):
            decoding.decode(other, 2400)
    assert is_read(decoding, photo)


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_names_of_every_kind(
    decoding: DecodingProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_read(decoding, write(tmp_path / "photo.png", quarters()))
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")  # the child stays where it was
    for name in (b"two\nlines.png", b"not \xff UTF-8.png", "Würfel.png".encode(), b" .png"):
        Path(os.fsdecode(name)).write_bytes((tmp_path / "photo.png").read_bytes())
        assert is_read(decoding, Path(os.fsdecode(name)))
    assert "cannot be opened" in str(decoding.decode(Path("x" * 5000), 2400))
    assert "cannot be opened" in str(decoding.decode(Path("x" * 100_000), 2400))
