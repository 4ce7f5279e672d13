"""`dicetable stats`: what the throws say about the dice."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from common import files, texts
from dicetable.commands.usage import (
    CommandError,
    Commands,
    add_ledger_options,
    complain,
    ledger_folder,
    named_path,
    reading_ledger,
)
from dicetable.ledger.reader import Reader
from dicetable.statistics import matches, players
from dicetable.statistics.fold import Folded
from dicetable.statistics.matches import Played
from dicetable.statistics.report import DieReport, report_lines, reports
from dicetable.statistics.tapes import ALONE, ASKED, SheetError, Tape, read_sheet
from dicetable.statistics.totals import stored_throws

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (
    *(".jpg", ".jpeg", ".heic", ".heif", ".png", ".webp", ".tif", ".tiff", ".bmp"),
    *(".ppm", ".pgm", ".pnm", ".gif", ".jp2", ".j2k", ".avif"),
)
"""Names of photographs; other files of a folder are not opened."""
NEWEST = "newest"


@dataclass(frozen=True, slots=True)
class ThrowSource:
    """Throws, the path of what they come from and the words for it, and notes on them.

    `unread` counts dice in photographs that have no kind or no value. `doubtful`: dice marked as asked are
    readings in doubt, not answers of people.
    """

    path: Path
    where: str
    folded: Folded
    unread: int = 0
    failed: bool = False
    doubtful: bool = False
    from_table: bool = False
    notes: tuple[str, ...] = ()


def add_parser(subparsers: Commands, text: str) -> None:
    parser = subparsers.add_parser("stats", help=text, description=text)
    source = parser.add_mutually_exclusive_group()
    add_ledger_options(source)
    source.add_argument(
        "--photos", type=named_path, metavar="DIR", help="use photographs of throws instead of the ledger"
    )
    source.add_argument(
        "--csv",
        type=named_path,
        metavar="FILE",
        help="use a table with the columns kind,value instead of the ledger",
    )
    parser.add_argument("--die", metavar="NAME", help="only this die or kind, for example d20")
    parser.add_argument(
        "--since", metavar="DATE", help="only throws from this day on, for example 2026-11-21"
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    parser.add_argument(
        "--plot", type=named_path, metavar="DIR", help="write plots into this folder, as PNG and SVG"
    )
    people = parser.add_mutually_exclusive_group()
    people.add_argument(
        "--players",
        action="store_true",
        help="report the players' wins, streaks, luck and skill instead of the dice",
    )
    people.add_argument(
        "--recap",
        nargs="?",
        const=NEWEST,
        metavar="DATE",
        help="report the evening of DATE instead of the dice; default: the latest",
    )
    parser.add_argument("--no-names", action="store_true", help="show numbers in place of the players' names")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Reports; 1 if there is nothing to report or something could not be read, 2 for a bad date."""
    check(args)
    since = midnight(args.since) or ""
    undrawn = bool(args.plot) and find_spec("matplotlib") is None
    args.plot = None if undrawn else args.plot

    def report() -> int:
        try:
            if args.players or args.recap is not None:
                code = report_people(args, since)
            else:
                code = report_dice(args, source_of(args, since))
        except SheetError as error:
            could_not(f"{args.csv}: {error}")
        if undrawn:
            could_not(texts.statistics.PLOTS_NEED)
        return code

    return reading_ledger("stats", args, report)


def check(args: argparse.Namespace) -> None:
    """Refuses options that do not go together, and what is no date."""
    for option, day in (("--since", args.since), ("--recap", args.recap)):
        if (option, day) != ("--recap", NEWEST) and midnight(day) is None:
            could_not(texts.statistics.bad_date(option, day), code=2)
    if (args.players or args.recap is not None) and (args.die or args.photos or args.csv):
        could_not(texts.statistics.PLAYERS_ALONE, code=2)
    if args.players and args.plot:
        could_not(texts.statistics.PLAYERS_UNDRAWN, code=2)
    if args.since and (args.photos or args.csv):
        could_not(texts.statistics.SINCE_ALONE, code=2)


def could_not(sentence: str, code: int = 1) -> NoReturn:
    raise CommandError(f"dicetable stats: {sentence}", code)


