# SPDX-License-Identifier: Apache-2.0
# A screen of one's own with real keys and clicks on it, for bash scripts to source. They set `build`, and `patience` in seconds, and define
# `fail`; `lab` is the program's process, `tree` is where the plug-in for Qt writes what is on screen, and `started` what to end afterwards.

# openScreen WIDTHxHEIGHT WORK: a screen without a window manager, and nothing of the user's; everything else is in the folder WORK.
openScreen() {
    local i
    mkdir -p "$2/home" "$2/runtime"
    chmod 700 "$2/runtime"
    tree=$2/tree
    Xvfb -displayfd 3 -screen 0 "${1}x24" -dpi 96 3>"$2/display" 2>/dev/null &
    started+=($!)
    for ((i = 0; i < 300; ++i)); do
        [ -s "$2/display" ] && break
        sleep 0.1
    done
    [ -s "$2/display" ] || fail "Xvfb did not start"
    DISPLAY=:$(tr -d '\n' <"$2/display")
    export DISPLAY
    export HOME=$2/home XDG_CONFIG_HOME=$2/home/config XDG_DATA_HOME=$2/home/data XDG_RUNTIME_DIR=$2/runtime LC_ALL=C.UTF-8
    export QT_QPA_PLATFORM=xcb QT_PLUGIN_PATH=$build/stranger/plugins QT_QPA_GENERIC_PLUGINS=where:$tree
    unset WAYLAND_DISPLAY
}

# ---- what is on screen; a line is: x y width height class name text ----

# tells PATTERN: whether a line matches, with tabs between the fields.
tells() { grep -qP -- "$1" "$tree" 2>/dev/null; }
# await PATTERN [WHAT]: until one does.
await() {
    local end=$((SECONDS + patience))
    until tells "$1"; do
        [ $SECONDS -lt $end ] || fail "${2:-nothing on screen matches '$1'}"
        kill -0 "$lab" 2>/dev/null || fail "the program has ended"
        sleep 0.1
    done
}
awaitGone() {
    local end=$((SECONDS + patience))
    while tells "$1"; do
        [ $SECONDS -lt $end ] || fail "still on screen: '$1'"
        sleep 0.1
    done
}
awaitFile() {
    local end=$((SECONDS + patience))
    until compgen -G "$1" >/dev/null; do
        [ $SECONDS -lt $end ] || fail "no file $1"
        sleep 0.1
    done
}
# awaitTrue WHAT COMMAND...: a file is written bit by bit.
awaitTrue() {
    local end=$((SECONDS + patience)) what=$1
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || fail "$what"
        sleep 0.2
    done
}
# placeOf PATTERN [ACROSS DOWN]: a point of the first match, its middle unless parts of a hundred are said.
placeOf() {
    grep -P -- "$1" "$tree" | head -n 1 | sed 's/^\*//' | awk -F'\t' -v a="${2:-50}" -v d="${3:-50}" '{printf "%d %d", $1 + $3 * a / 100, $2 + $4 * d / 100}'
}
# pointAt PATTERN [ACROSS DOWN]: once it has the same place in two tellings, so that nothing is pointed at that still moves.
pointAt() {
    local end=$((SECONDS + patience)) told toldBefore='' place='' placeBefore
    await "$1"
    while :; do
        told=$(stat -c '%i %.9Y' "$tree" 2>/dev/null || true)
        if [ "$told" != "$toldBefore" ]; then
            placeBefore=$place toldBefore=$told
            place=$(placeOf "$@" || true)
            [ -z "$place" ] || [ "$place" != "$placeBefore" ] || break
        fi
        [ $SECONDS -lt $end ] || fail "does not keep its place: '$1'"
        sleep 0.02
    done
    # shellcheck disable=SC2086
    xdotool mousemove $place
}
click() {
    pointAt "$@"
    xdotool click 1
}
# choose BOX ITEM: in the combo box of that name.
choose() {
    click "ComboBox\\t$1\\t"
    click "Cell\\t[^\\t]*\\t$2"
    await "ComboBox\\t$1\\t$2" "'$2' is not chosen"
}
# types TEXT: into the line that has the focus, all of which is to be replaced.
types() {
    await '^\*.*QLineEdit\t' "no line takes the typing"
    key ctrl+a
    xdotool type "$1"
    await "QLineEdit\\t[^\\t]*\\t\\Q$1\\E$" "'$1' does not arrive in the line"
}
key() { xdotool key --clearmodifiers "$@"; }
# findWindow NAME: sets `window`. A search ends with an error of the X server when any window closes under it; it is tried again then.
findWindow() {
    awaitTrue "no window '$1'" isFound "$1"
}
isFound() {
    window=$(xdotool search --onlyvisible --name "$1" 2>/dev/null | head -n 1) && [ -n "$window" ]
}
takesKeys() { isFound "$1" && xdotool windowfocus --sync "$window" 2>/dev/null; }
# Without a window manager the keyboard stays where a closed window was. One that is just being closed may be found once more.
focusWindow() { awaitTrue "no window '$1' takes the keyboard" takesKeys "$1"; }
