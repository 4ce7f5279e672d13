"""`dicetable league`: the league's server, its organiser's commands, and a table's commands."""

import argparse
import json
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from common import texts
from dicetable.commands import usage
from dicetable.commands.usage import Commands
from dicetable.config.file import load
from dicetable.config.mistakes import ConfigError
from dicetable.service import league
from dicetable.service.league import MembershipError

INSTALLED = all(find_spec(name) is not None for name in ("jinja2", "nacl", "starlette", "uvicorn"))
if INSTALLED:
    from league import app, contests, organiser, players, registry, results
    from league.database import AddressError, Database, Refusal, connect, prepare
    from league.players import UnknownPlayer

DATABASE = "sqlite:///league.sqlite3"
LISTEN = "127.0.0.1:8090"
MOST_DIGITS = 15


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("league", help=text)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def organiser(name: str, does: Callable[..., int], text: str) -> argparse.ArgumentParser:
        sub = actions.add_parser(name, help=text, description=text)
        sub.add_argument(
            "--database",
            default=DATABASE,
            metavar="URL",
            help=f"sqlite:///FILE or postgresql://…; default {DATABASE}",
        )
        sub.set_defaults(run=run_organiser, does=does)
        return sub

    def table(name: str, does: Callable[..., int], text: str) -> argparse.ArgumentParser:
        sub = actions.add_parser(name, help=text, description=text)
        usage.add_ledger_options(sub.add_mutually_exclusive_group())
        sub.set_defaults(run=run_table, does=does)
        return sub

    serve_ = organiser("serve", serve, "run the league's server")
    serve_.add_argument("--listen", default=LISTEN, metavar="ADDRESS:PORT", help=f"default {LISTEN}")
    serve_.add_argument("--name", default="Dice league", help="the league's name, if it is new")
    serve_.add_argument(
        "--proxied",
        action="store_true",
        help="trust the proxy on this machine to name each client's address",
    )
    organiser("organiser-key", new_organiser_key, "print a new key for the organiser's page, /organiser")
    code = organiser("code", new_code, "print a one-time code with which a table can join")
    code.add_argument("name", metavar="NAME", help="the table's name in the league")
    organiser("tables", show_tables, "list the tables and their irregularities")
    season = organiser("season", add_season, "add a season")
    season.add_argument("name", metavar="NAME")
    season.add_argument("starts", metavar="FIRST-DAY", help="a date such as 2027-01-01, in UTC")
    season.add_argument("ends", metavar="LAST-DAY")
    season.add_argument("--game", default="", help="count only this game")
    contest = organiser("contest", add_contest, "add an arena or a bracket (double elimination)")
    contest.add_argument("name", metavar="NAME")
    contest.add_argument("kind", choices=("arena", "bracket"))
    contest.add_argument("game", metavar="GAME")
    contest.add_argument(
        "--seats", type=int, default=2, metavar="N", help="seats per match of an arena; default 2"
    )
    for name, event, text in (
        ("enter", "joined", "add players to a contest, also after it began"),
        ("withdraw", "left", "remove players from a contest"),
    ):
        enter = organiser(name, enter_contest, text)
        enter.add_argument("contest", type=numbered, metavar="CONTEST", help="the contest's number")
        enter.add_argument("players", nargs="+", metavar="NAME")
        enter.set_defaults(event=event)
    begin = organiser("begin", begin_contest, "draw the first round of a bracket")
    begin.add_argument("contest", type=numbered, metavar="CONTEST")
    uncall_ = organiser("uncall", uncall, "take back a table's match; its players wait again")
    uncall_.add_argument("contest", type=numbered, metavar="CONTEST")
    uncall_.add_argument("table", metavar="TABLE", help="16 hexadecimal digits")
    remove = organiser("remove-table", remove_table, "shut a table out; what it has sent stays and counts")
    remove.add_argument("table", metavar="TABLE", help="16 hexadecimal digits")
    layout = actions.add_parser("schema", help="print the SQL for a league over several PostgreSQL servers")
    layout.add_argument("layout", choices=("citus", "shard", "coordinator"))
    layout.add_argument(
        "servers", nargs="*", metavar="SERVER", help="for coordinator: the servers' names in CREATE SERVER"
    )
    layout.set_defaults(run=show_schema)
    for name, does, text in (
        ("name-player", name_player, "name a player; a name that another player has merges the two"),
        ("erase-player", erase_player, "erase a player's name and log the player out; the results stay"),
        ("export-player", export_player, "print what is stored about a player, as JSON"),
        ("player-code", player_code, "print a one-time code for a player's own page"),
    ):
        player = organiser(name, does, text)
        player.add_argument(
            "player", metavar="PLAYER", help="16 hexadecimal digits, as in the page's address"
        )
        if does is name_player:
            player.add_argument("name", metavar="NAME")
    picture = organiser("check-picture", check_picture, "check whether a picture belongs to a row")
    picture.add_argument("table", metavar="TABLE", help="16 hexadecimal digits")
    picture.add_argument("row", type=numbered, metavar="ROW")
    picture.add_argument(
        "file", metavar="FILE.jpg", help="the picture, saved at the table by `dicetable ledger evidence`"
    )
    organiser("rebuild", rebuild, "recompute all results and standings from the rows")
    register_ = table("register", register, "join a league with a code from its organiser")
    register_.add_argument("code", metavar="CODE")
    register_.add_argument("--server", metavar="URL", help="default: server in [league] of the config")
    next_ = table("next", next_match, "print who plays at this table next in a contest")
    next_.add_argument("contest", type=numbered, metavar="CONTEST")
    table("leave", leave, "leave the league")
    table("status", status, "show the league of this table and what it has not sent yet")


