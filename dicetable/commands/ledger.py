"""`dicetable ledger`: inspects, checks and repairs the ledger."""

import argparse
import json
import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NoReturn

from common import files, texts
from dicetable.commands.usage import (
    CommandError,
    Commands,
    add_ledger_options,
    ledger_folder,
    reading_ledger,
)
from dicetable.ledger import store
from dicetable.ledger.database import DamageError
from dicetable.ledger.entries import Corrected, Opened, dump
from dicetable.ledger.pictures import parts
from dicetable.ledger.reader import NO_LEDGER, LedgerLine, Reader, entry_line, event_line, summary_line
from dicetable.ledger.store import Ledger
from dicetable.table.table_state import TableState, fold, revisions
from games.dice import VALUES, Die
from games.errors import RuleError
from games.registry import FAIRNESS, GAMES


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("ledger", help=text)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, does: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = actions.add_parser(name, help=text, description=text)
        add_ledger_options(sub.add_mutually_exclusive_group())
        sub.set_defaults(run=run, does=does)
        return sub

    action("list", show_list, "list all matches, one per line")
    show = action("show", show_match, "print the entries of a match")
    action("verify", verify, "check every entry and picture; exit code 1 if anything is wrong")
    export = action("export", export_lines, "print entries as JSON lines")
    export.add_argument(
        "--from", dest="start", type=int, default=1, metavar="ENTRY", help="begin with this entry"
    )
    export.add_argument(
        "--most-bytes", type=int, metavar="BYTES", help="end before the entry that would exceed this"
    )
    replay = action("replay", replay_match, "replay a match from its entries and print what each one led to")
    for sub in (show, export, replay):
        sub.add_argument("match", type=int, nargs="?", metavar="MATCH", help="the match's number, see list")
    correct = action("correct", correct_throw, "append a correction of a throw in the match in progress")
    correct.add_argument("revision", type=int, metavar="REVISION", help="the revision of the throw, see show")
    correct.add_argument(
        "dice", nargs="+", metavar="KIND:FACE", help="what the throw really showed, for example d6:4"
    )
    erase = action(
        "erase-name", erase_name, "erase a player's name; the matches stay, with an id in place of the name"
    )
    erase.add_argument("name", metavar="NAME", help="the name, see list")
    back = action("restore", restore, "replace the ledger by a copy; the current one is set aside")
    back.add_argument("copy", metavar="COPY", help="a ledger.sqlite3, for example from a backup")
    evidence = action("evidence", save_evidence, "save the picture of an accepted throw")
    evidence.add_argument("entry", type=int, metavar="ENTRY", help="the entry's number, see show")
    evidence.add_argument(
        "file", metavar="FILE.jpg", nargs="?", help="the file to write; - is standard output"
    )
    part = evidence.add_mutually_exclusive_group()
    part.add_argument(
        "--motion",
        action="store_true",
        help="save the motion instead: the last two seconds before the dice came to rest, as small pictures",
    )
    part.add_argument(
        "--whole",
        action="store_true",
        help="save picture and motion together, exactly as stored: the bytes whose SHA-256 the row holds",
    )


def run(args: argparse.Namespace) -> int:
    """Runs the action; 1 and one line on standard error if that is not possible."""
    try:
        return reading_ledger("ledger", args, lambda: args.does(args))
    except BrokenPipeError:  # the reader closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def could_not(sentence: str) -> NoReturn:
    raise CommandError(f"dicetable ledger: {sentence}")


def opened(args: argparse.Namespace) -> closing[Reader]:
    return closing(Reader(ledger_folder(args)))


def show_list(args: argparse.Namespace) -> int:
    with opened(args) as reader:
        for match in reader.matches():
            print(summary_line(match))
    return 0


def show_match(args: argparse.Namespace) -> int:
    for line, revision in with_revisions(args):
        print(entry_line(line, revision))
    return 0


def verify(args: argparse.Namespace) -> int:
    with opened(args) as reader:
        entries, pictures, faults = reader.verify()
    for fault in faults:
        print(fault)
    print(texts.ledger.NOT_PROVEN)
    print(texts.ledger.verified(entries, pictures, wrong=bool(faults)))
    return 1 if faults else 0


def export_lines(args: argparse.Namespace) -> int:
    with opened(args) as reader:
        if args.match is not None and not any(reader.lines(args.match)):
            could_not(f"there is no match {args.match}")
        size = 0
        for line in reader.lines(args.match):
            if line.row.number < args.start:
                continue
            text = json.dumps(exported(reader, line))
            size += len(text) + 1
            if args.most_bytes is not None and size > args.most_bytes:
                break
            print(text)
    return 0


def exported(reader: Reader, line: LedgerLine) -> dict[str, Any]:
    row = line.row
    return {
        "epoch": reader.epoch_of(row.number),
        "number": row.number,
        "match": row.match,
        "at_utc": row.at_utc,
        "entry": json.loads(dump(line.entry)),
        "evidence_sha256": row.evidence_sha256.hex() or None,
        "checksum": row.checksum.hex(),
    }


