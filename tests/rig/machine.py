"""A virtual machine with a real Linux kernel over this machine's own files, which it cannot change.

python -m tests.rig.machine COMMAND     # boots, runs it there, prints what the console said
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "rig"
PREPARE_S = 900
COMMAND_S = 3600
MEMORY_MB = 1500


def missing() -> str | None:
    """Why no machine can be booted here; None if one can."""
    programs = ("qemu-system-x86_64", "depmod", "cpio", "busybox", "make", "gcc", "apt-cache")
    lacking = [program for program in programs if shutil.which(program) is None]
    if lacking:
        return f"the virtual machine needs {', '.join(lacking)}: apt-get install {packages()}"
    if not list(Path("/usr/src").glob("linux-source-*.tar.xz")):
        return f"the virtual machine needs linux-source: apt-get install {packages()}"
    return None


def packages() -> str:
    """What Debian calls all that is needed."""
    return " ".join((HERE / "packages.txt").read_text().split())


def prepare() -> None:
    """Makes kernel, modules and initial file system, if they are not there yet."""
    command = [str(HERE / "prepare.sh"), str(BUILD), sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PREPARE_S, check=False)
    if done.returncode:
        raise RuntimeError(f"the virtual machine could not be prepared: {done.stderr.strip()}")


def boot(script: str, shared: Path, timeout_s: float, extra: Sequence[str] = ()) -> str:
    """Boots, runs the shell script as its first program and powers off; returns what the console said.

    The script finds the folder `shared` at /rig, where it may write, and python with rpi-lgpio on its path.
    `extra` are more arguments for the machine, such as a disk.
    """
    (shared / "run.sh").write_text(
        "\n".join(
            (
                "export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root",
                f"export PYTHONPATH={BUILD / 'site'} PYTHONDONTWRITEBYTECODE=1",
                f"export RPI_LGPIO_REVISION=c03114 python={shlex.quote(sys.executable)}",
                "true" if ROOT.is_relative_to("/tmp") else "mount -t tmpfs tmpfs /tmp",
                "mount -t tmpfs tmpfs /run; mkdir -p /dev/pts /dev/shm",
                "mount -t devpts devpts /dev/pts; mount -t tmpfs tmpfs /dev/shm",
                "ip link set lo up 2> /dev/null",
                f"cd {shlex.quote(str(ROOT))}",
                script,
                "sync; echo o > /proc/sysrq-trigger; sleep 60",
            )
        )
    )
    done = subprocess.run([*qemu(shared), *extra], capture_output=True, timeout=timeout_s, check=False)
    return (done.stdout + done.stderr).decode(errors="replace")


def qemu(shared: Path) -> list[str]:
    """The command; interpreted (TCG), so that it runs wherever a process runs."""
    command = shlex.split(
        f"qemu-system-x86_64 -M q35 -accel tcg,thread=multi -cpu max -smp 2 -m {MEMORY_MB} -nodefaults "
        "-no-reboot -display none -serial stdio"
    )
    command += ["-kernel", str(BUILD / "vmlinuz"), "-initrd", str(BUILD / "initrd.gz")]
    # On a busy machine the kernel may find its emulated timer too slow, and would stop for that.
    command += ["-append", "console=ttyS0 panic=-1 quiet no_timer_check"]
    (modules,) = (BUILD / "image" / "lib" / "modules").parent.glob("modules")
    for tag, path, mode in (("root", Path("/"), "on"), ("modules", modules, "on"), ("rig", shared, "off")):
        # Not remapped, /proc and /sys would be one file to the guest: what is mounted on one is on both.
        command += [
            "-virtfs",
            f"local,path={path},mount_tag={tag},security_model=none,id={tag},readonly={mode},multidevs=remap",
        ]
    return command


def main() -> None:
    """Runs the words of the command line in it."""
    if reason := missing():
        sys.exit(reason)
    prepare()
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.write(boot(" ".join(sys.argv[1:]), Path(folder), COMMAND_S))


if __name__ == "__main__":
    main()
