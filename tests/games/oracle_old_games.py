"""Eight old games of the bar, naively: each is one straight story in a generator (see oracle_tales.py).

They were written from the pages in docs/games alone.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from tests.games.oracle_tales import Json, Tale, choose, from_left_of, plain, throw, top, value_of

if TYPE_CHECKING:
    from collections.abc import Iterable

# The readings of two dice in Mexico and Mia, from the lowest to the highest.
READINGS = [31, 32, 41, 42, 43, 51, 52, 53, 54, 61, 62, 63, 64, 65, 11, 22, 33, 44, 55, 66, 21]


def faces_of(dice: list[Any]) -> list[int]:
    """The faces from high to low."""
    return sorted((face for _, face in dice), reverse=True)


def d6s(seat: str, count: int) -> Json:
    return throw(seat, count, ["d6"] * count)


def number(faces: Iterable[int]) -> int:
    chosen = list(faces)
    return value_of(chosen) if chosen else 0


def faces_in(value: int) -> list[int]:
    return [int(digit) for digit in str(value) if digit != "0"]


def without(faces: list[int], chosen: list[int]) -> list[int]:
    rest = faces[:]
    for face in chosen:
        rest.remove(face)
    return rest


def selections(faces: list[int], sizes: Iterable[int]) -> list[int]:
    return sorted({number(part) for size in sizes for part in combinations(faces, size)})


def round_from(names: list[str], name: str) -> list[str]:
    return [name, *from_left_of(names, name)[:-1]]


def points_of_all(faces: tuple[int, ...], o: Json) -> int | None:
    """The points if every die scores, counted the best way; None if one of them can't."""
    if not faces:
        return 0
    ways = []
    if sorted(faces) == [1, 2, 3, 4, 5, 6] and o["straight"]:
        ways.append(o["straight"])
    if sorted(faces.count(f) for f in set(faces)) == [2, 2, 2] and o["three_pairs"]:
        ways.append(o["three_pairs"])
    face = faces[0]
    # The dice of the first face form one combination, and possibly others, with the rest.
    for size in range(1, faces.count(face) + 1):
        if size >= 3:
            points = (1000 if face == 1 else 100 * face) * 2 ** (size - 3)
        elif size == 1 and face in (1, 5):
            points = 100 if face == 1 else 50
        else:
            continue
        others = points_of_all(tuple(without(list(faces), [face] * size)), o)
        if others is not None:
            ways.append(points + others)
    return max(ways, default=None)


def ten_thousand(names: list[str], o: Json, state: Json, _drawn: str) -> Tale:
    first = o["first"] or names[0]
    seats: dict[str, Json] = {n: {"seat": n, "points": 0} for n in names}
    state.update(game="ten_thousand", round=1, turn=None, closer=None, seats=list(seats.values()))
    while True:
        for n in round_from(names, first):
            if state["closer"] == n:
                state["turn"] = None
                return top(state["seats"], lambda s: s["points"])
            me = seats[n]
            turn = state["turn"] = {"seat": n, "at_stake": 0, "kept": [], "thrown": []}
            while True:
                faces = faces_of((yield d6s(n, 6 - len(turn["kept"]))))
                scoring = {}
                for value in selections(faces, range(1, len(faces) + 1)):
                    points = points_of_all(tuple(faces_in(value)), o)
                    if points is not None:
                        scoring[value] = points
                if not scoring:
                    break
                turn["thrown"] = faces
                banked = turn["at_stake"] + max(scoring.values())
                may_bank = me["points"] > 0 or banked >= o["opening"]
                values = list(scoring)
                if may_bank and not o["hot_dice"]:
                    values = [v for v in values if len(str(v)) + len(turn["kept"]) < 6]
                offers: list[Json] = [{"type": "keep", "values": values}] if values else []
                if may_bank:
                    offers.append(plain("bank"))
                action = yield choose(n, *offers)
                turn["thrown"] = []
                if action["type"] == "bank":
                    me["points"] += banked
                    break
                turn["at_stake"] += scoring[action["value"]]
                turn["kept"] = sorted(turn["kept"] + faces_in(action["value"]), reverse=True)
                if len(turn["kept"]) == 6:
                    turn["kept"] = []
            if state["closer"] is None and me["points"] >= o["target"]:
                state["closer"] = n
                if not o["last_round"]:
                    state["turn"] = None
                    return top(state["seats"], lambda s: s["points"])
        if state["round"] == o["rounds"] or state["closer"] == first:
            state["turn"] = None
            return top(state["seats"], lambda s: s["points"])
        state["round"] += 1


