"""`dicetable run` at whose simulated table a test lays dice: what the file of the first argument says.

A line is the number of a d6 in the table's set and the value that it shows, such as `0 4`.
Without lines the tray is empty. What lies still there is written into a second file, named as the first and
`.lies`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dicetable.__main__ import main
from dicetable.service.simulation import Simulation
from hardware.simulated.die import Lying, on_table, settled, turn_showing

if TYPE_CHECKING:
    from dicetable.table.table import Table
    from hardware.simulated.world import World

KIND: Final = "d6"


def dice(world: World, lines: list[str]) -> list[Lying]:
    """The dice, side by side."""
    found = []
    for place, line in enumerate(lines):
        number, value = map(int, line.split())
        die = world.pick([KIND] * (number + 1), set())[number]
        turn = turn_showing(world.chance, die, value)
        found.append(settled(die, on_table(die, turn, 40.0 * place, 10.0)))
    return found


def obey(file: Path) -> None:
    """At each step of the people the tray is made as the file says, if that is news."""
    step = Simulation.step
    obeyed = [""]

    def laying(self: Simulation, table: Table, now_s: float) -> None:
        wanted = file.read_text() if file.exists() else ""
        if wanted != obeyed[0]:
            self.world.lay(dice(self.world, wanted.splitlines()))
            obeyed[0] = wanted
        if now_s > self.world.settled_at_s:
            file.with_suffix(".lies").write_text(obeyed[0])
        step(self, table, now_s)

    Simulation.step = laying  # type: ignore[method-assign]


if __name__ == "__main__":
    obey(Path(sys.argv.pop(1)))
    sys.exit(main(sys.argv[1:]))
