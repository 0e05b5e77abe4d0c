#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# wheel_test.sh PART SOURCE BUILD: the Python packages, in short. PART `package` uses the package's Python files beside the programs of BUILD and
# needs nothing but Python. PART `wheel` makes the wheel from BUILD and installs it in a fresh environment; it needs the tools of
# packaging/wheel/requirements.txt, and exits with 77, which means skipped, where PyPI does not give them. Whole systems: packaging/wheel/try-wheel.sh.
set -uo pipefail
part=$1 source=$2 build=$3
wrong=0
complain() {
    printf 'wrong: %s\n' "$*"
    wrong=1
}
skip() {
    printf 'left out: %s\n' "$*"
    exit 77
}
# same WHAT EXPECTED FOUND
same() { [ "$2" = "$3" ] || complain "$1: expected '$2', found '$3'"; }
python=
for each in "${MANTISSA_PYTHON:-}" python3 /usr/bin/python3; do
    [ -n "$python" ] || [ -z "$each" ] || ! "$each" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || python=$each
done
[ -n "$python" ] || skip "there is no Python 3.10 or newer"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_DATA_HOME=$folder/data PYTHONDONTWRITEBYTECODE=1
unset DISPLAY WAYLAND_DISPLAY QT_QPA_PLATFORM

package() {
    cp -r "$source/packaging/wheel/mantissa_lab" "$folder"
    printf 'VERSION = "0"\n' >"$folder/mantissa_lab/version.py"
    ln -s "$build/bin" "$folder/mantissa_lab/bin"
    mkdir -p "$folder/mantissa_lab/share/applications" "$folder/mantissa_lab/share/mime/packages" \
        "$folder"/mantissa_lab/share/icons/hicolor/scalable/{apps,mimetypes}
    cp "$source/packaging/mantissa-lab.desktop" "$folder/mantissa_lab/share/applications"
    cp "$source/packaging/mantissa-lab.mime.xml" "$folder/mantissa_lab/share/mime/packages/mantissa-lab.xml"
    cp "$source/resources/icons/mantissa-lab.svg" "$folder/mantissa_lab/share/icons/hicolor/scalable/apps"
    cp "$source/resources/icons/application-x-mantissa-recording.svg" "$folder/mantissa_lab/share/icons/hicolor/scalable/mimetypes"
    cd "$folder" || exit 1

    same "mantissa" "$("$build/bin/mantissa" --version)" "$("$python" -c 'import mantissa_lab.programs as p; p.engine()' --version 2>&1)"
    if ! "$python" -c 'import PySide6' 2>/dev/null; then
        same "without Qt" "mantissa-lab: Qt is missing here: pip install PySide6-Essentials" "$("$python" -m mantissa_lab 2>&1)"
    fi
    mkdir "$folder/data"
    "$python" -m mantissa_lab --install-desktop >said || complain "--install-desktop: $(cat said)"
    grep -q 'mantissa_lab" %f$' "$XDG_DATA_HOME/applications/mantissa-lab.desktop" || complain "the menu entry does not start the package"
    ! command -v desktop-file-validate >/dev/null || same "desktop-file-validate" "" "$(desktop-file-validate "$XDG_DATA_HOME/applications/mantissa-lab.desktop")"
    "$python" -m mantissa_lab --remove-desktop >said || complain "--remove-desktop: $(cat said)"
    same "after --remove-desktop" "" "$(ls -A "$XDG_DATA_HOME")"

    "$python" -c 'import numpy' 2>/dev/null || { printf 'left out: NumPy is not installed\n' && return; }
    "$python" - <<'END' || complain "run(), open() and query()"
import mantissa_lab
results = mantissa_lab.run("four-formats", steps=20, settings={"/optimizer/lr": 0.01}, record="kept.mantissa")
assert list(results) == ["fp32", "tf32", "fp16", "bf16"], results
run = results["fp16"]
assert run["step"].tolist() == list(range(20)) and run["lr"].tolist() == [0.01] * 20, run
assert run.summary["final_loss"] == run["loss"][-1] and run.settings["precision"] == "fp16", run.summary
assert (mantissa_lab.open("kept.mantissa")["fp16"]["loss"] == run["loss"]).all()
sql = "SELECT max(step) AS last, 1 / loss_scale < 1 AS scaled FROM steps WHERE name = 'fp16'"
opened = mantissa_lab.open("kept.mantissa")
assert opened.query(sql) == results.query(sql) == mantissa_lab.query("kept.mantissa", sql) == [{"last": 19, "scaled": 1}], opened.query(sql)
stopped = mantissa_lab.run({
    "data": {"name": "digits"}, "model": {"kind": "mlp", "hidden": [16]}, "steps": 40,
    "runs": [{"name": "a b/c", "precision": "fp16", "optimizer": {"kind": "sgd", "lr": 1e8},
              "scaler": {"preset": "deepspeed", "init_scale": 4, "min_scale": 1}}]})["a b/c"]
assert "stopped" in stopped.summary and stopped["loss"][1] != stopped["loss"][1] and stopped.events, stopped.summary
unkept = mantissa_lab.run("four-formats", steps=1)
for call in (lambda: mantissa_lab.run("no-such-experiment"), lambda: mantissa_lab.open("no-such-file"),
             lambda: opened.query("SELECT 'no-such"), lambda: unkept.query("SELECT 'no-such'")):
    try:
        call()
    except mantissa_lab.MantissaError as error:
        assert ("no-such" in str(error) or "not kept" in str(error)) and "\n" not in str(error), error
    else:
        raise AssertionError("nothing was refused")
END
}

wheel() {
    command -v dpkg >/dev/null && [ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] ||
        skip "the wheel is made on Debian with fonts-dejavu-core"
    for library in libxcb-cursor.so.0 libxcb-util.so.1; do
        [[ $(PATH=$PATH:/sbin ldconfig -p) == *"$library"* ]] || skip "$library is not installed"
    done
    PIP_RETRIES=0 PIP_DEFAULT_TIMEOUT=20 "$python" "$source/packaging/wheel/build.py" --tools >said 2>&1 || skip "PyPI does not give the tools: $(tail -n 1 said)"
    "$python" "$source/packaging/wheel/build.py" --build "$build" --platform manylinux_2_35_x86_64 --out "$folder" >said 2>&1 || complain "build.py: $(tail -n 3 said)"
    cat said
    "$python" -m venv "$folder/v" || complain "venv"
    "$folder/v/bin/pip" install --quiet --no-index --no-deps "$folder"/mantissa_{lab,probe}-*.whl >said 2>&1 || complain "pip: $(cat said)"
    cd "$folder" || exit 1
    PATH=/usr/bin:/bin v/bin/mantissa train four-formats --steps 3 --quiet --csv wheel || complain "mantissa train"
    "$build/bin/mantissa" train four-formats --steps 3 --quiet --csv built
    cut -d , -f 1-3,5 wheel/fp16.csv | diff - <(cut -d , -f 1-3,5 built/fp16.csv) || complain "the wheel's engine computes other losses"
    ! grep -qE "$(realpath "$source")|$(realpath "$build")" -r v/lib/python3*/site-packages/mantissa_lab-* || complain "the wheel names folders of this machine"
}

cd "$folder" || exit 1
"$part"
exit $wrong
