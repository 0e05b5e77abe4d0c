#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# try-wheel.sh WHEELS [SUITE...]: installs the Python packages in the folder WHEELS in fresh roots of Debian (bookworm, testing, bullseye), as a
# user without root, uses them and removes them. Each line `wrong:` is a finding, and the exit code is 1 then. Wants root, mmdebstrap, Debian's
# archive and PyPI; Xvfb and ImageMagick for the display. Pictures are left in WHEELS/pictures. Roots are made once, in build/wheel-roots.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
wheels=$(cd "${1:?the folder with the wheels}" && pwd)
shift
[ $# -gt 0 ] || set -- bookworm testing bullseye
roots=$root/build/wheel-roots
say() { printf 'mantissa: %s\n' "$*"; }

# All mounts below are made where nobody else sees them, and end with this script.
if [ "${MANTISSA_TRY_APART:-}" != yes ]; then
    command -v mmdebstrap >/dev/null || { say "mmdebstrap is not installed" >&2 && exit 1; }
    [ "$(id -u)" -eq 0 ] || { say "this wants root" >&2 && exit 1; }
    MANTISSA_TRY_APART=yes exec unshare --mount --pid --fork --kill-child "$0" "$wheels" "$@"
fi
[ -e /proc/self ] && mount -t proc proc /proc

wrong=0
complain() {
    printf 'wrong: %s\n' "$*"
    wrong=1
}
here=$(mktemp -d)
xvfb=
finish() {
    [ -z "$xvfb" ] || kill "$xvfb"
    umount -l "$here"/*/{proc,dev,wheels,pypi,pictures,tmp/.X11-unix} 2>/dev/null
    rm -rf --one-file-system "$here"
}
trap finish EXIT

# What Debian's archive has of a suite, as this machine reaches it.
makeRoot() {
    local suite=$1 sources=$roots/$1.sources
    [ ! -s "$roots/$suite.tar" ] || return 0
    say "making a root of $suite"
    mkdir -p "$roots"
    sed "s/bookworm-security/$suite-security/; s/ *bookworm-updates//; s/bookworm/$suite/" /etc/apt/sources.list.d/debian.sources >"$sources"
    mmdebstrap --quiet --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"' --include=python3,python3-venv,ca-certificates \
        "$suite" "$roots/$suite.tar" "$sources" || { rm -f "$roots/$suite.tar" && say "no root of $suite" && exit 1; }
}

# asRoot and student COMMAND...: inside the root, with nothing of this machine's environment. `variables` are the student's further ones.
variables=()
asRoot() { chroot "$debian" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
student() {
    chroot --userspec=1000:1000 "$debian" /usr/bin/env -i -C /home/student PATH=/home/student/v/bin:/usr/bin:/bin HOME=/home/student \
        XDG_RUNTIME_DIR=/run/student LC_ALL=C.UTF-8 "${variables[@]}" "$@"
}
# said EXPECTED-CODE COMMAND...: runs it as the student and keeps what it says in $said.
said() {
    local expected=$1 code=0
    shift
    said=$(student timeout 1200 "$@" 2>&1) || code=$?
    [ "$code" -eq "$expected" ] || complain "$suite: $*: ended with $code: $(tail -n 3 <<<"$said")"
}
oneSentence() {
    [ "$(wc -l <<<"$said")" -eq 1 ] && [[ $said == "mantissa-lab: "* ]] || complain "$suite: not one sentence: $said"
    say "$suite: $said"
}
install() { asRoot apt-get -qq install -y --no-install-recommends "$@" >"$here/apt.log" 2>&1 || complain "$suite: apt install $*: $(tail -n 2 "$here/apt.log")"; }
named() { grep -oE 'apt install [^(]*' <<<"$said" | cut -d ' ' -f 3-; }
# Every file with its kind, but for kernel's folders, caches, and what Python and apt write for themselves.
everything() {
    find "$debian" -xdev -printf '%y %P\n' |
        grep -vE '^. (proc|sys|dev|tmp|run|wheels|pypi|pictures|var/(cache|log|lib))(/|$)|/(\.cache|__pycache__)(/|$)' | sort
}
# picture NAME OPTION...: a screenshot that has the size asked for, and is not of one colour.
picture() {
    local name=$1
    shift
    said 0 mantissa-lab --screenshot "/pictures/$suite-$name.png" --size 1600x960 "$@"
    [ "$(identify -format '%wx%h' "$wheels/pictures/$suite-$name.png" 2>&1)" = 1600x960 ] || complain "$suite: no picture $name"
    [ "$(identify -format '%k' "$wheels/pictures/$suite-$name.png" 2>&1)" -gt 50 ] || complain "$suite: $name has hardly a colour"
}
trains() {
    local line='' seconds
    for seconds in 3 10 30; do  # longer where the machine is busy
        said 0 mantissa-lab --measure "$seconds"
        line=$(grep -m 1 '^{' <<<"$said")
        ! grep -qE '"step_ms":.*"count":[1-9]' <<<"$line" || break
    done
    grep -qE '"step_ms":.*"count":[1-9]' <<<"$line" || complain "$suite: the window trained nothing: $line"
    say "$suite: $1: first paint after $(grep -oE '"first_paint_ms":[0-9]+' <<<"$line" | cut -d : -f 2) ms"
}

refuses() {
    said 0 python3 -m venv v
    said 1 pip install --no-index --find-links /pypi --find-links /wheels "/wheels/$lab"
    say "$suite, the file: $(grep ERROR <<<"$said")"
    said 1 pip install --no-index --find-links /wheels mantissa-lab
    say "$suite, the name: $(grep ERROR <<<"$said" | tail -n 1)"
}

uses() {
    said 0 python3 -m venv v
    everything >"$here/before"
    said 0 pip install --no-index --find-links /pypi --find-links /wheels mantissa-lab mantissa-probe
    [ -x "$debian/home/student/v/bin/mantissa-lab" ] || return
    say "$suite: bare, as mmdebstrap made it"
    said 3 mantissa-lab
    oneSentence
    said 0 mantissa --version
    said 0 mantissa train --record default.mantissa
    said 0 mantissa replay default.mantissa
    said 0 mantissa diagnose four-formats --json
    said 0 mantissa lesson too-hot
    said 0 mantissa selftest
    say "$suite: $(tail -n 1 <<<"$said")"
    said 0 pip install --no-index --find-links /pypi numpy
    said 0 python -c 'import mantissa_lab as m; r = m.open("default.mantissa"); print(r, r["fp16"]["loss"][-1]); s = m.run(steps=20); print(s["bf16"], s["bf16"].summary["final_loss"])'
    say "$suite: ${said//$'\n'/; }"

    say "$suite: with what the sentence named, no fonts and no display"
    said 3 mantissa-lab
    # shellcheck disable=SC2046
    install $(named)
    said 3 mantissa-lab
    oneSentence
    variables=(QT_QPA_PLATFORM=offscreen)
    picture default --after-steps 300
    picture lesson --lesson too-hot
    picture diagnose one-bad-pixel --after-steps 100 --layout diagnose
    trains offscreen
    variables=(QT_QPA_PLATFORM=offscreen QT_SCALE_FACTOR=2)
    said 0 mantissa-lab --measure 2
    variables=(QT_QPA_PLATFORM=offscreen HOME=/read-only)
    said 0 mantissa-lab --measure 2
    said 143 timeout --preserve-status 8 mantissa-lab  # which would record
    install locales
    asRoot localedef -i de_DE -f UTF-8 de_DE.UTF-8
    variables=(QT_QPA_PLATFORM=offscreen LC_ALL=de_DE.UTF-8)
    picture german --after-steps 100
    said 0 mantissa train --steps 5 --csv german
    grep -q '^4,320,0[.]' "$debian/home/student/german/fp16.csv" || complain "$suite: decimals depend on the locale"
    variables=(QT_QPA_PLATFORM=offscreen)
    said 0 taskset -c 0 mantissa-lab --measure 3

    if [ -n "$xvfb" ]; then
        say "$suite: X"
        variables=(DISPLAY=:$screen)
        said 3 mantissa-lab --measure 3
        oneSentence
        # shellcheck disable=SC2046
        install $(named)
        trains X
        chroot --userspec=1000:1000 "$debian" /usr/bin/env -i -C /home/student HOME=/home/student "DISPLAY=:$screen" XDG_RUNTIME_DIR=/run/student \
            timeout 20 v/bin/mantissa-lab default.mantissa >"$here/lab.log" 2>&1 &
        sleep 12
        DISPLAY=:$screen import -window root "$wheels/pictures/$suite-x11.png"
        wait $!
        [ ! -s "$here/lab.log" ] || say "$suite: the window says: $(cat "$here/lab.log")"
    fi

    say "$suite: Wayland"
    variables=(XDG_SESSION_TYPE=wayland WAYLAND_DISPLAY=wayland-9)
    said 3 mantissa-lab --measure 3
    oneSentence
    install weston
    student weston --backend=headless-backend.so --socket=wayland-9 --idle-time=0 >"$here/weston.log" 2>&1 &
    local weston=$!
    sleep 5
    trains Wayland
    kill "$weston"

    say "$suite: the desktop"
    install shared-mime-info desktop-file-utils libglib2.0-bin
    student mkdir -p .local/share
    variables=(QT_QPA_PLATFORM=offscreen)
    everything >"$here/desktop-before"
    said 0 mantissa-lab --install-desktop
    said 0 gio info -a standard::content-type default.mantissa
    [[ $said == *"application/x-mantissa-recording"* ]] || complain "$suite: the type of a recording is $said"
    said 0 desktop-file-validate .local/share/applications/mantissa-lab.desktop
    [ -z "$said" ] || complain "$suite: $said"
    said 0 mantissa-lab --remove-desktop
    everything >"$here/desktop-after"
    diff "$here/desktop-before" "$here/desktop-after" || complain "$suite: --remove-desktop leaves the lines above"

    say "$suite: Debian's Qt"  # which brings the libraries that were missing above
    install libqt6widgets6 libqt6dbus6
    variables=(QT_QPA_PLATFORM=offscreen LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu)
    trains "offscreen, with Debian's Qt on LD_LIBRARY_PATH"
    variables=(QT_QPA_PLATFORM=offscreen)

    say "$suite: an older processor"
    install qemu-user
    if asRoot sh -c 'command -v qemu-x86_64' >/dev/null; then
        said 0 sh -c 'qemu-x86_64 -cpu Nehalem v/lib/python3*/site-packages/mantissa_lab/bin/mantissa train --steps 10'
        say "$suite: Nehalem: $(grep -m 1 fp16 <<<"$said")"
    fi

    said 0 pip uninstall -y mantissa-lab mantissa-probe PySide6_Essentials shiboken6 numpy
    rm -rf "$debian"/home/student/{default.mantissa,german,.config,.local}
    # but for the folders of share/, which pip leaves empty
    files() { grep '^[^d] home'; }
    everything | files >"$here/after"
    files <"$here/before" | diff - "$here/after" || complain "$suite: uninstalling leaves the lines above"
}

mkdir -p "$wheels/pictures" "$roots/pypi"
chmod 777 "$wheels/pictures"
lab=$(basename "$wheels"/mantissa_lab-*.whl)
say "fetching what the packages need"
for python in 3.11 3.13 3.14; do  # of Debian 12, and of testing now and next
    python3 -m pip download --quiet --disable-pip-version-check --only-binary :all: --python-version "$python" --platform manylinux_2_34_x86_64 \
        --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --dest "$roots/pypi" 'PySide6-Essentials>=6.8' 'numpy<3' || complain "PyPI gives nothing for $python"
done
if command -v Xvfb >/dev/null && command -v import >/dev/null; then
    Xvfb -displayfd 3 -ac -screen 0 1600x960x24 3>"$here/screen" >"$here/xvfb.log" 2>&1 &
    xvfb=$!
    for _ in $(seq 20); do [ -s "$here/screen" ] || sleep 1; done
    screen=$(cat "$here/screen")
    [ -n "$screen" ] || complain "Xvfb: $(tail -n 2 "$here/xvfb.log")"
else
    say "Xvfb or ImageMagick is not installed: nothing is shown on X"
fi
for suite in "$@"; do
    makeRoot "$suite"
    debian=$here/$suite
    mkdir "$debian"
    tar -C "$debian" -xf "$roots/$suite.tar"
    cp -a /etc/apt/apt.conf.d/. "$debian/etc/apt/apt.conf.d/"
    cp -L /etc/resolv.conf "$debian/etc/"
    mkdir -p "$debian"/{wheels,pypi,pictures,tmp/.X11-unix,read-only} "$debian/run/student"
    mount -t proc proc "$debian/proc"
    mount --bind /dev "$debian/dev"
    mount --bind "$wheels" "$debian/wheels" -o ro
    mount --bind "$roots/pypi" "$debian/pypi" -o ro
    mount --bind "$wheels/pictures" "$debian/pictures"
    [ -z "$xvfb" ] || mount --bind /tmp/.X11-unix "$debian/tmp/.X11-unix"
    asRoot useradd -m -u 1000 student
    chown 1000:1000 "$debian/run/student"
    chmod 700 "$debian/run/student"
    asRoot apt-get -qq -o Acquire::Check-Valid-Until=false update >/dev/null 2>&1
    variables=()
    if [ "$suite" = bullseye ]; then refuses; else uses; fi
done
[ $wrong -eq 0 ] && say "nothing was wrong"
exit $wrong
