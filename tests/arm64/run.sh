#!/usr/bin/env bash
# Installs the wheel with its locked requirements for a 64-bit Raspberry Pi OS (Debian 12, Python 3.11) and runs it
# there, on an emulated processor: imports, codec, engine, one read photograph. It proves that it installs and
# that it is right, not how fast it is. Needs the packages of tests/arm64/packages.txt, root and some minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${1:-.venv/bin/python}
out=$PWD/build/arm64 site=opt/site
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
    bookworm "$out/root"
cp "$(command -v qemu-aarch64-static)" "$out/root/usr/bin/"

# The program: its wheel, and what it requires, as pip would choose it on a Pi.
platforms=(); for glibc in 17 27 28 31 34 35; do platforms+=(--platform "manylinux_2_${glibc}_aarch64"); done
platforms+=(--platform manylinux2014_aarch64)
for lock in requirements.lock tests/arm64/requirements.txt; do
    "$python" -m pip install --quiet --only-binary=:all: --no-deps --python-version 3.11 --implementation cp \
        "${platforms[@]}" --target "$out/root/$site" --requirement "$lock"
done
"$python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$out" .
"$python" -m pip install --quiet --no-deps --target "$out/root/$site" "$out"/dicetable-*.whl
mkdir -p "$out/root/proc"
mount -t proc proc "$out/root/proc"
cp -r tests pyproject.toml "$out/root/opt/"
cp docs/images/simulated-throw.jpg "$out/root/opt/"

inside() {
    chroot "$out/root" /usr/bin/qemu-aarch64-static /usr/bin/env \
        PYTHONPATH=/$site PYTHONDONTWRITEBYTECODE=1 HOME=/tmp /usr/bin/qemu-aarch64-static /usr/bin/python3 "$@"
}
inside -c 'import platform, sys; print(platform.machine(), "Python", sys.version.split()[0])'
inside -m dicetable --help | head -n 1
inside -m dicetable read --json /opt/simulated-throw.jpg
inside -m dicetable read --json /opt/tests/hardware/heic/plain.heic
inside -m pytest -q -p no:cacheprovider --rootdir /opt --override-ini pythonpath=/opt --import-mode=importlib \
    /opt/tests/firmware_bridge/test_frame.py /opt/tests/firmware_bridge/test_messages.py \
    /opt/tests/games/test_protocol.py
