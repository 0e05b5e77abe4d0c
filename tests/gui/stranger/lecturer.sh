#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a lecturer does, with real keys and clicks on a screen of its own: from the gallery to the first curve, "One bad pixel" from the curve to
# its cause, "Scale collapse" from the storm to a cure, a lesson before a room with keys alone, and a run's program in PyTorch, which is run
# where PyTorch is found. Each station is photographed and checked; the first that fails ends the script with its name.
# Usage: lecturer.sh BUILD-FOLDER WIDTHxHEIGHT. Pictures: BUILD-FOLDER/stranger/lecturer-WIDTHxHEIGHT.
set -euo pipefail
visit=lecturer-
# shellcheck source=tests/gui/stranger/stage.sh
source "$(dirname "${BASH_SOURCE[0]}")/stage.sh"

# A Python with PyTorch 2.3 or later, as the program needs; empty: there is none.
pythonWithTorch() {
    local python
    for python in "${MANTISSA_TORCH_PYTHON:-}" python3; do
        [ -n "$python" ] && "$python" -c 'import torch, numpy; torch.amp.GradScaler' 2>/dev/null && printf '%s' "$python" && return
    done
    true
}

station 1-gallery
openLab
await GalleryPage "the gallery does not greet"
focusWindow Gallery
photograph
xdotool type 'bad pixel'
await 'GalleryCard\tOne bad pixel' "the filter does not lead to the card"
stationName=1-filtered
photograph
key Return
awaitGone GalleryPage
findWindow Mantissa
xdotool windowmove "$window" 0 0
focusWindow Mantissa
await 'MainWindow\t[^\t]*\tOne bad pixel' "the card's experiment is not open"
await '\tstep [1-9]' "nothing trains"
if tells '\tTour, '; then key Escape; awaitGone '\tTour, '; fi
photograph

station 2-broken
await 'HealthLine|validation is not|running statistics are not' "no word of what is broken"
await 'Finite, but' "health does not say that something is broken"
photograph

station 3-cause
key 2 # the run that is broken
click 'QPushButton\tWhy\? Examine step \d+( of one Inf)?\t'
await DiagnosePage
await 'bad statistics|Bad statistics|running statistics' "the cause is not named"
photograph
key ctrl+1

station 4-storm
focusWindow Mantissa
choose Experiment 'Scale collapse'
await 'MainWindow\t[^\t]*\tScale collapse'
await 'Collapsing|Dead' "no storm"
photograph

station 5-remedies
key 2
click 'QPushButton\tWhy\? Examine step \d+( of fp16)?\t'
await DiagnosePage
await 'Training diverges' "the verdict is another one"
photograph
# What was tried along the way may have been enough, or nearly.
for _ in 1 2 3; do
    await '\tTry (them|longer)$|Back to step 300: lr 0\.1, as before: '
    tells 'Back to step 300: lr 0\.1, as before: ' && break
    click '\tTry (them|longer)$'
    sleep 1
    awaitGone '\tStop$'
done
await 'QPushButton\tBack to step 300: lr 0.1, as before: ' "the way back is not offered"
sleep 1 # a hand waits, too, for what it has come to press
stationName=5-tried
photograph
click 'QPushButton\tBack to step 300: lr 0.1, as before: '
key ctrl+1
await 'Cell\t[^\t]*\tfp16, lr 0.1|Run fp16, lr 0.1|fp16.*0\.1' "the cure has no run"
station 6-cured
focusWindow Mantissa
if ! tells 'QPushButton\t[^\t]*\tPause$'; then key ctrl+r; fi
await 'Finished at step 700' "the cure does not train to the end"
await 'Cell\tRead-out[^\t]*\t0\.00' "the cured run does not learn"
photograph

station 7-lesson
key alt+l
await 'QMenu'
key Up Up Up Up Up Up Up Up Up Up Up Up Up Up Up Up Up Up Return # the third of twenty, from below
await 'How the scaler adjusts the loss scale' "the lesson is not open"
focusWindow Mantissa
key ctrl+3
await PresentPage "the presentation is not there"
focusWindow Mantissa
photograph
for place in 1 2 3 4 5 6 7 8; do
    tells 'What to remember' && break
    if tells 'Predict'; then
        key b
        sleep 0.3
        key Right
        await '\tAnswer|Right: ' "the answer to question $place is not shown"
        stationName=7-answer-$place
        photograph
    fi
    key Right
    sleep 1
done
await 'What to remember' "the lesson does not come to its end"
stationName=7-end
photograph
key ctrl+3
awaitGone PresentPage

station 8-program
focusWindow Mantissa
key ctrl+e
await 'ExportDialog'
focusWindow Export
click 'Tab\tWhat to export\tA run as a program'
await 'Save the program'
photographAtRest Export
click 'QPushButton\tSave the program'
await 'QFileDialog'
focusWindow 'Save the program'
types "$work/home/program.py"
key Return
awaitFile "$work/home/program.py"
python=$(pythonWithTorch)
if [ -n "$python" ]; then
    (cd "$work/home" && timeout 240 "$python" program.py) >"$pictures/program.txt" 2>&1 || fail "the program does not run: $(tail -n 1 "$pictures/program.txt")"
else
    python3 -m py_compile "$work/home/program.py" || fail "the program is no Python"
fi
awaitGone 'QFileDialog'
focusWindow Export
key Escape
awaitGone 'ExportDialog'

station 9-quit
quitLab
