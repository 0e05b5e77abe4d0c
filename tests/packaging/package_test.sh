#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# package_test.sh PART BUILD TREE HAS_WINDOW: installs the build into the fresh folder TREE (PART `install`, first), then looks at one side
# of it. A validator that this machine does not have is left out with a line; what is wrong is a line each, and the exit code is 1.
# shellcheck disable=SC2317  # the parts are called by name, in the last lines
set -uo pipefail
part=$1 build=$2 tree=$3 hasWindow=$4
usr=$tree/usr
wrong=0
complain() {
    printf 'wrong: %s\n' "$*"
    wrong=1
}

# check TOOL ARGUMENT...: runs it when it is here; what it says counts when it fails.
check() {
    if ! command -v "$1" >/dev/null; then
        printf 'left out: %s is not installed\n' "$1"
        return
    fi
    local said
    said=$("$@" 2>&1) || complain "$(basename "$1") ${*:2}: $said"
}

# same WHAT EXPECTED FOUND
same() { [ "$2" = "$3" ] || complain "$1: expected '$2', found '$3'"; }

# offered WORD...: what bash offers for the last word of this command line, sorted, on one line.
offered() {
    (
        # shellcheck disable=SC1091
        source "$usr/share/bash-completion/completions/mantissa"
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _mantissa
        printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
    )
}

# The options that a help page lists, one a line.
optionsOf() { grep -oE '^ +(-[a-zA-Z], *)?--[a-z-]+' | grep -oE -- '--[a-z-]+'; }

commandsOf() { "$usr/bin/mantissa" --help | sed -n '/^Subcommands:/I,$ s/^  \([a-z][a-z-]*\) .*/\1/p'; }

install() {
    rm -rf "$tree"
    DESTDIR=$tree cmake --install "$build" --prefix /usr >"$build/tests/installed.log" || complain "cmake --install"
}

