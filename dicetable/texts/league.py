"""The league: its pages, and what its commands say."""

from __future__ import annotations

from typing import Final

from dicetable.texts.catalogue import tr

NOT_INSTALLED: Final = tr(
    "the league needs its extra: pip install --require-hashes -r requirements-league.lock"
)
NOT_CONFIGURED: Final = tr('it names no league: add [league] with server = "https://league.example.org"')
NO_SIGNING: Final = tr(
    "signing needs the extra gateway: pip install --require-hashes -r requirements-gateway.lock"
)

NO_MEMBER: Final = tr("this table is in no league: `dicetable league register CODE` joins one")

NOT_CALLED: Final = tr("this table has no match of that contest")
PICTURE_FITS: Final = tr("This is the picture that was taken for the row.")
PICTURE_DIFFERS: Final = tr("This is not the picture that was taken for the row.")

OWN_PAGE: Final = tr("My page")
REFUSED: Final = tr("That isn't possible")
ASK_ORGANISER: Final = tr("The organiser has a code that opens your own page, once, in this browser.")
CODE: Final = tr("Code")
OPEN: Final = tr("Open")
NAME: Final = tr("Name")
NO_NAME: Final = tr("none stored")
SHOWN_AS: Final = tr("Shown as")
KNOWN_AS: Final = tr("Pseudonyms")
YOUR_MATCHES: Final = tr("My matches")
YOUR_DATA: Final = tr("My data")
TAKE_ALONG: Final = tr("Download my data")
DELETE_NAME: Final = tr("Delete my name")
DELETED: Final = tr(
    "The league forgets who is behind the pseudonym. The results stay: they are the other players' too."
)
SURE: Final = tr("Yes, I'm sure; this can't be undone")
LEAVE: Final = tr("Forget this browser")
STALE: Final = tr("Out of date: the league isn't answering. This page keeps trying.")
TITLE: Final = tr("Dice league")
STANDINGS: Final = tr("Standings")
TABLES: Final = tr("Tables")
SEASONS: Final = tr("Seasons")
CONTESTS: Final = tr("Arenas and brackets")
NOTHING_YET: Final = tr("Nothing yet.")
NO_MATCH: Final = tr("No game is played here now.")
PLACE: Final = ("#", tr("Player"), tr("Points"), tr("Won"), tr("Played"))
OUTCOMES: Final = {
    "won": tr("finished"),
    "ended": tr("ended early"),
    "again": tr("finished before"),
}
"""How a match came out, beside who won it."""


WHO_PLAYS: Final = tr("Who plays here?")
IN_USE: Final = tr(
    "The name is deleted, but another program is using the database, and its log still holds the name: "
    "close that program, then run the command again."
)
IS_ASKED: Final = tr("Asking the league...")
AWAY: Final = tr("The league does not answer. Try later, or play an ordinary game.")
NO_CONTEST: Final = tr("The league has no contest yet. Ordinary games still count for its seasons.")
NOBODY_WAITS: Final = tr("No one is up right now.")
NOT_ASKED: Final = tr("This question is no longer open.")
TOO_FEW_SEATS: Final = tr("This table doesn't have enough seats for it.")


def against(names: list[str]) -> str:
    return " - ".join(names)


def take_a_seat(name: str) -> str:
    return tr("{name}: press OK at your seat").format(name=name)


def serving(host: str, port: int) -> str:
    shown = f"[{host}]" if ":" in host else host
    return tr("The league: {url}").format(url=f"http://{shown}:{port}/")


def cannot_listen(host: str, port: int, why: str) -> str:
    return tr("dicetable league: {host} port {port}: {why}: choose another --listen").format(
        host=host, port=port, why=why
    )


def code(name: str, code: str) -> str:
    return tr("{code}  registers {name!r} within a day: dicetable league register {code}").format(
        code=code, name=name
    )


def outcome(outcome: str) -> str:
    return OUTCOMES.get(outcome, outcome)


def player_code(player: str, code: str) -> str:
    return tr("{code}  opens the page /me of {player!r} within a day, once").format(code=code, player=player)


def registered(name: str, league: str, table: str) -> str:
    return tr(
        "This table is {name!r} ({table}) in the league {league!r}. New games are sent from now on."
    ).format(name=name, table=table, league=league)


def registered_already(folder: str) -> str:
    return tr(
        "this table is in a league already: `dicetable league leave --folder {folder}` takes it out"
    ).format(folder=folder)


def no_folder(folder: str) -> str:
    return tr("{folder} does not exist: start the table once to create it, then register").format(
        folder=folder
    )


def refused(server: str, why: str) -> str:
    return f"{server}: {why}"


def unreachable(server: str, why: str) -> str:
    return tr("{server}: {why}: check the address in [league] and the network").format(server=server, why=why)


def next_match(contest: str, game: str, names: list[str]) -> str:
    if not names:
        return tr("{contest}: no one plays here right now.").format(contest=contest)
    return tr("{contest}: {names} and {last} play {game}.").format(
        contest=contest, names=", ".join(names[:-1]), last=names[-1], game=game
    )