def numbered(text: str) -> int:
    """The type of an argument that is the number of a contest or a row."""
    if not (text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of at most {MOST_DIGITS} digits")
    return int(text)


def complain(text: str) -> int:
    print(f"dicetable league: {text}", file=sys.stderr)
    return 1


def run_organiser(args: argparse.Namespace) -> int:
    """Runs the action on the league's database; 1 if it cannot be used."""
    if not INSTALLED:
        return complain(texts.league.NOT_INSTALLED)
    try:
        database = connect(args.database)
    except AddressError as error:
        return complain(str(error))
    try:
        prepare(database, getattr(args, "name", "") if args.action == "serve" else "Dice league")
        code: int = args.does(args, database)
    except (AddressError, Refusal, UnknownPlayer, ValueError) as error:
        return complain(str(error))
    finally:
        database.close()
    return code


def serve(args: argparse.Namespace, database: Database) -> int:
    host, _, port = args.listen.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        return complain(f"--listen {args.listen}: write an address and a port, as {LISTEN}")
    return app.serve(database, host.strip("[]"), int(port), proxied=args.proxied)


def now_s() -> int:
    return int(time.time())


def say(sentence: str) -> int:
    print(sentence)
    return 0


def new_organiser_key(_: argparse.Namespace, database: Database) -> int:
    return say(texts.league.organiser_key(organiser.new_key(database)))


def new_code(args: argparse.Namespace, database: Database) -> int:
    return say(texts.league.code(args.name, registry.new_code(database, args.name, now_s())))


def show_tables(_: argparse.Namespace, database: Database) -> int:
    with database.reading() as session:
        tables = results.tables(session)
    for table in tables:
        print(json.dumps(table))
    return 0


def add_season(args: argparse.Namespace, database: Database) -> int:
    results.add_season(database, args.name, args.game, args.starts, args.ends)
    return say(texts.league.season_added(args.name, args.starts, args.ends))


def add_contest(args: argparse.Namespace, database: Database) -> int:
    number = contests.add(database, args.name, args.kind, args.game, args.seats)
    return say(texts.league.contest_added(number, args.name))


def enter_contest(args: argparse.Namespace, database: Database) -> int:
    contest = contests.change_players(database, args.contest, args.event, args.players)
    sentence = texts.league.entered if args.event == "joined" else texts.league.withdrawn
    return say(sentence(args.players, contest.name))


def begin_contest(args: argparse.Namespace, database: Database) -> int:
    contest = contests.add_event(database, args.contest, {"event": "begun"})
    return say(texts.league.begun(contest.name))


def uncall(args: argparse.Namespace, database: Database) -> int:
    """Takes a match back; 1 if the table has none."""
    names = contests.uncall(database, args.contest, registry.table_of(args.table))
    return say(texts.league.uncalled(names)) if names else complain(texts.league.NOT_CALLED)


def remove_table(args: argparse.Namespace, database: Database) -> int:
    table = registry.table_of(args.table)
    contests.remove_table(database, table, now_s())
    with database.reading() as session:
        return say(texts.league.table_removed(registry.find(session, table).name))


def name_player(args: argparse.Namespace, database: Database) -> int:
    players.name_player(database, players.player_of(args.player), args.name)
    return say(texts.league.player_named(args.player, args.name))


def erase_player(args: argparse.Namespace, database: Database) -> int:
    players.erase(database, players.player_of(args.player))
    return complain(texts.league.IN_USE) if database.holds_deleted else say(texts.league.NAME_DELETED)


def export_player(args: argparse.Namespace, database: Database) -> int:
    print(json.dumps(players.export(database, players.player_of(args.player)), indent=1))
    return 0


def player_code(args: argparse.Namespace, database: Database) -> int:
    code, player = players.new_code(database, players.player_of(args.player), now_s())
    return say(texts.league.player_code(player, code))


def check_picture(args: argparse.Namespace, database: Database) -> int:
    """Checks whether the file is the picture of a row; 1 if not."""
    try:
        data = Path(args.file).read_bytes()
    except OSError as error:
        return complain(f"{args.file}: {error.strerror}")
    with database.reading() as session:
        fits = results.is_picture_of(session, registry.table_of(args.table), args.row, data)
    print(texts.league.PICTURE_FITS if fits else texts.league.PICTURE_DIFFERS)
    return 0 if fits else 1


def show_schema(args: argparse.Namespace) -> int:
    from league import database

    if (args.layout == "coordinator") != bool(args.servers):
        return complain("only a coordinator has servers, for example: schema coordinator shard0 shard1")
    layouts = {"citus": database.citus_sql, "shard": database.shard_sql}
    made = layouts[args.layout]() if args.layout in layouts else database.coordinator_sql(args.servers)
    print("".join(f"{sql};\n" for sql in made), end="")
    return 0


def rebuild(_: argparse.Namespace, database: Database) -> int:
    return say(texts.league.rebuilt(results.rebuild(database, now_s())))


def run_table(args: argparse.Namespace) -> int:
    """Runs the action in the table's folder; 1 if that is not possible."""
    if find_spec("nacl") is None:
        return complain(texts.league.NO_SIGNING)
    try:
        code: int = args.does(args)
    except (MembershipError, ConfigError) as error:
        return complain(str(error))
    except OSError as error:
        return complain(texts.health.disk_refused(error))
    return code


def register(args: argparse.Namespace) -> int:
    server = args.server or configured_server(args)
    if not server:
        return complain(f"{args.config or 'the table'}: {texts.league.NOT_CONFIGURED}")
    member = league.register(usage.ledger_folder(args), server, args.code)
    print(texts.league.registered(member.name, member.league, member.table))
    return 0


def configured_server(args: argparse.Namespace) -> str:
    if args.config is None:
        return ""
    section = load(Path(args.config)).league
    return section.server if section else ""


def next_match(args: argparse.Namespace) -> int:
    match = league.next_match(usage.ledger_folder(args), args.contest)
    print(texts.league.next_match(match.contest, texts.games.title(match.game), match.names))
    return 0


def leave(args: argparse.Namespace) -> int:
    league.leave(usage.ledger_folder(args))
    return 0


def status(args: argparse.Namespace) -> int:
    about: dict[str, Any] = league.status(usage.ledger_folder(args))
    print(json.dumps(about, indent=1))
    return 0
