#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and opens the lab. With no display: trains the default experiment with live progress and writes a report.
# Arguments go to the lab (an experiment's file or name, --theme dark, ...), or to `mantissa train` when there is no display.
set -u
# shellcheck source=packaging/setup.sh
. "$(dirname "$0")/setup.sh"

# shellcheck disable=SC2086
install_missing $build_packages $window_packages
build release -DMANTISSA_BUILD_TESTS=OFF
bin=$root/build/release/bin

if [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; then
  say "Opening the lab"
  exec "$bin/mantissa-lab" "$@"
fi

report=$root/mantissa-report
[ $# -gt 0 ] || set -- four-formats
say "No display: training $1 and writing a report"
"$bin/mantissa" train "$@" --report "$report" </dev/null || exit $?
printf '%s\n' "$report/index.html"
