"""Statistics of players: wins, streaks, luck and skill; and the recap of an evening, as text and as JSON."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from math import erfc, sqrt
from typing import Any, Final

from common.texts import games
from common.texts import statistics as texts
from dicetable.statistics.matches import Chance, Decision, Played

EVENING_ENDS: Final = timedelta(hours=6)
"""Games before this time of day belong to the evening before."""
MOST_LIKELY: Final = 0.1
"""The most likely thing that is a record still. With a larger one, everyday luck becomes one."""
FORM: Final = 20
"""How many of a player's last matches are listed."""


@dataclass(slots=True)
class Luck:
    """The luck of one player in one game: sums over the times that dice decided.

    `variance` is None where one is not known.
    """

    times: int = 0
    expected: float = 0.0
    actual: float = 0.0
    variance: float | None = 0.0

    def add(self, chance: Chance) -> None:
        self.times += 1
        self.expected += chance.expected
        self.actual += chance.actual
        is_known = self.variance is not None and chance.variance is not None
        self.variance = (self.variance or 0.0) + (chance.variance or 0.0) if is_known else None

    @property
    def deviations(self) -> float | None:
        """The luck in standard deviations; None where the variance is not known."""
        return (self.actual - self.expected) / sqrt(self.variance) if self.variance else None

    def to_json(self) -> dict[str, Any]:
        deviations = self.deviations
        return {
            "times": self.times,
            "expected": round(self.expected, 3),
            "came": round(self.actual, 3),
            "standard_deviations": None if deviations is None else round(deviations, 2),
        }


@dataclass(slots=True)
class Skill:
    """One player's decisions of known worth in one game, and the chips they gave away against the best."""

    times: int = 0
    loss: float = 0.0

    def add(self, decision: Decision) -> None:
        self.times += 1
        self.loss += decision.loss

    def to_json(self) -> dict[str, Any]:
        return {"decisions": self.times, "chips_lost": round(self.loss, 3)}


@dataclass(slots=True)
class PlayerStatistics:
    """What one player did.

    Attributes:
        played, won: matches played to their end by game, those by house rules apart (`game/name`); a shared
            win is a win.
        streak: wins in a row up to now; longest: the most there were.
        form: of the last matches, at most `FORM`, whether they were won; oldest first.
        luck, skill: by game, also of matches that were not played to their end.
    """

    name: str
    played: dict[str, int] = field(default_factory=dict)
    won: dict[str, int] = field(default_factory=dict)
    streak: int = 0
    longest: int = 0
    form: list[bool] = field(default_factory=list)
    luck: dict[str, Luck] = field(default_factory=dict)
    skill: dict[str, Skill] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "played": self.played,
            "won": self.won,
            "streak": self.streak,
            "longest_streak": self.longest,
            "form": self.form,
            "luck": {game: luck.to_json() for game, luck in self.luck.items()},
            "skill": {game: skill.to_json() for game, skill in self.skill.items()},
        }


def players(matches: Iterable[Played]) -> list[PlayerStatistics]:
    """The statistics of every player but the house, most wins first."""
    by_name: dict[str, PlayerStatistics] = {}
    for match in matches:
        for seat in (seat for seat in match.seats if seat not in match.house):
            player = by_name.setdefault(seat, PlayerStatistics(seat))
            if not match.winners:
                continue
            won = seat in match.winners
            player.played[match.variant] = player.played.get(match.variant, 0) + 1
            player.won[match.variant] = player.won.get(match.variant, 0) + won
            player.streak = player.streak + 1 if won else 0
            player.longest = max(player.longest, player.streak)
            player.form = [*player.form, won][-FORM:]
        for chance in match.chances:
            by_name[chance.seat].luck.setdefault(match.variant, Luck()).add(chance)
        for decision in match.decisions:
            by_name[decision.seat].skill.setdefault(match.variant, Skill()).add(decision)
    return sorted(by_name.values(), key=lambda player: (-sum(player.won.values()), player.name))


def evening_of(match: Played) -> date:
    """The local day on which the evening of a match began."""
    return (datetime.fromisoformat(match.at_utc).astimezone() - EVENING_ENDS).date()


def evenings(matches: Iterable[Played]) -> dict[date, list[Played]]:
    by_day: dict[date, list[Played]] = {}
    for match in matches:
        by_day.setdefault(evening_of(match), []).append(match)
    return by_day


