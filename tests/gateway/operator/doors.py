"""A login that many clients knock at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.requests import Request

from gateway.operator.login import BROWSER, Access, Login
from gateway.requests import RequestRefusedError
from gateway.settings import GatewaySettings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.responses import Response


GUEST, OPERATOR, HERE = "203.0.113.7", "198.51.100.1", "127.0.0.1"


class Door:
    """The operator's login; every code is shown on the panel, if there is one."""

    def __init__(self, passphrase: str = "", *, panel: bool = True) -> None:
        self.panel = panel
        self.s = 1000.0
        settings = GatewaySettings("", 80, "", plain_http=True, passphrase=passphrase)
        self.access = Access(settings, None, None, lambda: self.s)
        self.login = Login(self.access, self.show)
        self.shown = ""

    async def show(self, code: str, _: int) -> bool:
        self.shown = code
        return self.panel

    async def post(
        self, do: Callable[[Request], Awaitable[Response]], client: str, browser: str, **body: Any
    ) -> int:
        """The status of the answer."""
        data = json.dumps(body).encode()

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": data, "more_body": False}

        host = "localhost" if client == HERE else "table"
        headers = {"host": host, "origin": f"http://{host}", "content-type": "application/json"}
        headers["cookie"] = f"{BROWSER}={browser}"
        scope = {
            "type": "http", "method": "POST", "scheme": "http", "path": "/", "query_string": b"",
            "client": (client, 1), "server": (host, 80),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }  # fmt: skip
        try:
            return (await do(Request(scope, receive))).status_code
        except RequestRefusedError as refused:
            return refused.status

    async def code(self, client: str, browser: str) -> int:
        return await self.post(self.login.code, client, browser)

    async def enter(self, client: str, browser: str) -> int:
        """Types the code that is shown."""
        return await self.post(self.login.log_in, client, browser, code=self.shown)
