// SPDX-License-Identifier: Apache-2.0
// Rows of fp8 tensors with scales: quantising, and the update of scales. All exact.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

/// Sets the scale that maps the largest magnitude to the format's largest number, and its inverse.
void setScale(QuantScale& state, Dtype format, float absMax, int margin) {
    const double quotient = static_cast<double>(static_cast<float>(facts(format).maxFinite / static_cast<double>(absMax)));
    state.scale = static_cast<float>(std::min(quotient * std::exp2(-margin), static_cast<double>(std::numeric_limits<float>::max())));
    state.inverse = 1 / state.scale;
}
bool isUsable(float absMax) {
    return absMax > 0 && std::isfinite(absMax);
}

/// The largest magnitude. NaN is ignored.
float largestOf(std::span<const float> values) {
    float largest = 0;
    for (const float v : values) largest = std::fabs(v) > largest ? std::fabs(v) : largest;
    return largest;
}

Values numbersOf(const QuantScale& s) {
    return {wide(s.scale), wide(s.inverse), wide(s.absMax), static_cast<double>(s.newest)};
}

struct Setting {
    const char* name;
    ScaleSource source;
    int margin;
    QuantScale before;
};
constexpr Setting kSettings[] = {
    {"current", ScaleSource::Current, 0, {}},
    {"current, margin", ScaleSource::Current, 2, {.scale = 3, .inverse = 1.0f / 3, .absMax = 5, .newest = 1}},
    {"delayed, new", ScaleSource::Delayed, 0, {}},
    {"delayed", ScaleSource::Delayed, 0, {.scale = 48, .inverse = 1.0f / 48, .absMax = 0.5f, .newest = 2}},
    {"frozen", ScaleSource::Frozen, 0, {.scale = 7, .inverse = 1.0f / 7}},
};

/// `transposedRows`: as in QuantizeDesc.
void quantizeCase(Dtype from, Dtype to, std::int64_t count, std::int64_t transposedRows, Inputs inputs, const Setting& setting,
                  const CaseSink& sink) {
    const Floats values = elements(inputs, from, static_cast<std::size_t>(count), 71);
    QuantScale after = setting.before;
    const float largest = largestOf(values);
    if (setting.source == ScaleSource::Current) {
        after.scale = after.inverse = 1;
        if (isUsable(largest)) setScale(after, to, largest, setting.margin);
    } else if (after.scale == 0) {
        after.scale = after.inverse = 1;
    }
    if (setting.source == ScaleSource::Delayed) after.absMax = std::max(after.absMax, largest);
    Expected codes{.values = {}, .limits = {0}, .options = optionsFor(0)};
    for (const float v : values) codes.values.push_back(static_cast<double>(roundTo(to, v * after.scale, {.saturate = true})));
    const auto decode = [](std::span<const std::byte> bytes) { return numbersOf(valueIn<QuantScale>(bytes)); };
    Case test{
        .desc = QuantizeDesc{count, from, to, setting.source, setting.margin, transposedRows},
        .inputs = inputs,
        .shape = std::to_string(count),
        .layout = "from " + formatName(from) + ", " + setting.name,
        .operands = {
            reads(from, values),
            writes(to, codes),
            {.role = Role::Updated, .before = bytesOf(setting.before), .decode = decode, .after = {numbersOf(after), {0}, kAnything}}}};
    if (transposedRows > 0) {
        const std::int64_t cols = count / transposedRows;
        Expected transposed = codes;
        for (std::int64_t i = 0; i < count; ++i)
            transposed.values[static_cast<std::size_t>(i % cols * transposedRows + i / cols)] = codes.values[static_cast<std::size_t>(i)];
        test.operands.push_back(writes(to, std::move(transposed)));
        test.shape = std::to_string(transposedRows) + "x" + std::to_string(cols);
        test.layout += ", and transposed";
    }
    sink(test);
}

void quantizeCases(Dtype to, Extent extent, const CaseSink& sink) {
    for (const Dtype from : {Dtype::F32, Dtype::F16, Dtype::BF16}) {
        forElementCases(extent, [&](std::int64_t count, Inputs inputs) {
            for (const Setting& setting : kSettings) quantizeCase(from, to, count, 0, inputs, setting, sink);
        });
    }
    struct Matrix {
        std::int64_t rows, cols;
    };
    for (const Matrix matrix : {Matrix{1, 70}, {70, 1}, {33, 67}, {48, 80}}) {  // smaller than a kernel's tile, and slightly larger
        for (const Dtype from : {Dtype::F32, Dtype::BF16}) {
            for (const Inputs inputs : kElementInputs) {
                for (const Setting& setting : kSettings)
                    quantizeCase(from, to, matrix.rows * matrix.cols, matrix.rows, inputs, setting, sink);
            }
        }
    }
}

