# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Shared by run.sh and test.sh: installs what is missing on Debian 12, configures and builds. Sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1

say() { printf '== %s\n' "$*"; }
fail() { printf 'mantissa: %s\n' "$*" >&2; exit 1; }

build_packages="cmake ninja-build g++ libdnnl-dev nlohmann-json3-dev libcli11-dev zlib1g-dev"
window_packages="qt6-base-dev qt6-base-dev-tools libqt6svg6-dev libqt6svg6 qt6-qpa-plugins libgl-dev libqcustomplot-dev fonts-noto-core"
test_packages="libgtest-dev binutils"

# Installs those of the named packages that are not there; asks for root only then.
install_missing() {
  local missing="" package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing="$missing $package"
  done
  [ -z "$missing" ] && { say "Packages: all there"; return 0; }
  local as_root=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "these packages are missing, and there is neither root nor sudo to install them:$missing"
    as_root="sudo"
  fi
  command -v apt-get >/dev/null || fail "these packages are missing, and there is no apt-get to install them:$missing"
  say "Installing:$missing"
  local log; log=$(mktemp)
  # shellcheck disable=SC2086
  if ! { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    fail "apt-get could not install:$missing"
  fi
  rm -f "$log"
}

# build PRESET [cmake options...]
build() {
  local preset=$1; shift
  say "Building ($preset)"
  cmake --preset "$preset" "$@" >"build.$preset.log" 2>&1 || { cat "build.$preset.log" >&2; rm -f "build.$preset.log"; fail "the build could not be configured"; }
  rm -f "build.$preset.log"
  cmake --build --preset "$preset" || fail "the build failed"
}
