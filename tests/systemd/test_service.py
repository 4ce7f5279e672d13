"""The installed service under a real systemd: one machine for all, one step after the other."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.debian import package
from tests.systemd.machine import ROOT, SOURCE, Machine, wait_for, why_not

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.skipif(why_not() is not None, reason=str(why_not()))]

ACCEPTED_S = 120.0
"""Simulated people take their time, and a busy machine more of it."""
PLACES = ("/etc", "/opt", "/usr", "/var/lib", "/var/spool", "/home")
ACCOUNTS = ("/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow")
NOT_OURS = (
    "/var/lib/PackageKit/",
    "/var/lib/apt/",
    "/var/lib/dpkg/",
    "/var/lib/systemd/",
    *(f"{file}-" for file in ACCOUNTS),
    "/etc/.pwd.lock",
)
CONFIG = "/etc/dicetable/table.toml"
PLAYING = """
[camera]
driver = "simulated"
[panel]
driver = "simulated"
[table]
seats = 2
"""


def listing(machine: Machine) -> set[str]:
    """Every path in the places that an installation may touch, and every account."""
    paths = machine.run("find", *PLACES, "-xdev").splitlines()
    accounts = machine.run("cat", *ACCOUNTS).splitlines()
    return {*(path for path in paths if not path.startswith(NOT_OURS)), *accounts}


def install(machine: Machine, deb: Path) -> str:
    """Installs this package, newer or older than the installed one; what apt said."""
    inside = f"{SOURCE}/{deb.relative_to(ROOT)}"
    return machine.run("apt-get", "install", "--yes", "--no-install-recommends", "--allow-downgrades", inside)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    with Machine(tmp_path_factory.mktemp("nspawn")) as machine:
        yield machine


@pytest.fixture(scope="module")
def before(bare: Machine) -> set[str]:
    return listing(bare)


@pytest.fixture(scope="module")
def installed(bare: Machine, before: set[str]) -> Machine:
    """With the config that an installation puts there: parts that this machine does not have."""
    assert not any("dicetable" in path for path in before)
    install(bare, package.built())
    return bare


@pytest.fixture(scope="module")
def machine(installed: Machine) -> Machine:
    """With a simulated table and people who play at it."""
    installed.run("systemctl", "stop", "dicetable")
    installed.run("rm", "-f", "/var/lib/dicetable/starts")
    installed.write(CONFIG, PLAYING)
    installed.run("systemctl", "start", "dicetable")
    return installed


@pytest.fixture
def pid(machine: Machine) -> str:
    """The main process of the running service."""
    machine.run("systemctl", "start", "dicetable")
    return machine.show("MainPID")["MainPID"]


def ledger(machine: Machine) -> list[dict[str, Any]]:
    """All entries of the ledger; none if there is no ledger yet."""
    lines = machine.run("runuser", "-u", "dicetable", "--", "dicetable", "ledger", "export", check=False)
    return [json.loads(line) for line in lines.splitlines() if line.startswith("{")]


def wait_for_more(machine: Machine) -> None:
    """Until one more request is accepted; the log is asked, for a look into the ledger costs more."""

    def accepted() -> int:
        return machine.journal().count("entry=")

    before = accepted()
    wait_for("something is accepted", lambda: accepted() > before, ACCEPTED_S)


def wait_for_another(machine: Machine, old: str) -> dict[str, str]:
    def is_back() -> bool:
        state = machine.show("MainPID", "ActiveState")
        return state["ActiveState"] == "active" and state["MainPID"] not in {old, "0"}

    wait_for("the service is back", is_back)
    return machine.show("NRestarts", "Result", "StatusText", "MainPID")


def test_it_is_ready_without_its_parts(installed: Machine) -> None:
    state = installed.show("ActiveState", "SubState", "UnitFileState", "StatusText")
    assert state["ActiveState"] == "active"
    assert state["SubState"] == "running"
    assert state["UnitFileState"] == "enabled"
    wait_for("it says what is missing", lambda: "panel" in installed.show("StatusText")["StatusText"])


def test_three_early_deaths_lead_to_safe_mode(installed: Machine) -> None:
    installed.run("systemctl", "restart", "dicetable")
    for _ in range(3):
        old = installed.show("MainPID")["MainPID"]
        installed.run("systemctl", "kill", "--signal=KILL", "dicetable")
        wait_for_another(installed, old)
    starts = [line for line in installed.journal().splitlines() if "service=starting" in line]
    assert ["safe=True" in line for line in starts[-4:]] == [False, False, False, True]


def test_it_plays(machine: Machine, pid: str) -> None:
    assert machine.run("stat", "--format=%U", f"/proc/{pid}") == "dicetable"
    wait_for_more(machine)
    assert ledger(machine)[0]["entry"]["entry"] == "opened"


SCREEN = """
import urllib.request
print(urllib.request.urlopen("http://127.0.0.1:8097/health", timeout=60).read().decode())
"""


def is_shown(machine: Machine) -> bool:
    """Whether the gateway answers, and the table it."""
    said = machine.run("/usr/lib/dicetable/bin/python", "-c", SCREEN, check=False)
    return '"table":"connected"' in said


def test_the_screen_is_off_until_it_is_wanted_and_comes_back_by_itself(machine: Machine, pid: str) -> None:
    assert machine.run("systemctl", "is-active", "dicetable-gateway", check=False) == "inactive"
    assert machine.run("systemctl", "is-enabled", "dicetable-gateway", check=False) == "disabled"
    machine.write(CONFIG, f'{PLAYING}[web]\nlisten = "127.0.0.1:8097"\n')
    machine.run("systemctl", "restart", "dicetable")
    machine.run("systemctl", "enable", "--now", "dicetable-gateway")
    wait_for("the screen shows the game", lambda: is_shown(machine))
    about = machine.run("stat", "--format=%U:%G:%a", "/run/dicetable/table.sock")
    assert about == "root:dicetable-web:660"
    refused = machine.run("runuser", "-u", "dicetable-web", "--", "ls", "/var/lib/dicetable", check=False)
    assert "Permission denied" in refused
    assert "http://127.0.0.1:8097/operator#" in machine.run("dicetable", "gateway", "invite")
    machine.run("systemctl", "kill", "--signal=KILL", "dicetable-gateway")
    wait_for("the screen is back", lambda: is_shown(machine))
    machine.run("systemctl", "restart", "dicetable")
    wait_for("the screen finds the table again", lambda: is_shown(machine))
    table = machine.show("MainPID")["MainPID"]
    machine.run("systemctl", "disable", "--now", "dicetable-gateway")
    assert machine.show("MainPID")["MainPID"] == table != pid
    machine.write(CONFIG, PLAYING)
    machine.run("systemctl", "restart", "dicetable")


CHANGE = """
import json, socket, sys
line = {"changes": json.loads(sys.argv[1]), "version": sys.argv[2]}
with socket.socket(socket.AF_UNIX) as helper:
    helper.connect("/run/dicetable/settings.sock")
    helper.sendall(json.dumps(line).encode() + b"\\n")
    print(helper.makefile().readline())
