"""The chances in the game that the table plays, from its snapshot."""

from functools import lru_cache

from common.snapshot import Phase, parse_snapshot
from common.texts.odds import odds_of
from games.game import read_options
from games.registry import GAMES
from games.words import TableView


@lru_cache(maxsize=1)
def odds_in(snapshot: bytes | None) -> list[dict[str, str]]:
    """The chances in the game of a snapshot, `{"what", "chance"}` each; empty if there are none."""
    state = parse_snapshot(snapshot) if snapshot is not None else None
    game = GAMES.get(state["game"] or "") if state is not None else None
    if state is None or game is None or state["phase"] != Phase.PLAY:
        return []
    seats = tuple(seat["name"] for seat in state["seats"])
    view = TableView(state["position"], state["asked"], read_options(game.options, state["options"], seats))
    return [{"what": label, "chance": chance} for label, chance in odds_of(game.name, view)]
