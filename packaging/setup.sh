# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh and test.sh: installs what is missing, configures and builds. Each step says what it does in one line.
# Sets `root`, the top of the tree. The caller's current directory stays as it is, so that relative arguments keep their meaning.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The packages that building and running need; CONTRIBUTING.md has the reason for each. Debian's names were tried on Debian 12 and testing,
# the others on no system. `-`: another package of the column contains it. A comma separates two packages that replace one of Debian's.
# Debian, Ubuntu        Fedora                          Arch                    openSUSE
packages='
g++                     gcc-c++                         gcc                     gcc-c++
cmake                   cmake                           cmake                   cmake
ninja-build             ninja-build                     ninja                   ninja
libdnnl-dev             onednn-devel                    onednn                  onednn-devel
libsqlite3-dev          sqlite-devel                    sqlite                  sqlite3-devel
ocl-icd-opencl-dev      ocl-icd-devel,opencl-headers    ocl-icd,opencl-headers  ocl-icd-devel,opencl-headers
nlohmann-json3-dev      json-devel                      nlohmann-json           nlohmann_json-devel
libcli11-dev            cli11-devel                     cli11                   cli11-devel
zlib1g-dev              zlib-devel                      zlib                    zlib-devel
libgtest-dev            gtest-devel                     gtest                   gtest
protobuf-compiler       protobuf-compiler               protobuf                protobuf-devel
python3-jsonschema      python3-jsonschema              python-jsonschema       python3-jsonschema
desktop-file-utils      desktop-file-utils              desktop-file-utils      desktop-file-utils
appstream               appstream                       appstream               AppStream
shared-mime-info        shared-mime-info                shared-mime-info        shared-mime-info
libxml2-utils           libxml2                         libxml2                 libxml2-tools
mandoc                  mandoc                          mandoc                  mandoc
qt6-base-dev            qt6-qtbase-devel                qt6-base                qt6-base-devel
qt6-svg-dev             qt6-qtsvg-devel                 qt6-svg                 qt6-svg-devel
qt6-tools-dev           qt6-qttools-devel               qt6-tools               qt6-tools-devel
qt6-tools-dev-tools     -                               -                       -
qt6-l10n-tools          -                               -                       qt6-linguist-devel
libqcustomplot-dev      qcustomplot-qt6-devel           qcustomplot             qcustomplot-qt6-devel
qt6-wayland             qt6-qtwayland                   qt6-wayland             qt6-wayland
fonts-noto-core         google-noto-sans-fonts          noto-fonts              google-noto-sans-fonts'

say() { printf 'mantissa: %s\n' "$*"; }
fail() {
    say "$*" >&2
    exit 1
}

# Installs the missing packages. If nothing is missing, it only asks the system. Packages that cannot be installed are reported; the
# configuration finds them elsewhere or says what it lacks.
installPackages() {
    local manager names installed asRoot=() missing=() left=() package lockSeconds=300
    for manager in apt-get dnf pacman zypper none; do
        if command -v "$manager" >/dev/null; then break; fi
    done
    case $manager in
        apt-get) names=1 ;;
        dnf) names=2 ;;
        pacman) names=3 ;;
        zypper) names=4 ;;
        none)
            mapfile -t missing < <(namesIn 1)
            say "this system has none of apt-get, dnf, pacman and zypper: going on as if the contents of these Debian packages were installed: ${missing[*]}"
            return
            ;;
    esac
    [ "$manager" != apt-get ] || installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n')
    for package in $(namesIn "$names"); do
        case $manager in
            apt-get) grep -qx "installed $package" <<<"$installed" ;;
            pacman) pacman -T "$package" >/dev/null ;;
            *) rpm -q --whatprovides "$package" >/dev/null ;;
        esac || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0

    say "installing ${missing[*]}"
    : >"$log"
    if [ "$(id -u)" -ne 0 ]; then
        asRoot=(sudo)
        [ -t 0 ] || asRoot=(sudo -n)  # no terminal for a password
        if ! command -v sudo >/dev/null; then
            say "neither root nor sudo is available to install packages" >&2
            goOnWithout "${missing[@]}"
            return
        fi
    fi
    if [ "$manager" = apt-get ]; then manage update || true; fi  # an old index may suffice; if not, the installation fails
    if manage install "${missing[@]}"; then return; fi
    # Managers refuse all packages because of one unknown name, so each is tried alone.
    lockSeconds=0  # the first call has waited
    for package in "${missing[@]}"; do
        manage install "$package" || left+=("$package")
    done
    [ ${#left[@]} -eq 0 ] || goOnWithout "${left[@]}"
}

# goOnWithout PACKAGE...: reports packages that could not be installed, and ends if nothing can be configured without them.
goOnWithout() {
    tail -n 20 "$log" >&2
    if ! command -v cmake >/dev/null || ! command -v ninja >/dev/null; then
        fail "these packages could not be installed (the lines above say why): $*"
    fi
    say "going on without these packages, which could not be installed (the lines above say why): $*" >&2
}

# namesIn COLUMN: the packages' names on one kind of system.
namesIn() {
    local names
    while read -r -a names; do
        [ "${names[$1 - 1]:--}" = - ] || printf '%s\n' "${names[$1 - 1]//,/$'\n'}"
    done <<<"$packages"
}

# manage update|install PACKAGE...: runs the package manager; uses the variables of installPackages.
manage() {
    local command=("${asRoot[@]}" "$manager")
    case $manager in
        apt-get) command=("${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends -o "DPkg::Lock::Timeout=$lockSeconds" "$1") ;;
        dnf) command+=(-q -y install) ;;
        pacman) command+=(-S --needed --noconfirm) ;;
        zypper) command+=(--non-interactive install --no-recommends) ;;
    esac
    "${command[@]}" "${@:2}" </dev/null >>"$log" 2>&1
}

# configure PRESET [CMAKE-OPTION...]: into build/PRESET.
configure() {
    say "configuring build/$1"
    if ! cmake -S "$root" --preset "$@" </dev/null >"$log" 2>&1; then
        cat "$log" >&2
        fail "configuring failed (the lines above say why)"
    fi
}

# build PRESET [TARGET...]: everything, or the targets.
build() {
    local preset=$1 jobs
    shift
    # A compiler takes up to 1.4 GB (2.7 GB in CI, which switches gcc's garbage collection off): as many at once as memory holds, and no
    # more than Ninja starts by itself.
    jobs=$(awk -v cores="$(nproc)" '/^MemAvailable/ {n = int($2 / 2097152); print n < 1 ? 1 : n < cores + 2 ? n : cores + 2}' /proc/meminfo)
    say "building build/$preset"
    cmake --build "$root/build/$preset" --parallel "$jobs" ${@:+--target "$@"} </dev/null || fail "the build failed (the lines above say why)"
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
installPackages
