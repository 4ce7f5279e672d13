"""The end of a game: who won, and the vote for a rematch."""

from common import texts
from dicetable.ledger.entries import Closed, Ending, Sitting
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.play import Play
from dicetable.table.screen import WINNER, Choice, PhoneView, TableControl, lamp
from dicetable.table.set_up import Draft, OptionsMenu, SetUp, WhoPlays, draft_for, open_draft
from games.errors import RuleError
from games.match import Match
from games.prompts import OverPrompt
from games.registry import find
from hardware.ports import PanelView

WINNERS_S = 300.0
"""How long the winners are shown without a key."""
COMPANY = 2
"""Fewer players are no rematch of a game that more people played."""


class GameOver(Play):
    """The winners, until the players want the same game again, or another one.

    OK says that a seat is in, OK held that it is not, after all. Once everyone who is still there is in, the
    game begins; the first who was in is the host, and begins it with those who are in by another OK. While
    no one is in, OK held sets up another game.
    """

    idle_s = WINNERS_S

    def __init__(self, table: TableControl, match: Match) -> None:
        super().__init__(table, match)
        self.rematch: list[int] = []
        """The seats that are in, the host's first."""

    @property
    def present(self) -> list[int]:
        """The seats of the people who could play again: those that did not leave, and those who are in."""
        table, stay = self.table, (Sitting.PLAYS, Sitting.JOINS_NEXT)
        seats = {
            seat
            for seat, sat in table.state.roster.items()
            if sat.how in stay and sat.name not in table.state.house
        }
        return sorted((seats & table.seated if table.on_phones else seats) | {*self.rematch})

    @property
    def may_start(self) -> bool:
        """Whether those who are in are enough company for a rematch without the others."""
        people = len(self.match.seats) - len(self.table.state.house)
        return len(self.rematch) >= min(COMPANY, people)

    def key(self, key: Key) -> None:
        if key.means is Means.BACK:
            if not self.rematch:
                self.another_game(key.seat)
            elif key.seat in self.rematch:
                self.rematch.remove(key.seat)
        elif key.means is Means.OK:
            if key.seat not in self.rematch:
                self.rematch.append(key.seat)
            elif key.seat == self.rematch[0] and self.may_start:
                self.begin()

    def phone(self, seat: int) -> PhoneView:
        okay, back = self.keyed(seat, Means.OK), self.keyed(seat, Means.BACK)
        choices = []
        if seat not in self.rematch:
            choices += [Choice(texts.phones.REMATCH, okay)]
        elif seat == self.rematch[0] and self.may_start:
            choices += [Choice(texts.phones.START_NOW, okay)]
        if not self.rematch:
            choices += [Choice(texts.panel.MENU_ITEMS["new"], back, small=True)]
        elif seat in self.rematch:
            choices += [Choice(texts.phones.NOT_ME, back, small=True)]
        return PhoneView(self.vote if self.rematch else "", choices)

    @property
    def vote(self) -> str:
        """How many want a rematch."""
        return texts.games.rematch(len(self.rematch), len(self.present))

    def tick(self) -> None:
        """Begins the rematch once everyone who is still there is in."""
        super().tick()
        if self.table.base is self and self.rematch and {*self.present} == {*self.rematch}:
            draft = self.draft()
            if find(draft.game).fewest_seats <= len(draft.names):
                self.begin()

    def draft(self) -> Draft:
        """Drafts the same game for those who are in, and the house if it played."""
        draft = draft_for(self.table, self.rematch[0])
        draft.names = {
            seat: name for seat, name in draft.names.items() if seat in {*self.rematch, *draft.house}
        }
        for seat in self.rematch:
            if seat not in draft.names:
                draft.seat_person(seat, WhoPlays(self.table, draft).names_for(seat)[0])
        return draft

    def begin(self) -> None:
        """Begins the game with those who are in; where that is no game yet, it is set up."""
        draft = self.draft()
        rules = find(draft.game)
        if not self.table.write(Closed(Ending.OVER)):
            return
        step: SetUp = WhoPlays(self.table, draft)
        try:
            if not rules.fewest_seats <= len(draft.names) <= rules.most_seats:
                step.refusal = texts.panel.not_enough(rules.fewest_seats, rules.most_seats)
            elif open_draft(self.table, draft):
                return
        except RuleError as error:  # an option that suited more seats
            step = OptionsMenu(self.table, draft)
            step.refusal = f"{str(error).capitalize()}."
        self.table.show(step)

    def another_game(self, host: int) -> None:
        if self.table.write(Closed(Ending.OVER)):
            self.table.set_up(host)

    def left_idle(self) -> None:
        self.table.write(Closed(Ending.OVER))

    def view(self) -> PanelView:
        prompt = self.match.prompt
        winners = prompt.winners if isinstance(prompt, OverPrompt) else ()
        panel_seats = self.table.state.panel_seats
        hint = self.table.news or self.page(texts.games.REMATCH_HINTS, 1)[0]
        return self.lines(
            [
                *self.page(display.wrapped(texts.games.won(winners)), 1),
                *self.page(display.packed(display.scores(self.match), gap=", "), 2),
                self.vote if self.rematch else hint,
            ],
            {lamp(panel_seats[winner]): WINNER for winner in winners},
        )
