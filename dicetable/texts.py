"""Every text that people at the table read, in one place, to be changed or translated together.

Panel lines hold twenty ASCII characters. A sentence on the panel has three lines of them: keep it below
some fifty characters, with no word over twenty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from games.dice import Die

GAMES = {
    "six_shooter": "Six Shooter",
    "liars_dice": "Liar's Dice",
    "sixes": "Sixes",
    "six_by_6": "Six By 6",
    "money_shot": "Money Shot",
}

# Why a throw does not count.

TOO_EARLY = "Thrown too early: throw again."


def dice_count(count: int) -> str:
    """`one die`, `6 dice`."""
    return "one die" if count == 1 else f"{count} dice"


def are_due(count: int) -> str:
    """`one is due`, `6 are due`."""
    return "one is due" if count == 1 else f"{count} are due"


def wrong_count(seen: int, due: int) -> str:
    """More or fewer dice lie there than were to be thrown."""
    return f"I see {dice_count(seen) if seen else 'no dice'}, {are_due(due)}."


def wrong_kind(kind: str, due: Sequence[str]) -> str:
    """A die lies there that was not to be thrown."""
    return f"I see a {kind}; due: {' '.join(due)}."


def not_seen(*, reveal: bool) -> str:
    """The tray was out of sight when these dice came into it."""
    if reveal:
        return "I lost sight: push each die a bit, do not turn it."
    return "I did not see these dice thrown: throw again."


def old_die_moved(*, reveal: bool) -> str:
    """A die from before is no longer where it lay, and may be taken for a new one."""
    if reveal:
        return "An old die moved: take it out, push yours a bit."
    return "An old die moved: take all dice out, throw again."


def leaning(kind: str | None, *, reveal: bool) -> str:
    """A die leans on something."""
    return f"The {kind or 'die'} is leaning: {'lay it flat' if reveal else 'throw it again'}."


def unsure(count: int, likely: Sequence[str], *, reveal: bool) -> str:
    """Dice that were seen but not surely read."""
    guess = f" ({likely[0]}?)" if len(likely) == 1 else ""
    again = f"push {'it' if count == 1 else 'them'}" if reveal else "throw again"
    return f"I cannot read {dice_count(count)} for sure{guess}: {again}."


SHOW_EMPTY = "Take everything out of the tray."


def show_face(kind: str, value: int) -> str:
    """What to lay under the camera to enrol it."""
    return f"Lay the {kind} in the tray, {value} counting, and take your hand away."


def show_one(count: int) -> str:
    """Something else than one die lies under the camera."""
    if count == 0:
        return "No die is seen. If one lies there, move it a little."
    return f"{dice_count(count)} are seen: lay one alone."


def looks_like(kind: str, value: int) -> str:
    """The die seems to show another face than was asked for."""
    return f"That looks like the {value} of a {kind}. If it is right all the same, lay it there once more."


def strangers(count: int, *, reveal: bool) -> str:
    """Dice that are none of those that the table knows as its own."""
    again = "put its own in" if reveal else "throw its own"
    if count == 1:
        return f"One is not one of the table's dice: {again}."
    return f"{count} are not the table's dice: {again}."


def left_lying(count: int) -> str:
    """Old dice that should have been thrown lie where they lay."""
    if count == 1:
        return "One die still lies unmoved: throw it too."
    return f"{count} dice still lie unmoved: throw them too."


def nothing_thrown(count: int) -> str:
    """Something moved, but every die lies as before."""
    return f"Nothing was thrown yet: throw {dice_count(count)}."


def nothing_new(count: int, *, old: bool, reveal: bool) -> str:
    """The tray has been still for a while, and none of the dice that are due lies in it."""
    seen = "no new dice" if old else "no dice"
    return f"I see {seen}: {'lift the cup over' if reveal else 'throw'} {dice_count(count)}."


# Why the tray cannot be read now.

EYE = {
    "moving": "Rolling...",
    "hand": "Please take your hand out of the tray.",
    "dark": "Too dark to read the dice: switch the light on.",
    "bumped": "The camera moved: put it back, or calibrate it.",
    "markers": "A corner marker is hidden: uncover it.",
}
"""By dicetable.eye.messages.Why."""

PARTS = {"camera": "CAMERA", "panel": "PANEL", "journal": "MEMORY"}
"""What a part in trouble is called."""


def in_trouble(part: str) -> str:
    """The heading over what is wrong with a part."""
    return f"{PARTS.get(part, part.upper())} TROUBLE"


# What is awaited.


def to_throw(seat: str, count: int) -> str:
    """Who is to throw what."""
    return f"{seat}: throw {dice_count(count)}"


def to_reveal(seat: str, count: int) -> str:
    """Who lifts the cup."""
    return f"{seat}: show {dice_count(count)}"


def to_act(seat: str) -> str:
    """Whose turn it is."""
    return f"{seat}: your turn"


def won(winners: Sequence[str]) -> str:
    """The game is over."""
    return f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'win'}"


def throw_line(count: int, *, for_somebody: bool) -> str:
    """What is to be thrown, without the name."""
    return f"THROW {count} for them" if for_somebody else f"THROW {dice_count(count)}"


def show_line(count: int) -> str:
    """What is to be revealed, without the name."""
    return f"LIFT CUP: {dice_count(count)}"


def still_to_show(count: int) -> str:
    """All dice of a reveal that have not been read."""
    return f"or all {count} at once"


TAKE = "-/+ change   OK take"
BACK = "OK take hold OK back"
THINKS = "sits out: I decide"
EVERYBODY_AWAY = "All sit out: press OK to come back."

# The menu of actions.

ACTIONS = {
    "stick": "Stick",
    "buy": "Buy a die",
    "fade": "Fade",
    "bow_out": "Bow out",
    "challenge": "Challenge!",
    "accept": "Accept",
    "bet": "Bet",
    "bid": "Bid",
    "call": "Call",
    "recast": "Recast",
}


def action(kind: str, values: Sequence[int], fields: int) -> str:
    """An action as far as its numbers are chosen, such as `Bid 3 x 5s`; `fields` is how many it takes."""
    name = ACTIONS.get(kind, kind)
    if not fields:
        return name
    if not values:
        return f"{name}..."
    if kind == "bid":
        return f"{name} {values[0]} x {f'{values[1]}s' if len(values) > 1 else '?'}"
    return f"{name} {' '.join(map(str, values))}"


# How a game stands.


def six_by_6_turn(posted: int, carry: int) -> str:
    """How the turn stands."""
    return f"posted {posted} carry {carry}"


def points(points: int) -> str:
    """A score."""
    return "1 point" if points == 1 else f"{points} points"


def has(total: int) -> str:
    """What a seat's open dice show together."""
    return f"has {total}"


