"""A game whose dice are thrown on the simulated table: the camera has to see them roll."""

from __future__ import annotations

from io import StringIO

import pytest

from dicetable.commands.terminal_game import SimulatedTableGame
from dicetable.ledger.entries import Thrown
from dicetable.simulated.eye import step
from hardware.simulated.places import at_random


def thrown_within(game: SimulatedTableGame, seconds: float) -> Thrown:
    """The first throw that counts meanwhile."""
    end_s = game.clock.now_s() + seconds
    while game.clock.now_s() < end_s:
        step(game.clock, game.fingers, game.eye, game.table)
        for entry in game.journal.entries:
            if isinstance(entry, Thrown):
                return entry
    pytest.fail(f"no throw counts: {game.table.sentence}")


@pytest.mark.slow
def test_dice_laid_in_the_tray_count_only_by_a_player_s_word() -> None:
    game = SimulatedTableGame(1, None, StringIO())
    game.open("six_by_6", ["ann"], 1)
    world = game.world
    world.put(at_random(world.chance, world.pick(["d6"] * 6, set()), [], [6] * 6))
    entry = thrown_within(game, 8)
    assert entry.dice == (("d6", 6),) * 6
    assert {detail.vouched_by for detail in entry.details} == {"nobody"}


class Typist:
    """A terminal at which Enter is pressed for these seats."""

    degraded = None

    def __init__(self) -> None:
        self.oks: set[int] = set()


def test_thrown_dice_count_at_once_and_enter_again_while_they_roll_is_ignored() -> None:
    game = SimulatedTableGame(1, None, StringIO())
    game.open("six_by_6", ["ann"], 1)
    game.terminal = typist = Typist()  # type: ignore[assignment]
    typist.oks = {1}
    throws: list[Thrown] = []
    for _ in range(300):
        step(game.clock, game.fingers, game.eye, game.table)
        lying = list(game.world.lying)
        game.by_typing(game.clock.now_s())
        throws = [entry for entry in game.journal.entries if isinstance(entry, Thrown)]
        if throws:
            break
    (throw,) = throws
    assert sorted(face for _, face in throw.dice) == sorted(die.value or 0 for die in lying)
    assert {detail.vouched_by for detail in throw.details} == set()
    assert not game.table.meters.void
