"""What `dicetable stats` says."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Final

from common.texts.catalogue import LANGUAGE, joined, ntr, tr
from common.texts.language import ENGLISH
from games.dice import Kind

PLAYERS_ALONE = tr("--players and --recap are about games: leave out --die, --photos and --csv")
PLAYERS_UNDRAWN = tr("--plot draws dice or, with --recap, an evening: leave out --players")
UNLIKELY = {
    "six_shooter": tr("did not bust"),
    "money_shot": tr("threw a peak or the money shot"),
    "liars_dice": tr("won a challenge"),
}
ASKED_AGAIN = tr("The ledger doesn't record how often a die was thrown again.")
SINCE_ALONE = tr("--since needs the ledger: photographs and tables have no dates")
TAKEN_TOGETHER = tr(
    "These dice were judged together: the more dice, the more evidence it takes to accuse one."
)
PLOTS_NEED = tr(
    "--plot needs matplotlib: in the project's folder, .venv/bin/pip install --editable '.[stats]'"
)
FACES_PLOT = tr("how often each face came up")
EVIDENCE_PLOT = tr("evidence against a fair die after each throw")
PAIRS_PLOT = tr("which face followed which")
READ = tr("read")
ASKED = tr("asked")
INTERVAL = tr("95 % interval")
FACE = tr("face")
SHARE = tr("% of throws")
THROWS = tr("throws")
ACCUSED_AT = tr("20: enough to accuse a single die")
BEFORE = tr("a throw")
AFTER = tr("the next throw")
PLAYED = tr("played to the end")
WON = tr("won")
LUCK_PLOT = tr("luck in standard deviations; one result in twenty lies beyond the dashed lines")
DEVIATION = tr("(count − expected) / √expected")
ONCE = tr("if the number of throws was fixed in advance, for a single look")


def throws_of(count: int) -> str:
    """`1 throw`, `1,204 throws`."""
    return ntr("{count:,} throw", "{count:,} throws", count).format(count=count)


def dice_of(count: int) -> str:
    """`1 die`, `1,204 dice`."""
    return ntr("{count:,} die", "{count:,} dice", count).format(count=count)


def turns_of(count: int) -> str:
    """`1 turn`, `1,204 turns`."""
    return ntr("{count:,} turn", "{count:,} turns", count).format(count=count)


def challenges_of(count: int) -> str:
    """`1 challenge`, `1,204 challenges`."""
    return ntr("{count:,} challenge", "{count:,} challenges", count).format(count=count)


LUCK: Mapping[str, tuple[str, Callable[[int], str]]] = {
    "six_by_6": (tr("points"), turns_of),
    "six_shooter": (tr("without a bust"), throws_of),
    "money_shot": (tr("peaks and money shots"), throws_of),
    "liars_dice": (tr("won"), challenges_of),
}
"""What each game counts, and what it counts it of."""


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
    return tr("fair: {share:.1f} %").format(share=share)


def power_of_ten(power: float) -> str:
    """A power of ten, written out where that is short."""
    return f"{10**power:,g}" if -3 <= power <= 4 else f"1e{power:+.0f}"


def title(name: str, kind: Kind, throws: int) -> str:
    return f"{name}{'' if name.split()[-1] == kind else f' ({kind})'}: {throws_of(throws)}"


def biased(worst: int, share: float, fair: float) -> str:
    """It is accused; `worst` is the face whose share is farthest from what is fair."""
    return tr("BIASED: {worst} came up {share} of the time, a fair die shows it {fair}").format(
        worst=worst, share=percent(share), fair=percent(fair)
    )


def disputed() -> str:
    return tr("no verdict: it hinges on confirmed dice, so the reader may be biased rather than the die")


def too_few(more: int, excess: int) -> str:
    return tr(
        "not enough throws yet: about {more:,} more would show a face that comes up {excess} % too often"
    ).format(more=more, excess=excess)


def no_bias(excess: int, further: tuple[int, int] | None) -> str:
    clause = tr("no bias found: a face that comes up {excess} % too often would probably have shown").format(
        excess=excess
    )
    if further is None:
        return clause
    smaller, more = further
    return tr("{found}; about {more:,} more throws would show {smaller} %").format(
        found=clause, more=more, smaller=smaller
    )


def lacks_faces(shown: Sequence[int], faces: int) -> str:
    return tr("only {which} of its {faces} faces ever came up: it is a trick die, or is misread").format(
        which=joined(map(str, shown)), faces=faces
    )


def e_values(now: str, highest: str, without: str | None) -> str:
    if without is None:
        sentence = tr(
            "evidence against a fair die: E = {now} (highest {highest}); 20 is enough to accuse a single die"
        )
    else:
        sentence = tr(
            "evidence against a fair die: E = {now} (highest {highest}, {without} without confirmed dice); "
            "20 is enough to accuse a single die"
        )
    return sentence.format(now=now, highest=highest, without=without)


def pairs(count: int, p: str) -> str:
    return ntr(
        "{count:,} pair of successive throws, next throw independent: {p}",
        "{count:,} pairs of successive throws, next throw independent: {p}",
        count,
    ).format(count=count, p=p)


def axes(shares: Iterable[str], flat: str, loaded: str) -> str:
    return tr("opposite faces {shares}; too flat: {flat}, loaded: {loaded}").format(
        shares=", ".join(shares), flat=flat, loaded=loaded
    )


def ledger_in(folder: str) -> str:
    """Where throws come from; it follows the word in."""
    return tr("the ledger in {folder}").format(folder=folder)


def photographs_in(folder: str) -> str:
    return tr("the photographs in {folder}").format(folder=folder)


def nothing_thrown(where: str, since: str | None) -> str:
    if since is not None:
        return tr("no die was thrown since {since} in {where}").format(since=since, where=where)
    return tr("there are no throws in {where}").format(where=where)


def no_such_die(name: str, dice: Iterable[str]) -> str:
    return tr("there is no die {name!r}: there are {known}").format(name=name, known=", ".join(dice))


def strays(name: str, kind: Kind, others: Mapping[Kind, int]) -> str:
    part = tr("{count} as a {kind}")
    which = ", ".join(part.format(count=count, kind=kind_read) for kind_read, count in others.items())
    return tr("{name} is a {kind}; the ledger also lists it {which}: those throws are left out").format(
        name=name, kind=kind, which=which
    )


def left_out(by_hand: int, hidden: int, unread: int) -> str | None:
    """The dice that do not count, and why; None if all do."""
    parts = [
        why.format(dice=dice_of(count))
        for count, why in (
            (by_hand, tr("{dice} entered by hand")),
            (hidden, tr("{dice} under cups, where players choose what to keep")),
            (unread, tr("{dice} that could not be read at all")),
        )
        if count
    ]
    return tr("Not counted: {parts}.").format(parts="; ".join(parts)) if parts else None


def asked_dice(count: int, corrected: int, misproposed: int, vouched: int) -> str | None:
    """The dice that people answered for; None if there are none."""
    if not count:
        return None
    parts = [tr("{dice} confirmed by a person").format(dice=dice_of(count))]
    if corrected:
        parts.append(tr("{count:,} corrected").format(count=corrected))
    if misproposed:
        parts.append(tr("{count:,} confirmed with another value than proposed").format(count=misproposed))
    if vouched:
        parts.append(tr("{count:,} not seen to roll").format(count=vouched))
    return tr("Asked: {parts}.").format(parts=", ".join(parts))


def unplaced(count: int) -> str:
    return ntr(
        "{count:,} correction of a lost throw does not count.",
        "{count:,} corrections of lost throws do not count.",
        count,
    ).format(count=count)


def rows_gone(dice: int) -> str:
    return tr(
        "{dice} from rows that are no longer in the ledger: counted by day, without pairs; the highest E "
        "is the highest at the end of a day."
    ).format(dice=dice_of(dice))


def gone_before(first: int) -> str:
    return tr("Rows before {first:,} were removed before daily totals were kept: they do not count.").format(
        first=first
    )


def gone_between(first: int, last: int) -> str:
    return tr("Rows {first:,} to {last:,} do not count: they were lost.").format(first=first, last=last)


def totals_unreadable(rows: int) -> str:
    return ntr(
        "{count:,} row of the ledger could not be read before it was removed.",
        "{count:,} rows of the ledger could not be read before they were removed.",
        rows,
    ).format(count=rows)


def totals_damaged(path: str, why: str) -> str:
    return tr(
        "The daily totals of pruned rows do not count: {path}: {why}; put it back from a backup."
    ).format(path=path, why=why)


def in_doubt(count: int) -> str:
    return tr("{dice} read in doubt count under `asked`, by their likeliest face.").format(
        dice=dice_of(count)
    )


def bad_date(option: str, text: str) -> str:
    return tr("{option} {text}: give a date such as 2026-11-21").format(option=option, text=text)


def plotted(count: int, folder: str) -> str:
    return ntr("{count:,} picture in {folder}", "{count:,} pictures in {folder}", count).format(
        count=count, folder=folder
    )


def no_games(where: str, since: str | None) -> str:
    if since is None:
        return tr("no game was started in {where}").format(where=where)
    return tr("no game was started since {since} in {where}").format(since=since, where=where)


def no_evening(day: str, where: str) -> str:
    return tr("no game was started on the evening of {day} in {where}").format(day=day, where=where)


def won(wins: int, matches: int) -> str:
    """`3 of 7 won`."""
    return tr("{wins} of {matches} won").format(wins=wins, matches=matches)


def player(name: str, wins: int, matches: int, streak: int, longest: int) -> str:
    sentence = f"{name}: {won(wins, matches)}"
    if longest <= 1:
        return sentence
    runs = tr("; longest streak {longest}, {streak} now") if streak > 1 else tr("; longest streak {longest}")
    return sentence + runs.format(longest=longest, streak=streak)


def luck(game: str, total: float, expected: float, times: int, deviations: float | None) -> str:
    noun, of = LUCK[game.partition("/")[0]]
    sentence = tr("; {came:,.0f} {what}, {expected:,.1f} expected, in {times}").format(
        came=total, what=noun, expected=expected, times=of(times)
    )
    if deviations is None:
        return sentence
    return sentence + tr(" ({deviations:+.1f} standard deviations)").format(deviations=deviations)


def skill(loss: float, times: int) -> str:
    return ntr(
        "; {loss:.1f} chips given away in {count:,} decision",
        "; {loss:.1f} chips given away in {count:,} decisions",
        times,
    ).format(loss=loss, count=times)


WEEKDAYS: Final = (
    tr("Monday"),
    tr("Tuesday"),
    tr("Wednesday"),
    tr("Thursday"),
    tr("Friday"),
    tr("Saturday"),
    tr("Sunday"),
)
MONTHS: Final = (
    tr("January"),
    tr("February"),
    tr("March"),
    tr("April"),
    tr("May"),
    tr("June"),
    tr("July"),
    tr("August"),
    tr("September"),
    tr("October"),
    tr("November"),
    tr("December"),
)


def day_of(evening: date) -> str:
    return tr("{weekday} {day} {month} {year}").format(
        weekday=WEEKDAYS[evening.weekday()],
        day=evening.day,
        month=MONTHS[evening.month - 1],
        year=evening.year,
    )


def evening(day: str, matches: int, players: int) -> str:
    return tr("The evening of {day}: {counted}").format(day=day, counted=counted(matches, players))


def counted(matches: int, players: int) -> str:
    """`3 games, 1 player`."""
    games = ntr("{count:,} game", "{count:,} games", matches).format(count=matches)
    people = ntr("{count:,} player", "{count:,} players", players).format(count=players)
    return f"{games}, {people}"


def match(game: str, winners: Sequence[str], seats: Sequence[str]) -> str:
    sentence = tr("{game}: {winners} won ({seats})") if winners else tr("{game}: not finished ({seats})")
    return sentence.format(game=game, winners=joined(winners), seats=", ".join(seats))


def most_wins(names: Sequence[str], wins: int) -> str:
    return tr("Most wins: {names}, {wins}").format(names=joined(names), wins=wins)


def luckiest(name: str, game: str, luckier: float) -> str:
    return tr("Luckiest: {name} in {game}. Dice are as kind on one evening in {count}.").format(
        name=name, game=game, count=f"{1 / luckier:,.0f}"
    )


def least_likely(name: str, game: str, shown: str, chance: float) -> str:
    feat = UNLIKELY.get(game) or tr("was lucky")
    return tr("Least likely: {name} {what} in {shown}, once in {count} times").format(
        name=name, what=feat, shown=shown, count=f"{1 / chance:,.0f}"
    )


def longest_streak(name: str, wins: int) -> str:
    return tr("Longest streak: {name}, {wins} wins").format(name=name, wins=wins)


WINS_IN_A_ROW: Final = tr("wins in a row")


def points_in_a_turn(game: str) -> str:
    return tr("points in one turn of {game}").format(game=game)


def grouped(number: float) -> str:
    """A whole number with its digits in groups, as the language of this process writes it."""
    whole = f"{number:,.0f}"
    if LANGUAGE == ENGLISH:
        return whole
    # Spanish leaves four digits together.
    return whole.replace(",", "" if LANGUAGE == "es" and number < 10_000 else ".")


def one_in(count: float) -> str:
    return tr("1 in {count}").format(count=grouped(count))


def odds_beaten(game: str) -> str:
    return tr("odds beaten in {game}").format(game=game)


def best_turn(name: str, score: float, game: str, day: str) -> str:
    return tr("Best turn: {name}, {score:,.0f} points in {game}, {day}").format(
        name=name, score=score, game=game, day=day
    )
