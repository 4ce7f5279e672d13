"""A match of a league at the panel: which contest, who plays, against whom, and who sits where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screens.attract import Attract
from dicetable.table.screens.pages import Pages, sentences
from dicetable.table.screens.set_up import open_game
from dicetable.table.screens.set_up_step import Draft, HostStep, SetUp
from dicetable.table.screens.walk import Walk
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

    def view(self) -> PanelView:
        """The contest and its game."""
        contest: Contest = self.walk.current
        title = texts.games.title(contest.game)
        return self.menu(texts.menu.ITEMS["league"], [f"> {contest.name}", title, self.keys_hint])


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

    def view(self) -> PanelView:
        """One of those who are free."""
        player: LeaguePlayer = self.walk.current
        return self.menu(texts.league.WHO_PLAYS, [f"> {player.name}", self.contest.name, self.keys_hint])


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

    def view(self) -> PanelView:
        """Who plays against whom, and whose seat is next."""
        names = display.wrapped(texts.league.against([each.name for each in self.pairing.players]))
        asked = texts.league.take_a_seat(self.next.name) if self.next else texts.set_up.START
        title = texts.games.title(self.pairing.game)
        return self.four([title, *self.page(names, 1), *self.page(display.wrapped(asked), 2)])
