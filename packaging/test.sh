#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs all tests: first those of kernels and engine under the address and undefined-behaviour sanitizers, then the engine behind
# the window under the thread sanitizer, then everything in the release build, so that the last summary is the whole one. With CI=true
# warnings are errors. Needs no display.
#   packaging/test.sh           all of it, beside a PyTorch that is there already
#   packaging/test.sh --torch   puts PyTorch from PyPI into build/torch first (2 GB), and runs what needs it too
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

withTorch=false
case "${1:-}" in
    "") ;;
    --torch) withTorch=true ;;
    *) fail "test.sh takes --torch and nothing else, not '$1'" ;;
esac
if [ "$withTorch" = true ]; then
    export MANTISSA_PYTHON=$root/build/torch/bin/python
    if ! "$MANTISSA_PYTHON" -c "import torch, numpy" 2>/dev/null; then
        say "putting PyTorch into build/torch"
        python3 -m venv "$root/build/torch" || fail "python3 -m venv does not work here: apt install python3-venv"
        "$root/build/torch/bin/pip" install --quiet torch numpy || fail "PyTorch could not be installed from PyPI"
    fi
fi

export QT_QPA_PLATFORM=offscreen
unset DISPLAY WAYLAND_DISPLAY

# runTests PRESET [OPTIONS OF CTEST]. One test more than there are processors: some of them only wait.
runTests() {
    say "running the tests of build/$1"
    (cd "$root" && ctest --preset "$1" -j $(($(nproc) + 1)) "${@:2}" </dev/null) || fail "tests of build/$1 failed"
}

# In a build from scratch with 4 GiB for each processor, gcc's garbage collection is switched off, which takes a ninth of its time.
werror=OFF
flags=()
if [ "${CI:-}" = true ]; then
    werror=ON
    memory=$(awk '/^MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
    [ "$memory" -lt $((4 * $(nproc))) ] || flags=(-DCMAKE_CXX_FLAGS=--param=ggc-min-heapsize=2097152)
fi

# Not the kernels on the emulated GPU: compiled so, its files take a minute of a processor, its tests another even unsanitized, and the jumps
# of its fibers from stack to stack would each have to be announced to the sanitizer, or it warns of false alarms to come.
configure asan -DMANTISSA_BUILD_GUI=OFF -DMANTISSA_BUILD_CUDA=OFF "${flags[@]}"
build asan
runTests asan

# The thread sanitizer knows nothing of OpenMP's threads: the engine behind the window, with its own, is what is run under it. It finds memory
# that is used after it was freed, too, so that test is not run under the address sanitizer.
configure tsan -DMANTISSA_BUILD_GUI=OFF -DMANTISSA_BUILD_CUDA=OFF "${flags[@]}"
build tsan test_engine_cli
runTests tsan -R '^ServeThreads'

# gcc's sanitizers bring false warnings, so warnings are errors in this build alone.
#
# Of the CUDA module, where there is nvcc and no GPU, one capability is as good as four for what is tested, and so is code that is less
# optimised: on an H200 its training steps took 4 to 8 times as long. A module that was built in full stays so.
trimmed=()
[ -e /dev/nvidiactl ] || [ -e "$root/build/release/lib/mantissa/mantissa_cuda.so" ] || trimmed=(-DMANTISSA_CUDA_ARCHITECTURES=90 '-DCMAKE_CUDA_FLAGS=-Xcicc -O1 -Xptxas -O1')
configure release -DMANTISSA_WERROR=$werror "${trimmed[@]}" "${flags[@]}"
build release
runTests release
