"""Six Shooter: each seat has one die of each kind and buys dice, towards a target that it must not pass."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from games.dice import KINDS, Die, Kind
from games.errors import BadOption
from games.game import Event, Game, Pick, Step, best, clockwise, next_left, with_item
from games.prompts import ActPrompt, OverPrompt, Plain, Prompt, ThrowPrompt
from games.requests import JsonObject
from games.words import SeatStage, Stage, TableView, Words, chips_of, figure, pot_sign, tr

OPENING_DICE = 2
STICK, BUY = Plain("stick"), Plain("buy")


@dataclass(frozen=True, slots=True)
class Options:
    """`chips` at the start, `ante` per hand, `price` of a die, `target` not to pass, `hands` in a game."""

    chips: int = 20
    ante: int = 2
    price: int = 1
    target: int = 21
    hands: int | None = None
    first: str | None = None

    def check(self, seats: tuple[str, ...]) -> None:  # noqa: ARG002 - any number of seats suits
        """Each seat must be able to pay the first ante."""
        if self.chips < self.ante:
            raise BadOption("chips must be at least the ante")


Status = Literal["in", "stuck", "bust", "out"]


class State(NamedTuple):
    """The game at one decision or throw; chips, dice and status are in seat order.

    `stuck` holds seats in the order in which they stuck.
    """

    seats: tuple[str, ...]
    options: Options
    hand: int
    button: int
    pot: int
    chips: tuple[int, ...]
    dice: tuple[tuple[Die, ...], ...]
    status: tuple[Status, ...]
    stuck: tuple[int, ...]
    turn: int
    phase: Literal["opening", "act", "bought", "over"]

    def seats_that_are(self, *status: Status) -> list[int]:
        return [seat for seat, held in enumerate(self.status) if held in status]

    def total(self, seat: int) -> int:
        return sum(face for _, face in self.dice[seat])

    def dice_left(self, seat: int) -> tuple[Kind, ...]:
        thrown = {kind for kind, _ in self.dice[seat]}
        return tuple(kind for kind in KINDS if kind not in thrown)


def with_status(state: State, seat: int, status: Status) -> State:
    statuses = (*state.status[:seat], status, *state.status[seat + 1 :])
    return state._replace(status=statuses)


def start(seats: tuple[str, ...], options: Options, pick: Pick) -> Step[State]:
    """The first hand; its button is `first` or drawn at random."""
    everyone = list(range(len(seats)))
    button = pick(len(seats)) if options.first is None else seats.index(options.first)
    dice: tuple[tuple[Die, ...], ...] = ((),) * len(seats)
    status: tuple[Status, ...] = tuple("in" for _ in seats)
    state = State(
        seats,
        options,
        hand=0,
        button=button,
        pot=0,
        chips=(options.chips,) * len(seats),
        dice=dice,
        status=status,
        stuck=(),
        turn=button,
        phase="opening",
    )
    return begin_hand(state, button, everyone)


def able(state: State) -> list[int]:
    """The seats that can afford another hand."""
    seats = state.seats_that_are("in", "stuck", "bust")
    return [seat for seat in seats if state.chips[seat] >= state.options.ante]


def begin_hand(state: State, button: int, playing: list[int]) -> Step[State]:
    """The playing seats pay the ante; the button throws first."""
    ante = state.options.ante
    chips = tuple(has - ante if seat in playing else has for seat, has in enumerate(state.chips))
    status: list[Status] = ["in" if seat in playing else "out" for seat in range(len(state.seats))]
    nothing: tuple[Die, ...] = ()
    state = state._replace(
        hand=state.hand + 1,
        button=button,
        pot=state.pot + ante * len(playing),
        chips=chips,
        dice=(nothing,) * len(state.seats),
        status=tuple(status),
        stuck=(),
        turn=button,
        phase="opening",
    )
    return state, [{"event": "hand", "hand": state.hand, "button": state.seats[button], "pot": state.pot}]


def prompt(state: State) -> Prompt:
    """The opening throws, then a decision or the throw of a bought die."""
    seat = state.seats[state.turn]
    if state.phase == "opening":
        return ThrowPrompt(seat, OPENING_DICE, KINDS)
    if state.phase == "bought":
        return ThrowPrompt(seat, 1, state.dice_left(state.turn))
    if state.phase == "act":
        can_buy = state.chips[state.turn] >= state.options.price
        return ActPrompt(seat, (STICK, BUY) if can_buy else (STICK,))
    return OverPrompt(best(state.seats, state.chips))


def act(state: State, action: JsonObject) -> Step[State]:
    turn = state.turn
    events: list[Event] = [{"event": action["type"], "seat": state.seats[turn]}]
    if action["type"] == "buy":
        price = state.options.price
        chips = with_item(state.chips, turn, state.chips[turn] - price)
        return state._replace(chips=chips, pot=state.pot + price, phase="bought"), events
    state = with_status(state._replace(stuck=(*state.stuck, turn)), turn, "stuck")
    return pass_on(state, events)


def throw(state: State, dice: tuple[Die, ...]) -> Step[State]:
    turn = state.turn
    thrown = tuple(sorted(dice, key=lambda die: KINDS.index(die[0])))
    lies = (*state.dice[:turn], state.dice[turn] + thrown, *state.dice[turn + 1 :])
    state = state._replace(dice=lies)
    events: list[Event] = [
        {
            "event": "thrown",
            "seat": state.seats[turn],
            "dice": [list(die) for die in thrown],
            "total": state.total(turn),
        }
    ]
    return (opening_thrown if state.phase == "opening" else bought_thrown)(state, events)


def opening_thrown(state: State, events: list[Event]) -> Step[State]:
    """Busts are decided once all have thrown; one seat or none may then be left."""
    waiting = [seat for seat in state.seats_that_are("in") if not state.dice[seat]]
    if waiting:
        return state._replace(turn=next_left(state.turn, len(state.seats), waiting)), events
    for seat in state.seats_that_are("in"):
        if state.total(seat) > state.options.target:
            state = with_status(state, seat, "bust")
            events.append({"event": "bust", "seat": state.seats[seat]})
    left = state.seats_that_are("in")
    if len(left) < 2:
        return end_hand(state, left[0] if left else None, events)
    begins = state.button if state.button in left else next_left(state.button, len(state.seats), left)
    return state._replace(turn=begins, phase="act"), events


def bought_thrown(state: State, events: list[Event]) -> Step[State]:
    """A bust may leave one seat; six dice without a bust win at once."""
    turn = state.turn
    if state.total(turn) > state.options.target:
        state = with_status(state, turn, "bust")
        events.append({"event": "bust", "seat": state.seats[turn]})
        left = state.seats_that_are("in", "stuck")
        if len(left) == 1:
            return end_hand(state, left[0], events)
    elif not state.dice_left(turn):
        return end_hand(state, turn, events)
    return pass_on(state, events)


def pass_on(state: State, events: list[Event]) -> Step[State]:
    """The next seat that has not stuck acts; if there is none, the hand is decided."""
    undecided = state.seats_that_are("in")
    if undecided:
        turn = next_left(state.turn, len(state.seats), undecided)
        return state._replace(turn=turn, phase="act"), events
    # Highest total, then most dice, then stuck earliest: max takes the first of equals.
    winner = max(state.stuck, key=lambda seat: (state.total(seat), len(state.dice[seat])))
    return end_hand(state, winner, events)


def end_hand(state: State, winner: int | None, events: list[Event]) -> Step[State]:
    """Pays the pot, or carries it over if there is no winner, and begins the next hand if there is one."""
    if winner is not None:
        events.append({"event": "pot", "seat": state.seats[winner], "chips": state.pot})
        state = state._replace(chips=with_item(state.chips, winner, state.chips[winner] + state.pot), pot=0)
    playing = able(state)
    if len(playing) < 2 or state.hand == state.options.hands:
        return share_pot(state, events)._replace(phase="over"), events
    button = next_left(state.button, len(state.seats), playing)
    state, antes = begin_hand(state, button, playing)
    return state, events + antes


def share_pot(state: State, events: list[Event]) -> State:
    """Shares a carried pot among the seats of the last hand, odd chips clockwise from the button."""
    played = [seat for seat in clockwise(state.button, len(state.seats)) if state.status[seat] != "out"]
    share, odd = divmod(state.pot, len(played))
    chips = list(state.chips)
    for place, seat in enumerate(played):
        chips[seat] += share + (place < odd)
    if state.pot:
        events.append(
            {"event": "shared", "chips": state.pot, "seats": [state.seats[seat] for seat in played]}
        )
    return state._replace(chips=tuple(chips), pot=0)


def aside(state: State) -> tuple[Die, ...]:
    """Every die that was thrown in this hand."""
    return tuple(die for dice in state.dice for die in dice)


def to_json(state: State) -> JsonObject:
    return {
        "game": "six_shooter",
        "hand": state.hand,
        "button": state.seats[state.button],
        "pot": state.pot,
        "seats": [
            {
                "seat": name,
                "chips": state.chips[seat],
                "dice": [list(die) for die in state.dice[seat]],
                "total": state.total(seat),
                "status": state.status[seat],
            }
            for seat, name in enumerate(state.seats)
        ],
    }


def standing(_state: JsonObject, seat: JsonObject) -> str:
    if seat["status"] in ("bust", "out"):
        return OUT[seat["status"]]
    if not seat["dice"]:
        return ""
    text = tr("stuck on {total}") if seat["status"] == "stuck" else tr("has {total}")
    return text.format(total=seat["total"])


def stage(view: TableView) -> Stage:
    """The total of the seat that throws against the target, and every seat's dice."""
    seats = {
        seat["seat"]: SeatStage(
            str(seat["total"]) if seat["dice"] else "",
            tuple((kind, value) for kind, value in seat["dice"]),
            out=seat["status"] in ("bust", "out"),
            note=NOTES.get(seat["status"], ""),
        )
        for seat in view.state["seats"]
    }
    own = seats.get(view.to_act or "", SeatStage(""))
    pot = (str(view.state["pot"]), tr("in the pot"))
    of = tr("of {target}").format(target=view.options.target)
    number, caption = figure(int(own.number or 0), of)
    return Stage(number, caption, own.dice, beside=(pot,), owner=view.to_act or "", seats=seats)


