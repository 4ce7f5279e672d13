"""How every command responds to invalid arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.__main__ import main

if TYPE_CHECKING:
    import pytest


def usage_error(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on standard error; nothing else is said, and the exit code is 2."""
    try:
        code: object = main(argv)
    except SystemExit as stopped:
        code = stopped.code
    output = capsys.readouterr()
    assert code == 2
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert output.err.startswith("dicetable")
    return output.err
