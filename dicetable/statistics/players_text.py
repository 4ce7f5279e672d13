"""Players and evenings in lines of text, and as JSON objects."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from dicetable.statistics.players import PlayerStatistics, best_score, evening_of, least_likely, players
from dicetable.texts import games
from dicetable.texts import statistics as texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from dicetable.statistics.matches import Played


def lines(player: PlayerStatistics) -> Iterator[str]:
    """A player: all games, then each."""
    wins, matches = sum(player.won.values()), sum(player.played.values())
    yield texts.player(player.name, wins, matches, player.streak, player.longest)
    for game in dict.fromkeys((*player.played, *player.luck)):
        won, played = player.won.get(game, 0), player.played.get(game, 0)
        luck = player.luck.get(game)
        told = "" if luck is None else texts.luck(game, luck.came, luck.expected, luck.times, luck.deviations)
        skill = player.skill.get(game)
        told += "" if skill is None else texts.skill(skill.loss, skill.times)
        yield f"    {games.title(game):14} {texts.won(won, played)}{told}"


def records(matches: Sequence[Played]) -> Iterator[str]:
    """The longest streak, the best turn and the least likely thing that came true."""
    longest = max(players(matches), key=lambda player: player.longest)
    if longest.longest > 1:
        yield texts.longest_streak(longest.name, longest.longest)
    best, unlikely = best_score(matches), least_likely(matches)
    if best is not None:
        match, turn = best
        yield texts.best_turn(turn.seat, turn.came, games.title(match.game), f"{evening_of(match)}")
    if unlikely is not None:
        match, chance = unlikely
        told = texts.least_likely(chance.seat, match.game, games.title(match.game), chance.expected)
        yield f"{told}, {evening_of(match)}"


def best(matches: Sequence[Played]) -> Iterator[dict[str, str]]:
    """The records for a television: a number, what it counts, and whose it is."""
    longest = max(players(matches), key=lambda player: player.longest)
    if longest.longest > 1:
        yield {"number": str(longest.longest), "caption": texts.WINS_IN_A_ROW, "name": longest.name}
    if (found := best_score(matches)) is not None:
        match, turn = found
        caption = texts.points_in_a_turn(games.title(match.game))
        yield {"number": f"{turn.came:,.0f}", "caption": caption, "name": turn.seat}
    if (found := least_likely(matches)) is not None:
        match, chance = found
        caption = texts.odds_beaten(games.title(match.game))
        yield {"number": f"1:{1 / chance.expected:,.0f}", "caption": caption, "name": chance.seat}


def match_line(match: Played) -> str:
    """When a match began, and who won it."""
    began = datetime.fromisoformat(match.at_utc).astimezone()
    return f"{began:%H:%M}  {texts.match(games.title(match.game), match.winners, match.seats)}"


def highlights(matches: Sequence[Played]) -> Iterator[str]:
    """Of an evening: who won most, who had most luck, and the least likely thing that came true."""
    people = players(matches)
    most = sum(people[0].won.values())
    if most:
        yield texts.most_wins([one.name for one in people if sum(one.won.values()) == most], most)
    lucky = [
        (luck.deviations, one.name, game)
        for one in people
        for game, luck in one.luck.items()
        if luck.deviations is not None
    ]
    if lucky and max(lucky)[0] > 0:
        deviations, name, game = max(lucky)
        yield texts.luckiest(name, games.title(game), deviations)
    found = least_likely(matches)
    if found is not None:
        match, chance = found
        yield texts.least_likely(chance.seat, match.game, games.title(match.game), chance.expected)


def recap(evening: date, matches: Sequence[Played]) -> Iterator[str]:
    """An evening: its matches and its highlights."""
    yield texts.evening(texts.day_of(evening), len(matches), len(players(matches)))
    yield from (f"    {match_line(match)}" for match in matches)
    yield from (f"    {line}" for line in highlights(matches))


def recap_json(evening: date, matches: Sequence[Played]) -> dict[str, Any]:
    """An evening as a JSON object."""
    return {
        "evening": evening.isoformat(),
        "matches": [
            {
                "at_utc": match.at_utc,
                "game": match.game,
                "seats": match.seats,
                "winners": match.winners,
                "rows_lost": match.lost,
            }
            for match in matches
        ],
        "players": [player.to_json() for player in players(matches)],
    }