files() {
    local expected=(bin/mantissa share/man/man1/mantissa.1.gz share/doc/mantissa/copyright share/doc/mantissa/changelog.gz
        share/doc/mantissa/guide/README.md share/bash-completion/completions/mantissa share/zsh/vendor-completions/_mantissa
        share/fish/vendor_completions.d/mantissa.fish)
    [ "$hasWindow" = OFF ] || expected+=(bin/mantissa-lab share/man/man1/mantissa-lab.1.gz share/applications/mantissa-lab.desktop
        share/metainfo/mantissa-lab.metainfo.xml share/mime/packages/mantissa-lab.xml share/icons/hicolor/scalable/apps/mantissa-lab.svg
        share/icons/hicolor/scalable/mimetypes/application-x-mantissa-recording.svg)
    grep -q digits.csv.gz "$usr/share/doc/mantissa/data-credits.md" || complain "the credits of the data are not there"
    same "the changelog's version" "$("$usr/bin/mantissa" --version)" \
        "$(gzip -dc "$usr/share/doc/mantissa/changelog.gz" | sed -n '1s/^\(mantissa\) (\(.*\)) .*/\1 \2/p')"
    local file mode
    for file in "${expected[@]}"; do [ -s "$usr/$file" ] || complain "$file is not there"; done
    # each file can be read by all and written by its owner alone; only programs can be run
    while read -r mode file; do
        case $file in
            bin/*) same "$file" 755 "$mode" ;;
            *) same "$file" 644 "$mode" ;;
        esac
    done < <(cd "$usr" && find . -type f -printf '%m %P\n')
    same "programs" "$([ "$hasWindow" = OFF ] || printf 'mantissa-lab ')mantissa" "$(cd "$usr/bin" && printf '%s\n' * | sort -r | paste -sd ' ')"
    same "outside /usr" usr "$(ls -A "$tree")"
}

# Every command and option of the programs' own help is in the manual.
manual() {
    local page command option
    page=$(gzip -dc "$usr/share/man/man1/mantissa.1.gz" | sed 's/\\-/-/g')
    [ "$(commandsOf | wc -l)" -ge 14 ] || complain "the help's list of commands was not read"
    for command in $(commandsOf); do
        local section
        section=$(awk -v head=".SS \"mantissa $command" 'index($0, ".S") == 1 { on = index($0, head " ") == 1 || $0 == head "\"" } on' <<<"$page")
        [ -n "$section" ] || complain "mantissa.1 has no section on $command"
        for option in $("$usr/bin/mantissa" "$command" --help | optionsOf); do
            [ "$option" = --help ] || grep -qF -- "\\fB$option\\fR" <<<"$section" || complain "mantissa.1: $command has no $option"
        done
    done
    [ "$hasWindow" = ON ] || return 0
    page=$(gzip -dc "$usr/share/man/man1/mantissa-lab.1.gz" | sed 's/\\-/-/g')
    local options
    options=$(QT_QPA_PLATFORM=offscreen "$usr/bin/mantissa-lab" --help 2>/dev/null | optionsOf)
    [ -n "$options" ] || complain "mantissa-lab's options were not read"
    for option in $options; do grep -qF -- "\\fB$option\\fR" <<<"$page" || complain "mantissa-lab.1 has no $option"; done
}

completions() {
    local command option options shells=(share/bash-completion/completions/mantissa share/zsh/vendor-completions/_mantissa)
    check bash -n "$usr/${shells[0]}"
    check zsh -n "$usr/${shells[1]}"
    check fish --no-execute "$usr/share/fish/vendor_completions.d/mantissa.fish"
    same "mantissa <Tab>" "$( (commandsOf; printf '%s\n' -h --help --version) | sort | paste -sd ' ')" "$(offered mantissa '')"
    for command in $(commandsOf); do
        options=$("$usr/bin/mantissa" "$command" --help | optionsOf)
        same "mantissa $command --<Tab>" "$(sort <<<"$options" | paste -sd ' ')" "$(offered mantissa "$command" --)"
        for option in $options; do
            sed -n "/^ *$command) _arguments/,/;;/p" "$usr/${shells[1]}" | grep -F -- "${option}[" >/dev/null || complain "zsh: $command has no $option"
            grep -qE -- "_from $command'.* -l ${option#--} " "$usr/share/fish/vendor_completions.d/mantissa.fish" ||
                complain "fish: $command has no $option"
        done
    done
    # what is offered for a value
    local folder
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' RETURN
    mkdir "$folder/kept"
    touch "$folder/a.mantissa" "$folder/b c.mantissa" "$folder/else.txt"
    cd "$folder" || return
    same "a recording" "a.mantissa b c.mantissa kept" "$(offered mantissa replay '')"
    same "a folder" "kept" "$(offered mantissa train --csv '')"
    same "a format" "fp16" "$(offered mantissa convert --to fp1)"
    same "after =" "csv" "$(offered mantissa export --to = c)"
    same "a device" "auto cpu cuda:0" "$(offered mantissa train --device '')"
    same "a preset" "deepspeed deepspeed-consecutive" "$(offered mantissa simulate-scaler deep)"
    same "an experiment" "four-formats" "$(offered mantissa train four-f)"
    same "a lesson" "too-hot" "$(offered mantissa lesson too)"
    same "a file that is an experiment" "else.txt" "$(offered mantissa plan else)"
    same "a number" "" "$(offered mantissa train --steps '')"
    same "an option" "--steps" "$(offered mantissa train four-formats --st)"
    if command -v fish >/dev/null; then
        inFish() { fish --no-config -c "source '$usr/share/fish/vendor_completions.d/mantissa.fish'; complete -C '$1'" | cut -f 1; }
        same "fish" "--steps" "$(inFish 'mantissa train --ste')"
        same "fish, a device" "cuda:0" "$(inFish 'mantissa train --device cud')"
    fi
}

validators() {
    local page said
    for page in "$usr"/share/man/man1/*.gz; do
        if command -v man >/dev/null; then
            said=$(MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -l -Tutf8 "$page" 2>&1 >/dev/null)
            [ -z "$said" ] || complain "man $(basename "$page"): $said"
        else
            printf 'left out: man is not installed\n'
        fi
        check mandoc -Tlint -W warning "$page"
    done
    [ "$hasWindow" = ON ] || return 0
    check desktop-file-validate "$usr/share/applications/mantissa-lab.desktop"
    # Newer versions of AppStream warn that the project has no home page, and fail; older ones do not know this warning.
    local metainfo=("$usr/share/metainfo/mantissa-lab.metainfo.xml")
    [[ $(appstreamcli validate --no-net "${metainfo[@]}" 2>&1) != *"W: "*url-homepage-missing* ]] || metainfo+=(--override=url-homepage-missing=info)
    check appstreamcli validate --no-net "${metainfo[@]}"
    check xmllint --noout "$usr/share/mime/packages/mantissa-lab.xml" "$usr"/share/icons/hicolor/scalable/*/*.svg
    if ! command -v update-mime-database >/dev/null; then
        printf 'left out: update-mime-database is not installed\n'
        return
    fi
    # a database of ours alone, so that the installed tree stays as it was
    local database
    database=$(mktemp -d)
    trap 'rm -rf "$database"' RETURN
    mkdir "$database/packages"
    cp "$usr/share/mime/packages/mantissa-lab.xml" "$database/packages"
    check update-mime-database "$database"
    grep -qx 'application/x-mantissa-recording:\*\.mantissa' "$database/globs" || complain "the MIME type has no pattern"
    grep -qx 'MimeType=application/x-mantissa-recording;' "$usr/share/applications/mantissa-lab.desktop" ||
        complain "the desktop entry does not open recordings"
}

# The installed engine, with nothing of the build folder in its path.
engine() {
    local folder mantissa=$usr/bin/mantissa
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' RETURN
    cd "$folder" || return
    local -x PATH=/usr/bin:/bin
    "$mantissa" formats >said || complain "mantissa formats"
    grep -q '^fp16 ' said || complain "mantissa formats does not know fp16"
    "$mantissa" train four-formats --steps 3 --quiet --record run.mantissa --report report || complain "mantissa train"
    [ -s report/index.html ] || complain "the report is not there"
    "$mantissa" replay run.mantissa >said 2>&1 || complain "mantissa replay: $(cat said)"
    # what the MIME type's magic says of the file
    same "at byte 68" "Mtsa" "$(dd if=run.mantissa bs=1 skip=68 count=4 status=none)"
}

# The installed window finds the installed engine, and trains.
window() {
    local folder said seconds
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' RETURN
    for seconds in 1 5 30; do  # longer where the machine is busy
        said=$(cd "$folder" && PATH=/usr/bin:/bin QT_QPA_PLATFORM=offscreen XDG_CONFIG_HOME=$folder XDG_DATA_HOME=$folder \
            XDG_RUNTIME_DIR=$folder timeout 60 "$usr/bin/mantissa-lab" --measure "$seconds" 2>&1) || break
        grep -qE '"step_ms":.*"count":[1-9]' <<<"$said" && return
    done
    complain "mantissa-lab trained nothing: $said"
}

"$part"
exit $wrong
