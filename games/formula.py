"""Dice formulas such as `2d20kh+5`, in the notation of role players: which dice to throw, and what they make.

A formula draws nothing: real dice are thrown, and `result` adds up what they show.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from games.dice import EVERY_KIND, Die, Kind
from games.errors import BadOption

MOST_DICE = 30
"""The most dice that a roll may have; more do not lie side by side in a tray."""
MOST_ADDED = 999
"""The largest sum of a formula's plain numbers, up or down."""
LONGEST = 60
"""The longest formula, in characters without spaces."""
TERM = re.compile(r"([+-]?)(?:(\d{0,3})d(\d{1,4}|%)(?:(kh|kl|k|dh|dl)(\d{0,3}))?|(\d{1,4}))", re.ASCII)
KIND_OF: dict[str, Kind] = {**{kind.removeprefix("d"): kind for kind in EVERY_KIND}, "%": "d100"}
EXAMPLES = "such as 3d6+2, 2d20kh or 4d6dl"


@dataclass(frozen=True, slots=True)
class Term:
    """Dice of one kind; of `count` the `keep` highest or lowest count, and `sign` is 1 or -1."""

    sign: int
    count: int
    kind: Kind
    keep: int
    highest: bool = True

    def counting(self, dice: Sequence[Die]) -> list[int]:
        """The places of the dice of this kind that count; of equal dice the first do."""
        places = [place for place, (kind, _) in enumerate(dice) if kind == self.kind]
        places.sort(key=lambda place: -dice[place][1] if self.highest else dice[place][1])
        return sorted(places[: self.keep])


@dataclass(frozen=True, slots=True)
class Result:
    """What a roll makes: its total, and for each die whether it counts."""

    total: int
    counts: tuple[bool, ...]

    def natural(self, dice: Sequence[Die]) -> int | None:
        """20 or 1 if that is what the only d20 that counts shows."""
        faces = [
            face for (kind, face), counts in zip(dice, self.counts, strict=True) if counts and kind == "d20"
        ]
        return faces[0] if len(faces) == 1 and faces[0] in (1, 20) else None


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: its `text` without spaces, its terms, and the sum of its plain numbers.

    A d10 thrown with a percentile die gives the ones: the two are read as one number from 1 to 100, and 00
    with 0 is 100. Alone, 00 is 100 too.
    """

    text: str
    terms: tuple[Term, ...]
    added: int

    @property
    def needed(self) -> tuple[Kind, ...]:
        """The dice to throw, in the order of their kinds."""
        return in_order(Counter({term.kind: term.count for term in self.terms}))

    @property
    def dice(self) -> tuple[Kind, ...]:
        """Those, and the d10 that may be thrown with a percentile die."""
        counts = Counter({term.kind: term.count for term in self.terms})
        counts["d10"] = max(counts["d10"], counts["d100"])
        return in_order(counts)

    def result(self, dice: Sequence[Die]) -> Result:
        """What these dice make, in any order. They must be those of `needed`, or of `dice`."""
        total, counted = self.added, [False] * len(dice)
        percent = next((term for term in self.terms if term.kind == "d100"), None)
        if percent is not None:
            total += percent.sign * percentage(dice)
            counted = [kind in ("d10", "d100") for kind, _ in dice]
        for term in self.terms:
            if percent is None or term.kind not in ("d10", "d100"):
                for place in term.counting(dice):
                    counted[place] = True
                    total += term.sign * dice[place][1]
        return Result(total, tuple(counted))


def in_order(counts: Counter[Kind]) -> tuple[Kind, ...]:
    return tuple(kind for kind in EVERY_KIND for _ in range(counts[kind]))


def percentage(dice: Sequence[Die]) -> int:
    """The number from 1 to 100 that a percentile die shows with the d10 among `dice`, or alone."""
    tens = sum(face for kind, face in dice if kind == "d100")
    ones = sum(face for kind, face in dice if kind == "d10") % 10
    return tens + ones or 100


@lru_cache(maxsize=64)
def parse(text: str) -> Formula:
    """The formula in `text`. Raises BadOption, with what is wrong and what to write instead."""
    plain = re.sub(r"\s*([+-])\s*", r"\1", text.strip()).lower()
    if not plain:
        raise BadOption(f"the formula is empty: write one {EXAMPLES}")
    if len(plain) > LONGEST:
        raise BadOption(f"the formula is longer than {LONGEST} characters: shorten it")
    terms: list[Term] = []
    added = place = 0
    while place < len(plain):
        match = TERM.match(plain, place)
        # A later term needs its sign: nothing else parts it from the one before.
        if match is None or (place and not match[1]):
            raise BadOption(f"the formula cannot be read at {plain[place:]!r}: write one {EXAMPLES}")
        sign = -1 if match[1] == "-" else 1
        if match[6]:
            added += sign * int(match[6])
        else:
            terms.append(dice_term(sign, match))
        place = match.end()
    if not terms:
        raise BadOption(f"the formula has no dice: write one {EXAMPLES}")
    if abs(added) > MOST_ADDED:
        raise BadOption(f"the formula adds {added}: add at most {MOST_ADDED}")
    kind, times = Counter(term.kind for term in terms).most_common(1)[0]
    if times > 1:
        raise BadOption(f"{kind} is in the formula {times} times: write all of them together, as in 3{kind}")
    check_percentile(terms)
    if sum(term.count for term in terms) > MOST_DICE:
        raise BadOption(f"the formula has more than {MOST_DICE} dice: throw fewer")
    return Formula(plain, tuple(terms), added)


def check_percentile(terms: Sequence[Term]) -> None:
    """Raises BadOption for several percentile dice, or for one beside d10 that do not give its ones."""
    by_kind = {term.kind: term for term in terms}
    percent, ones = by_kind.get("d100"), by_kind.get("d10")
    if percent is None:
        return
    if percent.count > 1:
        raise BadOption(f"the formula has {percent.count} d100: write d100, and throw once for each")
    if ones is not None and (ones.count, ones.sign) != (1, percent.sign):
        raise BadOption("a d100 goes with the one d10 that gives its ones: write d100, or d100+d10")


def dice_term(sign: int, match: re.Match[str]) -> Term:
    """The dice of a matched term. Raises BadOption if there are no such dice."""
    count = int(match[2] or 1)
    kind = KIND_OF.get(match[3])
    if kind is None:
        kinds = ", ".join(EVERY_KIND)
        raise BadOption(f"the table does not read a d{match[3]}: use {kinds}")
    if count < 1:
        raise BadOption(f"{match[0].lstrip('+-')} throws no dice: throw at least one")
    how = match[4]
    if not how:
        return Term(sign, count, kind, count)
    number = int(match[5] or 1)
    keep = count - number if how.startswith("d") else number
    if not 1 <= keep <= count:
        raise BadOption(f"{match[0].lstrip('+-')} keeps {max(keep, 0)} of {count} dice: keep 1 to {count}")
    return Term(sign, count, kind, keep, highest=how in ("k", "kh", "dl"))


def sum_of(dice: Sequence[Die]) -> Result:
    """The result of dice without a formula: all of them count.

    One d10 and one percentile die are read together, as in a formula.
    """
    kinds = Counter(kind for kind, _ in dice)
    paired = (kinds["d10"], kinds["d100"]) == (1, 1)
    rest = [face for kind, face in dice if not (paired and kind in ("d10", "d100"))]
    return Result(sum(rest) + (percentage(dice) if paired else 0), (True,) * len(dice))