BOXES = (
    *("ones", "twos", "threes", "fours", "fives", "sixes", "full_house", "four_of_a_kind"),
    *("little_straight", "big_straight", "choice", "yacht"),
)


def box_points(box: int, faces: list[int], jokers: bool) -> int:
    counts = sorted(faces.count(f) for f in set(faces))
    joker = jokers and counts == [5]
    if box <= 6:
        return box * faces.count(box)
    if box == 7:
        return sum(faces) if counts == [2, 3] or joker else 0
    if box == 8:
        return sum(4 * f for f in set(faces) if faces.count(f) >= 4)
    if box == 9:
        return 30 if sorted(faces) == [1, 2, 3, 4, 5] or joker else 0
    if box == 10:
        return 30 if sorted(faces) == [2, 3, 4, 5, 6] or joker else 0
    if box == 11:
        return sum(faces)
    return 50 if counts == [5] else 0


def yacht(names: list[str], o: Json, state: Json, _drawn: str) -> Tale:
    seats: dict[str, Json] = {n: {"seat": n, "points": 0, "boxes": dict.fromkeys(BOXES)} for n in names}
    state.update(game="yacht", turn=None, seats=list(seats.values()))
    for _ in BOXES[: o["rounds"] or 12]:
        for n in round_from(names, o["first"] or names[0]):
            me = seats[n]
            turn = state["turn"] = {"seat": n, "throws": 0, "dice": [], "kept": []}
            while True:
                dice = yield d6s(n, 5 - len(turn["kept"]))
                faces = sorted(faces_of(dice) + turn["kept"], reverse=True)
                turn.update(throws=turn["throws"] + 1, dice=faces, kept=[])
                empty = [i for i, box in enumerate(BOXES, 1) if me["boxes"][box] is None]
                offers: list[Json] = [{"type": "score", "values": empty}]
                if turn["throws"] < 3:
                    offers.insert(0, {"type": "keep", "values": selections(faces, range(5))})
                action = yield choose(n, *offers)
                if action["type"] == "score":
                    jokers = bool(o["joker"]) and me["boxes"]["yacht"] is not None
                    me["boxes"][BOXES[action["value"] - 1]] = box_points(action["value"], faces, jokers)
                    break
                turn.update(dice=[], kept=faces_in(action["value"]))
            me["points"] = sum(points or 0 for points in me["boxes"].values())
            if sum(me["boxes"][box] or 0 for box in BOXES[:6]) >= 63:
                me["points"] += o["bonus"]
    state["turn"] = None
    return top(state["seats"], lambda s: s["points"])


def cargo_rounds(game: str, names: list[str], o: Json, state: Json, turn_of: Any) -> Tale:
    """Rounds whose best score wins a stake that grows while it is shared."""
    seats: dict[str, Json] = {n: {"seat": n, "points": 0, "score": None} for n in names}
    state.update(game=game, round=1, stake=1, turn=None, seats=list(seats.values()))
    starter = o["first"] or names[0]
    stake = 1
    for number_of_round in range(1, o["rounds"] + 1):
        state.update(round=number_of_round, stake=stake)
        for n in names:
            seats[n]["score"] = None
        for n in round_from(names, starter):
            seats[n]["score"] = yield from turn_of(n)
        best = top(state["seats"], lambda s: s["score"])
        if len(best) == 1:
            seats[best[0]]["points"] += stake
            stake = 1
        else:
            stake += 1
        starter = from_left_of(names, starter)[0]
    state["turn"] = None
    return top(state["seats"], lambda s: s["points"])


