"""A match of a league at the panel: which contest, who plays, against whom, and who sits where."""

from common import texts
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.pages import Attract, Pages, sentences
from dicetable.table.pairings import Contest, LeaguePlayer, Pairing
from dicetable.table.screen import Choice, PhoneView, TableControl, Walk
from dicetable.table.set_up import Draft, HostStep, SetUp, open_game
from games.errors import RuleError
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
        table.open(
            Pages(table, host, texts.panel.MENU_ITEMS["league"], sentences((texts.league.NO_CONTEST,)))
        )


class ChooseContest(HostStep):
    """Asks the host for the arena or bracket."""

    heading = texts.panel.MENU_ITEMS["league"]

    def __init__(self, table: TableControl, draft: Draft) -> None:
        super().__init__(table, draft, Walk(list(table.pairings.contests)))

    @property
    def note(self) -> str:
        return texts.games.title(self.walk.current.game)

    def label(self, item: Contest) -> str:
        return item.name

    def take(self) -> None:
        shown: Contest = self.walk.current
        contests = {contest.number: contest for contest in self.table.pairings.contests}  # by now
        contest = contests.get(shown.number, shown)
        if contest.free:
            self.table.show(ChoosePlayer(self.table, Draft(self.draft.host, contest.game, {}), contest))
        else:
            self.refusal = texts.league.NOBODY_WAITS

    def back(self) -> None:
        self.table.show(Attract(self.table))


class ChoosePlayer(HostStep):
    """Asks who is here and wants to play."""

    heading = texts.league.WHO_PLAYS

    def __init__(self, table: TableControl, draft: Draft, contest: Contest) -> None:
        super().__init__(table, draft, Walk(list(contest.free)))
        self.contest = contest

    @property
    def note(self) -> str:
        return self.contest.name

    def label(self, item: LeaguePlayer) -> str:
        return item.name

    def take(self) -> None:
        self.table.pairings.ask(self.contest, self.walk.current)
        self.table.show(AskLeague(self.table, self.draft, self))

    def back(self) -> None:
        self.table.show(ChooseContest(self.table, self.draft))


class AskLeague(SetUp):
    """Waits for the league's answer, but not long: without a network people can play an ordinary game."""

    def __init__(self, table: TableControl, draft: Draft, before: ChoosePlayer) -> None:
        super().__init__(table, draft)
        self.before = before
        self.until_s = table.now_s + PATIENCE_S

    def key(self, key: Key) -> None:
        if key.seat == self.draft.host and key.means is Means.BACK:
            self.back("")

    def tick(self) -> None:
        pairings = self.table.pairings
        answer = pairings.answer
        if answer is None:
            if pairings.open_request is None or self.table.now_s >= self.until_s:
                self.back(texts.league.AWAY)
            else:
                super().tick()
        elif not answer.players:
            self.back(answer.why or texts.league.NOBODY_WAITS)
        elif len(answer.players) > self.table.seats:
            self.back(texts.league.TOO_FEW_SEATS)
        else:
            pairings.forget()
            self.table.show(TakeSeats(self.table, Draft(self.draft.host, answer.game, {}), answer))

    def back(self, why: str) -> None:
        """Withdraws the question and goes back to who plays."""
        self.table.pairings.forget()
        self.before.refusal = why
        self.table.show(self.before)

    def phone(self, seat: int) -> PhoneView:
        back = [self.back_button(seat)] if seat == self.draft.host else []
        return PhoneView(texts.league.IS_ASKED, back)

    def view(self) -> PanelView:
        return self.four([texts.panel.MENU_ITEMS["league"], "", texts.league.IS_ASKED, ""])


class TakeSeats(SetUp):
    """One player after the other presses OK at a seat; with the last one the game begins.

    OK held gives all seats back; the host's leaves where there are none.
    """

    def __init__(self, table: TableControl, draft: Draft, pairing: Pairing) -> None:
        super().__init__(table, draft)
        self.pairing = pairing

    @property
    def next(self) -> LeaguePlayer | None:
        seated = len(self.draft.names)
        return self.pairing.players[seated] if seated < len(self.pairing.players) else None

    @property
    def invitation(self) -> str:
        return texts.league.take_a_seat(self.next.name) if self.next else texts.panel.START

    @property
    def against(self) -> str:
        return texts.league.against([player.name for player in self.pairing.players])

    def key(self, key: Key) -> None:
        self.refusal = ""
        names = self.draft.names
        if key.means is Means.BACK:
            if names:
                names.clear()
            elif key.seat == self.draft.host:
                self.table.show(Attract(self.table))
        elif key.means is Means.OK:
            if self.next is not None and key.seat not in names:
                names[key.seat] = self.next.name
            if self.next is not None:
                return
            try:
                if open_game(self.table, self.pairing.game, names, {}):
                    self.table.pairings.plays(self.pairing.players)
            except RuleError as error:
                self.refusal = f"{str(error).capitalize()}."
                names.clear()

    def phone(self, seat: int) -> PhoneView:
        back = self.back_button(seat)
        if self.next is None or seat in self.draft.names:
            return PhoneView(f"{self.against}\n{self.invitation}", [back])
        take = Choice(texts.phones.be(self.next.name), self.keyed(seat, Means.OK))
        return PhoneView(self.against, [take, back])

    def view(self) -> PanelView:
        title = texts.games.title(self.pairing.game)
        against = self.page(display.wrapped(self.against), 1)
        return self.four([title, *against, *self.page(display.wrapped(self.invitation), 2)])
