"""The games again, naively: each is one straight story in a generator (see oracle.py).

A generator mutates a plain dict, yields the prompt it waits at and gets back what answered it. The one
thing it cannot know is a seat that was drawn: `drawn` tells it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

Json = dict[str, Any]
Tale = Generator[Json, Any, list[str]]

SIDES = {"d4": 4, "d6": 6, "d8": 8, "d10": 10, "d12": 12, "d20": 20}
ORDER = list(SIDES)


def throw(seat: str, count: int, kinds: list[str]) -> Json:
    return {"kind": "throw", "seat": seat, "count": count, "from": kinds}


def choose(seat: str, *actions: Json) -> Json:
    return {"kind": "act", "seat": seat, "actions": list(actions)}


def plain(word: str) -> Json:
    return {"type": word}


def top(seats: list[Json], measure: Callable[[Json], Any]) -> list[str]:
    most = max(measure(s) for s in seats)
    return [s["seat"] for s in seats if measure(s) == most]


def from_left_of(names: list[str], name: str) -> list[str]:
    i = names.index(name)
    return names[i + 1 :] + names[: i + 1]


def six_shooter(names: list[str], o: Json, state: Json, drawn: str) -> Tale:
    seats: dict[str, Json] = {}
    for n in names:
        seats[n] = {"seat": n, "chips": o["chips"], "dice": [], "total": 0, "status": "in"}
    state.update(game="six_shooter", hand=0, button=drawn, pot=0, seats=list(seats.values()))
    while True:
        can_pay = [n for n in names if seats[n]["status"] != "out" and seats[n]["chips"] >= o["ante"]]
        done = o["hands"] is not None and state["hand"] >= o["hands"]
        if done or len(can_pay) < 2:
            heirs = [n for n in names if seats[n]["status"] != "out"]
            heirs = [n for n in [state["button"], *from_left_of(names, state["button"])[:-1]] if n in heirs]
            each, odd = divmod(state["pot"], len(heirs))
            for place, n in enumerate(heirs):
                seats[n]["chips"] += each + 1 if place < odd else each
            state["pot"] = 0
            return top(state["seats"], lambda s: s["chips"])
        if state["hand"] > 0:
            state["button"] = next(n for n in from_left_of(names, state["button"]) if n in can_pay)
        state["hand"] += 1
        for n in names:
            s = seats[n]
            s["dice"], s["total"] = [], 0
            if n in can_pay:
                s["chips"] -= o["ante"]
                state["pot"] += o["ante"]
                s["status"] = "in"
            else:
                s["status"] = "out"
        ring = [state["button"], *from_left_of(names, state["button"])[:-1]]
        ring = [n for n in ring if n in can_pay]
        for n in ring:
            dice = yield throw(n, 2, ORDER[:])
            seats[n]["dice"] += sorted(dice, key=lambda d: ORDER.index(d[0]))
            seats[n]["total"] = sum(f for _, f in seats[n]["dice"])
        for n in ring:
            if seats[n]["total"] > o["target"]:
                seats[n]["status"] = "bust"
        alive = [n for n in ring if seats[n]["status"] == "in"]
        if not alive:
            continue
        winner = alive[0] if len(alive) == 1 else None
        stuck_order: list[str] = []
        while winner is None:
            for n in ring:
                s = seats[n]
                if winner is not None or s["status"] != "in":
                    continue
                offers = [plain("stick")]
                if s["chips"] >= o["price"]:
                    offers.append(plain("buy"))
                action = yield choose(n, *offers)
                if action["type"] == "stick":
                    s["status"] = "stuck"
                    stuck_order.append(n)
                else:
                    s["chips"] -= o["price"]
                    state["pot"] += o["price"]
                    had = [k for k, _ in s["dice"]]
                    (die,) = yield throw(n, 1, [k for k in ORDER if k not in had])
                    s["dice"].append(die)
                    s["total"] += die[1]
                    if s["total"] > o["target"]:
                        s["status"] = "bust"
                        unbusted = [m for m in ring if seats[m]["status"] != "bust"]
                        if len(unbusted) == 1:
                            winner = unbusted[0]
                    elif len(s["dice"]) == 6:
                        winner = n
            if winner is None and all(seats[n]["status"] != "in" for n in ring):
                ranked = sorted(
                    stuck_order,
                    key=lambda n: (-seats[n]["total"], -len(seats[n]["dice"]), stuck_order.index(n)),
                )
                winner = ranked[0]
        seats[winner]["chips"] += state["pot"]
        state["pot"] = 0


def roll_off(names: list[str], count: int, measure: Callable[[list[int]], int]) -> Generator[Json, Any, str]:
    rivals = names
    while True:
        scores = {}
        for n in rivals:
            dice = yield throw(n, count, ["d6"] * count)
            scores[n] = measure([f for _, f in dice])
        rivals = [n for n in rivals if scores[n] == max(scores.values())]
        if len(rivals) == 1:
            return rivals[0]


def liars_dice(names: list[str], o: Json, state: Json, _drawn: str) -> Tale:
    seats: dict[str, Json] = {n: {"seat": n, "dice": o["dice"], "drinks": 0} for n in names}
    state.update(
        game="liars_dice", round=0, bid=None, on_table=o["dice"] * len(names), seats=list(seats.values())
    )
    starter = o["first"]
    if starter is None:
        starter = yield from roll_off(names, o["dice"], sum)
    while True:
        state["round"] += 1
        everything = state["on_table"]
        state["casts"] = [
            [n, seats[n]["dice"]] for n in [starter, *from_left_of(names, starter)[:-1]] if seats[n]["dice"]
        ]
        bidder, seat = "", starter
        while True:
            bid = state["bid"]
            offers = []
            lowest = [1, 2]
            if bid:
                lowest = [bid["quantity"], bid["face"] + 1]
                if lowest[1] == 7:
                    lowest = [bid["quantity"] + 1, 2]
            if lowest[0] <= everything:
                offers.append({"type": "bid", "min": lowest, "max": [everything, 6]})
            if bid:
                offers.append(plain("challenge"))
            action = yield choose(seat, *offers)
            if action["type"] == "challenge":
                break
            bidder = seat
            state["bid"] = {"seat": seat, "quantity": action["quantity"], "face": action["face"]}
            seat = next(n for n in from_left_of(names, seat) if seats[n]["dice"])
        dice = yield {"kind": "reveal", "dice": ["d6"] * everything}
        shown = [f for _, f in dice]
        holds = shown.count(1) + shown.count(state["bid"]["face"]) >= state["bid"]["quantity"]
        starter, loser = (bidder, seat) if holds else (seat, bidder)
        seats[loser]["drinks"] += o["drinks"]
        seats[loser]["dice"] -= 1
        state["on_table"] -= 1
        state["bid"] = None
        if sum(1 for n in names if seats[n]["dice"]) == 1:
            return [starter]


def value_of(faces: list[int]) -> int:
    return int("".join(sorted(map(str, faces), reverse=True)))


def sixes(names: list[str], o: Json, state: Json, _drawn: str) -> Tale:
    seats: dict[str, Json] = {n: {"seat": n, "losses": 0} for n in names}
    state.update(game="sixes", round=0, call=None, seats=list(seats.values()))
    calls = [100 * a + 10 * b + c for a in range(1, 7) for b in range(1, a + 1) for c in range(1, b + 1)]
    starter = o["first"]
    if starter is None:
        starter = yield from roll_off(names, 3, value_of)
    for number in range(1, o["rounds"] + 1):
        state["round"] = number
        state["casts"] = [[starter, 3]]
        seat = starter
        standing = 0
        while True:
            action = yield choose(seat, {"type": "call", "calls": [c for c in calls if c > standing]})
            standing = action["value"]
            state["call"] = {"seat": seat, "value": standing}
            caller, seat = seat, from_left_of(names, seat)[0]
            if standing == 666:
                yield choose(seat, plain("challenge"))
                break
            action = yield choose(seat, plain("accept"), plain("challenge"))
            if action["type"] == "challenge":
                break
            action = yield choose(seat, {"type": "recast", "min": 0, "max": 3})
            state["casts"] = [[seat, action["count"]]]
        dice = yield {"kind": "reveal", "dice": ["d6"] * 3}
        starter = seat if value_of([f for _, f in dice]) >= standing else caller
        seats[starter]["losses"] += 1
        state["call"] = None
    return top(state["seats"], lambda s: -s["losses"])


def six_by_6(names: list[str], o: Json, state: Json, _drawn: str) -> Tale:
    seats: dict[str, Json] = {n: {"seat": n, "points": 0, "total": 0, "games": 0} for n in names}
    state.update(game="six_by_6", game_no=0, set_no=0, turn=None, seats=list(seats.values()))
    first = o["first"] or names[0]
    for game in range(1, o["games"] + 1):
        state["game_no"] = game
        for s in seats.values():
            s["points"] = 0
        for set_no in range(1, o["sets"] + 1):
            state["set_no"] = set_no
            for n in [first, *from_left_of(names, first)[:-1]]:
                turn = state["turn"] = {"seat": n, "posted": 0, "carry": 0, "dice": 6}
                while True:
                    dice = yield throw(n, turn["dice"], ["d6"] * turn["dice"])
                    faces = sorted(f for _, f in dice)
                    if (len(set(faces)) == 1 and len(faces) == 6) or faces == [1, 2, 3, 4, 5, 6]:
                        post, earn = 6, 5 + 6
                    elif faces == [1, 2, 3, 4, 5]:
                        post, earn = 5, 4 + 5
                    else:
                        post = faces.count(6)
                        earn = post + sum(faces.count(f) - 1 for f in range(1, 7) if f in faces)
                    turn["posted"] += post
                    turn["dice"] -= post
                    turn["carry"] += earn
                    if turn["posted"] == 6:
                        score = 36 + turn["carry"]
                        break
                    if turn["carry"] == 0:
                        score = 6 * turn["posted"] + sum(f for f in faces if f != 6)
                        break
                    turn["carry"] -= 1
                seats[n]["points"] += score
                seats[n]["total"] += score
        for n in top(state["seats"], lambda s: s["points"]):
            seats[n]["games"] += 1
    state["turn"] = None
    return top(state["seats"], lambda s: (s["games"], s["total"]))


# Each formula that random games use: the dice of it, and how a person would add them up.
FORMULAS: dict[str, tuple[list[str], Callable[[dict[str, list[int]]], int]]] = {
    "3d6+2": (["d6"] * 3, lambda f: sum(f["d6"]) + 2),
    "2d20kh": (["d20"] * 2, lambda f: max(f["d20"])),
    "2d20kl+5": (["d20"] * 2, lambda f: min(f["d20"]) + 5),
    "4d6dl": (["d6"] * 4, lambda f: sum(sorted(f["d6"])[1:])),
    "d6": (["d6"], lambda f: f["d6"][0]),
    "d8-d4": (["d4", "d8"], lambda f: f["d8"][0] - f["d4"][0]),
}


def rolls(names: list[str], o: Json, state: Json, _drawn: str) -> Tale:
    best: dict[str, Any] = dict.fromkeys(names)
    state.update(game="rolls", turn=None, formula=o["formula"] or None, rolls=0, highest=None, last=[])
    count = dict.fromkeys(names, 0)
    state["seats"] = [{"seat": n, "rolls": 0, "highest": None} for n in names]
    order = [n for n in names if n == o["first"]] or names[:1]
    order += from_left_of(names, order[0])[:-1]
    for _ in range(o["rolls"]):
        for n in order:
            state["turn"] = n
            if o["formula"]:
                kinds, add_up = FORMULAS[o["formula"]]
                dice = yield throw(n, len(kinds), kinds)
                total = add_up({k: [f for kind, f in dice if kind == k] for k in SIDES})
            else:
                dice = yield {"kind": "any", "seat": n, "min": 1, "max": 30}
                total = sum(f for _, f in dice)
            kept = [True] * len(dice)
            if o["formula"] in ("2d20kh", "2d20kl+5", "4d6dl"):
                faces = [f for _, f in dice]
                odd = faces.index(max(faces) if o["formula"] == "2d20kl+5" else min(faces))
                if faces.count(faces[odd]) > 1:  # of equal dice the first count
                    odd = max(i for i, f in enumerate(faces) if f == faces[odd])
                kept[odd] = False
            best[n] = total if best[n] is None else max(best[n], total)
            state["rolls"] += 1
            count[n] += 1
            state["highest"] = max(b for b in best.values() if b is not None)
            newest = {"seat": n, "dice": [list(d) for d in dice], "kept": kept, "total": total}
            state["last"] = [newest, *state["last"]][:10]
            state["seats"] = [{"seat": m, "rolls": count[m], "highest": best[m]} for m in names]
    state["turn"] = None
    return top(state["seats"], lambda s: s["highest"])


def money_shot(names: list[str], o: Json, state: Json, drawn: str) -> Tale:
    seats: dict[str, Json] = {n: {"seat": n, "chips": o["chips"], "status": "in"} for n in names}
    state.update(game="money_shot", round=0, pot=0, peak=None, leader=None, active=drawn, bet=None)
    state["seats"] = list(seats.values())

    def playing() -> list[str]:
        return [n for n in names if seats[n]["status"] == "in"]

    def left_of(n: str) -> str:
        return next(m for m in from_left_of(names, n) if m in playing())

    def pay(n: str, chips: int) -> None:
        seats[n]["chips"] -= chips
        state["pot"] += chips

    while True:
        able = [n for n in names if seats[n]["status"] != "broke" and seats[n]["chips"] >= o["min_bet"]]
        if len(able) < 2 or state["round"] == o["rounds"]:
            return top(state["seats"], lambda s: s["chips"])
        if state["round"]:
            state["active"] = next(n for n in from_left_of(names, state["active"]) if n in able)
        state["round"] += 1
        state.update(peak=None, leader=None)
        for n in names:
            seats[n]["status"] = "in" if n in able else "broke"
            if n in able:
                pay(n, o["min_bet"])
        winner = None
        passed_to = state["active"]
        while winner is None:
            holder = state["active"] = passed_to
            me = seats[holder]
            if me["chips"] == 0:
                if state["leader"] == holder:
                    passed_to = left_of(holder)
                    continue
                ((_, face),) = yield throw(holder, 1, ["d12"])
                if face == 12:
                    winner = holder
                else:
                    passed_to = left_of(holder)
                    me["status"] = "rolled_out"
            else:
                bet = {
                    "type": "bet",
                    "min": min(o["min_bet"], me["chips"]),
                    "max": min(o["max_bet"], me["chips"]),
                }
                offers = [bet] if state["peak"] is None else [bet, plain("bow_out")]
                action = yield choose(holder, *offers)
                if action["type"] == "bow_out":
                    passed_to = left_of(holder)
                    me["status"] = "bowed"
                else:
                    amount = state["bet"] = action["amount"]
                    pay(holder, amount)
                    fader, free = None, False
                    for n in from_left_of(names, holder)[:-1]:
                        if n not in playing():
                            continue
                        if seats[n]["chips"] == 0:
                            fader, free = n, True
                            break
                        answer = yield choose(n, plain("fade"), plain("bow_out"))
                        if answer["type"] == "fade":
                            pay(n, min(amount, seats[n]["chips"]))
                            fader = n
                            break
                        seats[n]["status"] = "bowed"
                    if fader is None:
                        winner = holder
                    else:
                        ((_, face),) = yield throw(holder, 1, ["d12"])
                        if face == 12:
                            winner = holder
                        elif state["peak"] is None or face > state["peak"]:
                            state.update(peak=face, leader=holder)
                        else:
                            me["status"] = "rolled_out"
                            if free and fader == state["leader"]:
                                winner = fader
                        passed_to = fader
                    state["bet"] = None
            if winner is None and len(playing()) == 1:
                winner = playing()[0]
        state["bet"] = None
        seats[winner]["chips"] += state["pot"]
        state["pot"] = 0
