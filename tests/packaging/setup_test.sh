#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# setup_test.sh SOURCE: what packaging/setup.sh asks of the package managers of four kinds of system. Each manager is a script here that
# writes down its arguments, so this shows the calls and not that a real system has packages of these names.
set -uo pipefail
setup=$1/packaging/setup.sh
wrong=0
complain() {
    printf 'wrong: %s\n' "$*"
    wrong=1
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bash=$(command -v bash)

# program NAME: from standard input, in the system's only folder of programs.
program() {
    { printf '#!%s\n' "$bash" && cat; } >"$folder/bin/$1"
    chmod +x "$folder/bin/$1"
}

# system MANAGER: one that has cmake alone, whose archive has everything but mandoc.
system() {
    rm -rf "$folder/bin"
    mkdir "$folder/bin"
    local tool
    for tool in dirname mktemp rm tail grep awk env; do ln -s "$(command -v $tool)" "$folder/bin"; done
    program id <<<'echo 0'
    program dpkg-query <<<'echo installed cmake'
    program rpm <<<'[ "${*: -1}" = cmake ]'
    for tool in cmake ninja; do program "$tool" </dev/null; done
    [ "$1" = none ] || program "$1" <<<'[ "$1" != -T ] || { [ "$2" = cmake ] && exit; exit 127; }
echo "$0 $*" | sed s,.*/,, >>'"$folder/calls"'
[[ " $* " != *" mandoc "* ]]'
    [ "$1" = none ] || ln -s "$(command -v sed)" "$folder/bin"
    : >"$folder/calls"
}

# expect WHAT PATTERN: in what was said and called.
expect() { grep -qE -e "$2" "$folder/said" "$folder/calls" || complain "$1: nothing like '$2' in: $(cat "$folder/said" "$folder/calls")"; }
run() { PATH=$folder/bin "$bash" -c "source '$setup'; echo went on" >"$folder/said" 2>&1; }

while read -r manager call compiler plots; do
    system "$manager"
    run || complain "$manager: ended with $?: $(cat "$folder/said")"
    expect "$manager" "^.*$manager.* $call.* $compiler .* $plots "
    expect "$manager" "going on without these packages, .*: mandoc$"
    expect "$manager" "^went on"
    ! grep -E ' (-|cmake)( |$)|[a-z],' "$folder/calls" || complain "$manager: asked for what is here, or for no package"
done <<'END'
apt-get install g\+\+ libqcustomplot-dev
dnf install gcc-c\+\+ qcustomplot-qt6-devel
pacman -S gcc qcustomplot
zypper install gcc-c\+\+ qcustomplot-qt6-devel
END

system none
run || complain "no manager: ended with $?: $(cat "$folder/said")"
expect "no manager" "none of apt-get, dnf, pacman and zypper: .* installed: g\+\+ cmake"

system dnf
program dnf <<<'echo no network; exit 1'
rm "$folder/bin/cmake"
! run || complain "nothing could be installed, and it went on"
expect "nothing could be installed" "no network"
expect "nothing could be installed" "could not be installed .the lines above say why.: gcc-c"

system zypper
program id <<<'echo 1000'
rm "$folder/bin/ninja"
! run || complain "no root, and it went on"
expect "no root" "neither root nor sudo"

system apt-get
program apt-get <<<'echo no network; exit 1'
run || complain "only mandoc is missing, without network: ended with $?: $(cat "$folder/said")"
expect "only mandoc is missing" "no network"
exit $wrong
