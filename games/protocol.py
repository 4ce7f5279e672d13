"""The engine's protocol, one line at a time: bytes in, an answer out. No process, no streams."""

from collections.abc import Callable
from typing import Any

from games import requests
from games.errors import NoGame, RuleError
from games.match import Match
from games.requests import JsonObject


class Engine:
    """Holds at most one match and answers each line with one JSON object.

    `draw_seed` returns the seed for a match whose request has none.
    """

    def __init__(self, draw_seed: Callable[[], int]) -> None:
        self.draw_seed = draw_seed
        self.match: Match | None = None

    def answer(self, line: bytes) -> JsonObject:
        """The answer to a line, with or without line feed. Never raises; refused requests change nothing."""
        try:
            op, message = requests.operation(requests.decode(line))
            return self.carry_out(op, message)
        except RuleError as error:
            return {"ok": False, "error": {"code": error.code, "message": str(error)}}

    def carry_out(self, op: str, message: dict[str, Any]) -> JsonObject:
        """Executes a message that has the keys of its operation. Raises a RuleError if it is refused."""
        if op == "new":
            seed = message["seed"] if "seed" in message else self.draw_seed()
            options = message.get("options", {})
            requests.check_new(message["game"], message["seats"], options, seed)
            self.match = Match.new(message["game"], message["seats"], options, seed=seed)
            return shown(self.match)
        request = None if op == "state" else requests.read(op, message)
        if self.match is None:
            raise NoGame("start a game with new")
        if request is None:
            return {**shown(self.match), "events": []}
        self.match = self.match.apply(request)
        return shown(self.match)


def shown(match: Match) -> JsonObject:
    return {
        "ok": True,
        "events": list(match.events),
        "prompt": match.prompt.to_json(),
        "state": match.state(),
    }
