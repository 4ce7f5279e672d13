"""The maintainer scripts under real dpkg, in a throw-away root: what they make, keep, delete and leave.

The package in these tests has the real scripts and units and almost nothing else, so each step is short.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from debian import build
from tests.debian.package import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., str]

TOOLS = ("unshare", "mount", "dpkg-deb", "systemd-sysusers", "deb-systemd-helper")
MISSING = [tool for tool in TOOLS if shutil.which(tool) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="a root of its own needs root"),
    pytest.mark.skipif(bool(MISSING), reason=f"missing: {', '.join(MISSING)}"),
]
ENTER = """
set -e
mount -t tmpfs tmpfs "$WORK"
mkdir "$WORK/upper" "$WORK/work" "$WORK/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$WORK/upper,workdir=$WORK/work" "$WORK/root"
cp "$DEBS"/*.deb "$WORK/root/root/"
mount -t proc proc "$WORK/root/proc"
for folder in tmp srv; do mount -t tmpfs tmpfs "$WORK/root/$folder"; done  # nothing of this machine's
exec chroot "$WORK/root" bash -c "$STORY" 2>&1
"""
STORY = """
install() { dpkg --force-depends -i /root/old.deb > /tmp/said 2>&1 || { echo REFUSED; cat /tmp/said; }; }
upgrade() { dpkg --force-depends -i /root/new.deb; }
purge() { dpkg --purge dicetable 2>&1; echo "purge: $?"; }
accounts() { getent passwd dicetable dicetable-web
    getent group dicetable dicetable-web dicetable-config gpio
    true; }
"""
CONFIG = "/etc/dicetable/table.toml"


@pytest.fixture(scope="module")
def debs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("debs")
    for name, version in (("old", "1.0.0"), ("new", "2.0.0")):
        tree = folder / name
        for file, place in build.PLACES.items():
            build.put(ROOT / "systemd" / file, tree / place)
        build.put(ROOT / "examples" / "four-seats.toml", tree / "usr/share/dicetable/table.toml")
        home = tree / build.HOME / "bin"
        home.mkdir(parents=True)
        (home / "python").symlink_to("/usr/bin/true")
        (tree / "usr/bin").mkdir()
        (tree / "usr/bin/dicetable").symlink_to("true")
        build.put_control(tree, "all", "3.11")
        control = tree / "DEBIAN/control"
        lines = [
            f"Version: {version}" if line.startswith("Version:") else line
            for line in control.read_text().splitlines()
        ]
        control.write_text("\n".join([*lines, ""]))
        build.settle(tree)
        command = [
            "dpkg-deb",
            "-Znone",
            "--root-owner-group",
            "--build",
            str(tree),
            str(folder / f"{name}.deb"),
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture
def run(debs: Path, tmp_path: Path) -> Run:
    """Runs a story in a root of its own; what it printed."""

    def told(story: str) -> str:
        command = ["unshare", "--mount", "--propagation=private", "--pid", "--fork", "--kill-child"]
        environment = os.environ | {"WORK": str(tmp_path), "DEBS": str(debs), "STORY": STORY + story}
        done = subprocess.run(
            [*command, "bash", "-c", ENTER], env=environment, capture_output=True, text=True, timeout=300,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return told


def test_a_purge_leaves_nothing_of_what_was_made(run: Run) -> None:
    said = run("""
    list() { find /etc /var/lib -xdev ! -path '/var/lib/dpkg*' ! -name '.pwd.lock' ! -name '*-' | sort;
             cat /etc/passwd /etc/group; }
    userdel gpio 2> /dev/null; groupdel gpio 2> /dev/null
    list > /tmp/before
    install; dpkg --remove dicetable > /dev/null; install; purge
    list > /tmp/after
    diff /tmp/before /tmp/after && echo SAME
    purge
    """)
    assert "purge: 0" in said
    assert "SAME" in said


@pytest.mark.parametrize(
    "made", ["useradd dicetable-web", "useradd dicetable", "groupadd dicetable-web", "groupadd dicetable"]
)
def test_no_account_of_another_is_taken_over_or_deleted(run: Run, made: str) -> None:
    said = run(f"{made}; accounts; echo ===; install; purge; echo ===; accounts; true")
    before, told, after = said.split("===\n")
    assert "REFUSED" in told
    assert f"there is already a {made[: -len(made.split('add')[1])].removesuffix('add')}" in told
    assert made.split()[1] in told
    assert after == before


def test_an_account_that_was_made_for_the_service_by_hand_stays(run: Run) -> None:
    said = run("""
    useradd --system --home-dir /var/lib/dicetable dicetable
    useradd --system --home-dir / dicetable-web
    install; purge; accounts
    """)
    assert "REFUSED" not in said
    assert "dicetable:x:" in said.split("purge: 0")[1]
    assert "dicetable-web:x:" in said.split("purge: 0")[1]
    assert "dicetable-config:x:" not in said


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_the_group_gpio_stays_with_its_others(run: Run, before: bool) -> None:
    join = "getent group gpio > /dev/null || groupadd gpio; useradd pi; gpasswd --add pi gpio > /dev/null"
    story = f"{join}; install" if before else f"groupdel gpio 2> /dev/null; install; {join}"
    said = run(f"{story}; purge; getent group gpio dicetable dicetable-web; true")
    assert said.split("purge: 0\n")[1].split(":")[3] == "pi\n"


def test_what_an_admin_put_there_stays(run: Run) -> None:
    said = run("""
    install
    echo secret > /etc/dicetable/mqtt-password
    drop_ins=/etc/systemd/system/dicetable.service.d
    mkdir -p $drop_ins; echo '[Service]' > $drop_ins/my.conf
    runuser -u dicetable touch /var/lib/dicetable/ledger.sqlite3; touch /var/lib/dicetable/backup
    purge; ls /etc/dicetable $drop_ins /var/lib/dicetable
    """)
    told, kept = said.split("purge: 0\n")
    assert kept.split() == [
        "/etc/dicetable:", "mqtt-password", "/etc/systemd/system/dicetable.service.d:", "my.conf",
        "/var/lib/dicetable:", "backup",
    ]  # fmt: skip
    assert "/etc/dicetable stays: it holds files of yours" in told
    assert "/var/lib/dicetable stays: it holds files of yours" in told


def test_a_purge_that_a_program_stopped_half_way_is_run_again(run: Run) -> None:
    said = run("""
    groupdel gpio 2> /dev/null
    install
    setpriv --reuid=dicetable --clear-groups sleep 100 & sleep_pid=$!
    until [ "$(stat -c %U /proc/$sleep_pid)" = dicetable ]; do :; done
    purge; kill $sleep_pid; wait; echo ===; purge; accounts; ls /var/lib/misc; true
    """)
    first, second = said.split("===\n")
    assert "the user dicetable still runs a program (ps -u dicetable): end it, then purge again" in first
    assert "purge: 1" in first
    assert second.rstrip().endswith("purge: 0")


def test_a_mount_point_does_not_stop_a_purge_and_what_is_mounted_stays(run: Run) -> None:
    said = run("""
    install
    mount -t tmpfs tmpfs /var/lib/dicetable-web; touch /var/lib/dicetable-web/x
    chown dicetable-web /var/lib/dicetable-web/x
    mkdir /var/lib/dicetable/usb; chown dicetable /var/lib/dicetable/usb
    mount -t tmpfs tmpfs /var/lib/dicetable/usb; touch /var/lib/dicetable/usb/photo
    purge; ls -A /var/lib/dicetable-web; ls /var/lib/dicetable/usb; accounts; purge
    """)
    assert "/var/lib/dicetable stays: it holds files of yours, or a disk is mounted there" in said
    assert said.count("purge: 0") == 2
    assert said.split("purge: 0\n")[1].split()[0] == "photo"


def test_a_state_folder_that_is_a_link_is_named_and_stays(run: Run) -> None:
    said = run("""
    mkdir /srv/ssd; ln -s /srv/ssd /var/lib/dicetable
    install; cat /tmp/said; chown dicetable /srv/ssd; runuser -u dicetable touch /srv/ssd/ledger.sqlite3
    purge; ls -d /var/lib/dicetable /srv/ssd/*
    """)
    assert "/var/lib/dicetable is a link to /srv/ssd, which must belong to the user dicetable" in said
    assert "/var/lib/dicetable is a link to /srv/ssd: both stay" in said
    assert said.split("purge: 0\n")[1].split() == ["/srv/ssd/ledger.sqlite3", "/var/lib/dicetable"]


def test_only_the_services_read_a_new_config_and_the_keeper_s_modes_stay(run: Run) -> None:
    said = run(f"""
    install; stat -c %U:%G:%a /etc/dicetable {CONFIG}
    for user in dicetable dicetable-web; do runuser -u $user -- grep -c driver {CONFIG}; done
    runuser -u nobody -- cat {CONFIG} 2> /dev/null || echo closed
    chmod 750 /etc/dicetable; chgrp dicetable-config /etc/dicetable; chmod 604 {CONFIG}
    upgrade > /dev/null 2>&1; systemd-tmpfiles --create dicetable.conf
    stat -c %U:%G:%a /etc/dicetable {CONFIG}
    """)
    *_, folder, config, table, gateway, others, kept, kept_config = said.split()
    assert (folder, config) == ("root:root:755", "root:dicetable-config:640")
    assert int(table) == int(gateway) > 0
    assert others == "closed"
    assert (kept, kept_config) == ("root:dicetable-config:750", "root:dicetable-config:604")


def test_after_dpkg_was_killed_while_unpacking_the_page_s_remedy_installs_it(run: Run) -> None:
    said = run(r"""
    install
    dpkg-deb -R /root/new.deb /tmp/tree
    printf '#!/bin/sh\nkill -9 $PPID\n' > /tmp/tree/DEBIAN/preinst
    dpkg-deb --build /tmp/tree /root/killed.deb > /dev/null
    dpkg --force-depends -i /root/killed.deb > /dev/null 2>&1; echo "killed: $?"
    dpkg-query -W -f '${db:Status-Status}\n' dicetable
    dpkg --force-depends --configure -a > /dev/null 2>&1; upgrade > /dev/null 2>&1
    dpkg-query -W -f '${db:Status-Status} ${Version}\n' dicetable
    """)
    assert "killed: 137" in said
    assert said.splitlines()[-1] == "installed 2.0.0"
