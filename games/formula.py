"""Dice formulas such as `2d20kh+5`, in the notation of role players: which dice to throw, and what they make.

A formula draws nothing: real dice are thrown, and `result` adds up what they show.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from games.dice import FACES, KINDS, Die, Kind
from games.errors import BadOption

MOST_DICE = 30
"""The most dice that a roll may have; more do not lie side by side in a tray."""
MOST_ADDED = 999
"""The largest sum of a formula's plain numbers, up or down."""
LONGEST = 60
"""The longest formula, in characters without spaces."""
TERM = re.compile(r"([+-]?)(?:(\d{0,3})d(\d{1,4}|%)(?:(kh|kl|k|dh|dl)(\d{0,3}))?|(\d{1,4}))", re.ASCII)
KIND_OF: dict[str, Kind] = {str(faces): kind for kind, faces in FACES.items()}
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
        return faces[0] if len(faces) == 1 and faces[0] in (1, FACES["d20"]) else None


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: its `text` without spaces, its terms, and the sum of its plain numbers."""

    text: str
    terms: tuple[Term, ...]
    added: int

    @property
    def dice(self) -> tuple[Kind, ...]:
        """The dice to throw, in the order of their kinds."""
        counts = {term.kind: term.count for term in self.terms}
        return tuple(kind for kind in KINDS for _ in range(counts.get(kind, 0)))

    def result(self, dice: Sequence[Die]) -> Result:
        """What these dice make. They must be those of `dice`, in any order."""
        total, counted = self.added, [False] * len(dice)
        for term in self.terms:
            for place in term.counting(dice):
                counted[place] = True
                total += term.sign * dice[place][1]
        return Result(total, tuple(counted))


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
    if sum(term.count for term in terms) > MOST_DICE:
        raise BadOption(f"the formula has more than {MOST_DICE} dice: throw fewer")
    return Formula(plain, tuple(terms), added)


def dice_term(sign: int, match: re.Match[str]) -> Term:
    """The dice of a matched term. Raises BadOption if there are no such dice."""
    count = int(match[2] or 1)
    kind = KIND_OF.get(match[3])
    if kind is None:
        if match[3] in ("%", "100"):
            raise BadOption(
                f"the table does not read percentile dice (d{match[3]}): throw 2d10, one for the tens"
            )
        kinds = ", ".join(KINDS)
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
    """The result of dice without a formula: all of them count."""
    return Result(sum(face for _, face in dice), (True,) * len(dice))
