"""Builds the Debian package: the program with all that it requires, for one release and one architecture.

It runs on any machine with dpkg-deb: it downloads the wheels of the locks for the other architecture, and
nothing in them is run. The same sources and locks give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from email.utils import formatdate
from hashlib import md5
from pathlib import Path

from packaging.markers import Marker

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LOCKS = ("requirements.lock", "requirements-gateway.lock")
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
GLIBC = {(3, 11): 36, (3, 12): 39, (3, 13): 41, (3, 14): 42}
"""The C library's minor version beside each Python, that of the oldest system that has this Python."""
HOME = "usr/lib/dicetable"
UNUSED = (
    "numpy/**/tests",
    "onnxruntime/datasets",
    "onnxruntime/quantization",
    "onnxruntime/tools",
    "onnxruntime/transformers",
    "reportlab/fonts",
)
"""What no table ever loads, of what the wheels bring; some of the fonts may not be passed on."""
UNITS = "usr/lib/systemd/system"
PLACES = {
    "dicetable.service": f"{UNITS}/dicetable.service",
    "dicetable.socket": f"{UNITS}/dicetable.socket",
    "dicetable-gateway.service": f"{UNITS}/dicetable-gateway.service",
    "dicetable-settings.socket": f"{UNITS}/dicetable-settings.socket",
    "dicetable-settings@.service": f"{UNITS}/dicetable-settings@.service",
    "dicetable-journal.socket": f"{UNITS}/dicetable-journal.socket",
    "dicetable-journal@.service": f"{UNITS}/dicetable-journal@.service",
    "dicetable.sysusers": "usr/lib/sysusers.d/dicetable.conf",
    "dicetable.tmpfiles": "usr/lib/tmpfiles.d/dicetable.conf",
    "dicetable.udev": "usr/lib/udev/rules.d/70-dicetable.rules",
}
"""Where each file of systemd/ belongs."""
LAUNCHER = f"""#!/{HOME}/bin/python -P
import sys
from dicetable.__main__ import main
sys.exit(main())
"""
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "1580601600"))
"""The time of every file: that of the wheel's files, unless the environment says another."""


def main() -> int:
    """Builds one package and says how large it is."""
    args = parsed()
    work = Path(tempfile.mkdtemp())
    try:
        tree = work / "tree"
        fill_environment(tree / HOME, work, args.arch, args.python)
        put_files(tree)
        put_docs(tree, version_of(args.python))
        put_control(tree, args.arch, args.python)
        settle(tree)
        args.out.mkdir(parents=True, exist_ok=True)
        package = args.out / f"dicetable_{version_of(args.python)}_{args.arch}.deb"
        command = [
            "dpkg-deb",
            f"-Z{args.compression}",
            *(["-z1"] if args.compression == "gzip" else []),
            "--root-owner-group",
            "--build",
            str(tree),
            str(package),
        ]
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"SOURCE_DATE_EPOCH": str(EPOCH)}
        )
    finally:
        shutil.rmtree(work)
    print(f"{package}: {package.stat().st_size / 1e6:.1f} MB")
    return 0


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="build the Debian package")
    parser.add_argument("--arch", choices=sorted(MACHINES), help="default: this machine's")
    parser.add_argument(
        "--python", metavar="X.Y", help="the release's Python; default: this machine's /usr/bin/python3"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="DIR")
    parser.add_argument("--compression", choices=["xz", "gzip"], default="xz", help="gzip is faster")
    args = parser.parse_args()
    if args.arch is None:
        args.arch = said_by("dpkg", "--print-architecture")
        if args.arch not in MACHINES:
            parser.error(f"there are no packages of OpenCV for {args.arch}: use a 64-bit ARM or x86 system")
    if args.python is None:
        args.python = said_by("/usr/bin/python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])")
    if tuple_of(args.python) not in GLIBC:
        known = ", ".join(f"{major}.{minor}" for major, minor in GLIBC)
        parser.error(f"no package is made for Python {args.python}, only for {known}")
    return args


