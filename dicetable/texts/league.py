"""The league: its pages, and what its commands say."""

from __future__ import annotations

from typing import Final

NOT_INSTALLED: Final = "the league needs its extra: pip install --require-hashes -r requirements-league.lock"
NOT_CONFIGURED: Final = 'it names no league: write [league] and server = "https://league.example.org" into it'
NO_SIGNING: Final = (
    "signing needs the extra gateway: pip install --require-hashes -r requirements-gateway.lock"
)

NO_MEMBER: Final = "this table is in no league: `dicetable league register CODE` joins one"

PICTURE_FITS: Final = "This is the picture that was taken for the row."
PICTURE_DIFFERS: Final = "This is not the picture that was taken for the row."

TITLE: Final = "Dice league"
STANDINGS: Final = "Standings"
TABLES: Final = "Tables"
SEASONS: Final = "Seasons"
CONTESTS: Final = "Arenas and brackets"
NOTHING_YET: Final = "Nothing yet."
NO_MATCH: Final = "No game is played here now."
PLACE: Final = ("#", "Player", "Points", "Won", "Played")


def serving(host: str, port: int) -> str:
    """Where the server is."""
    shown = f"[{host}]" if ":" in host else host
    return f"The league: http://{shown}:{port}/"


def cannot_listen(host: str, port: int, why: str) -> str:
    """The address cannot be used."""
    return f"dicetable league: {host} port {port}: {why}: choose another --listen"


def code(name: str, code: str) -> str:
    """A code for a table."""
    return f"{code}  registers {name!r} within a day: dicetable league register {code}"


def registered(name: str, league: str, table: str) -> str:
    """A table takes part now."""
    return (
        f"This table is {name!r} ({table}) in the league {league!r}. Games that begin from now on are sent."
    )


def registered_already(folder: str) -> str:
    """The table takes part already."""
    return f"this table is in a league already: `dicetable league leave --folder {folder}` takes it out"


def refused(server: str, why: str) -> str:
    """The server refused."""
    return f"{server}: {why}"


def unreachable(server: str, why: str) -> str:
    """The server does not answer."""
    return f"{server}: {why}: check the address in [league] and the network"


def next_match(contest: str, game: str, names: list[str]) -> str:
    """Who plays now."""
    if not names:
        return f"{contest}: nobody is due here now."
    return f"{contest}: {', '.join(names[:-1])} and {names[-1]} play {game}."
