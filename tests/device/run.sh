#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What only a card can prove: conformance, training beside the CPU, memory errors, and the race against PyTorch. Prints a line for each figure and writes
# device-results.json into $OUT, or into the current folder. For a machine with a card and CUDA, but with neither network nor Qt; where there is no card it says so
# and exits 4. Eight minutes.
#
#   tests/device/run.sh --pack [BUILD]  on a build machine: builds the engine and the module and packs them with the libraries they need
#                                       into build/device.tar.xz, which then travels with the tree. MANTISSA_CUDNN_FRONTEND names the
#                                       folder of cuDNN's frontend headers where CMake would not find them. With BUILD, a finished build
#                                       folder, it packs what that has
#   tests/device/run.sh [PARTS]         on the machine with the card: unpacks that; without it, builds with what the machine has. PARTS of
#                                       measure.py, "conformance,gpt": what fits into the time at hand, which MANTISSA_DEVICE_LIMITS
#                                       (measure.py) changes
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
packed=$root/build/device.tar.xz
say() { printf 'device: %s\n' "$*"; }

configureAndBuild() {
    say "building the engine and the module"
    cmake -S "$root" -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DMANTISSA_BUILD_GUI=OFF -DMANTISSA_BUILD_TESTS=OFF \
        ${MANTISSA_CUDNN_FRONTEND:+-DMANTISSA_CUDNN_FRONTEND="$MANTISSA_CUDNN_FRONTEND"} | grep -E '^-- No ' || true  # what the figures are then taken without
    cmake --build "$1" --target mantissa mantissa_cuda mantissa_products
}

# The libraries of Debian's packages; the C and C++ runtimes and CUDA's are the other machine's own.
librariesOf() {
    ldd "$1" | awk '$3 ~ /lib(dnnl|sqlite3|z|OpenCL|gomp)\.so/ { print $3 }'
}

if [ "${1:-}" = --pack ]; then
    build=${2:-$root/build/device}
    [ $# -gt 1 ] || configureAndBuild "$build"
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    mkdir -p "$folder/bin" "$folder/lib/mantissa" "$folder/lib/other" "$root/build"
    cp "$build/bin/mantissa" "$folder/bin/"
    for file in bin/mantissa_products lib/mantissa/mantissa_cuda.so; do
        if [ -f "$build/$file" ]; then cp "$build/$file" "$folder/$file"; else say "$build has no $file"; fi
    done
    librariesOf "$build/bin/mantissa" | while read -r library; do cp -L "$library" "$folder/lib/other/"; done
    tar -C "$folder" -cJf "$packed" .
    say "packed $(du -h "$packed" | cut -f1) into ${packed#"$root"/}"
    exit 0
fi

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
if [ -f "$packed" ]; then
    say "unpacking ${packed#"$root"/}"
    tar -C "$work" -xJf "$packed"
else
    configureAndBuild "$work"
fi

# CUDA's libraries: the toolkit's, and cuDNN where PyTorch's package brought it.
folders=$work/lib/other
for name in $(ldd "$work/lib/mantissa/mantissa_cuda.so" 2>/dev/null | awk '$1 ~ /^lib(cublasLt|cudnn)\.so/ { print $1 }'); do
    found=$({ PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null || true; } | awk -v name="$name" '$1 == name && found == "" { found = $NF } END { print found }')
    [ -n "$found" ] || found=$({ find / -xdev -name "$name" 2>/dev/null || true; } | sed -n 1p)
    if [ -n "$found" ]; then folders=$folders:$(dirname "$found"); else say "$name was not found"; fi
done
# For our programs alone: PyTorch has its own.
export MANTISSA_LIBRARIES=$folders${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

mantissa=$work/bin/mantissa
LD_LIBRARY_PATH=$MANTISSA_LIBRARIES timeout 60 "$mantissa" devices || say "mantissa devices ended with code $?"
python3 "$root/tests/device/measure.py" "$mantissa" "${OUT:-.}/device-results.json" "$@" &
wait $!
