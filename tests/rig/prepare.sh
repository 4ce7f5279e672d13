#!/usr/bin/env bash
# Makes what the virtual machine boots from, in the folder $1, once for each kernel: Debian's own kernel, its
# modules, the GPIO simulator built for it, an initial file system, and rpi-lgpio for a Python like the one at $2.
# Needs the packages of tests/rig/packages.txt. Takes about a minute and 700 MB.
set -euo pipefail
out=$1 python=$2
kernel=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: linux-image-\([0-9][^ ]*\)$/\1/p' | head -n 1)
[ -n "$kernel" ] || { echo "no linux-image-amd64 is known to apt: run apt-get update" >&2; exit 1; }
stamp="$kernel $(md5sum < "$0") $("$python" --version)"
[ "$(cat "$out/stamp" 2> /dev/null)" != "$stamp" ] || exit 0
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$out" && mkdir -p "$out/debs" && cd "$out"

# The kernel is unpacked, not installed: this machine keeps its own.
(cd debs && apt-get download -q "linux-image-$kernel" > /dev/null 2>&1) || {
    echo "linux-image-$kernel could not be downloaded: run apt-get update" >&2; exit 1; }
dpkg --extract debs/*.deb image
rm -r debs
cp "image/boot/vmlinuz-$kernel" vmlinuz
modules=image/lib/modules/$kernel

# gpio-sim: Debian builds its kernel without it and without irq_sim, which it needs. Out of tree the interrupt
# has to be raised by the function that is exported to modules.
mkdir build && tar --extract --xz --file /usr/src/linux-source-*.tar.xz --strip-components 3 --directory build \
    --wildcards '*/drivers/gpio/gpio-sim.c' '*/drivers/gpio/gpiolib.h' '*/kernel/irq/irq_sim.c'
sed -i 's/handle_simple_irq(irq_to_desc(\(.*\)));/generic_handle_irq(\1);/' build/irq_sim.c
printf 'obj-m := gpio-sim-rig.o\ngpio-sim-rig-y := gpio-sim.o irq_sim.o\n' > build/Makefile
make --silent --directory "/lib/modules/$kernel/build" M="$PWD/build" modules > build.log 2>&1 || {
    tail build.log >&2; exit 1; }
mkdir "$modules/extra" && cp build/gpio-sim-rig.ko "$modules/extra/"
rm -r build
depmod --basedir image "$kernel"

# The initial file system: a shell, the modules that reach the host's files, and init.sh.
mkdir -p initrd/{bin,m,proc,sys,dev,low,up,new} && cp /bin/busybox initrd/bin/
number=100
for name in virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci \
    9pnet 9pnet_virtio netfs fscache 9p overlay; do
    cp "$(find "$modules" -name "$name.ko")" "initrd/m/$number-$name.ko"
    number=$((number + 1))
done
install -m 755 "$here/init.sh" initrd/init
(cd initrd && find . | cpio --quiet --create --format newc | gzip -1) > initrd.gz
rm -r initrd

"$python" -m pip install --quiet --no-deps --target site --requirement "$here/requirements.txt"
echo "$stamp" > stamp