def ship_captain_crew(names: list[str], o: Json, state: Json, _drawn: str) -> Tale:
    def turn_of(n: str) -> Any:
        turn = state["turn"] = {"seat": n, "throws": 0, "kept": [], "cargo": []}
        while turn["throws"] < o["throws"]:
            faces = faces_of((yield d6s(n, 5 - len(turn["kept"]))))
            turn["throws"] += 1
            for wanted in (6, 5, 4):
                if wanted in turn["kept"]:
                    continue
                if wanted not in faces:
                    break
                faces.remove(wanted)
                turn["kept"].append(wanted)
            if turn["kept"] != [6, 5, 4]:
                continue
            if turn["throws"] == o["throws"]:
                return sum(faces)
            turn["cargo"] = faces
            action = yield choose(n, plain("roll"), plain("stand"))
            turn["cargo"] = []
            if action["type"] == "stand":
                return sum(faces)
        return 0

    return (yield from cargo_rounds("ship_captain_crew", names, o, state, turn_of))


def midnight(names: list[str], o: Json, state: Json, _drawn: str) -> Tale:
    def turn_of(n: str) -> Any:
        turn = state["turn"] = {"seat": n, "kept": [], "thrown": []}
        while len(turn["kept"]) < 6:
            faces = faces_of((yield d6s(n, 6 - len(turn["kept"]))))
            chosen = faces
            if len(faces) > 1:
                turn["thrown"] = faces
                values = selections(faces, range(1, len(faces) + 1))
                action = yield choose(n, {"type": "keep", "values": values})
                chosen = faces_in(action["value"])
                turn["thrown"] = []
            turn["kept"] = sorted(turn["kept"] + chosen, reverse=True)
        six = turn["kept"]
        return sum(six) - 5 if 1 in six and 4 in six else 0

    return (yield from cargo_rounds("midnight", names, o, state, turn_of))


def mexico(names: list[str], o: Json, state: Json, _drawn: str) -> Tale:
    seats: dict[str, Json] = {n: {"seat": n, "lives": o["lives"], "reading": None} for n in names}
    state.update(game="mexico", round=0, stake=1, tie=False, turn=None, seats=list(seats.values()))
    starter = o["first"] or names[0]
    while True:
        state["round"] += 1
        state.update(stake=1, tie=False)
        rivals = [n for n in round_from(names, starter) if seats[n]["lives"]]
        limit = o["throws"]
        while True:
            for s in seats.values():
                s["reading"] = None
            for n in rivals:
                turn = state["turn"] = {"seat": n, "throws": 0, "limit": limit, "shown": None}
                while True:
                    reading = value_of(faces_of((yield d6s(n, 2))))
                    turn["throws"] += 1
                    if reading == 21 or turn["throws"] == limit:
                        break
                    turn["shown"] = reading
                    action = yield choose(n, plain("roll"), plain("stand"))
                    turn["shown"] = None
                    if action["type"] == "stand":
                        break
                seats[n]["reading"] = reading
                if not state["tie"]:
                    if reading == 21:
                        state["stake"] = o["price"]
                    if n == starter:
                        limit = turn["throws"]
            ranks = {n: READINGS.index(seats[n]["reading"]) for n in rivals}
            rivals = [n for n in rivals if ranks[n] == min(ranks.values())]
            if len(rivals) == 1:
                break
            state["tie"] = True
            limit = 1
        loser = rivals[0]
        seats[loser]["lives"] = max(0, seats[loser]["lives"] - state["stake"])
        alive = [n for n in names if seats[n]["lives"]]
        if len(alive) == 1 or state["round"] == o["rounds"]:
            state["turn"] = None
            return top(state["seats"], lambda s: s["lives"])
        starter = next(n for n in round_from(names, loser) if n in alive)


