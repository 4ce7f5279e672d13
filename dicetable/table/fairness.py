"""A test of dice at the panel: which dice, then throw after throw with a counter and the evidence so far."""

from typing import Final

from common import texts
from dicetable.table import display
from dicetable.table.bias import evidence
from dicetable.table.pages import Attract
from dicetable.table.play import Play
from dicetable.table.screen import YOURS, TableControl, Walk, lamp
from dicetable.table.set_up import Draft, HostStep, open_game
from games.dice import EVERY_KIND, VALUES
from games.fairness import KIND_OF, MOST_DICE
from games.registry import FAIRNESS
from hardware.ports import PanelView

ONE_TO_MOST: Final = range(1, MOST_DICE + 1)
NUMBER_OF: Final = {kind: number for number, kind in KIND_OF.items()}


def choose_dice(table: TableControl, host: int) -> None:
    """Begins to set up a test; what lies in the tray is offered first, if it is dice of one kind."""
    lying = [die.kind for die in table.in_tray() or ()]
    offered = lying[0] if lying and lying[0] is not None and len(set(lying)) == 1 else "d6"
    options = {"faces": NUMBER_OF[offered], "dice": min(max(1, len(lying)), MOST_DICE)}
    table.show(ChooseKind(table, Draft(host, FAIRNESS.name, {host: table.name(host)}, options)))


class ChooseKind(HostStep):
    """Asks which kind of dice to test."""

    heading = texts.panel.WHICH_DICE_TO_TEST

    def __init__(self, table: TableControl, draft: Draft) -> None:
        chosen = EVERY_KIND.index(KIND_OF[draft.options["faces"]])
        super().__init__(table, draft, Walk(EVERY_KIND, chosen))

    def take(self) -> None:
        self.draft.options["faces"] = NUMBER_OF[self.walk.current]
        self.table.show(ChooseCount(self.table, self.draft))

    def back(self) -> None:
        self.table.show(Attract(self.table))


class ChooseCount(HostStep):
    """Asks how many dice are thrown together."""

    heading = texts.panel.HOW_MANY_DICE
    note = texts.panel.THROWN_TOGETHER

    def __init__(self, table: TableControl, draft: Draft) -> None:
        super().__init__(table, draft, Walk(ONE_TO_MOST, ONE_TO_MOST.index(draft.options["dice"])))

    def take(self) -> None:
        self.draft.options["dice"] = self.walk.current
        open_game(self.table, self.draft.game, self.draft.names, self.draft.options)

    def back(self) -> None:
        self.table.show(ChooseKind(self.table, self.draft))


class Fairness(Play):
    """A test in progress: the counter, the evidence, how often each face came up."""

    def view(self) -> PanelView:
        table, run = self.table, self.table.state.run
        seat = table.state.to_act
        if run is None or seat is None or self.wrong():
            return super().view()
        result = evidence(run)
        counts = [f"{face}:{count}" for face, count in zip(VALUES[result.kind], result.counts, strict=True)]
        counts += [] if result.accused_at is None else [texts.panel.panel_evidence(result.log_e, None)]
        dice = texts.panel.dice_to_test(result.kind, result.dice)
        return self.lines(
            [
                display.beside(dice, texts.panel.throw_count(result.throws)),
                texts.panel.panel_evidence(result.log_e, result.accused_at),
                *self.page(display.packed(counts), 1),
                table.news or (texts.health.EYE["moving"] if table.rolling else texts.panel.THROW_AGAIN),
            ],
            {lamp(table.state.panel_seats[seat]): YOURS},
        )