OUT = {"bust": tr("bust"), "out": tr("out")}
NOTES = OUT | {"stuck": tr("stuck")}
"""What the stage says of a seat beside its total, by its status."""
WORDS = Words(
    title=tr("Six Shooter"),
    pitch=tr("Buy one more die? As near 21 as you dare."),
    poster=(("d12", 11), ("d8", 6), ("d4", 4)),
    rules=(
        tr("Everyone pays the ante and throws any two dice."),
        tr("Then, seat by seat: stick, or buy one more die."),
        tr("Each of your six dice is thrown once a hand."),
        tr("Over the target, 21, and you're bust."),
        tr("When everyone has stuck, the highest total takes the pot."),
        tr("Ties: more dice win, then the first to stick."),
        tr("Six dice without a bust take the pot at once."),
        tr("If all others bust, the last player takes the pot."),
        tr("Most chips at the end wins."),
    ),
    actions={"stick": tr("Stick"), "buy": tr("Buy a die")},
    buttons={"stick": lambda _, seat: tr("Stick on {total}").format(total=seat["total"])},
    asks={"stick": lambda _, seat: tr("You have {total}. Is that enough?").format(**seat)},
    options={
        "ante": tr("Ante"),
        "price": tr("Price of a die"),
        "target": tr("Target"),
        "chips": tr("Chips"),
        "hands": tr("Hands"),
    },
    events={
        "hand": lambda e: tr("hand {hand}: {button} begins").format(**e),
        "thrown": lambda e: tr("{seat} has {total}").format(**e),
        "stick": lambda e: tr("{seat} sticks").format(**e),
        "buy": lambda e: tr("{seat} buys a die").format(**e),
        "bust": lambda e: tr("{seat} is bust").format(**e),
        "pot": lambda e: tr("{seat} takes {chips}").format(**e),
        "shared": lambda e: tr("pot of {chips} shared").format(**e),
    },
    facts=lambda state: [tr("pot {chips}").format(chips=state["pot"])],
    score=lambda _, seat: chips_of(seat["chips"]),
    standing=standing,
    stage=stage,
    moments={"pot": pot_sign},
)

GAME = Game(
    "six_shooter",
    2,
    8,
    Options,
    start,
    prompt,
    to_json,
    dice=throw,
    act=act,
    aside=aside,
    words=WORDS,
    limit="hands",
    away=("stick",),
)
