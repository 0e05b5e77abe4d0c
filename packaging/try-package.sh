#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# try-package.sh [BUILD]: makes the Debian package of a build (build/release when none is named), installs it with apt in a bare Debian 12,
# uses it, removes it, and says what is left. With DISPLAY the window is shown there, else offscreen. Wants root, mmdebstrap and Debian's
# archive; some minutes, about 1.5 GB in TMPDIR. Nothing is installed on this machine, and the bare Debian is deleted at the end.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
say() { printf 'mantissa: %s\n' "$*"; }

# All mounts below are made where nobody else sees them, and end with this script.
if [ "${MANTISSA_TRY_APART:-}" != yes ]; then
    command -v mmdebstrap >/dev/null || { say "mmdebstrap is not installed" >&2 && exit 1; }
    [ "$(id -u)" -eq 0 ] || { say "this wants root" >&2 && exit 1; }
    MANTISSA_TRY_APART=yes exec unshare --mount --pid --fork "$0" "$@"
fi

screen=QT_QPA_PLATFORM=offscreen
[ -z "${DISPLAY:-}" ] || screen=DISPLAY=$DISPLAY
debian=$(mktemp -d)
# inside its own space of mounts nothing of this machine is below the folder but what is unmounted here
finish() {
    umount -l "$debian/proc" "$debian/dev/pts" "$debian/dev" "$debian/package" 2>/dev/null || true
    rm -rf --one-file-system "$debian"
}
trap finish EXIT
trap 'say "the step above failed" >&2' ERR
inside() {
    chroot "$debian" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root/tried LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        "$screen" XDG_RUNTIME_DIR=/root/tried "$@"
}
# What there is, each file with its kind: all but kernel's folders, caches, logs and dpkg's own books.
everything() {
    find "$debian" -xdev -printf '%y %P\n' |
        grep -vE '^. (proc|sys|dev|tmp|run|package|root/tried|var/cache|var/log|var/lib/(apt|dpkg|systemd)|etc/ld.so.cache)(/|$)' | sort
}

say "making the package"
rm -f "$build"/mantissa_*.deb
(cd "$build" && cpack --config CPackConfig.cmake >/dev/null)
package=$(ls "$build"/mantissa_*.deb)
dpkg-deb --field "$package" Package Version Section Installed-Size Depends Recommends
say "$(stat -c %s "$package") bytes"
if command -v lintian >/dev/null; then lintian --allow-root "$package" || true; fi

say "making a bare Debian 12"
sources=()
[ ! -e /etc/apt/sources.list.d/debian.sources ] || sources=(/etc/apt/sources.list.d/debian.sources)
mmdebstrap --quiet --variant=minbase bookworm "$debian" "${sources[@]}"
cp -a /etc/apt/apt.conf.d/. "$debian/etc/apt/apt.conf.d/"  # how this machine reaches the archive
cp -L /etc/resolv.conf "$debian/etc/"
mount -t proc proc "$debian/proc"
mount --bind /dev "$debian/dev"
mount --bind /dev/pts "$debian/dev/pts"
mkdir "$debian/package"
mkdir -m 700 "$debian/root/tried"  # the home of who tries: their recordings and the window's settings are theirs, and no package's
mount --bind "$(dirname "$package")" "$debian/package" -o ro

# What the package needs comes first, so that the difference below is the package alone.
say "installing what it depends on"
inside apt-get -qq update
dpkg-deb --field "$package" Depends | tr ',' '\n' | sed 's/ *(.*//; s/^ *//' | xargs chroot "$debian" \
    env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
    xdg-utils libfile-mimeinfo-perl libglib2.0-bin shared-mime-info desktop-file-utils \
    >"$debian/tmp/installed.log" 2>&1 || { tail "$debian/tmp/installed.log" && exit 1; }
everything >"$debian/tmp/before"

say "installing the package with apt"
inside apt-get -qq install -y --no-install-recommends "/package/$(basename "$package")" 2>&1 | grep -iE '^(setting up|unpacking|E:|W:)' || true
inside dpkg --status mantissa | grep ^Status

say "mantissa"
inside mantissa --version
inside mantissa train four-formats --steps 20 --record /root/tried/run.mantissa
inside mantissa replay /root/tried/run.mantissa
inside mantissa selftest | tail -n 1

say "the file type"
inside xdg-mime query filetype /root/tried/run.mantissa
cp "$debian/root/tried/run.mantissa" "$debian/root/tried/nameless"
inside xdg-mime query filetype /root/tried/nameless
inside gio info -a standard::content-type /root/tried/nameless | tail -n 1
inside gio mime application/x-mantissa-recording | sed -n 1p
inside xdg-mime query default application/x-mantissa-recording

say "mantissa-lab, $screen"
inside mantissa-lab --measure 3 2>/dev/null
say "mantissa-lab with the recording, as the desktop entry opens it"
ended=0
inside timeout 8 mantissa-lab /root/tried/run.mantissa 2>"$debian/tmp/lab.log" || ended=$?
cat "$debian/tmp/lab.log"
[ $ended -eq 124 ] || { say "it ended by itself, with $ended" && false; }

say "removing it"
inside dpkg -L mantissa | wc -l
inside apt-get -qq purge -y mantissa >/dev/null 2>&1
rm -rf "$debian/root/tried"
everything >"$debian/tmp/after"
if diff "$debian/tmp/before" "$debian/tmp/after"; then
    say "nothing is left"
else
    say "the lines above are left (>) or gone (<)"
fi