def said_by(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def tuple_of(python: str) -> tuple[int, ...]:
    return tuple(int(part) for part in python.split("."))


def version_of(python: str) -> str:
    """The package's version; a later Debian release has the later one."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    before_its_release = re.sub(r"[.]?(a|b|rc|dev)(?=[0-9])", r"~\1", version)
    return f"{before_its_release}+py{python}"


def fill_environment(home: Path, work: Path, arch: str, python: str) -> None:
    """An environment on the system's Python that sees its packages: those of camera and GPIO."""
    site = home / "lib" / f"python{python}" / "site-packages"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-compile",
    ]
    platforms = [
        f"manylinux_2_{minor}_{MACHINES[arch]}"
        for minor in range(17, GLIBC[tuple_of(python)[0], tuple_of(python)[1]] + 1)
    ]
    # pip judges by the Python that it runs on itself whether a wheel is meant for it; the lock is right.
    wanted = [
        "--only-binary=:all:",
        "--implementation=cp",
        f"--python-version={python}",
        "--ignore-requires-python",
    ]
    wanted += [f"--platform={name}" for name in (*platforms, f"manylinux2014_{MACHINES[arch]}")]
    lock = work / "lock"
    lock.write_text("".join(lock_for(ROOT / name, arch, python) for name in LOCKS))
    subprocess.run(
        [*pip, *wanted, "--require-hashes", f"--target={site}", f"--requirement={lock}"], check=True
    )
    shutil.rmtree(site / "bin")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(work)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    # By name, not by file: pip would write down where the file was.
    subprocess.run([*pip, "--no-index", f"--find-links={work}", f"--target={site}", "dicetable"], check=True)
    shutil.rmtree(site / "bin")
    for pattern in UNUSED:
        for folder in list(site.glob(pattern)):
            shutil.rmtree(folder)
    (home / "pyvenv.cfg").write_text(
        f"home = /usr/bin\ninclude-system-site-packages = true\nversion = {python}\n"
    )
    (home / "bin").mkdir()
    (home / "bin" / "python").symlink_to(f"../../../bin/python{python}")
    (home / "bin" / "dicetable").write_text(LAUNCHER)


def lock_for(lock: Path, arch: str, python: str) -> str:
    """The lock's lines that are meant for this Python; pip would judge by the one that it runs on."""
    there = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "platform_machine": MACHINES[arch],
        "sys_platform": "linux",
        "platform_system": "Linux",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    kept = []
    for block in lock.read_text().replace("\\\n", " ").splitlines():
        requirement, _, hashes = block.partition("--hash")
        name, _, marker = requirement.partition(";")
        if not marker or Marker(marker.strip()).evaluate({**there}):
            kept.append(f"{name.strip()} --hash{hashes}\n" if hashes else f"{block}\n")
    return "".join(kept)


def put_files(tree: Path) -> None:
    for name, place in PLACES.items():
        put(ROOT / "systemd" / name, tree / place)
    put(ROOT / "examples" / "four-seats.toml", tree / "usr/share/dicetable/table.toml")
    put(HERE / "lintian-overrides", tree / "usr/share/lintian/overrides/dicetable")
    (tree / "usr/bin").mkdir()
    (tree / "usr/bin/dicetable").symlink_to(f"../lib/{Path(HOME).name}/bin/dicetable")


def put_docs(tree: Path, version: str) -> None:
    docs = tree / "usr/share/doc/dicetable"
    put(HERE / "copyright", docs / "copyright")
    for name in ("README.md", "CHANGELOG.md"):
        put(ROOT / name, docs / name)
    for name in ("docs", "examples"):
        shutil.copytree(ROOT / name, docs / name, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    entry = (
        f"dicetable ({version}) stable; urgency=medium\n\n"
        "  * What changed: CHANGELOG.md beside this file.\n\n"
        f" -- {maintainer()}  {formatdate(EPOCH)}\n"
    )
    (docs / "changelog.gz").write_bytes(gzip.compress(entry.encode(), mtime=0))
    manual = tree / "usr/share/man/man1/dicetable.1.gz"
    manual.parent.mkdir(parents=True)
    manual.write_bytes(gzip.compress((HERE / "dicetable.1").read_bytes(), mtime=0))


def put_control(tree: Path, arch: str, python: str) -> None:
    about = tree / "DEBIAN"
    about.mkdir()
    major, minor = tuple_of(python)
    files = sorted(
        path
        for path in tree.rglob("*")
        if path.is_file() and not path.is_symlink() and about not in path.parents
    )
    values = {
        "VERSION": version_of(python),
        "ARCHITECTURE": arch,
        "MAINTAINER": maintainer(),
        "SIZE": str(sum(-(-path.stat().st_size // 1024) for path in files)),
        "PYTHON": f"python3 (>= {python}~), python3 (<< {major}.{minor + 1}~)",
        "GLIBC": f"2.{GLIBC[major, minor]}",
    }
    text = (HERE / "control").read_text()
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    (about / "control").write_text(text)
    for name in ("preinst", "postinst", "prerm", "postrm"):
        put(HERE / name, about / name)
    sums = (
        f"{md5(path.read_bytes(), usedforsecurity=False).hexdigest()}  {path.relative_to(tree)}\n"
        for path in files
    )
    (about / "md5sums").write_text("".join(sums))


def maintainer() -> str:
    lines = (HERE / "copyright").read_text().splitlines()
    (said,) = [line for line in lines if line.startswith("Upstream-Contact: ")]
    return said.partition(": ")[2]


def put(file: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, place)


def settle(tree: Path) -> None:
    """Modes and times, whatever this user's umask and the wheels' were."""
    scripts = {tree / "DEBIAN" / name for name in ("preinst", "postinst", "prerm", "postrm")} | {
        tree / HOME / "bin/dicetable"
    }
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path in scripts else 0o644)
        os.utime(path, (EPOCH, EPOCH), follow_symlinks=False)


if __name__ == "__main__":
    sys.exit(main())