def midnight(day: str | None) -> str | None:
    """The local start of the day, ISO 8601 in UTC; empty without a day, None if it is no date."""
    if day is None:
        return ""
    try:
        began = datetime.strptime(day, "%Y-%m-%d").astimezone()
        return began.astimezone(UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return None


def source_of(args: argparse.Namespace, since: str) -> ThrowSource:
    """The throws in the photographs, the sheet or the ledger that the arguments name."""
    if args.photos:
        return photographs(args.photos)
    if args.csv:
        return sheet(args.csv)
    folder = ledger_folder(args)
    day = "" if args.since is None else datetime.strptime(args.since, "%Y-%m-%d").date().isoformat()
    folded, notes = stored_throws(folder, since, day)
    where = texts.statistics.ledger_in(str(folder))
    return ThrowSource(folder, where, folded, from_table=True, notes=notes)


def sheet(path: Path) -> ThrowSource:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return ThrowSource(path, str(path), Folded(read_sheet(file)))
    except UnicodeDecodeError:
        raise SheetError("it is no text in UTF-8") from None


def photographs(folder: Path) -> ThrowSource:
    """The dice in every photograph of a folder; reports and leaves out the ones that cannot be read."""
    from hardware.photograph import PhotographError, load_photograph
    from vision.reader import DiceReader

    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
    folded = Folded()
    unread, failed = 0, False
    reader = DiceReader()
    for path in paths:
        try:
            reading = reader.read(load_photograph(path).pixels)
        except PhotographError as error:
            failed = True
            complain(f"dicetable stats: {path}: {error}")
            continue
        kinds = Counter(die.kind for die in reading.dice)
        folded.throws += bool(reading.dice)
        for die in reading.dice:
            if die.face is None:
                unread += 1
                continue
            marks = (ALONE if kinds[die.kind] == 1 else 0) | (0 if die.sure else ASKED)
            folded.tapes.add(*die.face, marks)
    where = texts.statistics.photographs_in(str(folder))
    return ThrowSource(folder, where, folded, unread, failed, doubtful=True)


def report_dice(args: argparse.Namespace, source: ThrowSource) -> int:
    tapes = source.folded.tapes
    names = tapes.all()
    if not names:
        could_not(texts.statistics.nothing_thrown(source.where, args.since))
    if args.die is not None and args.die not in names:
        could_not(texts.statistics.no_such_die(args.die, names))
    chosen = [
        die
        for die in reports(names)
        if args.die == die.name or (args.die is None and die.name not in tapes.alone())
    ]
    if args.json:
        print(json.dumps(as_json(source, chosen)))
    else:
        print("\n".join(as_text(source, chosen)))
    if args.plot:
        complain(texts.statistics.plotted(draw(args.plot, chosen, names), str(args.plot)))
    return 1 if source.failed else 0


def draw(folder: Path, dice: list[DieReport], names: Mapping[str, Tape]) -> int:
    from dicetable.statistics import plots

    figures: dict[str, Figure] = {}
    taken: set[str] = set()
    for die in dice:
        stem = re.sub(r"[^\w-]", "_", die.name)
        while stem in taken:
            stem += "_"
        taken.add(stem)
        pictures = plots.pictures(die, names[die.name])
        figures |= {f"{stem}-{name}": figure for name, figure in pictures.items()}
    return write_figures(folder, figures)


def write_figures(folder: Path, figures: Mapping[str, Figure]) -> int:
    """Writes each figure in every format, over those of an earlier call; returns the number of files."""
    from dicetable.statistics import plots

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        could_not(texts.health.folder_not_made(error, folder))
    for stem, figure in figures.items():
        for suffix in plots.FORMATS:
            files.atomic_write(folder / f"{stem}.{suffix}", plots.encoded(figure, suffix))
    return len(figures) * len(plots.FORMATS)


def report_people(args: argparse.Namespace, since: str) -> int:
    folder = ledger_folder(args)
    where = texts.statistics.ledger_in(str(folder))
    with closing(Reader(folder)) as reader:
        everything = matches.played((line.row.at_utc, line.entry) for line in reader.lines())
    if args.no_names:
        everything = matches.renamed(everything, matches.numbered(everything))
    selected = [match for match in everything if match.at_utc >= since]
    if not selected:
        could_not(texts.statistics.no_games(where, args.since))
    if args.players:
        everybody = players.players(selected)
        shown: dict[str, Any] = {"source": str(folder), "players": [player.to_json() for player in everybody]}
        lines = [line for player in everybody for line in players.player_lines(player)]
        lines += ["", *players.record_lines(selected)]
    else:
        evenings = players.evenings(selected)
        newest = players.evening_of(selected[-1])  # by its row: the clock may have been wrong
        day = newest if args.recap == NEWEST else date.fromisoformat(args.recap)
        if day not in evenings:
            could_not(texts.statistics.no_evening(args.recap, where))
        shown = {"source": str(folder), **players.recap_json(day, evenings[day])}
        lines = list(players.recap_lines(day, evenings[day]))
        if args.plot:
            complain(texts.statistics.plotted(draw_recap(args.plot, day, evenings[day]), str(args.plot)))
    print(json.dumps(shown) if args.json else "\n".join(lines))
    return 0


def draw_recap(folder: Path, day: date, matches: Sequence[Played]) -> int:
    from dicetable.statistics import plots

    people = players.players(matches)
    figure = plots.recap(texts.statistics.evening(f"{day}", len(matches), len(people)), people)
    return write_figures(folder, {f"evening-{day}": figure})


def as_json(source: ThrowSource, dice: list[DieReport]) -> dict[str, Any]:
    folded = source.folded
    return {
        "source": str(source.path),
        "dice": [die.to_json() for die in dice],
        "not_counted": {
            "by_hand": folded.by_hand,
            "under_cups": folded.hidden,
            "unread": source.unread,
            "other_kinds": folded.tapes.strays(),
        },
        "corrected": folded.corrected,
        "confirmed_otherwise": folded.misproposed,
        "not_seen_to_roll": folded.vouched,
        "corrections_without_throw": folded.unplaced,
    }


def as_text(source: ThrowSource, dice: list[DieReport]) -> list[str]:
    lines: list[str] = []
    for die in dice:
        lines += [*report_lines(die), ""]
    folded = source.folded
    words = texts.statistics
    notes = [words.left_out(folded.by_hand, folded.hidden, source.unread)]
    notes += [
        words.strays(name, folded.tapes.all()[name].kind, others)
        for name, others in folded.tapes.strays().items()
    ]
    count = sum(int(tape.asked.sum()) for tape in folded.tapes.kinds.values())
    if source.doubtful:
        notes += [words.in_doubt(count)] if count else []
    else:
        notes += [words.asked_dice(count, folded.corrected, folded.misproposed, folded.vouched)]
    notes += [words.unplaced(folded.unplaced)] if folded.unplaced else []
    notes += [words.ASKED_AGAIN] if source.from_table else []
    notes += [words.TAKEN_TOGETHER] if len(folded.tapes.all()) > 1 else []
    return lines + [note for note in (*notes, *source.notes) if note]