"""


HELPERS = ("systemctl", "list-units", "--all", "--plain", "--no-legend", "dicetable-settings@*")


def changed(machine: Machine, user: str, **changes: Any) -> dict[str, Any]:
    """The answer of the helper that changes settings; empty if this user may not ask it."""
    changes = {name.replace("__", "."): value for name, value in changes.items()}
    version = machine.run("sha256sum", CONFIG).split()[0]
    python = ("/usr/lib/dicetable/bin/python", "-c", CHANGE, json.dumps(changes), version)
    said = machine.run("runuser", "-u", user, "--", *python, check=False)
    assert said.startswith("{") or "Permission denied" in said, said
    found: dict[str, Any] = json.loads(said) if said.startswith("{") else {}
    return found


def test_only_the_gateway_may_have_root_s_helper_change_the_config(machine: Machine) -> None:
    machine.run("systemctl", "start", "dicetable-settings.socket")
    about = machine.run("stat", "--format=%U:%G:%a", "/run/dicetable/settings.sock")
    assert about == "root:dicetable-web:660"
    before = machine.run("cat", CONFIG)
    about = machine.run("stat", "--format=%U:%G:%a", CONFIG)
    assert changed(machine, "dicetable", table__seats=3) == changed(machine, "nobody", table__seats=3) == {}
    refused = changed(machine, "dicetable-web", table__seats=99)
    assert (refused["saved"], "must be at most 8" in refused["mistakes"][0]["text"]) == (False, True)
    refused = changed(machine, "dicetable-web", camera__driver="usb")
    assert (refused["saved"], "cannot be changed" in refused["mistakes"][0]["text"]) == (False, True)
    assert machine.run("cat", CONFIG) == before
    assert changed(machine, "dicetable-web", table__seats=3)["saved"] is True
    assert machine.run("cat", CONFIG) == before.replace("seats = 2", "seats = 3")
    assert machine.run("cat", f"{CONFIG}.bak") == before
    assert machine.run("stat", "--format=%U:%G:%a", CONFIG) == about
    wait_for("no helper is left, and none has failed", lambda: machine.run(*HELPERS, check=False) == "")
    machine.run("systemctl", "restart", "dicetable")
    wait_for_more(machine)
    machine.run("systemctl", "stop", "dicetable-settings.socket")
    machine.run("rm", f"{CONFIG}.bak")
    machine.write(CONFIG, PLAYING)
    machine.run("systemctl", "restart", "dicetable")


READ = """
import socket
with socket.socket(socket.AF_UNIX) as helper:
    helper.connect("/run/dicetable/journal.sock")
    print(helper.makefile().read())