FACTS: Mapping[str, Callable[[Any], str]] = {
    "turn": lambda turn: six_by_6_turn(turn["posted"], turn["carry"]),
    "bid": lambda bid: f"bid {bid['quantity']} x {bid['face']}s",
    "on_table": lambda count: f"of {dice_count(count)}",
    "call": lambda call: f"call {call['value']}",
    "pot": lambda chips: f"pot {chips}",
    "bet": lambda chips: f"bet {chips}",
    "peak": lambda face: f"peak {face}",
}
"""Of a game's public state: what everybody wants to know, by key; null says nothing."""

SCORES: Mapping[str, Callable[[int], str]] = {
    "chips": lambda chips: f"{chips} chips",
    "losses": lambda losses: f"lost {losses}",
    "total": lambda total: f"{total} pts",
    "dice": dice_count,
}
"""Of a seat in the public state: its score, by the first key that it has."""


MANY = 10
"""More d6 than this are told by how many show each face."""


def thrown_dice(dice: Sequence[Die]) -> str:
    """Dice as they were read, such as `6 6 1 1 2 3`, `d4:3 d12:7`, or `9x1 2x2` if they are many."""
    if len(dice) > MANY and all(kind == "d6" for kind, _ in dice):
        faces = [face for _, face in dice]
        return " ".join(f"{faces.count(face)}x{face}" for face in sorted(set(faces)))
    return " ".join(str(face) if kind == "d6" else f"{kind}:{face}" for kind, face in dice)


