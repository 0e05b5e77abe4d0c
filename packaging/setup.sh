# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh and test.sh: installs what is missing, configures and builds. Each step says what it does in one line.
# Sets `root`, the top of the tree. The caller's current directory stays as it is, so that relative arguments keep their meaning.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# What Debian 12 needs to build and to run; CONTRIBUTING.md has the reason for each. The last line is for the window alone.
packages=(g++ cmake ninja-build
    libdnnl-dev libsqlite3-dev ocl-icd-opencl-dev nlohmann-json3-dev libcli11-dev zlib1g-dev libgtest-dev protobuf-compiler python3-jsonschema
    desktop-file-utils appstream shared-mime-info libxml2-utils mandoc
    qt6-base-dev qt6-svg-dev qt6-tools-dev qt6-tools-dev-tools qt6-l10n-tools libqcustomplot-dev qt6-wayland fonts-noto-core)

say() { printf 'mantissa: %s\n' "$*"; }
fail() {
    say "$*" >&2
    exit 1
}

# Installs the missing packages; with nothing missing it asks dpkg once and returns.
installPackages() {
    if ! command -v apt-get >/dev/null; then
        say "this is not Debian: taking it that what these packages hold is here: ${packages[*]}"
        return
    fi
    local installed missing=() package
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n')
    for package in "${packages[@]}"; do
        grep -qx "installed $package" <<<"$installed" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0

    local asRoot=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "these packages are missing, and there is neither root nor sudo to install them: ${missing[*]}"
        asRoot=(sudo)
        [ -t 0 ] || asRoot=(sudo -n)  # nobody there to type a password
    fi
    say "installing ${missing[*]}"
    local apt=("${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } </dev/null >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        fail "these packages could not be installed (the lines above say why): ${missing[*]}"
    fi
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
