"""Requests to the operator's pages by hand, without a browser."""

from __future__ import annotations

import http.client
import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

from gateway.displays import ask_gateway
from tests.gateway.serving import HANGING_S, until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.gateway.serving import Served

PLAIN = {"content-type": "application/json"}


class Visitor:
    """Asks by hand, with the cookies and the token that it was given."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}
        self.token = ""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, Any]]:
        given = {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        given |= headers or {}
        given = {name: value for name, value in given.items() if value}
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGING_S)) as connection:
            connection.request(method, path, body, given)
            response = connection.getresponse()
            data = response.read()
        for name, value in response.getheaders():
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.partition(";")[0]
            if name.lower() == "x-operator-token":
                self.token = value
        try:
            found = json.loads(data)
        except ValueError:
            found = {}
        return response.status, found

    def post(self, path: str, body: Any = None, **headers: str) -> tuple[int, dict[str, Any]]:
        given = PLAIN | {"origin": self.origin, "x-operator-token": self.token} | headers
        given = {name.replace("_", "-"): value for name, value in given.items()}
        return self.ask("POST", f"/operator/api/{path}", json.dumps(body or {}).encode(), given)

    def open_the_form(self) -> None:
        """A code goes only to a browser that has the form's cookie, and the form has a limit too."""
        until(lambda: self.ask("GET", "/operator")[0] == 200)

    def log_in(self) -> None:
        self.open_the_form()
        status, told = patiently(self, "login/code")
        assert status == 200
        assert patiently(self, "login", {"code": told["code"]})[0] == 200
        until(lambda: self.ask("GET", "/operator/api/token")[0] == 200)


def patiently(visitor: Visitor, path: str, body: Any = None, **headers: str) -> tuple[int, dict[str, Any]]:
    """The answer, once the limit of requests lets it through."""
    answers: list[tuple[int, dict[str, Any]]] = []

    def answered() -> bool:
        answers.append(visitor.post(path, body, **headers))
        return answers[-1][0] != 429

    until(answered)
    return answers[-1]


def operator(served: Served, folder: Path) -> Visitor:
    """An operator who is logged in."""
    visitor = Visitor(served.port)
    visitor.open_the_form()
    secret = ask_gateway(folder / "gateway.sock", {"invite": ""}).partition("#")[2]
    assert visitor.post("login", {"code": secret})[0] == 200
    return visitor
