"""The league: its pages, and what its commands say."""

from __future__ import annotations

from typing import Final

NOT_INSTALLED: Final = "the league needs its extra: pip install --require-hashes -r requirements-league.lock"
NOT_CONFIGURED: Final = 'it names no league: write [league] and server = "https://league.example.org" into it'
NO_SIGNING: Final = (
    "signing needs the extra gateway: pip install --require-hashes -r requirements-gateway.lock"
)

NO_MEMBER: Final = "this table is in no league: `dicetable league register CODE` joins one"

NO_PICTURE: Final = "there is no such picture: all players of the match have to ask for it first"
PICTURE_FITS: Final = "This is the picture that was taken for the row."
PICTURE_DIFFERS: Final = "This is not the picture that was taken for the row."

OWN_PAGE: Final = "My page"
REFUSED: Final = "That is not possible"
ASK_ORGANISER: Final = "The organiser has a code for you, which opens your own page once, in this browser."
CODE: Final = "Code"
OPEN: Final = "Open"
NAME: Final = "Name"
NO_NAME: Final = "none is kept"
SHOWN_AS: Final = "Shown as"
KNOWN_AS: Final = "Pseudonyms"
YOUR_MATCHES: Final = "My matches"
YOUR_DATA: Final = "My data"
TAKE_ALONG: Final = "Download everything that is kept of me"
DELETE_NAME: Final = "Delete my name"
DELETED: Final = (
    "The league forgets who stands behind the pseudonym. The results stay, for they are others' too."
)
SURE: Final = "I want that; nobody can undo it"
LEAVE: Final = "Forget this browser"
PICTURE: Final = "Picture"
PICTURES_TITLE: Final = "pictures of the throws"
PICTURES: Final = (
    "Pictures stay at the table. One is shown when all players of the match have asked for it: to them "
    "and to the organiser, for a week."
)
ASK_PICTURE: Final = "Ask for it"
PICTURE_WAITS: Final = "You have asked; not all others yet"
PICTURE_COMES: Final = "All have asked; it comes if the table still has it"

TITLE: Final = "Dice league"
STANDINGS: Final = "Standings"
TABLES: Final = "Tables"
SEASONS: Final = "Seasons"
CONTESTS: Final = "Arenas and brackets"
NOTHING_YET: Final = "Nothing yet."
NO_MATCH: Final = "No game is played here now."
PLACE: Final = ("#", "Player", "Points", "Won", "Played")


WHO_PLAYS: Final = "Who plays here?"
IS_ASKED: Final = "Asking the league..."
AWAY: Final = "The league does not answer. Try later, or play an ordinary game."
NO_CONTEST: Final = "The league has named no contest yet. An ordinary game counts in its seasons too."
NOBODY_WAITS: Final = "Nobody is due to play now."
NOT_ASKED: Final = "Nobody waits for this answer."
TOO_FEW_SEATS: Final = "This table has too few seats for it."


def against(names: list[str]) -> str:
    """Who plays against whom."""
    return " - ".join(names)


def take_a_seat(name: str) -> str:
    """Asks a player for his seat."""
    return f"{name}: press OK at your seat"


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


def outcome(outcome: str) -> str:
    """How a match came out, beside who won it."""
    told = {"won": "finished", "ended": "ended early", "again": "finished before"}
    return told.get(outcome, outcome)


def player_code(player: str, code: str) -> str:
    """A code for a player's own page."""
    return f"{code}  opens the page /me of {player!r} within a day, once"


def picture_saved(file: str, size: int) -> str:
    """A picture was saved."""
    return f"{file}: {size} bytes"


def registered(name: str, league: str, table: str) -> str:
    """A table takes part now."""
    return (
        f"This table is {name!r} ({table}) in the league {league!r}. Games that begin from now on are sent."
    )


def registered_already(folder: str) -> str:
    """The table takes part already."""
    return f"this table is in a league already: `dicetable league leave --folder {folder}` takes it out"


def no_folder(folder: str) -> str:
    """The table has not run yet."""
    return f"{folder} is not there: start the table once, which makes it, and register then"


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
