"""`dicetable play`: a game at the keyboard, thrown on the simulated table or taken from photographs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from dicetable.__main__ import Commands
    from dicetable.eye.look import Look
    from dicetable.session import Accepted, Refused, Session
    from hardware.ports import Clock, Panel

POLL_S = 0.02
SEATS = ("ann", "bob")


def add_parser(subparsers: Commands) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser("play", help="play a game at the keyboard")
    parser.add_argument("game", choices=["six_by_6"], metavar="GAME", help="six_by_6")
    parser.add_argument(
        "--photos", type=Path, metavar="DIR", help="photographs of throws, taken in the order of their names"
    )
    parser.add_argument(
        "--seats", nargs="+", metavar="NAME", default=list(SEATS), help="who plays; default: ann bob"
    )
    parser.add_argument("--seed", type=int, metavar="S", help="makes the simulated table repeatable")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plays until the game is over, the photographs are used up or the player leaves."""
    from dicetable.session import Session
    from games.errors import RuleError
    from games.match import Match

    seed = args.seed if args.seed is not None else fresh_seed()
    try:
        session = Session(Match.new(args.game, args.seats, seed=seed))
    except RuleError as error:
        print(f"dicetable play: --seats: {error}", file=sys.stderr)
        return 2
    return from_photographs(session, args.photos) if args.photos else at_the_table(session, seed)


def fresh_seed() -> int:
    """A seed that nobody knows beforehand."""
    import secrets

    return secrets.randbelow(2**53)


def from_photographs(session: Session, folder: Path) -> int:
    """Each photograph is one settled throw; 1 if there was nothing to play with."""
    from dicetable import story
    from dicetable.eye.look import look
    from hardware.folder_camera import FolderCamera
    from hardware.system_clock import SystemClock

    camera = FolderCamera(folder, SystemClock())
    camera.start()
    if camera.trouble:
        print(f"dicetable play: {camera.trouble.what}: {camera.trouble.remedy}", file=sys.stderr)
        return 1
    while camera.left and not session.over:
        print(story.awaited(session.match))
        seen = look(camera, frames=1)
        if seen is None:
            if camera.trouble:
                print(f"    {camera.trouble.what}")
            continue
        tell(session, seen.frame.name, seen, session.offer(seen.reading))
    return ended(session, "no more photographs")


def at_the_table(session: Session, seed: int) -> int:
    """Throws on the simulated table; at a terminal each throw waits for a press of OK."""
    from dicetable.display import panel_view
    from dicetable.eye.look import look
    from dicetable.session import Accepted, Refused
    from dicetable.simulated_throws import Thrower
    from hardware.simulated.table import SimulatedTable
    from hardware.system_clock import SystemClock
    from hardware.terminal_panel import TerminalPanel

    clock = SystemClock()
    panel = TerminalPanel(sys.stdin.fileno(), sys.stdout, clock)
    table = SimulatedTable(seed % 2**32, clock)
    thrower = Thrower(table)
    table.start()
    message = ""
    while not session.over:
        panel.show(panel_view(session.match, message))
        if sys.stdin.isatty() and not pressed_ok(panel, clock):
            return ended(session, "you left")
        thrower.throw(session.match.prompt)
        seen = look(table, frames=2)
        if seen is None:
            return ended(session, "the simulated camera gave no frame")
        answer = session.offer(seen.reading)
        tell(session, "the table", seen, answer)
        message = answer.text if isinstance(answer, Refused) else ""
        if isinstance(answer, Accepted):
            thrower.accepted(session.match)
    panel.show(panel_view(session.match))
    return ended(session, "")


def pressed_ok(panel: Panel, clock: Clock) -> bool:
    """Waits for OK of any seat; False if the keyboard is gone."""
    print("[Enter throws, Ctrl-D leaves] ", end="", flush=True)
    while panel.trouble is None:
        if any(press.down and press.control.endswith(".ok") for press in panel.presses()):
            return True
        clock.sleep(POLL_S)
    print()
    return False


def tell(session: Session, source: str, seen: Look, answer: Accepted | Refused) -> None:
    """Prints what was seen and what it did."""
    from dicetable import story
    from dicetable.session import Accepted

    print(f"  {source}: {story.dice_line(seen.reading.dice) or 'no dice'}")
    lines = (
        story.consequences(session.match, answer.events) if isinstance(answer, Accepted) else [answer.text]
    )
    for line in lines:
        print(f"    {line}")


def ended(session: Session, why: str) -> int:
    """Prints how the game stands at its end, or where it was left."""
    from dicetable import story

    stand = story.scores(session.match)
    if session.over:
        print(f"{story.awaited(session.match)} ({stand})")
    else:
        print(f"{why}; the game stands at {stand}, awaiting: {story.awaited(session.match)}")
    return 0
