#!/usr/bin/env bash
# Unpacks the Debian package for a 64-bit Raspberry Pi OS 13 (Debian 13, Python 3.13) in such a system and runs it
# there, on an emulated processor: imports, codec, engine, one read photograph. It proves that it installs and
# that it is right, not how fast it is. Needs the packages of tests/arm64/packages.txt, root and some minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${1:-.venv/bin/python}
out=$PWD/build/arm64 tools=opt/tools
[ "$(id -u)" = 0 ] || { echo "make arm64 changes its root folder (chroot): run it as root" >&2; exit 1; }
[ -n "${MOUNTS:-}" ] || MOUNTS=own exec unshare --mount "$0" "$@"  # what is mounted here goes with it
for program in mmdebstrap qemu-aarch64-static; do
    command -v "$program" > /dev/null || {
        echo "no $program here: apt-get install $(tr '\n' ' ' < tests/arm64/packages.txt)" >&2; exit 1; }
done
rm -rf "$out" && mkdir -p "$out"

# Programs that the program starts run on the emulated processor too: those of this format are handed to qemu.
binfmt=/proc/sys/fs/binfmt_misc
[ -e $binfmt/register ] || mount -t binfmt_misc binfmt_misc $binfmt
if [ ! -e $binfmt/qemu-aarch64 ]; then
    cat /usr/lib/binfmt.d/qemu-aarch64.conf > $binfmt/register
    trap 'echo -1 > $binfmt/qemu-aarch64' EXIT
fi

# The system: unpacked only, for nothing of it needs to be set up to run Python.
mmdebstrap --quiet --arch=arm64 --variant=extract \
    --include=base-files,coreutils,dash,libc-bin,libgcc-s1,libstdc++6,python3,zlib1g \
    trixie "$out/root"
cp "$(command -v qemu-aarch64-static)" "$out/root/usr/bin/"

# The program: its package, as it is, and beside it what its tests need.
"$python" debian/build.py --arch arm64 --python 3.13 --compression none --out "$out"
dpkg-deb --extract "$out"/dicetable_*.deb "$out/root"
"$python" -m pip install --quiet --no-deps --target "$out/root/$tools" --requirement tests/arm64/requirements.txt
mkdir -p "$out/root/proc"
mount -t proc proc "$out/root/proc"
cp -r tests pyproject.toml "$out/root/opt/"
cp docs/images/simulated-throw.jpg "$out/root/opt/"

inside() {
    chroot "$out/root" /usr/bin/env PYTHONPATH=/$tools PYTHONDONTWRITEBYTECODE=1 HOME=/tmp \
        /usr/lib/dicetable/bin/python "$@"
}
inside -c 'import platform, sys; print(platform.machine(), "Python", sys.version.split()[0])'
inside -m dicetable --help | head -n 1
inside -m dicetable read --json /opt/simulated-throw.jpg
inside -m dicetable read --json /opt/tests/hardware/heic/plain.heic
inside -m pytest -q -p no:cacheprovider --rootdir /opt --override-ini pythonpath=/opt --import-mode=importlib \
    /opt/tests/firmware_bridge/test_frame.py /opt/tests/firmware_bridge/test_messages.py \
    /opt/tests/games/test_protocol.py
