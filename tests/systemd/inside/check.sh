#!/bin/sh
# Runs in the virtual machine, started by its systemd: plugs the parts in while the service runs, and writes what
# happens to /rig/result, one name=value a line.
say() { echo "$1=$2" >> /rig/result; echo "check: $1=$2" > /dev/console; }
wait_for() {
    tries=0
    until eval "$1"; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || { say "never" "$1"; return 0; }
        sleep 0.5
    done
}
show() { systemctl show dicetable --property="$1" --value; }
opened() { grep -q "\"$1\": \"open\"" /var/lib/dicetable/opened.json; }

systemctl start dicetable
say started "$(show ActiveState)"
pid=$(show MainPID)
say before "$(cat /var/lib/dicetable/opened.json)"

modprobe dummy_hcd && modprobe g_serial idVendor=0x2341 idProduct=0x0043
modprobe vivid
modprobe gpio-sim-rig
sim=/sys/kernel/config/gpio-sim/rig
mount -t configfs none /sys/kernel/config 2> /dev/null
mkdir -p $sim/bank0 && echo 28 > $sim/bank0/num_lines && echo 1 > $sim/live
wait_for 'opened /dev/dicetable-panel && opened /dev/video0 && opened /dev/gpiochip0'
say after "$(cat /var/lib/dicetable/opened.json)"
say panel "$(readlink -f /dev/dicetable-panel)"
say same_process "$([ "$pid" = "$(show MainPID)" ] && echo yes)"

kill -STOP "$pid"
wait_for '[ "$(show NRestarts)" -ge 1 ] && [ "$(show ActiveState)" = active ]'
say after_hanging "$(show ActiveState)"
systemctl stop dicetable
say stopped "$(show Result)"
say exposure "$(systemd-analyze security dicetable --no-pager | tail -n 1)"
say memory_max "$(show MemoryMax)"
systemctl --force --force poweroff