def mia(names: list[str], o: Json, state: Json, _drawn: str) -> Tale:
    seats: dict[str, Json] = {n: {"seat": n, "lives": o["lives"]} for n in names}
    state.update(game="mia", round=0, call=None, seats=list(seats.values()))
    starter = o["first"] or names[0]
    while True:
        state["round"] += 1
        caller, calls = starter, READINGS
        while True:
            state["casts"] = [[caller, 2]]
            action = yield choose(caller, {"type": "call", "calls": calls})
            called = action["value"]
            state["call"] = {"seat": caller, "value": called}
            answerer = next(n for n in from_left_of(names, caller) if seats[n]["lives"])
            action = yield choose(
                answerer, plain("concede" if called == 21 else "accept"), plain("challenge")
            )
            if action["type"] != "accept":
                break
            caller, calls = answerer, READINGS[READINGS.index(called) + 1 :]
        loser, cost = answerer, 1
        if action["type"] == "challenge":
            reading = value_of(faces_of((yield {"kind": "reveal", "dice": ["d6", "d6"]})))
            if READINGS.index(reading) < READINGS.index(called):
                loser = caller
            if called == 21:
                cost = o["price"]
        seats[loser]["lives"] = max(0, seats[loser]["lives"] - cost)
        state["call"] = None
        alive = [n for n in names if seats[n]["lives"]]
        if len(alive) == 1 or state["round"] == o["rounds"]:
            return top(state["seats"], lambda s: s["lives"])
        starter = next(n for n in round_from(names, loser) if n in alive)


def shut_the_box(names: list[str], o: Json, state: Json, _drawn: str) -> Tale:
    seats: dict[str, Json] = {n: {"seat": n, "points": 0} for n in names}
    state.update(game="shut_the_box", round=0, turn=None, seats=list(seats.values()))
    for _ in range(o["rounds"]):
        state["round"] += 1
        for n in round_from(names, o["first"] or names[0]):
            tiles = list(range(1, 10))
            turn = state["turn"] = {"seat": n, "open": tiles, "dice": 2, "total": None}
            while tiles:
                turn["dice"] = 2
                if o["one_die"] and not {7, 8, 9} & set(tiles):
                    turn["dice"] = None
                    action = yield choose(n, {"type": "dice", "values": [1, 2]})
                    turn["dice"] = action["value"]
                total = sum(faces_of((yield d6s(n, turn["dice"]))))
                sets = [
                    number(part)
                    for size in range(1, len(tiles) + 1)
                    for part in combinations(tiles, size)
                    if sum(part) == total
                ]
                if not sets:
                    break
                shut = sets[0]
                if len(sets) > 1:
                    turn["total"] = total
                    shut = (yield choose(n, {"type": "shut", "values": sorted(sets)}))["value"]
                    turn["total"] = None
                tiles = turn["open"] = without(tiles, faces_in(shut))
            seats[n]["points"] += sum(tiles)
    state["turn"] = None
    return top(state["seats"], lambda s: -s["points"])


def hand_of(faces: list[int]) -> list[int]:
    if faces == [1] * 5:
        return [5, 7]
    return max([faces.count(face) + faces.count(1), face] for face in range(2, 7))


def bar_dice(names: list[str], o: Json, state: Json, _drawn: str) -> Tale:
    seats: dict[str, Json] = {n: {"seat": n, "wins": 0, "hand": None} for n in names}
    state.update(game="bar_dice", round=0, tie=False, turn=None, seats=list(seats.values()))
    starter = o["first"] or names[0]
    while True:
        state["round"] += 1
        state["tie"] = False
        rivals = round_from(names, starter)
        limit = o["throws"]
        while True:
            for s in seats.values():
                s["hand"] = None
            for n in rivals:
                turn = state["turn"] = {"seat": n, "throws": 0, "limit": limit, "dice": [], "kept": []}
                while True:
                    dice = yield d6s(n, 5 - len(turn["kept"]))
                    faces = sorted(faces_of(dice) + turn["kept"], reverse=True)
                    turn["throws"] += 1
                    if turn["throws"] == limit:
                        break
                    turn.update(dice=faces, kept=[])
                    keep = {"type": "keep", "values": selections(faces, range(5))}
                    action = yield choose(n, keep, plain("stand"))
                    turn["dice"] = []
                    if action["type"] == "stand":
                        break
                    turn["kept"] = faces_in(action["value"])
                seats[n]["hand"] = hand_of(faces)
                if n == starter and not state["tie"]:
                    limit = turn["throws"]
            best = max(seats[n]["hand"] for n in rivals)
            rivals = [n for n in rivals if seats[n]["hand"] == best]
            if len(rivals) == 1:
                break
            state["tie"] = True
            limit = 1
        starter = rivals[0]
        seats[starter]["wins"] += 1
        if seats[starter]["wins"] == o["wins"] or state["round"] == o["rounds"]:
            state["turn"] = None
            return top(state["seats"], lambda s: s["wins"])
