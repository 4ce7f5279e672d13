"""What `dicetable stats` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from games.dice import Kind

PLAYERS_ALONE = "--players and --recap are about games: leave out --die, --photos and --csv"
PLAYERS_UNDRAWN = "--plot draws dice or, with --recap, an evening: leave out --players"
LUCK = {
    "six_by_6": ("points", "turn"),
    "six_shooter": ("without a bust", "throw"),
    "money_shot": ("peaks and money shots", "throw"),
    "liars_dice": ("won", "challenge"),
}
"""By game: what it counts, and what it counts it of."""
UNLIKELY = {
    "six_shooter": "did not bust",
    "money_shot": "threw a peak or the money shot",
    "liars_dice": "won a challenge",
}
ASKED_AGAIN = "How often a die was asked for again and thrown anew is not in the ledger."
SINCE_ALONE = "--since needs the ledger: photographs and tables have no dates"
TAKEN_TOGETHER = "All these were judged together: the more dice, the more evidence it takes to accuse one."
PLOTS_NEED = "--plot needs matplotlib: install dicetable with its extra `stats`"
FACES_PLOT = "how often each face came"
EVIDENCE_PLOT = "evidence against a fair die after each throw"
PAIRS_PLOT = "which face followed which"
READ = "read"
ASKED = "asked"
INTERVAL = "95 % interval"
FACE = "face"
SHARE = "% of throws"
THROWS = "throws"
ACCUSED_AT = "20: a die by itself is accused"
BEFORE = "a throw"
AFTER = "the next throw"
PLAYED = "played to the end"
WON = "won"
LUCK_PLOT = "luck in standard deviations; beyond the dashed lines once in twenty times"
DEVIATION = "(count − expected) / √expected"
ONCE = "if the number of throws was fixed before, and for one look"


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 die`, `1,204 dice`."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def percent(share: float) -> str:
    """`16.7 %`."""
    return f"{100 * share:.1f} %"


def probability(p: float) -> str:
    """A p-value to two digits."""
    return f"p = {p:.2g}" if p >= 0.0001 else f"p = {p:.0e}"


def evidence(log_e: float) -> str:
    """E to two digits, also where it is no float."""
    power = log_e / 2.302585092994046
    return f"{10**power:.2g}" if -3 < power < 4 else f"1e{power:+.0f}"


def fair_share(share: float) -> str:
    """What a fair die shows, in percent."""
    return f"fair: {share:.1f} %"


def power_of_ten(power: float) -> str:
    """A power of ten, written out where that is short."""
    return f"{10**power:,g}" if -3 <= power <= 4 else f"1e{power:+.0f}"


def title(name: str, kind: Kind, throws: int) -> str:
    """The first words about a die."""
    return f"{name}{'' if name == kind else f' ({kind})'}: {counted(throws, 'throw')}"


def biased(worst: int, share: float, fair: float) -> str:
    """It is accused; `worst` is the face whose share is farthest from what is fair."""
    return f"BIASED: {worst} came {percent(share)} of the time, a fair die shows it {percent(fair)}"


def disputed() -> str:
    """It would be accused with the dice that were asked for, or without them, but not both."""
    return "no verdict: the dice asked for decide it, so the bias may be the reader's and not the die's"


def too_few(more: int, excess: int) -> str:
    """It was not thrown often enough."""
    return f"not enough throws yet: about {more:,} more would tell a face that comes {excess} % too often"


def no_bias(excess: int, further: tuple[int, int] | None) -> str:
    """What would have shown by now, and what would take longer."""
    first = f"no bias found: a face that comes {excess} % too often would probably have shown"
    return f"{first}; about {further[1]:,} more throws would tell {further[0]} %" if further else first


def lacks_faces(seen: Sequence[int], faces: int) -> str:
    """Hardly any face was ever seen."""
    which = " and ".join(map(str, seen))
    return f"only {which} of its {faces} faces ever came: it is a trick die, or it is read wrongly"


def e_values(now: str, highest: str, without: str | None) -> str:
    """The evidence."""
    sure = "" if without is None else f", {without} without the dice asked for"
    return f"evidence against a fair die: E = {now} (highest {highest}{sure}); 20 accuses a die by itself"


def pairs(count: int, p: str) -> str:
    """Whether each throw is independent of the one before."""
    return f"{counted(count, 'pair')} of successive throws, next throw independent: {p}"


def axes(shares: Iterable[str], flat: str, loaded: str) -> str:
    """Opposite faces."""
    return f"opposite faces {', '.join(shares)}; too flat: {flat}, loaded: {loaded}"


def nothing_thrown(where: str, since: str | None) -> str:
    """There is nothing to count."""
    if since is not None:
        return f"no die was thrown since {since} in {where}"
    return f"there are no throws in {where}"


def no_such_die(name: str, known: Iterable[str]) -> str:
    """Nothing has this name."""
    return f"no die is called {name!r}: there are {', '.join(known)}"


def strays(name: str, kind: Kind, others: Mapping[Kind, int]) -> str:
    """Throws of a die as which another kind was read."""
    which = ", ".join(f"{count} as a {other}" for other, count in others.items())
    return f"{name} is a {kind}; it also stands in the ledger {which}: these throws are left out of its own"


def left_out(by_hand: int, hidden: int, unread: int) -> str | None:
    """The dice that do not count, and why; None if all do."""
    parts = [
        f"{counted(count, 'die', 'dice')} {why}"
        for count, why in (
            (by_hand, "entered by hand"),
            (hidden, "under cups, where players choose what to keep"),
            (unread, "that could not be read at all"),
        )
        if count
    ]
    return f"Not counted: {'; '.join(parts)}." if parts else None


def asked(count: int, corrected: int, misproposed: int) -> str | None:
    """The dice that people answered for; None if there are none."""
    if not count:
        return None
    parts = [f"{corrected:,} corrected"] if corrected else []
    parts += [f"{misproposed:,} confirmed with another value than proposed"] if misproposed else []
    return f"Asked: {counted(count, 'die', 'dice')} a person answered for{', '.join(['', *parts])}."


def unplaced(count: int) -> str:
    """Corrections without their throw."""
    return f"{counted(count, 'correction')} of throws that are lost do not count."


def rows_gone(dice: int) -> str:
    """Dice of which only daily counts are left."""
    return (
        f"{counted(dice, 'die', 'dice')} of rows that the ledger has let go of: counted by the day, without "
        "pairs; the highest E is that of the ends of these days."
    )


def gone_before(first: int) -> str:
    """Rows that were pruned before they were counted."""
    return f"Rows before {first:,} were let go of before daily totals were kept: they do not count."


def gone_between(first: int, last: int) -> str:
    """Rows that an earlier release pruned without counting them, after daily totals had begun."""
    return (
        f"Rows {first:,} to {last:,} do not count: they went while a release ran that keeps no daily totals, "
        "or were lost."
    )


def totals_unreadable(rows: int) -> str:
    """Rows that went without having been understood."""
    return f"{counted(rows, 'row')} of the ledger could not be read before they were let go of."


def totals_damaged(path: str, why: str) -> str:
    """The daily totals cannot be used."""
    return f"The daily totals of rows that are gone do not count: {path}: {why}; put it back from a backup."


def in_doubt(count: int) -> str:
    """Dice in photographs that count by their likeliest face."""
    return f"{counted(count, 'die', 'dice')} read in doubt stand under `asked`, by the likeliest face."


def bad_date(option: str, text: str) -> str:
    """The date is none."""
    return f"{option} {text}: a date such as 2026-11-21 is meant"


def plotted(count: int, folder: str) -> str:
    """Pictures were written."""
    return f"{counted(count, 'picture')} in {folder}"


def no_games(where: str, since: str | None) -> str:
    """Nobody played."""
    return f"no game was begun{'' if since is None else f' since {since}'} in {where}"


def no_evening(day: str, where: str) -> str:
    """Nobody played on the evening of that day."""
    return f"no game was begun on the evening of {day} in {where}"


def won(wins: int, matches: int) -> str:
    """`3 of 7 won`."""
    return f"{wins} of {matches} won"


def player(name: str, wins: int, matches: int, streak: int, longest: int) -> str:
    """The first words about a player."""
    runs = f"; longest streak {longest}{f', {streak} now' if streak > 1 else ''}" if longest > 1 else ""
    return f"{name}: {won(wins, matches)}{runs}"


def luck(game: str, came: float, expected: float, times: int, deviations: float | None) -> str:
    """What came beside what was expected."""
    what, of = LUCK[game]
    spread = "" if deviations is None else f" ({deviations:+.1f} standard deviations)"
    return f"; {came:,.0f} {what}, {expected:,.1f} expected, in {counted(times, of)}{spread}"


def skill(loss: float, times: int) -> str:
    """What decisions gave away."""
    return f"; {loss:.1f} chips given away in {counted(times, 'decision')}"


def evening(day: str, matches: int, players: int) -> str:
    """The first words of a recap."""
    return f"The evening of {day}: {counted(matches, 'game')}, {counted(players, 'player')}"


def match(game: str, winners: Sequence[str], seats: Sequence[str]) -> str:
    """A match of the evening."""
    outcome = f"{' and '.join(winners)} won" if winners else "not played to its end"
    return f"{game}: {outcome} ({', '.join(seats)})"


def most_wins(names: Sequence[str], wins: int) -> str:
    """Who won most."""
    return f"Most wins: {' and '.join(names)}, {wins}"


def luckiest(name: str, game: str, deviations: float) -> str:
    """Who had most luck in a game."""
    return f"Luckiest: {name} in {game}, {deviations:+.1f} standard deviations"


def least_likely(name: str, game: str, shown: str, chance: float) -> str:
    """The least likely thing that came true."""
    return f"Least likely: {name} {UNLIKELY.get(game, 'was lucky')} in {shown} at {percent(chance)}"


def longest_streak(name: str, wins: int) -> str:
    """The most wins in a row."""
    return f"Longest streak: {name}, {wins} wins"


def best_turn(name: str, score: float, game: str, day: str) -> str:
    """The highest score of a turn."""
    return f"Best turn: {name}, {score:,.0f} points in {game}, {day}"
