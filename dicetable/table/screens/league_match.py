"""A match of a league at the panel: which contest, who plays, against whom, and who sits where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screens.idle import Attract
from dicetable.table.screens.pages import Pages, sentences
from dicetable.table.screens.screen import Choice, PhoneView, Walk
from dicetable.table.screens.set_up import Draft, HostStep, SetUp, open_game
from games.errors import RuleError

if TYPE_CHECKING:
    from dicetable.table.pairings import Contest, LeaguePlayer, Pairing
    from dicetable.table.screens.screen import TableControl
    from hardware.ports import PanelView

PATIENCE_S = 10.0
"""How long to wait for the league's answer."""


def begin(table: TableControl, host: int) -> None:
    """Begins to set up a match of the league; says so if the league has named no contest."""
    contests = table.pairings.contests
    table.pairings.looks += 1
    if contests:
        table.show(ChooseContest(table, Draft(host, contests[0].game, {})))
    else:
        told = sentences((texts.league.NO_CONTEST,))
        table.open(Pages(table, host, texts.menu.ITEMS["league"], told))


class ChooseContest(HostStep):
    """Which arena or bracket."""

    def __init__(self, table: TableControl, draft: Draft) -> None:
        super().__init__(table, draft, Walk(list(table.pairings.contests)))

    def take(self) -> None:
        """On to who plays, as far as is known by now."""
        shown: Contest = self.walk.current
        known = {each.number: each for each in self.table.pairings.contests}
        contest = known.get(shown.number, shown)
        if contest.free:
            self.table.show(ChoosePlayer(self.table, Draft(self.draft.host, contest.game, {}), contest))
        else:
            self.said = texts.league.NOBODY_WAITS

    def back(self) -> None:
        """Nothing is set up any more."""
        self.table.show(Attract(self.table))

    heading = texts.menu.ITEMS["league"]

    def label(self, item: Contest) -> str:
        """The contest's name."""
        return item.name

    def view(self) -> PanelView:
        """The contest and its game."""
        contest: Contest = self.walk.current
        return self.menu([f"> {contest.name}", texts.games.title(contest.game), self.keys_hint])


class ChoosePlayer(HostStep):
    """Who is here and wants to play."""

    def __init__(self, table: TableControl, draft: Draft, contest: Contest) -> None:
        super().__init__(table, draft, Walk(list(contest.free)))
        self.contest = contest

    def take(self) -> None:
        """Asks the league against whom."""
        self.table.pairings.ask(self.contest, self.walk.current)
        self.table.show(AskLeague(self.table, self.draft, self))

    def back(self) -> None:
        """Back to the contests."""
        self.table.show(ChooseContest(self.table, self.draft))

    heading = texts.league.WHO_PLAYS

    def label(self, item: LeaguePlayer) -> str:
        """The player's name."""
        return item.name

    def view(self) -> PanelView:
        """One of those who are free."""
        return self.menu([f"> {self.walk.current.name}", self.contest.name, self.keys_hint])


class AskLeague(SetUp):
    """Waits for the league's answer, not for ever: without a network an ordinary game can be played."""

    def __init__(self, table: TableControl, draft: Draft, before: ChoosePlayer) -> None:
        super().__init__(table, draft)
        self.before = before
        self.until_s = table.now_s + PATIENCE_S

    def key(self, key: Key) -> None:
        """The host's held OK goes back."""
        if key.seat == self.draft.host and key.means is Means.BACK:
            self.back("")

    def tick(self) -> None:
        """Goes on as soon as the answer is there."""
        pairings = self.table.pairings
        answer = pairings.answer
        if answer is not None:
            self.answered(answer)
        elif pairings.asked is None or self.table.now_s >= self.until_s:
            self.back(texts.league.AWAY)
        else:
            super().tick()

    def answered(self, answer: Pairing) -> None:
        """On to the seats, or back with the reason."""
        if not answer.players:
            self.back(answer.why or texts.league.NOBODY_WAITS)
        elif len(answer.players) > self.table.seats:
            self.back(texts.league.TOO_FEW_SEATS)
        else:
            self.table.pairings.forget()
            self.table.show(TakeSeats(self.table, Draft(self.draft.host, answer.game, {}), answer))

    def back(self, why: str) -> None:
        """Withdraws the question and goes back to who plays."""
        self.table.pairings.forget()
        self.before.said = why
        self.table.show(self.before)

    def phone(self, seat: int) -> PhoneView:
        """That it is asked; the host may go back."""
        back = Choice(texts.menu.CLOSE, self.keyed(seat, Means.BACK), small=True)
        return PhoneView(texts.league.IS_ASKED, [back] if seat == self.draft.host else [])

    def view(self) -> PanelView:
        """That it is asked."""
        return self.four([texts.menu.ITEMS["league"], "", texts.league.IS_ASKED, ""])


class TakeSeats(SetUp):
    """One player after the other presses OK at the seat of his choice; with the last one the game begins."""

    def __init__(self, table: TableControl, draft: Draft, pairing: Pairing) -> None:
        super().__init__(table, draft)
        self.pairing = pairing

    @property
    def next(self) -> LeaguePlayer | None:
        """Who has no seat yet."""
        seated = len(self.draft.names)
        return self.pairing.players[seated] if seated < len(self.pairing.players) else None

    def key(self, key: Key) -> None:
        """OK takes a seat; OK held gives all seats back, or leaves."""
        self.said = ""
        if key.means is Means.BACK:
            if self.draft.names:
                self.draft.names.clear()
            elif key.seat == self.draft.host:
                self.table.show(Attract(self.table))
            return
        if key.means is Means.OK:
            if self.next is not None and key.seat not in self.draft.names:
                self.draft.names[key.seat] = self.next.name
            if self.next is None:
                self.start()

    def start(self) -> None:
        """Opens the game under the names that the league has."""
        try:
            if open_game(self.table, self.pairing.game, self.draft.names, {}):
                self.table.pairings.plays(self.pairing.players)
        except RuleError as error:
            self.said = f"{str(error).capitalize()}."
            self.draft.names.clear()

    def phone(self, seat: int) -> PhoneView:
        """Who plays against whom, and a button for the next player where the seat is free."""
        names = texts.league.against([each.name for each in self.pairing.players])
        back = Choice(texts.menu.CLOSE, self.keyed(seat, Means.BACK), small=True)
        if self.next is None or seat in self.draft.names:
            return PhoneView(f"{names}\n{self.asked}", [back])
        return PhoneView(names, [Choice(texts.phones.be(self.next.name), self.keyed(seat, Means.OK)), back])

    @property
    def asked(self) -> str:
        """Whose seat is next."""
        return texts.league.take_a_seat(self.next.name) if self.next else texts.set_up.START

    def view(self) -> PanelView:
        """Who plays against whom, and whose seat is next."""
        names = display.wrapped(texts.league.against([each.name for each in self.pairing.players]))
        title = texts.games.title(self.pairing.game)
        return self.four([title, *self.page(names, 1), *self.page(display.wrapped(self.asked), 2)])