def thrown(event: Mapping[str, Any]) -> str:
    """What a throw came to, beyond its dice."""
    if "posted" in event:
        return f"{event['posted']} posted, +{event['earned']} carry"
    if "total" in event:
        return f"{event['seat']} has {event['total']}"
    if "score" in event:
        return f"{event['seat']} has {event['score']}"
    if "reading" in event:
        return f"{event['seat']} reads {event['reading']}"
    return f"{event['seat']} threw {event['face']}"


EVENTS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "thrown": thrown,
    "turn_over": lambda e: f"{e['seat']}: {'RACK! ' if e['rack'] else ''}{points(e['score'])}",
    "game_won": lambda e: f"game {e['game_no']}: {' '.join(e['winners'])}",
    "hand": lambda e: f"hand {e['hand']}: {e['button']}",
    "stick": lambda e: f"{e['seat']} sticks",
    "buy": lambda e: f"{e['seat']} buys a die",
    "bust": lambda e: f"{e['seat']} is bust",
    "pot": lambda e: f"{e['seat']} takes {e['chips']}",
    "shared": lambda e: f"pot of {e['chips']} shared",
    "round": lambda e: f"round {e['round']}: {e['active']}",
    "bet": lambda e: f"{e['seat']} bets {e['chips']}",
    "fade": lambda e: f"{e['seat']} fades {e['chips']}",
    "covers": lambda e: f"{e['seat']} covers",
    "bow_out": lambda e: f"{e['seat']} bows out",
    "peak": lambda e: f"{e['seat']}: peak {e['peak']}",
    "rolled_out": lambda e: f"{e['seat']} rolled out",
    "cast": lambda e: f"{e['seat']} casts {e['count']}",
    "bid": lambda e: f"{e['seat']} bids {e['quantity']}x{e['face']}s",
    "call": lambda e: f"{e['seat']} calls {e['value']}",
    "accept": lambda e: f"{e['seat']} accepts",
    "challenge": lambda e: f"{e['seat']} challenges",
    "revealed": lambda e: f"it was {e['reading']}" if "reading" in e else f"there are {e['count']}",
    "challenge_won": lambda e: f"{e['loser']} loses a die",
    "round_lost": lambda e: f"{e['seat']} loses round",
    "corrected": lambda e: f"now {thrown_dice(e['dice'])}",
    "stopped": lambda _: "play on from here",
}
"""Of a match's events: what happened, in one line."""


BY_HAND = " (entered by hand)"
NO_DICE = "no dice"

# A game at a terminal.

KEYS = "[Enter is OK, and throws; + and - change; m is the menu; 2+ is seat 2's +; Ctrl-D leaves]"
YOU_LEFT = "you left"
NO_MORE_PHOTOGRAPHS = "no more photographs"
ENDED = "the game was ended"


def under_cup(seat: str, faces: Sequence[int]) -> str:
    """What lies under somebody's own cup."""
    return f"    (under {seat}'s cup: {' '.join(map(str, sorted(faces)))})"


# Between games.

ATTRACT = ("     DICE TABLE     ", "", "  Press any button  ", "      to play       ")
LAST_WON = "Last winners:"
CHOOSE_GAME = "What shall we play?"
WHO_PLAYS = "Who plays? Press OK"
PLAY_AGAIN = "OK: play again"
SET_UP_START = "START"
SET_UP_NAMES = "Names"
NO_LIMIT = "no end"
BY_CHANCE = "by chance"
OPTIONS = {
    "chips": "Chips",
    "ante": "Ante",
    "price": "Price of a die",
    "target": "Target",
    "hands": "Hands",
    "dice": "Dice each",
    "drinks": "Drinks",
    "rounds": "Rounds",
    "sets": "Sets",
    "games": "Games",
    "min_bet": "Smallest bet",
    "max_bet": "Largest bet",
    "first": "Who begins",
}


def seats_needed(fewest: int, most: int, there: int) -> str:
    """How many can play, and how many do."""
    return f"{there} in, {fewest} to {most} play"


def players(fewest: int, most: int) -> str:
    """How many can play."""
    return f"{fewest} to {most} players"


def not_enough(fewest: int, most: int) -> str:
    """Too few seats have joined, or too many."""
    return f"This game is for {fewest} to {most} players."


