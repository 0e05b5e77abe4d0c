#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs every test: first under the address and undefined-behaviour sanitizers (without the window), then all of
# them in a release build. CTest's closing line is the last of the second run.
set -u
# shellcheck source=packaging/setup.sh
. "$(dirname "$0")/setup.sh"

# shellcheck disable=SC2086
install_missing $build_packages $window_packages $test_packages
werror=OFF
[ "${CI:-}" = true ] && werror=ON
jobs=$(nproc)
export CTEST_PARALLEL_LEVEL=$jobs

build asan -DMANTISSA_BUILD_GUI=OFF -DMANTISSA_BUILD_TESTS=ON -DMANTISSA_WERROR=$werror
say "Testing under sanitizers"
log=$root/build/asan/tests.log
if ! ctest --preset asan >"$log" 2>&1; then
  grep -vE '^ *[0-9]+/[0-9]+ Test .* Passed|^ *Start ' "$log" >&2
  fail "a test failed under the sanitizers"
fi
say "Sanitizers: $(grep -E 'tests passed' "$log")"

build release -DMANTISSA_BUILD_TESTS=ON -DMANTISSA_WERROR=$werror
say "Testing"
ctest --preset release