"""


def test_the_gateway_reads_what_both_services_say_and_no_other_journal(machine: Machine) -> None:
    machine.run("systemctl", "start", "dicetable-journal.socket")
    python = ("/usr/lib/dicetable/bin/python", "-c", READ)
    said = machine.run("runuser", "-u", "dicetable-web", "--", *python)
    assert "service=starting" in said
    refused = machine.run("runuser", "-u", "nobody", "--", *python, check=False)
    assert "Permission denied" in refused
    groups = machine.run("id", "--name", "--groups", "dicetable-web")
    assert "systemd-journal" not in groups
    machine.run("systemctl", "stop", "dicetable-journal.socket")


def test_it_may_do_no_more_than_it_must(machine: Machine, pid: str) -> None:
    status = machine.run("cat", f"/proc/{pid}/status")
    lines = {key: value.split() for key, _, value in (line.partition(":") for line in status.splitlines())}
    assert lines["CapEff"] == lines["CapBnd"] == ["0000000000000000"]
    assert lines["NoNewPrivs"] == ["1"]
    assert lines["Seccomp"] == ["2"]
    groups = machine.run("getent", "group", "dialout", "video", "gpio").splitlines()
    assert {line.split(":")[2] for line in groups} <= set(lines["Groups"])
    inside = ("nsenter", f"--target={pid}", "--mount", "--net", "sh", "-c")
    for place in ("/usr/x", "/etc/dicetable/x", "/usr/lib/dicetable/x", "/x"):
        assert "Read-only file system" in machine.run(*inside, f"touch {place}", check=False)
    machine.run(*inside, "touch /var/lib/dicetable/x && rm /var/lib/dicetable/x && touch /tmp/x")
    assert machine.run(*inside, "ls -A /home /root", check=False).count("\n") <= 4
    assert machine.run(*inside, "tail -n +3 /proc/net/dev | cut -d: -f1").split() == ["lo"]


def test_it_survives_sigkill_and_resumes_the_match(machine: Machine, pid: str) -> None:
    restarts = int(machine.show("NRestarts")["NRestarts"])
    machine.run("systemctl", "kill", "--signal=KILL", "dicetable")
    before = ledger(machine)
    assert int(wait_for_another(machine, pid)["NRestarts"]) == restarts + 1
    wait_for_more(machine)
    after = ledger(machine)
    assert after[: len(before)] == before
    ended = before[-1]["entry"]["entry"] == "closed"
    assert (after[len(before)]["entry"]["entry"] == "opened") == ended


def test_the_watchdog_restarts_it_when_it_hangs(machine: Machine, pid: str) -> None:
    machine.run("kill", "-STOP", pid)
    wait_for_another(machine, pid)
    journal = machine.journal()
    assert "Watchdog timeout" in journal
    assert "Fatal Python error: Aborted" in journal


def test_it_stops_cleanly_and_at_once(machine: Machine, pid: str) -> None:
    began_s = time.monotonic()
    machine.run("systemctl", "stop", "dicetable")
    assert time.monotonic() - began_s < 30
    state = machine.show("ActiveState", "Result", "ExecMainStatus")
    assert state == {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0"}
    assert machine.run("ls", f"/proc/{pid}", check=False).startswith("ls: cannot access")


def test_upgrade_and_roll_back_go_on_with_the_game(machine: Machine, pid: str) -> None:
    version = ("dpkg-query", "--show", "--showformat=${Version}", "dicetable")
    first, wanted = machine.run(*version), package.newer()
    for deb in (wanted, package.built()):
        wait_for_more(machine)
        before = ledger(machine)
        said = install(machine, deb)
        assert "cannot use" not in said
        assert "does not start" not in said
        assert (machine.run(*version) == first) == (deb != wanted)
        assert machine.show("ActiveState") == {"ActiveState": "active"}
        assert machine.show("MainPID") != {"MainPID": pid}
        assert machine.run("cat", CONFIG) == PLAYING.strip()
        wait_for_more(machine)
        after = ledger(machine)
        assert after[: len(before)] == before
        ended = before[-1]["entry"]["entry"] == "closed"
        assert (after[len(before)]["entry"]["entry"] == "opened") == ended


def test_a_config_that_will_not_do_is_named_and_the_package_is_installed(machine: Machine) -> None:
    machine.write(CONFIG, f"{PLAYING}coasters = 8\n")
    said = machine.run("dpkg-reconfigure", "dicetable", check=False)
    assert "coasters" in said
    assert f"this version cannot use {CONFIG} as it is" in said
    assert machine.run("dpkg-query", "--show", "--showformat=${db:Status-Status}", "dicetable") == "installed"
    machine.write(CONFIG, PLAYING)


def status(machine: Machine) -> str:
    """What a keeper sees who asks for the service."""
    return machine.run("systemctl", "status", "--no-pager", "dicetable", check=False)


def test_a_section_that_is_there_twice_is_named_in_the_service_s_status(machine: Machine) -> None:
    machine.run("systemctl", "stop", "dicetable")
    machine.run("rm", "-f", "/var/lib/dicetable/starts", "/var/lib/dicetable/table.toml.good")
    machine.write(CONFIG, f"{PLAYING}[web]\n[web]\n")
    said = machine.run("dpkg-reconfigure", "dicetable", check=False)
    assert "dicetable.service does not start: see  systemctl status dicetable.service" in said
    words = f'Status: "{CONFIG}: has the section [web] twice, again in line 9: keep one of them"'
    wait_for("it is said", lambda: words in status(machine))
    machine.write(CONFIG, PLAYING)
    machine.run("rm", "-f", "/var/lib/dicetable/starts")
    machine.run("systemctl", "restart", "dicetable")


def test_the_state_folder_may_be_a_link_and_its_owner_is_named(machine: Machine) -> None:
    machine.run("systemctl", "stop", "dicetable")
    machine.run("mv", "/var/lib/dicetable", "/srv/dicetable")
    machine.run("ln", "-s", "/srv/dicetable", "/var/lib/dicetable")
    machine.run("chown", "root:", "/srv/dicetable")
    said = machine.run("dpkg-reconfigure", "dicetable")
    assert "is a link to /srv/dicetable, which must belong to the user dicetable" in said
    wait_for("it says what is wrong", lambda: "belongs to another user" in status(machine))
    machine.run("chown", "dicetable:", "/srv/dicetable")
    machine.run("systemctl", "restart", "dicetable")
    wait_for_more(machine)
    machine.run("systemctl", "stop", "dicetable")
    machine.run("rm", "/var/lib/dicetable")
    machine.run("mv", "/srv/dicetable", "/var/lib/dicetable")
    machine.run("systemctl", "start", "dicetable")


def test_the_state_folder_is_made_again(machine: Machine) -> None:
    machine.run("systemctl", "stop", "dicetable")
    machine.run("mv", "/var/lib/dicetable", "/srv/dicetable")
    machine.run("systemctl", "start", "dicetable")
    assert machine.run("stat", "--format=%U:%G:%a", "/var/lib/dicetable") == "dicetable:dicetable:750"
    machine.run("systemctl", "stop", "dicetable")
    machine.run("rm", "-r", "/var/lib/dicetable")
    machine.run("mv", "/srv/dicetable", "/var/lib/dicetable")
    machine.run("systemctl", "start", "dicetable")


def test_removed_it_leaves_config_and_ledger(machine: Machine) -> None:
    kept = ("find", "/etc/dicetable", "/var/lib/dicetable", "-name", "table.toml", "-o", "-name", "*.sqlite3")
    before = machine.run(*kept)
    machine.run("apt-get", "remove", "--yes", "dicetable")
    assert machine.show("LoadState") == {"LoadState": "not-found"}
    assert machine.run(*kept) == before
    assert before.count("\n") >= 1
    assert machine.run("cat", CONFIG) == PLAYING.strip()
    assert "No such file" in machine.run("ls", "/usr/lib/dicetable", "/usr/bin/dicetable", check=False)


def test_purged_it_leaves_nothing_behind(machine: Machine, before: set[str]) -> None:
    machine.run("apt-get", "purge", "--yes", "dicetable")
    after = listing(machine)
    assert after - before == set()
    assert before - after == set()


def test_it_takes_no_account_that_is_somebody_else_s(bare: Machine) -> None:
    bare.run("useradd", "--home-dir", "/home/dicetable", "dicetable")
    refused = bare.run(
        "apt-get", "install", "--yes", f"{SOURCE}/{package.built().relative_to(ROOT)}", check=False
    )
    assert "there is already a user dicetable that isn't the service's" in refused
    bare.run("userdel", "dicetable")


def test_power_off_on_the_panel_switches_the_machine_off(bare: Machine) -> None:
    bare.run("systemd-sysusers", f"{SOURCE}/systemd/dicetable.sysusers")
    bare.write("/etc/systemd/system/dicetable.service", (ROOT / "systemd/dicetable.service").read_text())
    bare.write(
        "/etc/systemd/system/dicetable.service.d/off.conf",
        "[Service]\nType=exec\nExecStart=\nExecStart=/bin/sh -c 'exit 3'\n",
    )
    bare.run("systemctl", "daemon-reload")
    bare.run("systemctl", "--no-block", "start", "dicetable")
    wait_for("the machine is off", bare.has_ended)
