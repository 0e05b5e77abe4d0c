#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Mantissa and starts it. With a display: the window, and the arguments go to mantissa-lab. Without: trains an experiment,
# `four-formats` unless the first argument names another, and the other arguments go to `mantissa train`; the last line printed is the
# path of the report.
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

targets=(mantissa mantissa-lab)
# The module for NVIDIA GPUs, where there is nvcc to build it and a driver to use it; in full, if tests had built it for less.
whole=()
PATH=$PATH:/sbin ldconfig -p 2>/dev/null | grep 'libcuda\.so\.1' >/dev/null && whole=(-U MANTISSA_CUDA_ARCHITECTURES -U CMAKE_CUDA_FLAGS)
configure release "${whole[@]}"
[ ${#whole[@]} -gt 0 ] && [ -d "$root/build/release/kernels/cuda" ] && targets+=(mantissa_cuda)
build release "${targets[@]}"

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    say "starting the window"
    "$root/build/release/bin/mantissa-lab" "$@"
    exit
fi

experiment=four-formats
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
    experiment=$1
    shift
fi
report="$root/mantissa-report-$(date +%Y%m%d-%H%M%S)"
say "no display here: training $experiment without the window"
"$root/build/release/bin/mantissa" train "$experiment" --report "$report" "$@" </dev/null
say "open index.html in this folder with a browser:"
printf '%s\n' "$report"
