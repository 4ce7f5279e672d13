"""The league: its pages, and what its commands say."""

from typing import Final

from common.texts.catalogue import ntr, tr

NOT_INSTALLED: Final = tr(
    "the league needs its extra: pip install --require-hashes -r requirements-league.lock"
)
NOT_CONFIGURED: Final = tr('it names no league: add [league] with server = "https://league.example.org"')
NO_SIGNING: Final = tr(
    "signing needs the extra gateway: pip install --require-hashes -r requirements-gateway.lock"
)

NO_MEMBER: Final = tr("this table is in no league: `dicetable league register CODE` joins one")

NOT_CALLED: Final = tr("this table has no match in that contest")
PICTURE_FITS: Final = tr("This is the picture that was taken for the row.")
PICTURE_DIFFERS: Final = tr("This is not the picture that was taken for the row.")

# The pages for everyone.

TITLE: Final = tr("Dice league")
STALE: Final = tr("Out of date: the league isn't answering. This page keeps trying.")
REFUSED: Final = tr("That isn't possible")
NOTHING_YET: Final = tr("Nothing yet.")
STANDINGS: Final = tr("Standings")
SEASONS: Final = tr("Seasons")
CONTESTS: Final = tr("Arenas and brackets")
TABLES: Final = tr("Tables")
PLAYERS: Final = tr("Players")
NO_MATCH: Final = tr("No game is in progress here.")
PLACE: Final = ("#", tr("Player"), tr("Points"), tr("Won"), tr("Played"))
SEASON_HEADS: Final = (tr("Season"), tr("Place"), tr("Points"), tr("Won"))
MATCH_HEADS: Final = (tr("When"), tr("Game"), tr("Outcome"), tr("Won"), tr("Points"), tr("Table"))
TABLE_HEADS: Final = (
    tr("Table"),
    tr("Last heard from"),
    tr("Newest row"),
    tr("Matches"),
    tr("Don't replay"),
    tr("Forked rows"),
    tr("Epoch"),
    tr("Missing rows"),
)
TRUST: Final = tr("Trust")
TRUST_FACTS: Final = {
    "row": tr("Newest row"),
    "epoch": tr("Epoch"),
    "matches": tr("Matches"),
    "broken": tr("Don't replay"),
    "again": tr("Finished a second time"),
    "forks": tr("Forked rows"),
    "missing_rows": tr("Missing rows"),
    "seen": tr("Last heard from"),
}
INCIDENTS: Final = {
    "epochs": tr("Epochs"),
    "forks": tr("Forked rows"),
    "losses": tr("Missing rows"),
    "results": tr("Matches that don't count"),
}
INCIDENT_HEADS: Final = {
    "epoch": tr("Epoch"),
    "number": tr("Row"),
    "body": tr("Entry"),
    "first": tr("First row"),
    "last": tr("Last row"),
    "why": tr("Reason"),
    "match": tr("Match"),
    "outcome": tr("Outcome"),
}
NEVER: Final = tr("never")
OUTCOMES: Final = {
    "won": tr("finished"),
    "ended": tr("ended early"),
    "again": tr("finished before"),
    "broken": tr("doesn't replay"),
    "incomplete": tr("incomplete"),
}
"""How a match came out, beside who won it."""
NOW_PLAYING: Final = tr("Now playing")
WAITING: Final = tr("Waiting")
CHAMPION: Final = tr("Champion")
ARENA_HEADS: Final = (tr("Points"), tr("Player"))
CALLED_HEADS: Final = (tr("Table"), tr("Players"))
SIDES: Final = {"W": tr("Winners"), "L": tr("Losers"), "F": tr("Final")}
FINALS: Final = {"F1": tr("Final"), "F2": tr("Second final")}

# A player's own page.

OWN_PAGE: Final = tr("My page")
SIGN_UP: Final = tr("Sign up")
SIGN_UP_CLOSED: Final = tr("Sign-up is closed. The organiser can add you.")
YOUR_NAME: Final = tr("Your name")
SHOW_NAME_BOX: Final = tr("Show my name on these pages")
SHOW_NAME_WHY: Final = tr("If you don't tick this, everyone sees a pseudonym instead: player 3f9a0c.")
HAVE_CODE: Final = tr("I have a code")
ASK_ORGANISER: Final = tr("The organiser has a code that opens your own page, once, in this browser.")
CODE: Final = tr("Code")
OPEN: Final = tr("Open")
NAME: Final = tr("Name")
NO_NAME: Final = tr("none stored")
SHOWN_AS: Final = tr("Shown as")
KNOWN_AS: Final = tr("Pseudonyms")
SHOW_NAME: Final = tr("Show my name")
HIDE_NAME: Final = tr("Hide my name")
JOIN: Final = tr("Join")
WITHDRAW: Final = tr("Leave")
YOUR_MATCHES: Final = tr("My matches")
YOUR_DATA: Final = tr("My data")
TAKE_ALONG: Final = tr("Download my data")
OTHER_DEVICE: Final = tr("Get a code for another device")
DELETE_NAME: Final = tr("Delete my name")
DELETED: Final = tr(
    "The league forgets who is behind the pseudonym. The results stay: they belong to the other players too."
)
SURE: Final = tr("Yes, I'm sure; this can't be undone")
LEAVE: Final = tr("Forget this browser")

# The organiser's page.

