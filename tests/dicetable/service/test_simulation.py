"""The simulated table beside the service: its people go on wherever a game was cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dicetable.ledger.entries import LyingDie, Opened, Thrown
from dicetable.ledger.store import Ledger
from games.registry import GAMES
from hardware.simulated.faults import parse
from tests.dicetable.service.lives import PATIENCE_S, Life
from tests.dicetable.simulated.true_reading import true_reading
from tests.extent import usually

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("cheap_throws")


NEAR_PX = 15
"""A die that lies where it lay, but turned, has its corner within so much."""


@pytest.mark.parametrize("game", usually({"midnight"}, GAMES, slow={"liars_dice"}))
def test_people_go_on_after_each_cut_until_the_game_is_over(game: str, tmp_path: Path) -> None:
    cuts, over = 0, False
    while not over:
        life = Life(tmp_path, game)
        life.until_entries(1 + cuts % 3)
        over = life.over or life.closed
        life.cut()
        cuts += 1
    assert cuts > 5


def test_what_nobody_can_see_is_entered_by_hand_at_the_last_seat_too(tmp_path: Path) -> None:
    life = Life(tmp_path, "sixes", seats=4)
    life.simulation.world.inject(parse("dark:600"))
    life.until_entries(5)
    opened, *thrown = life.service.parts.ledger.entries()
    assert isinstance(opened, Opened)
    assert [entry.by_hand for entry in thrown if isinstance(entry, Thrown)] == [True] * 4
    life.cut()


def test_dice_lie_in_the_tray_again_as_the_game_knows_them(tmp_path: Path) -> None:
    life = Life(tmp_path, "six_shooter")
    life.until_entries(3)
    known = {(die.kind, die.value): die.box for die in life.state.baseline or ()}
    life.cut()
    again = Life(tmp_path, "six_shooter")
    again.simulation.gathered(again.service.table)
    found = {(die.kind, die.value): die.box for die in true_reading(again.simulation.world).dice}
    assert known
    assert found.keys() == known.keys()
    for die, (left, top, *_) in known.items():
        assert found[die][:2] == pytest.approx((left, top), abs=NEAR_PX)
    again.cut()


FIRST_THROW = (
    LyingDie("d6", 1, (497, 39, 103, 104), (-20.8, 59.1)),
    LyingDie("d6", 4, (752, 43, 109, 115), (36.3, 57.7)),
    LyingDie("d6", 6, (819, 96, 111, 109), (51.4, 47.0)),
    LyingDie("d6", 6, (583, 110, 104, 104), (-1.2, 43.7)),
    LyingDie("d6", 1, (939, 85, 120, 118), (78.3, 48.7)),
    LyingDie("d6", 5, (635, 191, 110, 110), (11.4, 25.3)),
)
FRAME_S = 1 / 30
RESTING_S = 2.0
"""How long people look at the table after a restart before they go on."""


@pytest.mark.slow
def test_a_turn_goes_on_with_its_posted_dice_in_the_tray_after_a_restart(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.append(Opened("six_by_6", ("Ann", "Bob"), {"sets": 3}, 1, (), (1, 2), ()))
    dice = tuple((die.kind, die.value) for die in FIRST_THROW if die.kind and die.value)
    ledger.append(Thrown(dice, FIRST_THROW))
    ledger.close()
    life = Life(tmp_path, "six_by_6", seats=2, strict=True)
    life.simulation.people = life.simulation.gathered(life.service.table)
    said: set[str] = set()
    started_s, rows = life.clock.now_s(), life.service.parts.ledger.count
    while life.service.parts.ledger.count == rows:
        life.clock.sleep(FRAME_S)
        life.service.turn()
        said |= {life.service.table.sentence}
        if life.clock.now_s() > started_s + RESTING_S:
            life.simulation.step(life.service.table, life.clock.now_s())
        assert life.clock.now_s() < started_s + PATIENCE_S, said
    thrown = life.service.parts.ledger.entries()[-1]
    assert said <= {""}
    assert isinstance(thrown, Thrown)
    assert (len(thrown.dice), thrown.by_hand) == (4, False)
    assert all(die.vouched_by is None for die in thrown.details)  # the tray is known beside posted dice
    life.cut()
