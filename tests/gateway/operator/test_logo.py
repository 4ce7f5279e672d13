"""The bar's logo from the operator page: drawn anew in bounds, kept, and taken away again."""

from __future__ import annotations

import io
import random
import re
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from common import texts
from gateway.logo import drawn_anew
from tests.gateway.serving import PretendTable, Served
from tests.gateway.visitor import operator

if TYPE_CHECKING:
    from pathlib import Path

SECRET = b"taken at 52.5 N, 13.4 E"


def picture(size: tuple[int, int], kind: str = "PNG", **about: Any) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", size, "teal").save(made, kind, **about)
    return made.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_is_drawn_anew_and_fits_into_1200_by_400(kind: str) -> None:
    sent = picture((2400, 1200), kind, **({"comment": SECRET} if kind == "JPEG" else {}))
    made = Image.open(io.BytesIO(drawn_anew(sent)))
    assert (made.format, made.size) == ("WEBP", (800, 400))
    assert SECRET not in drawn_anew(sent)


def test_the_busiest_picture_is_kept_in_a_file_that_can_be_read_again() -> None:
    noise = Image.frombytes("RGBA", (1200, 400), random.Random(1).randbytes(1200 * 400 * 4))
    sent = io.BytesIO()
    noise.save(sent, "PNG")
    assert len(drawn_anew(sent.getvalue())) <= 500_000


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (b"<svg onload='alert(1)'/>", texts.operator.LOGO_KIND),
        (picture((20, 20), "GIF"), texts.operator.LOGO_KIND),
        (picture((4000, 3001)), texts.operator.LOGO_PIXELS),
        (picture((600, 600), "JPEG")[:-300], texts.operator.LOGO_DAMAGED),
        (b"", texts.operator.LOGO_KIND),
    ],
)
def test_what_is_no_logo_is_refused_with_a_sentence(sent: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        drawn_anew(sent)


def test_an_operator_sends_a_logo_and_takes_it_away(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", str(folder))
    table = PretendTable(folder / "table.sock")
    with closing(table), Served(table.path) as served:
        visitor = operator(served, folder)

        def send(data: bytes, kind: str = "image/png") -> tuple[int, Any]:
            visitor.ask("GET", "/operator/api/token")
            headers = {"content-type": kind, "origin": visitor.origin, "x-operator-token": visitor.token}
            return visitor.ask("POST", "/operator/api/logo", data, headers)

        assert served.get("/logo")[0] == 404
        assert send(b"GIF89a", "image/gif") == (415, {"error": texts.operator.LOGO_KIND})
        assert send(picture((20, 20)), "text/html") == (415, {"error": texts.operator.LOGO_KIND})
        assert send(bytes(4_000_001)) == (413, {"error": texts.operator.LOGO_LARGE})
        assert b'class="logo"' not in served.get("/")[2]
        assert send(picture((20, 20))) == (200, {"shown": True, "sent": True})
        status, headers, shown = served.get("/logo")
        assert (status, headers["content-type"], shown[:4]) == (200, "image/webp", b"RIFF")
        assert b'class="logo"' in served.get("/")[2]
        served.kill()
        served.start()
        assert served.get("/logo")[2] == shown
        visitor = operator(served, folder)
        visitor.ask("GET", "/operator/api/token")
        assert visitor.post("logo/remove") == (200, {"shown": False, "sent": False})
        assert served.get("/logo")[0] == 404
        assert not (folder / "logo.webp").exists()