def option_value(option: str, value: Any) -> str:
    """The value of an option; there is none where it is by chance, or without end."""
    if value is None:
        return BY_CHANCE if option == "first" else NO_LIMIT
    return str(value)


def goes_on(place: int) -> str:
    """Who goes on once all are there."""
    return f"Seat {place} OK: go on"


def seat_name(place: int) -> str:
    """Who sits there if nobody gave a name."""
    return f"Seat {place}"


def name_of(place: int) -> str:
    """Over the letters of a name."""
    return f"Name of seat {place}"


LETTER = "-/+ letter, OK next"
NAME_DONE = "END"
SAME_NAME = "Somebody has that name already."

# The table's own menu.

MENU = "MENU"
MENU_WHOSE = "Any seat: - or +"
MENU_CLOSE = "Back"
MENU_ITEMS = {
    "close": "Back to the game",
    "pause": "Pause",
    "by_hand": "Enter dice by hand",
    "correct": "Correct last throw",
    "sit_out": "I sit out",
    "come_back": "I am back",
    "leave": "I leave",
    "join": "I join next game",
    "hurry": "Somebody is away",
    "end": "End this game",
    "new": "New game",
    "off": "Power off",
}
PAUSED = "PAUSED"
PAUSED_TEXT = "Any OK: play on"
GOOD_NIGHT = ("", "     Good night.    ", "", "")
ANOTHER_SEAT = "Another seat: OK"
SAME_SEAT = "OK: yes"
NO_HOLD = "Hold OK: no"
IS_IT_RIGHT = "Is this right?"
END_GAME = "End this game?"
NEW_GAME = "Start a new game?"
POWER_OFF = "Power off?"


def countdown(seconds: int) -> str:
    """How long somebody has who is waited for."""
    return f"press a key: {seconds} s"


def die_field(number: int, count: int, kind: str) -> str:
    """Which die is entered."""
    return f"Die {number} of {count}: {kind}"


def kind_field(number: int, count: int) -> str:
    """Which die's kind is entered."""
    return f"Die {number} of {count}: kind?"


def face_field(face: int) -> str:
    """How many dice show that face."""
    return f"How many show {face}?"


# After trouble.

SAFE_TEXT = "SAFE MODE: I failed again and again."
DAMAGED = "The saved game is damaged."


def fewer_seats(place: int, seats: int) -> str:
    """Somebody plays at a seat that the table does not have any more."""
    return f"Seat {place} plays, but the table has {seats}: resume without it?"


SAFE_ITEMS = {"resume": "Resume the game", "new": "New game", "off": "Power off"}


# The ledger

LEDGER_FULL = "The disk is full: nothing can be written down, the game waits."
LEDGER_READ_ONLY = "The disk cannot be written to: the game waits."
LEDGER_IN_USE = "Another program writes to the ledger."
LEDGER_IN_USE_REMEDY = "stop the other dicetable, or use another state folder"


def ledger_full_remedy(folder: str) -> str:
    """How to go on after the disk was full."""
    return f"make room on the disk that holds {folder}"


def ledger_read_only_remedy(folder: str) -> str:
    """How to go on after the disk was found read-only."""
    return f"see that {folder} is writable for the table's user; a worn card goes read-only: replace it"


def ledger_failed(error: str) -> str:
    """Any other fault of the disk."""
    return f"The game cannot be written down ({error}): it waits."


def ledger_failed_remedy(path: str) -> str:
    """What to look at."""
    return f"check the disk that holds {path}"


LEDGER_RUNNING = "played"
LEDGER_CLOSED = {"over": "over", "ended": "ended"}
LEDGER_PICTURE = "picture"


def ledger_opened(game: str, seats: Sequence[str], options: Mapping[str, object]) -> str:
    """A match begins."""
    chosen = "".join(f", {name} {value}" for name, value in options.items())
    return f"{game}: {', '.join(seats)}{chosen}"


def ledger_decided(seat: str, action: str, *, by_table: bool) -> str:
    """A seat acted."""
    return f"{seat}: {action}{' (the table, for a seat that sits out)' if by_table else ''}"


def ledger_thrown(dice: str, *, by_hand: bool) -> str:
    """Dice were taken."""
    return f"thrown {dice}{' (entered by hand)' if by_hand else ''}"


