// SPDX-License-Identifier: Apache-2.0
// kernels/cpu/block_array.h by plain C functions, for compare_blocks.py: Python loads this and quantises its own arrays. Part of no test.
#include <algorithm>
#include <chrono>
#include <vector>

#include "kernels/cpu/block_array.h"
#include "kernels/cpu/rotate.h"
#include "kernels/cpu/round_array.h"

namespace mantissa {
namespace {

/// "nvfp4", "te", or "mxfp4", "floor".
BlockFormat formatOf(const char* name, const char* variant, std::int64_t blockRows, std::int64_t blockCols) {
    BlockFormat format = blockFormatFromName(name).value();
    if (!format.isNvfp4()) {
        format = withRule(format, scaleRuleFromName(variant).value());
    } else {
        format.dialect = nvfp4DialectFromName(variant).value();
    }
    format.block = {blockRows, blockCols};
    return format;
}

template <typename Work>
double leastSeconds(int times, Work work) {
    double least = 1e9;
    for (int i = 0; i < times; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return least;
}

}  // namespace

extern "C" {

float probeTensorScale(const char* name, const char* variant, const float* values, std::int64_t count) {
    return tensorScaleOf(formatOf(name, variant, 1, 16), largestMagnitude(values, count));
}

void probeQuantize(const char* name, const char* variant, std::int64_t rows, std::int64_t cols, std::int64_t blockRows,
                   std::int64_t blockCols, const float* values, float tensorScale, std::uint8_t* elements, std::uint8_t* scales) {
    quantizeBlocks(formatOf(name, variant, blockRows, blockCols), {rows, cols}, values, tensorScale, elements, scales);
}

void probeDequantize(const char* name, const char* variant, std::int64_t rows, std::int64_t cols, std::int64_t blockRows,
                     std::int64_t blockCols, const std::uint8_t* elements, const std::uint8_t* scales, float tensorScale, float* values) {
    dequantizeBlocks(formatOf(name, variant, blockRows, blockCols), {rows, cols}, elements, scales, tensorScale, values);
}

/// Least seconds of several runs on one thread: "bf16" to bf16's codes, "amax", "quantize", "stochastic", "round", "dequantize", "rotate
/// rows", "rotate columns".
double probeSeconds(const char* work, const char* name, const char* variant, std::int64_t rows, std::int64_t cols, std::int64_t blockRows,
                    std::int64_t blockCols, const float* values, int times) {
    const MatrixShape shape{rows, cols};
    const auto count = static_cast<std::size_t>(shape.count());
    const std::string_view what = work;
    std::vector<std::uint8_t> elements(2 * count), scales(4 * count);
    std::vector<float> numbers(count);
    if (what == "bf16") return leastSeconds(times, [&] { encodeArray(Dtype::BF16, values, elements.data(), count); });
    volatile float largest = largestMagnitude(values, shape.count());
    if (what == "amax") return leastSeconds(times, [&] { largest = largestMagnitude(values, shape.count()); });
    if (what == "rotate rows") return leastSeconds(times, [&] { rotate(shape, RotationAxis::Rows, values, numbers.data()); });
    if (what == "rotate columns") return leastSeconds(times, [&] { rotate(shape, RotationAxis::Columns, values, numbers.data()); });
    const BlockFormat format = formatOf(name, variant, blockRows, blockCols);
    const float scale = tensorScaleOf(format, largest);
    if (what == "round") return leastSeconds(times, [&] { roundBlocks(format, shape, values, scale, numbers.data()); });
    const RoundingMode mode{.rounding = what == "stochastic" ? Rounding::Stochastic : Rounding::NearestEven};
    const auto quantize = [&] { quantizeBlocks(format, shape, values, scale, elements.data(), scales.data(), mode); };
    quantize();
    if (what != "dequantize") return leastSeconds(times, quantize);
    return leastSeconds(times, [&] { dequantizeBlocks(format, shape, elements.data(), scales.data(), scale, numbers.data()); });
}

}  // extern "C"

}  // namespace mantissa