ORGANISER: Final = tr("Organiser")
ORGANISER_KEY: Final = tr("Key")
ASK_KEY: Final = tr(
    "On the league's server, `dicetable league organiser-key` prints the key that opens this page."
)
LOG_IN: Final = tr("Log in")
LOG_OUT: Final = tr("Log out")
BACK: Final = tr("Back")
ADD_TABLE: Final = tr("Add a table")
ADD_SEASON: Final = tr("Add a season")
ADD_CONTEST: Final = tr("Add a contest")
ADD: Final = tr("Add")
FIRST_DAY: Final = tr("First day")
LAST_DAY: Final = tr("Last day")
GAME: Final = tr("Game")
ALL_GAMES: Final = tr("all games")
KIND: Final = tr("Kind")
KINDS: Final = {"arena": tr("Arena"), "bracket": tr("Bracket")}
SEATS: Final = tr("Seats per match (arena)")
SEASON_LIST: Final = (tr("Season"), tr("First day"), tr("Last day"), tr("Game"))
CONTEST_LIST: Final = (tr("Contest"), tr("Kind"), tr("Game"), tr("Players"))
PLAYER_LIST: Final = (tr("Name"), tr("Id"))
HIDDEN: Final = tr("hidden")
REMOVE: Final = tr("Remove")
REMOVED: Final = tr("removed")
REMOVE_TABLE: Final = tr("Remove a table")
REMOVE_TABLE_WHY: Final = tr("The table is shut out for good. The results it sent stay.")
ENTER_PLAYERS: Final = tr("Enter players")
WITHDRAW_PLAYERS: Final = tr("Withdraw players")
ONE_A_LINE: Final = tr("Names, one per line")
BEGIN: Final = tr("Draw the first round")
UNCALL: Final = tr("Take the match back")
PUBLIC_PAGE: Final = tr("The page for everyone")
NAME_PLAYER: Final = tr("Name a player")
NAME_PLAYER_WHY: Final = tr(
    "The id is in the address of the player's page. Two players with the same name become one. Ask first: "
    "everyone sees the name."
)
PLAYER_ID: Final = tr("Id")
PLAYER_CODE: Final = tr("Code for the player's own page")
MAKE_CODE: Final = tr("Make a code")
ERASE_NAME: Final = tr("Delete the name")
SIGN_UP_IS_OPEN: Final = tr("People can sign up by themselves.")
CLOSE_SIGN_UP: Final = tr("Close sign-up")
OPEN_SIGN_UP: Final = tr("Open sign-up")
SIGN_UP_OPENED: Final = tr("Sign-up is open.")
NAME_DELETED: Final = tr("The name is deleted. The results stay.")

# At the table and at the shell.

WHO_PLAYS: Final = tr("Who plays here?")
IN_USE: Final = tr(
    "The name is deleted, but another program is using the database, and its log still holds the name: "
    "close that program, then run the command again."
)
IS_ASKED: Final = tr("Asking the league...")
AWAY: Final = tr("The league isn't answering. Try later, or play an ordinary game.")
NO_CONTEST: Final = tr("The league has no contests yet. Ordinary games still count for its seasons.")
NOBODY_WAITS: Final = tr("No one is up right now.")
NOT_ASKED: Final = tr("This question is no longer open.")
TOO_FEW_SEATS: Final = tr("This table doesn't have enough seats.")


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
    return tr("{code}  opens the page /me of {player!r}, once, within a day").format(code=code, player=player)


def organiser_key(key: str) -> str:
    return tr(
        "{key}  opens the page /organiser. Keep it: it isn't shown again, and earlier keys no longer work."
    ).format(key=key)


def round_name(name: str) -> str:
    """The name of a round in a bracket, from the short one: W2, L2, F1."""
    return FINALS.get(name) or tr("Round {number}").format(number=name[1:])


def season_added(name: str, first: str, last: str) -> str:
    return tr("The season {name!r} runs from {first} to {last}.").format(name=name, first=first, last=last)


def contest_added(number: int, name: str) -> str:
    return tr("Contest {number} is {name!r}. Now enter its players.").format(number=number, name=name)


def entered(names: list[str], contest: str) -> str:
    return tr("Entered in {contest}: {names}.").format(contest=contest, names=", ".join(names))


def withdrawn(names: list[str], contest: str) -> str:
    return tr("Withdrawn from {contest}: {names}.").format(contest=contest, names=", ".join(names))


def begun(contest: str) -> str:
    return tr("The first round of {contest} is drawn. Tables can call its matches.").format(contest=contest)


def uncalled(matches: list[str]) -> str:
    return tr("Taken back: {matches}. The players are waiting again.").format(matches=", ".join(matches))


def table_removed(name: str) -> str:
    return tr("{name} is shut out. With a new code it can join as another table.").format(name=name)


def player_named(player: str, name: str) -> str:
    return tr("Player {player} is {name}.").format(player=player, name=name)


def rebuilt(matches: int) -> str:
    return ntr("{matches} match recomputed.", "{matches} matches recomputed.", matches).format(
        matches=matches
    )


def registered(name: str, league: str, table: str) -> str:
    return tr(
        "This table is {name!r} ({table}) in the league {league!r}. New games are sent from now on."
    ).format(name=name, table=table, league=league)


def registered_already(folder: str) -> str:
    return tr(
        "this table is in a league already: `dicetable league leave --folder {folder}` takes it out"
    ).format(folder=folder)


def damaged_ledger(folder: str, why: str) -> str:
    return tr(
        "the ledger in {folder} is damaged ({why}): start the table, which repairs it, then register again"
    ).format(folder=folder, why=why)


def damaged_key(path: str) -> str:
    return tr(
        "{path} is not a key any more: `dicetable league leave` deletes it, then register again"
    ).format(path=path)


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
        return tr("{contest}: no one is up here right now.").format(contest=contest)
    return tr("{contest}: {names} and {last} play {game}.").format(
        contest=contest, names=", ".join(names[:-1]), last=names[-1], game=game
    )