def least_likely(matches: Sequence[Played]) -> tuple[Played, Chance] | None:
    """The least likely good thing that happened; None if nothing rarer than MOST_LIKELY did."""
    lucky = [
        (match, chance)
        for match in matches
        for chance in match.chances
        if chance.variance is not None and chance.actual and chance.expected <= MOST_LIKELY
    ]
    return min(lucky, key=lambda pair: pair[1].expected, default=None)


def best_score(matches: Iterable[Played]) -> tuple[Played, Chance] | None:
    """The highest score of one turn, in games that count points by turns; None if there is none."""
    scores = [(match, chance) for match in matches for chance in match.chances if chance.variance is None]
    return max(scores, key=lambda pair: pair[1].actual, default=None)


def player_lines(player: PlayerStatistics) -> Iterator[str]:
    wins, matches = sum(player.won.values()), sum(player.played.values())
    yield texts.player(player.name, wins, matches, player.streak, player.longest)
    for game in dict.fromkeys((*player.played, *player.luck)):
        won, played = player.won.get(game, 0), player.played.get(game, 0)
        luck = player.luck.get(game)
        more = (
            "" if luck is None else texts.luck(game, luck.actual, luck.expected, luck.times, luck.deviations)
        )
        skill = player.skill.get(game)
        more += "" if skill is None else texts.skill(skill.loss, skill.times)
        yield f"    {games.title(game):14} {texts.won(won, played)}{more}"


def record_lines(matches: Sequence[Played]) -> Iterator[str]:
    longest = max(players(matches), key=lambda player: player.longest)
    if longest.longest > 1:
        yield texts.longest_streak(longest.name, longest.longest)
    best, unlikely = best_score(matches), least_likely(matches)
    if best is not None:
        match, turn = best
        yield texts.best_turn(turn.seat, turn.actual, games.title(match.variant), f"{evening_of(match)}")
    if unlikely is not None:
        match, chance = unlikely
        sentence = texts.least_likely(chance.seat, match.game, games.title(match.variant), chance.expected)
        yield f"{sentence}, {evening_of(match)}"


def best_records(matches: Sequence[Played]) -> Iterator[dict[str, str]]:
    """The records for a television: a number, its caption, and the player's name."""
    longest = max(players(matches), key=lambda player: player.longest)
    if longest.longest > 1:
        yield {"number": str(longest.longest), "caption": texts.WINS_IN_A_ROW, "name": longest.name}
    if (record := best_score(matches)) is not None:
        match, turn = record
        caption = texts.points_in_a_turn(games.title(match.variant))
        yield {"number": texts.grouped(turn.actual), "caption": caption, "name": turn.seat}
    if (record := least_likely(matches)) is not None:
        match, chance = record
        caption = texts.odds_beaten(games.title(match.variant))
        yield {"number": texts.one_in(1 / chance.expected), "caption": caption, "name": chance.seat}


def match_line(match: Played) -> str:
    began = datetime.fromisoformat(match.at_utc).astimezone()
    return f"{began:%H:%M}  {texts.match(games.title(match.variant), match.winners, match.seats)}"


def highlights(matches: Sequence[Played]) -> Iterator[str]:
    """The highlights of an evening: most wins, most luck, and the least likely thing that happened."""
    people = players(matches)
    most = sum(people[0].won.values())
    if most:
        yield texts.most_wins([player.name for player in people if sum(player.won.values()) == most], most)
    lucky = [
        (luck.deviations, player.name, game)
        for player in people
        for game, luck in player.luck.items()
        if luck.deviations is not None
    ]
    deviations, name, game = max(lucky, default=(0.0, "", ""))
    luckier = erfc(deviations / sqrt(2)) / 2
    if luckier <= MOST_LIKELY:
        yield texts.luckiest(name, games.title(game), luckier)
    unlikely = least_likely(matches)
    if unlikely is not None:
        match, chance = unlikely
        yield texts.least_likely(chance.seat, match.game, games.title(match.variant), chance.expected)


def recap_lines(evening: date, matches: Sequence[Played]) -> Iterator[str]:
    yield texts.evening(texts.day_of(evening), len(matches), len(players(matches)))
    yield from (f"    {match_line(match)}" for match in matches)
    yield from (f"    {line}" for line in highlights(matches))


def recap_json(evening: date, matches: Sequence[Played]) -> dict[str, Any]:
    return {
        "evening": evening.isoformat(),
        "matches": [
            {
                "at_utc": match.at_utc,
                "game": match.game,
                "house_rules": match.house_rules,
                "seats": match.seats,
                "winners": match.winners,
                "rows_lost": match.lost,
            }
            for match in matches
        ],
        "players": [player.to_json() for player in players(matches)],
    }