def ledger_revealed(seat: str, dice: str) -> str:
    """A seat's dice of a reveal."""
    return f"{seat} reveals {dice}"


def ledger_corrected(revision: int, dice: str) -> str:
    """A throw was corrected."""
    return f"the throw of r{revision} really showed {dice}"


def ledger_sat(name: str, how: str) -> str:
    """Somebody sits down, sits out or leaves."""
    return f"{name} {how.replace('_', ' ')}"


# The service

EYE_LOST = "The camera's program stopped and is starting again."
EYE_LOST_REMEDY = "wait a moment; if it stays, see `dicetable doctor`"


LEDGER_REPAIRED_REMEDY = "play on; later see `dicetable ledger verify`"


def ledger_repaired(lost: int) -> str:
    """The ledger was damaged; `lost` entries of it are known to be gone."""
    what = f"its last {lost} entries are lost" if lost else "all that could be read goes on"
    return f"The ledger was damaged: {what}."


# The camera over the tray

CAMERA_SILENT = "The camera gives no pictures."
CAMERA_SILENT_REMEDY = "check the camera's cable; `dicetable doctor` says more"

MARKER_SHEET = (
    "The markers of the dice table's tray. Print at 100 % (no fit to page).",
    "Cut along the grey lines and glue each flat into its corner of the tray,",
    "upright as the players at the near side read it.",
)
MARKER_CORNERS = ("far left", "far right", "near right", "near left")
MARKER_RULE = "This rule must measure 100 mm: if it does not, the printer has changed the size."

# Calibrating a rig

RIG_MARKERS_REMEDY = "glue one of `dicetable markers` into each corner, all in view and uncovered"
RIG_MARKERS_ASKEW = "the four markers do not lie in one plane, or are not of one size"
RIG_MARKERS_ASKEW_REMEDY = "print all four on one page at 100 % and glue them flat"
RIG_TOO_FAR = "bring the camera nearer, or choose a larger frame"
RIG_SLANTED = "hang the camera more above the middle of the tray"
RIG_BLURRED = "focus the lens on the tray's floor, and shorten the exposure"
RIG_TOO_DARK = "more light on the tray, or a longer exposure"
RIG_TOO_BRIGHT = "less light on the tray, or a shorter exposure"
RIG_UNEVEN = "light the tray from two sides, or from farther away"
RIG_GLARE = "move the lamp so that its reflection is not in the tray, or soften it with paper"
RIG_EMPTY_IT = "take everything out of the tray"
RIG_MOVES = "Something moves in the tray, or it is dark: keep hands out and the light on, and try again."


def rig_markers_missing(numbers: Sequence[int]) -> str:
    """Markers that are not seen, by their corners."""
    corners = [f"{MARKER_CORNERS[number]} ({number})" for number in numbers]
    return f"not seen: {', '.join(corners)}"


def rig_markers(across_mm: float, deep_mm: float) -> str:
    """All four are seen."""
    return f"all four, {across_mm:.0f} x {deep_mm:.0f} mm apart"


def rig_size(px_per_mm: float) -> str:
    """How large the camera sees the tray."""
    return f"{px_per_mm:.1f} pixels to a millimetre"


def rig_slant(ratio: float) -> str:
    """How far from straight above the camera looks."""
    return f"the nearest corner is seen {(ratio - 1):.0%} larger than the farthest"


def rig_blur(edge_mm: float) -> str:
    """How sharp the picture is."""
    return f"edges are {edge_mm:.2f} mm wide"


def rig_light(darkest: float, brightest: float, contrast: float) -> str:
    """How bright white paper is."""
    return f"white paper is {darkest:.0f} to {brightest:.0f} of 255, {contrast:.0f} above black"


def rig_even(ratio: float) -> str:
    """How much darker the darkest corner is."""
    return f"the darkest corner has {ratio:.0%} of the light of the brightest"


def rig_glare(part: float) -> str:
    """How much is burnt out."""
    return f"{part:.1%} of the tray is burnt out"


def rig_things(count: int) -> str:
    """What lies in the tray."""
    return f"{count} thing{'s' if count != 1 else ''} in it" if count else "nothing in it"
