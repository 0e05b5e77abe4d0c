#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What somebody does who has never seen the window, with real keys and clicks on a screen of its own: opens it, chooses an experiment, switches
# a format, zooms, reads a value, finds the first skip, forks before it with a lower loss scale, exports a figure and a report. Each station is
# photographed and checked; the first that fails ends the script with its name.
# Usage: stranger.sh BUILD-FOLDER WIDTHxHEIGHT. Pictures: BUILD-FOLDER/stranger/WIDTHxHEIGHT.
set -euo pipefail
visit=
# shellcheck source=tests/gui/stranger/stage.sh
source "$(dirname "${BASH_SOURCE[0]}")/stage.sh"
figureNames() { identify -verbose "$work/home/figure.png" 2>/dev/null | grep -qF "$1"; }

station 1-open
openLab
await GalleryPage "the gallery does not greet"
focusWindow Gallery
key Escape
awaitGone GalleryPage
await '\tTour, 1 of 5' "the tour does not greet"
findWindow Mantissa
xdotool windowmove "$window" 0 0
focusWindow Mantissa
await '\tstep [1-9]' "nothing trains"
photograph
key Escape
awaitGone '\tTour, '

station 2-experiment
choose Experiment 'Too hot'
await 'MainWindow\t[^\t]*\tToo hot'
await 'fp16 at 2\^24' "the runs of the one before are still there"
await '\tstep \d{2,}' "the chosen experiment does not train"
photograph

station 3-precision
key 1
await 'Precision of fp32: BF16' "the run that the key names is not chosen"
click '\tPrecision of fp32: BF16'
await 'effective at step'
photograph

station 4-zoom
await '\tstep \d{3,}'
pointAt 'Canvas\tPlots' 50 20
xdotool click 4 click 4 click 4
await 'QPushButton\tFollow the newest steps' "a zoom does not offer the way back to the newest steps"
photograph

station 5-read
pointAt 'Canvas\tPlots' 40 20
sleep 0.5
before=$(grep -P 'Cell\tRead-out' "$tree" | md5sum || true)
pointAt 'Canvas\tPlots' 70 20
end=$((SECONDS + patience))
while [ "$before" = "$(grep -P 'Cell\tRead-out' "$tree" | md5sum)" ]; do
    [ $SECONDS -lt $end ] || fail "the read-out does not follow the pointer"
    sleep 0.1
done
photograph

station 6-first-skip
key 4 # the run whose every step overflows
key Home
key shift+n
await 'step.{0,40}>?0<' "the crosshair is not at the first skip"
photograph
key ctrl+2
await 'DiagnosePage'
await 'Rewind to 0 and fork|Verdict' "no verdict"
stationName=6-why
photograph
key ctrl+1

station 7-fork
focusWindow Mantissa
key y
await 'ForkDialog'
focusWindow Fork
choose 'What to change' 'loss scale'
key Tab
photograph
types 1024
click 'QPushButton\tFork'
awaitGone 'ForkDialog'
await '\tRun fp16 at 2\^24, loss scale 1024|Cell\t[^\t]*\tfp16 at 2\^24, loss scale 1024' "the fork has no card"
focusWindow Mantissa

station 8-fixed
await 'Cell\tRead-out[^\t]*\t2¹⁰' "the fork does not use the scale that was asked for"
photograph
differ 6-first-skip 8-fixed || fail "the plots do not show the fork"

station 9-figure
key ctrl+e
await 'ExportDialog'
focusWindow Export
photographAtRest Export
click 'QPushButton\tSave the picture'
await 'QFileDialog'
focusWindow 'Save the picture'
types "$work/home/figure.png"
key Return
awaitFile "$work/home/figure.png"
awaitGone 'QFileDialog'
awaitTrue "the figure does not name its runs" figureNames 'fp16 at 2^24, loss scale 1024'
[ "$(identify -format '%w' "$work/home/figure.png")" -ge 900 ] || fail "the figure is small"
cp "$work/home/figure.png" "$pictures/figure.png"

station 10-report
focusWindow Export
click 'Tab\tWhat to export\tData'
await 'ComboBox\tFormat of the files' "the page of data is not shown"
choose 'Format of the files' 'Report, an HTML page'
await 'Preview of the report'
photographAtRest Export
click 'QPushButton\tExport to a folder'
await 'QFileDialog'
focusWindow 'Where a folder'
types "$work/home"
key Return
awaitFile "$work/home/*/*.html"
report=$(compgen -G "$work/home/*/*.html" | head -n 1)
for run in 'bf16' 'fp16 at 2^24, loss scale 1024'; do awaitTrue "the report does not name $run" grep -qF "$run" "$report"; done

station 11-experiment
awaitGone 'QFileDialog'
focusWindow Export
key Escape
awaitGone 'ExportDialog'
focusWindow Mantissa
key ctrl+s
await 'QFileDialog'
focusWindow 'Save experiment'
types "$work/home/found.json"
key Return
awaitFile "$work/home/found.json"
grep -q 1024 "$work/home/found.json" || fail "the file does not have the scale that helped"
"$build/bin/mantissa" plan "$work/home/found.json" >/dev/null || fail "the file is no experiment"
photograph

station 12-quit
quitLab
