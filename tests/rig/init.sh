#!/bin/busybox sh
# First program of the virtual machine: the host's files, never to be changed, under a layer in memory.
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in /m/*.ko; do insmod "$module"; done
share() { mount -t 9p -o "trans=virtio,version=9p2000.L,msize=262144,$3" "$1" "$2"; }
share root /low cache=loose,ro || poweroff -f
mount -t tmpfs -o size=600M layer /up
mkdir /up/changed /up/work
mount -t overlay overlay -o lowerdir=/low,upperdir=/up/changed,workdir=/up/work /new
mkdir -p /new/lib/modules /new/rig
share modules /new/lib/modules cache=loose,ro
share rig /new/rig cache=none
mount --move /dev /new/dev
mount --move /proc /new/proc
mount --move /sys /new/sys
exec switch_root /new /bin/sh /rig/run.sh