/// Scales in their memory layout: a QuantScale, its history, padding.
struct ScaleMemory {
    std::int64_t historyLength;
    std::vector<QuantScale> states;
    std::vector<Floats> histories;

    Bytes bytes() const {
        Bytes all(states.size() * quantScaleBytes(historyLength));
        for (std::size_t i = 0; i < states.size(); ++i) {
            std::byte* const at = all.data() + i * quantScaleBytes(historyLength);
            std::memcpy(at, &states[i], sizeof(QuantScale));
            std::memcpy(at + sizeof(QuantScale), histories[i].data(), histories[i].size() * sizeof(float));
        }
        return all;
    }
};

/// All numbers except the padding.
Values numbersIn(std::span<const std::byte> bytes, std::int64_t historyLength) {
    Values numbers;
    for (std::size_t at = 0; at < bytes.size(); at += quantScaleBytes(historyLength)) {
        const Values state = numbersOf(valueIn<QuantScale>(bytes.subspan(at)));
        numbers.insert(numbers.end(), state.begin(), state.end());
        Floats history(static_cast<std::size_t>(historyLength));
        std::memcpy(history.data(), bytes.data() + at + sizeof(QuantScale), history.size() * sizeof(float));
        for (const float past : history) numbers.push_back(static_cast<double>(past));
    }
    return numbers;
}

void updateScalesCase(UpdateScalesDesc desc, Inputs inputs, const CaseSink& sink) {
    const auto length = static_cast<std::size_t>(desc.historyLength);
    // An ordinary magnitude; none; a tiny one; a non-finite one for Inputs::NonFinite.
    const float seen[] = {2.5f, 0, 1e-40f, inputs == Inputs::NonFinite ? kInf : 11.0f};
    ScaleMemory before{desc.historyLength, {}, {}};
    desc.formats.clear();
    for (std::size_t i = 0; i < std::size(seen); ++i) {
        desc.formats.push_back(i % 2 == 0 ? Dtype::E4M3 : Dtype::E5M2);
        Floats history = normals(length, 81 + static_cast<unsigned>(i));
        for (float& past : history) past = i == 2 ? 0 : std::fabs(past);
        before.states.push_back(
            {.scale = 3, .inverse = 1.0f / 3, .absMax = seen[i], .newest = static_cast<std::int32_t>((i + 1) % length)});
        before.histories.push_back(std::move(history));
    }
    ScaleMemory after = before;
    for (std::size_t i = 0; i < std::size(seen); ++i) {
        if (seen[i] == 0) continue;
        QuantScale& state = after.states[i];
        state.newest = static_cast<std::int32_t>((static_cast<std::size_t>(state.newest) + 1) % length);
        after.histories[i][static_cast<std::size_t>(state.newest)] = seen[i];
        const float absMax = desc.usesNewestOnly ? seen[i] : largestOf(after.histories[i]);
        if (isUsable(absMax)) setScale(state, desc.formats[i], absMax, desc.margin);
        state.absMax = 0;
    }
    const auto decode = [historyLength = desc.historyLength](std::span<const std::byte> bytes) { return numbersIn(bytes, historyLength); };
    sink({.desc = desc,
          .inputs = inputs,
          .shape = "4 scales, history " + std::to_string(desc.historyLength),
          .layout = std::string(desc.usesNewestOnly ? "newest" : "largest") + (desc.margin != 0 ? ", margin" : ""),
          .operands = {{.role = Role::Updated,
                        .before = before.bytes(),
                        .decode = decode,
                        .after = {.values = decode(after.bytes()), .limits = {0}, .options = optionsFor(0)}}}});
}

void updateScalesCases(Extent extent, const CaseSink& sink) {
    std::vector<std::int64_t> historyLengths{1, 3, 16};
    if (extent == Extent::Full) historyLengths.insert(historyLengths.end(), {17, 1024});
    for (const std::int64_t length : historyLengths) {
        for (const bool usesNewestOnly : {false, true}) {
            for (const int margin : {0, 1}) {
                for (const Inputs inputs : {Inputs::Normal, Inputs::NonFinite})
                    updateScalesCase({{}, length, usesNewestOnly, margin}, inputs, sink);
            }
        }
    }
}

}  // namespace

void addQuantizing(std::vector<Check>& checks) {
    for (const Dtype dtype : {Dtype::E4M3, Dtype::E5M2}) {
        checks.push_back(
            {"quantize to", dtype, formatName(dtype), [=](Extent extent, const CaseSink& sink) { quantizeCases(dtype, extent, sink); }});
    }
    checks.push_back({"update scales", Dtype::E4M3, "fp8_e4m3, fp8_e5m2", updateScalesCases});
}

}  // namespace mantissa::conformance
