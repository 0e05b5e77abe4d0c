# SPDX-License-Identifier: Apache-2.0
# What visits share, for bash scripts to source: a screen of their own, stations with pictures, what is said when one fails, the program's
# start and end. The sourcing script sets `visit`, which its pictures' folder begins with; its arguments are BUILD-FOLDER and WIDTHxHEIGHT.
build=$(realpath "$1") screen=$2
width=${screen%x*} height=${screen#*x}
pictures=$build/stranger/$visit$screen
work=$(mktemp -d)
tree=$work/tree
patience=60  # seconds; a test machine may be busy
stationName=start
started=()

finish() {
    local code=$?
    if [ $code -ne 0 ]; then
        printf 'stranger: failed at "%s"%s\n' "$stationName" "${complaint:+: $complaint}" >&2
        [ -z "${DISPLAY:-}" ] || timeout 20 import -window root "$pictures/failed.png" 2>/dev/null || true
        # What was on screen, for whoever cannot see the picture.
        [ ! -f "$tree" ] || { cp "$tree" "$pictures/failed.txt" && grep -P '^\*|Window|Dialog|ComboBox|LineEdit|Tour|\tstep ' "$tree" >&2; }
        [ ! -s "$work/said" ] || tail -n 5 "$work/said" >&2
    fi
    for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
    exit $code
}
trap finish EXIT

fail() {
    complaint=$*
    exit 1
}

# shellcheck source=tests/gui/stranger/hands.sh
source "$(dirname "${BASH_SOURCE[0]}")/hands.sh"
station() {
    stationName=$1
    complaint=
}
photograph() { import -window root "$pictures/$stationName.png"; }
# photographAtRest WINDOW: once the window of that name has drawn all that it has to show, such as a preview.
photographAtRest() {
    local before='' now
    findWindow "$1"
    for _ in $(seq 40); do
        sleep 0.25
        now=$(import -window "$window" png:- | identify -format '%#' -)
        [ "$now" != "$before" ] || break
        before=$now
    done
    photograph
}
# differ A B: whether two pictures of this visit show something else.
differ() { [ "$(identify -format '%#' "$pictures/$1.png")" != "$(identify -format '%#' "$pictures/$2.png")" ]; }

# ---- a screen, and nothing of the user's ----

rm -rf "$pictures"
mkdir -p "$pictures"
openScreen "$screen" "$work"
[ "$width" -lt 3000 ] && scale=1 || scale=2
export QT_SCALE_FACTOR=$scale
cd "$work/home"

openLab() {
    # A window that is larger than the screen finds the screen's size by itself.
    local sized=(--size "$((width / scale))x$((height / scale))")
    [ "$screen" = 1280x720 ] && sized=()
    "$build/bin/mantissa-lab" --theme light "${sized[@]}" "$@" >"$work/said" 2>&1 &
    lab=$!
    started+=("$lab")
}

quitLab() {
    local end
    focusWindow Mantissa
    key ctrl+q
    end=$((SECONDS + patience))
    while kill -0 "$lab" 2>/dev/null; do
        [ $SECONDS -lt $end ] || fail "the program does not end"
        sleep 0.1
    done
    wait "$lab" || fail "the program ended with $?"
    printf 'stranger: all stations of %s in %s s, pictures in %s\n' "$screen" "$SECONDS" "$pictures"
}
