// SPDX-License-Identifier: Apache-2.0
// Rows of elementwise operations other than activations: sums, factors, dropout, gates.
#include <cmath>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/network_reference.h"
#include "kernels/conformance/network_tolerance.h"
#include "kernels/conformance/tolerance.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {

Case arrayCase(OperationDesc desc, Inputs inputs, std::int64_t count, std::string layout, std::vector<Operand> operands) {
    return {.desc = std::move(desc),
            .inputs = inputs,
            .shape = std::to_string(count),
            .layout = std::move(layout),
            .operands = std::move(operands)};
}

void forElementCases(Extent extent, const std::function<void(std::int64_t count, Inputs inputs)>& use) {
    for (const std::int64_t count : lengths(extent)) {
        for (const Inputs inputs : kElementInputs) use(count, inputs);
    }
}

namespace {

CompareOptions optionsOf(std::size_t count, Inputs inputs) {
    CompareOptions options = optionsFor(count);
    options.mayBeConstant = options.mayBeConstant || inputs == Inputs::Overflow;
    return options;
}

/// b is shorter than a, as a bias or a table of positions.
void addRepeatedCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    std::vector<std::pair<std::size_t, std::size_t>> counts{{6, 1}, {35, 7}, {2100, 1050}};
    if (extent == Extent::Full) counts.insert(counts.end(), {{4096 * 3, 4096}, {70'000, 35}, {10'000, 3}});
    for (const auto& [count, bCount] : counts) {
        for (const Dtype other : {dtype, Dtype::F32}) {
            const Floats a = elements(Inputs::Normal, dtype, count, 125), b = elements(Inputs::Normal, other, bCount, 126);
            Values sums;
            for (std::size_t i = 0; i < count; ++i) sums.push_back(wide(a[i]) + wide(b[i % bCount]));
            sink({.desc = AddDesc{static_cast<std::int64_t>(count), dtype, other, dtype, static_cast<std::int64_t>(bCount)},
                  .inputs = Inputs::Normal,
                  .shape = std::to_string(count) + " + " + std::to_string(bCount),
                  .layout = "+ " + formatName(other),
                  .operands = {reads(dtype, a), reads(other, b), writes(dtype, exactly(dtype, sums, optionsFor(count)))}});
            if (dtype == Dtype::F32) break;
        }
    }
}

/// With factors: two products and a sum in fp32, then one rounding.
void addScaledCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    for (const std::int64_t count : lengths(extent)) {
        const Floats a = elements(Inputs::Normal, dtype, static_cast<std::size_t>(count), 127),
                     b = elements(Inputs::Normal, Dtype::F32, a.size(), 128);
        const AddDesc d{.count = count, .a = dtype, .b = Dtype::F32, .out = dtype, .aFactor = -4.775f, .bFactor = 2.0315f};
        Values sums, limits;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double left = wide(a[i]) * wide(d.aFactor), right = wide(b[i]) * wide(d.bFactor);
            sums.push_back(left + right);
            limits.push_back(storedLimit(dtype, chainLimit(Dtype::F32, 3, std::fabs(left) + std::fabs(right), sums[i]), sums[i]));
        }
        sink(arrayCase(d, Inputs::Normal, count, "with factors",
                       {reads(dtype, a), reads(Dtype::F32, b),
                        writes(dtype, within(dtype, std::move(sums), std::move(limits), optionsFor(a.size())))}));
    }
}

void addCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    forElementCases(extent, [&](std::int64_t count, Inputs inputs) {
        for (const auto& [other, out] : {std::pair{dtype, dtype}, {Dtype::F32, dtype}, {dtype, Dtype::F32}}) {
            const Floats a = elements(inputs, dtype, static_cast<std::size_t>(count), 121), b = elements(inputs, other, a.size(), 122);
            Values sums;
            for (std::size_t i = 0; i < a.size(); ++i) sums.push_back(wide(a[i]) + wide(b[i]));
            CompareOptions options = optionsOf(a.size(), inputs);
            if (out != dtype || other != dtype) options = kAnything;
            sink(arrayCase(AddDesc{count, dtype, other, out}, inputs, count, "+ " + formatName(other) + " > " + formatName(out),
                           {reads(dtype, a), reads(other, b), writes(out, exactly(out, sums, options))}));
            if (dtype == Dtype::F32) break;
        }
    });
    addRepeatedCases(dtype, extent, sink);
    addScaledCases(dtype, extent, sink);
}

void scaleCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    forElementCases(extent, [&](std::int64_t count, Inputs inputs) {
        for (const float factor : {0.3f, 1024.0f}) {
            for (const Dtype from : {dtype, Dtype::F32}) {
                const Floats x = elements(inputs, from, static_cast<std::size_t>(count), 123);
                Values values;
                for (const float v : x) values.push_back(wide(v) * wide(factor));
                sink(arrayCase(ScaleDesc{count, factor, from, dtype}, inputs, count,
                               "from " + formatName(from) + (factor > 1 ? " up" : " down"),
                               {reads(from, x), writes(dtype, exactly(dtype, values, kAnything))}));
                if (dtype == Dtype::F32) break;
            }
        }
    });
}

void dropoutCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    forElementCases(extent, [&](std::int64_t count, Inputs inputs) {
        for (const double probability : {0.0, 0.25, 0.6}) {
            const DropoutDesc d{count, probability, 0x123456789ABCDEFull, 7, dtype};
            const StepScalars scalars{.dropoutStep = 5};
            const Floats x = elements(inputs, dtype, static_cast<std::size_t>(count), 124);
            const double factor = wide(static_cast<float>(1 / (1 - probability)));
            Values values;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const std::uint32_t bits = randomBits(d.seed, RandomUse::Dropout, d.stream, 5 * (std::uint64_t{1} << 34) + i);
                values.push_back(wide(x[i]) * (static_cast<double>(bits) >= probability * 0x1p32 ? factor : 0));
            }
            CompareOptions options = kAnything;
            options.signOfZeroCounts = true;
            sink(arrayCase(d, inputs, count, "of " + std::to_string(static_cast<int>(probability * 100)) + " %",
                           {reads(dtype, x), {.before = bytesOf(scalars)}, writes(dtype, exactly(dtype, values, options))}));
        }
    });
}

/// If not fused, silu(gate) and gradOutput * up are rounded before they are multiplied: limits grow by that rounding times the factor.
void swiGluCases(Dtype dtype, bool isGradient, bool isFused, Extent extent, const CaseSink& sink) {
    const auto rounding = [&](double rounded, double factor) { return isFused ? 0 : roundingLimit(dtype, rounded) * std::fabs(factor); };
    forElementCases(extent, [&](std::int64_t count, Inputs inputs) {
        const auto n = static_cast<std::size_t>(count);
        const Floats gate = elements(inputs == Inputs::Overflow && isGradient ? Inputs::Normal : inputs, dtype, n, 125);
        const Floats up = elements(inputs == Inputs::Overflow ? Inputs::Normal : inputs, dtype, n, 126),
                     g = elements(Inputs::Normal, dtype, n, 127);
        Values y, yLimits, gradGate, gateLimits, gradUp, upLimits;
        for (std::size_t i = 0; i < n; ++i) {
            const double gradient = wide(g[i]), x = wide(gate[i]), other = wide(up[i]);
            y.push_back(reference::swiGlu(x, other));
            const double silu = reference::swiGlu(x, 1), slope = reference::swiGluGrad(1, x, 1).gate;
            yLimits.push_back(swiGluLimit(dtype, x, y.back()) + rounding(silu, other));
            const reference::SwiGluGradient own = reference::swiGluGrad(gradient, x, other);
            gradGate.push_back(own.gate);
            gateLimits.push_back(swiGluGateLimit(dtype, gradient * other, x, own.gate) + rounding(gradient * other, slope));
            gradUp.push_back(own.up);
            upLimits.push_back(swiGluLimit(dtype, x, own.up) + rounding(silu, gradient));
        }
        Case test{
            .desc = SwiGluDesc{count, dtype, isFused}, .inputs = inputs, .shape = std::to_string(count), .layout = isFused ? "fused" : ""};
        if (isGradient) {
            test.desc = SwiGluGradDesc{count, dtype, isFused};
            test.operands = {reads(dtype, g), reads(dtype, gate), reads(dtype, up),
                             writes(dtype, within(dtype, gradGate, gateLimits, kAnything)),
                             writes(dtype, within(dtype, gradUp, upLimits, kAnything))};
        } else {
            test.operands = {reads(dtype, gate), reads(dtype, up), writes(dtype, within(dtype, y, yLimits, kAnything))};
        }
        sink(test);
    });
}

}  // namespace

void addCombining(std::vector<Check>& checks) {
    for (const Dtype dtype : kStorageDtypes) {
        const auto row = [&](const char* operation, auto cases) {
            checks.push_back({operation, dtype, formatName(dtype), std::bind_front(cases, dtype)});
        };
        row("add", addCases);
        row("scale", scaleCases);
        row("dropout", dropoutCases);
        for (const bool isGradient : {false, true}) {
            row(isGradient ? "swiglu gradient" : "swiglu", [isGradient](Dtype d, Extent extent, const CaseSink& sink) {
                swiGluCases(d, isGradient, true, extent, sink);
                if (!isFp8(d)) swiGluCases(d, isGradient, false, extent, sink);
            });
        }
    }
}

}  // namespace mantissa::conformance
