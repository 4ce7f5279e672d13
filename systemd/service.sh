#!/bin/sh
# Puts the dice table on a machine as a service, takes it off, goes back to the version before.
# Use it by make: install-service, uninstall-service, roll-back-service. Docs: docs/install.md.
#
#   /opt/dicetable/releases/VERSION-TIME  one whole installed version: environment, docs, systemd files
#   /opt/dicetable/current, previous      links to two of them
#   /etc/dicetable/table.toml             the config; never overwritten
#   /var/lib/dicetable                    the ledger and all else that the service writes
#
# DESTDIR=DIR      install-service only puts the files below DIR (for packages and images), and starts nothing
# KEEP_DATA=1      uninstall-service leaves config and ledger
# SERVICE_PYTHON   the interpreter, /usr/bin/python3 if not given; not one in a home, which services cannot see
#
# It needs Python 3.11, 64 bits and systemd 248, each or newer, and says so before it changes anything.
set -eu

source=$(cd "$(dirname "$0")/.." && pwd)
root=${DESTDIR:-}
home=/opt/dicetable
config=/etc/dicetable/table.toml
state=/var/lib/dicetable
python=${SERVICE_PYTHON:-/usr/bin/python3}

say() { printf 'dicetable: %s\n' "$*"; }
fail() { printf 'dicetable: %s\n' "$*" >&2; exit 1; }
as_root() { [ -n "$root" ] || [ "$(id -u)" = 0 ] || fail "this changes the system: run it with sudo"; }
running_systemd() { [ -z "$root" ] && [ -d /run/systemd/system ]; }
target() { readlink "$root$home/$1" || true; }
point() { ln -sfn "$2" "$root$home/$1.new" && mv -T "$root$home/$1.new" "$root$home/$1"; }

files() {  # where each file of a release's folder systemd/ belongs
    cat <<END
dicetable.service /usr/lib/systemd/system/dicetable.service
dicetable.socket /usr/lib/systemd/system/dicetable.socket
dicetable-gateway.service /usr/lib/systemd/system/dicetable-gateway.service
dicetable-settings.socket /usr/lib/systemd/system/dicetable-settings.socket
dicetable-settings@.service /usr/lib/systemd/system/dicetable-settings@.service
dicetable-journal.socket /usr/lib/systemd/system/dicetable-journal.socket
dicetable-journal@.service /usr/lib/systemd/system/dicetable-journal@.service
dicetable.sysusers /usr/lib/sysusers.d/dicetable.conf
dicetable.tmpfiles /usr/lib/tmpfiles.d/dicetable.conf
dicetable.udev /usr/lib/udev/rules.d/70-dicetable.rules
END
}

check_system() {  # says in one line what is missing, before anything is changed
    [ -x "$(command -v "$python")" ] || fail "there is no $python: apt install python3-venv"
    facts=$("$python" -c 'import platform, struct
print(*platform.python_version_tuple()[:2], struct.calcsize("P") * 8, platform.machine())') || fail "$python does not work"
    # shellcheck disable=SC2086
    set -- $facts
    [ "$1" -gt 3 ] || [ "$2" -ge 11 ] || fail "$python is Python $1.$2, and 3.11 or newer is needed: use Raspberry Pi OS 13 (trixie) or Debian 12 or newer, or name another Python in SERVICE_PYTHON"
    [ "$3" = 64 ] || fail "this is a $3-bit system, and 64 bits are needed: use the 64-bit Raspberry Pi OS"
    case $4 in aarch64 | arm64 | x86_64) ;; *) fail "there are no packages of OpenCV for $4: use a 64-bit ARM or x86 machine" ;; esac
    if [ -z "$root" ] && command -v systemctl > /dev/null; then
        systemd=$(systemctl --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p')
        [ "${systemd:-0}" -ge 248 ] || fail "systemd is version ${systemd:-unknown}, and 248 or newer is needed: use Raspberry Pi OS 13 (trixie) or Debian 12 or newer"
    fi
    "$python" -c 'import ensurepip, venv' 2> /dev/null || fail "$python has no venv: apt install python3-venv"
    if on_a_pi && [ "$2" -lt 13 ] && "$python" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("picamera2") is None)'; then
        say "a Pi camera needs Raspberry Pi OS 13 (trixie) or newer, for this system's picamera2 is too old; USB cameras work"
    fi
}

on_a_pi() { tr -d '\0' 2>/dev/null < /proc/device-tree/model | grep -qs 'Raspberry Pi'; }

reload_udev() {
    command -v udevadm > /dev/null || return 0
    if udevadm control --reload 2> /dev/null; then udevadm trigger --subsystem-match=tty --subsystem-match=gpio; fi
}