def replay_match(args: argparse.Namespace) -> int:
    table_state = TableState()
    lines = with_revisions(args)
    first = lines[0][0].entry
    if isinstance(first, Opened) and first.game not in (*GAMES, FAIRNESS.name):
        for line, revision in lines:
            print(entry_line(line, revision))
        print(texts.ledger.as_stored(texts.games.title(first.game)))
        return 0
    for line, revision in lines:
        print(entry_line(line, revision))
        before = table_state.match
        try:
            table_state = table_state.after(line.entry)
        except RuleError as error:
            could_not(f"entry {line.row.number} does not fit the match: {error}")
        if table_state.match is not None and table_state.match is not before:
            for event in table_state.match.events:
                print(f"      {event_line(event)}")
    if table_state.match is not None:
        print(f"waiting for: {json.dumps(table_state.match.prompt.to_json())}")
    return 0


def with_revisions(args: argparse.Namespace) -> list[tuple[LedgerLine, int]]:
    """The entries of the named match, or of the newest, each with the revision after it."""
    with opened(args) as reader:
        match = reader.last_match() if args.match is None else args.match
        lines = list(reader.lines(match)) if match is not None else []
    if not lines:
        raise FileNotFoundError(
            f"there is no match {match}" if match is not None else "there is no match yet"
        )
    return list(zip(lines, revisions([line.entry for line in lines]), strict=True))


def correct_throw(args: argparse.Namespace) -> int:
    """Appends a correction to the newest match, if it is legal and no table runs."""
    try:
        dice = tuple(die(text) for text in args.dice)
    except ValueError as error:
        raise CommandError(f"dicetable ledger correct: {error}", 2) from None
    if not ledger_folder(args).is_dir():
        could_not(f"there is no ledger in {ledger_folder(args)}: {NO_LEDGER}")
    with closing(Ledger(ledger_folder(args))) as ledger:
        table_state, why = fold(ledger.entries())
        if why or table_state.match is None:
            could_not(why or "no match is being played: there is nothing to correct")
        entry = Corrected(args.revision, dice, ())
        try:
            after = table_state.after(entry)
        except RuleError as error:
            could_not(str(error))
        ledger.append(entry)
    if after.match is not None:
        stopped = after.match.stopped
        if stopped is not None:
            print(f"entries from revision {stopped.revision} on are no longer legal and do not count")
        print(f"corrected; waiting for: {json.dumps(after.match.prompt.to_json())}")
    return 0


def erase_name(args: argparse.Namespace) -> int:
    """Erases a name, and lists the other files that still contain it."""
    from dicetable.service import league_client  # only for this: it loads what the service needs

    where = ledger_folder(args)
    if not where.is_dir():
        could_not(f"there is no ledger in {where}: {NO_LEDGER}")
    with closing(store.Ledger(where)) as ledger:
        known_to_league = league_client.erase_name(where, args.name)
        try:
            store.erase_name(ledger, args.name)
        except LookupError:
            if not known_to_league:
                could_not(texts.ledger.no_such_player(args.name))
    print(texts.ledger.erased(args.name))
    names = ("damaged-*/ledger.*", "league.said")  # set aside by repairs; news of the league, maybe damaged
    for path in sorted(path for name in names for path in where.glob(name)):
        if path.is_file() and args.name.encode() in path.read_bytes():
            print(texts.ledger.still_in(str(path)))
    return 0


def restore(args: argparse.Namespace) -> int:
    copy = Path(args.copy)
    if not copy.is_file():
        could_not(f"there is no file {copy}")
    with closing(store.Ledger(ledger_folder(args))) as ledger:
        try:
            done = store.restore(ledger, copy)
        except DamageError as error:
            could_not(f"{error}: nothing was changed")
    print(texts.ledger.restored(done.kept, str(done.aside)))
    return 0


def die(text: str) -> Die:
    """Parses a die such as `d6:4`. Raises ValueError."""
    kind, _, face = text.partition(":")
    for name, values in VALUES.items():
        if name == kind and face.isascii() and face.isdigit() and int(face[:3]) in values:
            return name, int(face[:3])
    raise ValueError(f"{text!r} is not a die: write kind and face, for example d6:4")


def save_evidence(args: argparse.Namespace) -> int:
    with opened(args) as reader:
        evidence = reader.evidence(args.entry) or b""
    picture, motion = parts(evidence)
    name = "motion" if args.motion else "picture"
    picture = evidence if args.whole else motion if args.motion else picture
    if not picture:
        could_not(
            f"entry {args.entry} has no {name}: only accepted throws have one, and only the newest keep it"
        )
    args.file = args.file or f"{name}-{args.entry}.jpg"
    if args.file == "-":
        sys.stdout.buffer.write(picture)
    else:
        try:
            files.atomic_write(Path(args.file), picture)
        except OSError as error:
            could_not(texts.health.not_written(error, Path(args.file)))
        print(f"{args.file}: {len(picture)} bytes")
    return 0
