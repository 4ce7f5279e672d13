"""Release 0.1.0 under a real systemd: upgraded, rolled back over the change of schema, upgraded again."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.dicetable.ledger import release_0_1_0
from tests.systemd.machine import SOURCE, Machine, wait_for, why_not
from tests.systemd.test_service import ACCEPTED_S, CONFIG, PLAYING

if TYPE_CHECKING:
    from collections.abc import Iterator

WHY_NOT = why_not() or release_0_1_0.why_not()
pytestmark = [pytest.mark.slow, pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))]

OLD_SOURCE = "/opt/dicetable-0.1.0"
ONLY_NEW = ("details", "position_mm", "die_id")


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """Release 0.1.0 is installed, and simulated people play."""
    with Machine(tmp_path_factory.mktemp("nspawn")) as machine:
        archive = ["git", "archive", release_0_1_0.COMMIT]
        tar = subprocess.run(archive, cwd=release_0_1_0.ROOT, capture_output=True, check=True)
        machine.unpack(tar.stdout, OLD_SOURCE)
        machine.write(CONFIG, PLAYING)
        machine.run("make", "-C", OLD_SOURCE, "install-service")
        yield machine


def entries(machine: Machine) -> list[dict[str, Any]]:
    """What was played, without what 0.1.0 does not know."""
    command = ("runuser", "-u", "dicetable", "--", "dicetable", "ledger", "export")
    lines = [json.loads(line) for line in machine.run(*command).splitlines() if line.startswith("{")]
    played = [line["entry"] for line in lines if line["entry"]["entry"] != "epoch"]
    for each in [*played, *(die for entry in played for die in entry.get("lying") or ())]:
        for key in ONLY_NEW:
            each.pop(key, None)
    return played


def play_some(machine: Machine, count: int) -> list[dict[str, Any]]:
    """Waits for that many more entries, then stops the table; all that was played."""
    machine.run("systemctl", "start", "dicetable")
    before = machine.journal().count("entry=")
    wait_for("people play", lambda: machine.journal().count("entry=") >= before + count, ACCEPTED_S)
    machine.run("systemctl", "stop", "dicetable")
    return entries(machine)


def test_what_was_played_after_an_upgrade_stays_when_it_is_rolled_back(machine: Machine) -> None:
    by_old = play_some(machine, 3)
    machine.run("make", "-C", SOURCE, "install-service")
    by_new = play_some(machine, 3)
    assert by_new[: len(by_old)] == by_old
    assert len(by_new) > len(by_old)

    machine.run("make", "-C", SOURCE, "roll-back-service")
    assert "0.1.0" in machine.run("readlink", "/opt/dicetable/current")
    by_old_again = play_some(machine, 3)
    assert by_old_again[: len(by_new)] == by_new
    assert len(by_old_again) > len(by_new)

    machine.run("make", "-C", SOURCE, "roll-back-service")
    by_new_again = play_some(machine, 3)
    assert by_new_again[: len(by_old_again)] == by_old_again
    assert len(by_new_again) > len(by_old_again)
    assert "ledger=repaired" not in machine.journal()
