#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Takes the pictures of resources/screenshots anew: those of a window as it is after so many steps by mantissa-lab --screenshot, and those
# that need a hand (a dialog, a held crosshair, a page of Diagnose) on a screen of their own, where Xvfb, xdotool and ImageMagick are
# installed.
# Usage: screenshots.sh [BUILD-FOLDER [OUTPUT-FOLDER]]; needs no display. The build has the target `where`.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(realpath "${1:-$root/build/release}")
out=${2:-$root/resources/screenshots}
mkdir -p "$out"
out=$(realpath "$out")
export QT_QPA_PLATFORM=offscreen QT_SCALE_FACTOR=1
work=$(mktemp -d)
changed=$work/changed.json
started=()
patience=120  # seconds
leave() {
    for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap leave EXIT
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
present-light               light 1920x1080 present  1000 too-hot
present-dark                dark  1920x1080 present  1000 too-hot
PICTURES

# ---- by hand ----

for program in Xvfb xdotool import; do
    command -v "$program" >/dev/null || { printf 'screenshots: without %s the pictures that need a hand stay as they are\n' "$program" >&2; exit 0; }
done
fail() {
    printf 'screenshots: %s\n' "$*" >&2
    exit 1
}
# shellcheck source=tests/gui/stranger/hands.sh
source "$root/tests/gui/stranger/hands.sh"
# open SIZE THEME ARGUMENTS...: a window that fills a screen of its own.
open() {
    local size=$1 theme=$2 folder
    shift 2
    folder=$(mktemp -d -p "$work")
    openScreen "$size" "$folder"
    "$build/bin/mantissa-lab" --theme "$theme" --size "$size" "$@" >"$folder/said" 2>&1 &
    lab=$!
    started+=("$lab")
    await 'MainWindow'
    xdotool windowmove "$(xdotool search --onlyvisible --name Mantissa | head -n 1)" 0 0
    focusWindow Mantissa
}
close() {
    kill "$lab" "${started[-2]}" 2>/dev/null || true
    wait "$lab" 2>/dev/null || true
}
# take NAME [WINDOW]: the screen, or one window by its title, once nothing moves any more.
take() {
    local before='' now window=root
    printf '%s\n' "$1"
    [ -z "${2:-}" ] || window=$(xdotool search --onlyvisible --name "$2" | head -n 1)
    for _ in $(seq 60); do
        sleep 0.4
        now=$(import -window "$window" png:- | identify -format '%#' -)
        [ "$now" != "$before" ] || break
        before=$now
    done
    import -window "$window" "$out/$1.png"
}
# What would help is tried by itself while nothing trains, or on a press.
remediesAreTried() {
    tells 'No skip, nothing non-finite in the next 20 steps' && ! tells 'Not tried yet' && return 0
    ! tells 'QPushButton\tTry what would help' || click 'QPushButton\tTry what would help'
    return 1
}
# A press that comes while the engine is busy does nothing.
runsAreCompared() {
    tells 'steps were compared' && tells 'QPushButton\tCompare the two runs\t' && return 0
    ! tells 'QPushButton\tCompare the two runs\t' || click 'QPushButton\tCompare the two runs\t'
    return 1
}
lastStepIsExamined() {
    tells 'What was examined' && return 0
    ! tells 'QPushButton\t[^\t]*\tExamine the last step' || click 'QPushButton\t[^\t]*\tExamine the last step'
    return 1
}
# forks KEY FIELD VALUE BUTTON: from the step that the crosshair is held at, in the dialog that the key opens.
forks() {
    key "$1"
    await ForkDialog
    focusWindow Fork
    click 'ComboBox\tWhat to change'
    click "Cell\t[^\t]*\t$2"
    key Tab
    xdotool type "$3"
    click "QPushButton\t$4"
    awaitGone ForkDialog
    focusWindow Mantissa
}
fill() { # FIELD VALUE
    click "QLineEdit\t$1\t"
    key ctrl+a
    xdotool type "$2"
}
aside() { xdotool mousemove 1 1; }  # no button has the pointer over it

for theme in light dark; do
    open 1920x1080 "$theme" too-hot
    key 3
    key ctrl+2
    await 'Finished at step'
    click 'Cell\tCaptured steps[^\t]*\tstep 1$'
    awaitTrue "no remedy is tried" remediesAreTried
    aside
    take "diagnose-$theme"
    click 'QPushButton\tScaler race'
    click 'QPushButton\tMeasure steps'
    await 'Cell\t[^\t]*\tmegatron'
    awaitGone 'QPushButton\tStop measuring'
    aside
    take "race-$theme"
    click 'QPushButton\tCompare runs'
    awaitTrue "the runs are not compared" runsAreCompared
    aside
    take "compare-$theme"
    click 'QPushButton\tMagnitudes'
    click 'CopyTable\tElements by what the format makes of them' 95 50  # the last count of the first row: Inf, NaN
    await '\tElements\t'
    aside
    take "elements-$theme"
    click 'QPushButton\tClose the list of elements'
    click 'Cell\tRuns\tfp32'
    click 'QPushButton\tBefore a switch'
    awaitTrue "the last step is not examined" lastStepIsExamined
    click 'QPushButton\tTarget format: FP16'
    aside
    take "forecast-$theme"
    close

    open 1600x1000 "$theme" four-bits
    await 'Finished at step'
    key ctrl+2
    click 'Cell\tRuns\tnvfp4'
    click 'QPushButton\tBlocks'
    click 'QPushButton\tRead 12 steps'
    await 'Cell\t[^\t]*\t[\d.]+ dB'
    awaitGone 'QPushButton\tStop\t'
    click 'Cell\t[^\t]*\tweight gradient$'
    aside
    take "blocks-$theme"
    close

    open 1600x1000 "$theme" --paused a-small-gpt
    key ctrl+2
    await 'Paused at step 0'
    key period  # one step
    click 'Cell\tRuns\tbf16'
    click 'QPushButton\tStep time'
    click 'QPushButton\tMeasure all runs'
    await 'Cell\tTime of a step by operation'
    awaitGone 'QPushButton\tStop measuring'
    click 'ComboBox\tTimes shown beside'
    key Down
    key Return
    aside
    take "times-$theme"
    close

    open 1920x1080 "$theme" four-formats
    await '\tstep [4-9]\d\d ' "the runs do not come to step 400"
    key ctrl+r
    await 'Paused at step'
    click 'Canvas\tPlots' 45 20  # the crosshair is held there
    key 1
    forks y lr 0.02 Fork
    click 'Canvas\tPlots' 58 20
    key 3
    forks w lr 0.05 'See what if'
    await 'QPushButton\t[^\t]*\tKeep'
    key ctrl+r
    await '\tstep [6-9]\d\d ' "the runs do not go on to step 600"
    key ctrl+r
    await 'Paused at step'
    aside
    take "tape-$theme-1920x1080"
    close

    open 1920x1080 "$theme" --paused too-hot
    key ctrl+b
    await 'Value, as a number or as bits'
    click 'QPushButton\tShow 65520'
    aside
    take "bits-$theme"
    close

    open 1600x960 "$theme" four-formats
    key ctrl+g
    await GalleryPage
    aside
    take "gallery-$theme" Gallery
    close

    open 1600x900 "$theme" --lesson too-hot
    await 'Predict'
    await 'Paused at step'
    key b
    key alt+Right
    await 'Measured here'
    await 'Paused at step 200'
    aside
    take "lesson-$theme"
    close

    open 1600x900 "$theme" --lesson nvfp4-four-bits
    await 'Predict'
    await 'Paused at step 0'
    key a
    key alt+Right
    await 'Measured here'
    key alt+Right
    await 'Paused at step 500'
    key b
    key alt+Right
    await 'Measured here'
    key alt+Right
    await 'Paused at step 1.200'
    key d
    key alt+Right
    await 'Measured here'
    aside
    take "lesson-nvfp4-$theme"
    close
done

open 1280x720 light too-hot
key 3
key ctrl+2
await 'Finished at step'
click 'Cell\tCaptured steps[^\t]*\tstep 1$'
awaitTrue "no remedy is tried" remediesAreTried
aside
take diagnose-small
close

open 1920x1080 light --paused a-small-gpt
await 'Paused at step'
click 'QPushButton\tNew experiment'
await PickerPage
focusWindow 'New experiment'
fill 'batch size' 64
fill layers 12
fill heads 12
fill channels 768
click 'CheckBox\tTF32'
aside
focusWindow Mantissa  # no field has the cursor
take new-experiment-light 'New experiment'
close

# The same GPT trained here and in PyTorch: two cards of each, side by side.
sed 's|"steps": 4000|"steps": 6|; s|"validation_interval": 250,||; /"name": "fp32"/d; /"name": "bf16"/d' \
    "$root/resources/experiments/94-a-small-gpt.json" >"$work/same.json"
open 1600x900 light --paused "$work/same.json"
key ctrl+2
await 'How often tensors are measured'
choose 'How often tensors are measured' 'each step'
click 'QPushButton\t[^\t]*\tTrain'
await 'Finished at step'
key ctrl+i
await QFileDialog
xdotool type "$root/tests/golden/same-gpt.mprobe"
key Return
await 'Cell\tRuns\tPyTorch'
focusWindow Mantissa
# cards RUN TOP TITLE: the microscope and the usable loss scales of a run, whose cards begin at that line of the screen.
cards() {
    click "Cell\tRuns\t$1"
    aside
    out=$work take "$1"
    convert "$work/$1.png" -crop "444x$((765 - $2))+248+$2" +repage -background white -gravity north -extent 444x410 "$work/left.png"
    convert "$work/$1.png" -crop "444x$((826 - $2))+1149+$2" +repage -background white -gravity north -extent 444x410 "$work/right.png"
    convert "$work/left.png" "$work/right.png" -background '#f2f3f7' +smush 12 "$work/row.png"
    convert -background '#f2f3f7' -fill '#1c1e26' -font /usr/share/fonts/truetype/noto/NotoSans-Bold.ttf -pointsize 20 "label:$3" \
        -bordercolor '#f2f3f7' -border 4x6 "$work/title.png"
    convert "$work/title.png" "$work/row.png" -background '#f2f3f7' -gravity west -append "$work/$1-cards.png"
}
cards fp16 432 'The lab, fp16'
cards PyTorch 396 'PyTorch, watched'
printf 'same-gpt-light\n'
convert "$work/fp16-cards.png" "$work/PyTorch-cards.png" -background '#f2f3f7' +smush 24 -bordercolor '#f2f3f7' -border 16 +dither -colors 160 \
    PNG8:"$out/same-gpt-light.png"
close
