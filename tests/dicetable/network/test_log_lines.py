"""What strangers say in a log is never a line of its own."""

from __future__ import annotations

import io
import logging

from dicetable.network.log_lines import OneLine

EVIL = "dice\nlevel=INFO at=dicetable.gateway login=accepted\r\x1b[2J"


def test_no_text_forges_a_line() -> None:
    out = io.StringIO()
    log = logging.Logger("test")
    handler = logging.StreamHandler(out)
    handler.setFormatter(OneLine())
    log.addHandler(handler)
    log.warning("command=refused topic=%s", EVIL)
    try:
        raise ValueError(EVIL)
    except ValueError:
        log.exception("signals=failed why=%s", EVIL)
    lines = out.getvalue().splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        f"level={level} at=test {text}={EVIL.encode('unicode_escape').decode()}"
        for level, text in (("WARNING", "command=refused topic"), ("ERROR", "signals=failed why"))
    ]
    assert out.getvalue().replace("\n", "").isprintable()
