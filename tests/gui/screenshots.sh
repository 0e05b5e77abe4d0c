#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes the pictures of resources/screenshots anew that show a window as it is after so many steps, by mantissa-lab --screenshot. The others
# (a dialog, a held crosshair, a page of Diagnose) need a hand. Usage: screenshots.sh [BUILD-FOLDER [OUTPUT-FOLDER]]; needs no display.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${1:-$root/build/release}
out=${2:-$root/resources/screenshots}
export QT_QPA_PLATFORM=offscreen QT_SCALE_FACTOR=1
mkdir -p "$out"
changed=$(mktemp --suffix .json)
trap 'rm -f "$changed"' EXIT
# The bundled one, and a change on the way.
sed 's|^  "steps": .*|&\n  "events": [{"step": 351, "run": "fp16", "set": {"/precision": "fp8"}}],|' "$root/resources/experiments/10-four-formats.json" >"$changed"

# NAME THEME SIZE LAYOUT STEPS EXPERIMENT
while read -r name theme size layout steps experiment; do
    [ -n "$name" ] || continue
    printf '%s\n' "$name"
    [ "$experiment" != changed ] || experiment=$changed
    "$build/bin/mantissa-lab" --screenshot "$out/$name.png" --theme "$theme" --size "$size" --layout "$layout" --after-steps "$steps" "$experiment"
done <<'PICTURES'
explore-light-1920x1080     light 1920x1080 explore  760 changed
explore-dark-1920x1080      dark  1920x1080 explore  760 changed
explore-light-1280x800      light 1280x800  explore  760 changed
explore-dark-1280x800       dark  1280x800  explore  760 changed
start-light-1920x1080       light 1920x1080 explore  0   four-formats
one-bad-pixel-light-1920x1080 light 1920x1080 explore 200 one-bad-pixel
skip-storm-light-1920x1080  light 1920x1080 explore  950 scale-storm
PICTURES