build() {  # a whole new release at $1
    # RPi.GPIO and picamera2 come with Raspberry Pi OS.
    if on_a_pi; then packages=--system-site-packages; else packages=; fi
    "$python" -m venv $packages "$root$1"
    "$root$1/bin/python" -m pip install --quiet --ignore-installed --require-hashes -r "$source/requirements.lock"
    "$root$1/bin/python" -m pip install --quiet --ignore-installed --require-hashes -r "$source/requirements-gateway.lock"
    copy=$(mktemp -d)
    for part in pyproject.toml README.md LICENSE games vision firmware_bridge hardware dicetable; do
        cp -R "$source/$part" "$copy/"
    done
    "$root$1/bin/python" -m pip install --quiet --ignore-installed --require-hashes -r "$source/requirements-build.lock"
    "$root$1/bin/python" -m pip install --quiet --no-deps --no-build-isolation "$copy"
    rm -rf "$copy"
    cp -R "$source/docs" "$source/examples" "$source/systemd" "$root$1/"
    if [ -n "$root" ]; then grep -rlIF "$root/" "$root$1/bin" | xargs -r sed -i "s|$root/|/|g"; fi
    touch "$root$1/complete"
}

tidy() {  # keeps the releases that are linked to
    for release in "$root$home"/releases/*; do
        case "$home/releases/${release##*/}" in
            "$(target current)" | "$(target previous)") ;;
            *) rm -rf "$release" ;;
        esac
    done
}

activate() {  # makes the release at $1 the current one, and starts it
    if running_systemd; then systemctl stop dicetable 2>/dev/null || true; fi
    old=$(target current)
    [ -z "$old" ] || point previous "$old"
    point current "$1"
    files | while read -r file place; do
        # A version before may not have had it.
        if [ -e "$root$1/systemd/$file" ]; then install -D -m 0644 "$root$1/systemd/$file" "$root$place"; else rm -f "$root$place"; fi
    done
    install -d "$root/usr/local/bin"
    ln -sfn "$home/current/bin/dicetable" "$root/usr/local/bin/dicetable"
    [ -e "$root$config" ] || install -D -m 0644 "$source/examples/four-seats.toml" "$root$config"
    [ -z "$root" ] || return 0
    getent group gpio > /dev/null || touch "$home/made-group-gpio"
    systemd-sysusers dicetable.conf
    systemd-tmpfiles --create dicetable.conf
    running_systemd || { say "installed; systemd does not run here, so nothing was started"; return 0; }
    systemctl daemon-reload
    reload_udev
    systemctl --quiet enable dicetable
    systemctl try-restart dicetable-gateway 2>/dev/null || true
    systemctl start dicetable || fail "it does not start: see journalctl -u dicetable; the version before is back with: sudo make roll-back-service"
    say "$(/opt/dicetable/current/bin/python -c 'from importlib.metadata import version; print(version("dicetable"))') runs; what it says: journalctl -u dicetable"
}

install_service() {
    check_system
    as_root
    account=$(getent passwd dicetable || true)
    if [ -z "$root" ] && [ -n "$account" ] && [ "$(echo "$account" | cut -d: -f6)" != "$state" ]; then
        fail "there is a user dicetable who is not the service's: it needs this name for its own"
    fi
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$source/pyproject.toml")
    release=$home/releases/$version-$(date -u +%Y%m%dT%H%M%S)
    trap 'rm -rf "$root$release" ${copy:+"$copy"}' EXIT
    trap 'exit 1' INT TERM HUP
    build "$release"
    if [ -z "$root" ] && [ -e "$config" ]; then
        "$release/bin/dicetable" check-config "$config" || fail "the new version cannot use $config: nothing was changed"
    fi
    trap - EXIT
    activate "$release"
    tidy
}

roll_back() {
    as_root
    previous=$(target previous)
    [ -n "$previous" ] || fail "there is no version before this one"
    activate "$previous"
}

uninstall() {
    as_root
    if running_systemd; then
        systemctl --quiet disable --now dicetable-gateway 2>/dev/null || true
        systemctl --quiet disable --now dicetable 2>/dev/null || true
        systemctl stop dicetable.socket dicetable-settings.socket dicetable-journal.socket 2>/dev/null || true
    fi
    files | while read -r _ place; do rm -f "$root$place"; done
    rm -rf "$root/etc/systemd/system/dicetable.service.d" "$root/etc/systemd/system/dicetable.service"
    rm -f "$root/usr/local/bin/dicetable"
    [ -n "${KEEP_DATA:-}" ] || rm -rf "$root$state" "$root$state-web" "$root${config%/*}"
    if [ -z "$root" ]; then
        account=$(getent passwd dicetable || true)
        if [ "$(echo "$account" | cut -d: -f6)" = "$state" ] && [ -z "${KEEP_DATA:-}" ]; then userdel dicetable; fi
        if getent passwd dicetable-web > /dev/null; then userdel dicetable-web; fi
        [ ! -e "$home/made-group-gpio" ] || groupdel gpio
    fi
    rm -rf "$root$home"
    if running_systemd; then
        systemctl daemon-reload
        systemctl reset-failed dicetable 2>/dev/null || true
        reload_udev
    fi
    say "removed${KEEP_DATA:+; $state and ${config%/*} are left}"
}

case "${1:-}" in
    install) install_service ;;
    uninstall) uninstall ;;
    roll-back) roll_back ;;
    *) fail "usage: service.sh install|uninstall|roll-back" ;;
esac
