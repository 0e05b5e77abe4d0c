// SPDX-License-Identifier: Apache-2.0
// Rows of fused attention and its gradient.
#include <algorithm>
#include <cmath>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/network_reference.h"
#include "kernels/conformance/network_tolerance.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

/// Maps a tensor [outer, heads, length, headDim] of the reference to rows of [outer * length, width].
struct HeadsInRows {
    BatchStrides strides;
    std::int64_t heads, length, headDim;

    HeadsInRows(std::int64_t h, std::int64_t l, std::int64_t d, std::int64_t gap)
        : strides{h * d + gap, l * (h * d + gap), d}, heads(h), length(l), headDim(d) {}
    std::size_t size(std::int64_t outer) const { return at(outer * strides.outer); }
    std::size_t index(std::int64_t i) const {
        const std::int64_t col = i % headDim, row = i / headDim % length, head = i / headDim / length;
        return at(head / heads * strides.outer + head % heads * strides.inner + row * strides.row + col);
    }
    Values take(std::int64_t outer, const Floats& stored) const {
        Values values;
        for (std::int64_t i = 0; i < outer * heads * length * headDim; ++i) values.push_back(wide(stored[index(i)]));
        return values;
    }
    /// An operand whose gaps stay unchanged. `limitOf` result i, given an error by rounded probabilities; `narrow`: these errors.
    template <typename LimitOf>
    Operand becomes(Dtype dtype, std::int64_t outer, const Values& results, const Values& narrow, const CompareOptions& options,
                    LimitOf&& limitOf) const {
        const Floats before = wholes(size(outer), 141);
        Values values = toDouble(before), limits(values.size(), 0), nativeLimits(values.size(), 0);
        for (std::size_t i = 0; i < results.size(); ++i) {
            const std::size_t place = index(static_cast<std::int64_t>(i));
            values[place] = results[i];
            limits[place] = limitOf(i, 0.0);
            nativeLimits[place] = limitOf(i, narrow[i]);
        }
        Expected after = within(dtype, values, limits, options);
        after.nativeLimits = nativeLimits;
        after.nativeFormat = dtype;
        return updates(dtype, before, after);
    }
};

/// An upper bound on the sum of magnitudes of a column with `rows` rows.
double columnBound(const Values& values, std::int64_t rows) {
    double largest = 0;
    for (const double value : values) largest = std::fmax(largest, std::fabs(value));
    return largest * static_cast<double>(rows);
}

void fusedCase(const FusedAttentionDesc& shape, Inputs inputs, bool isGradient, const CaseSink& sink) {
    FusedAttentionDesc d = shape;
    // Heads that a library could read directly are aligned for it; the others are not.
    const std::int64_t gap = d.headDim % 8 == 0 ? 8 : 5;
    const HeadsInRows queries(d.heads, d.length, d.headDim, gap), keys(d.keyHeads, d.length, d.headDim, gap == 8 ? 16 : 3);
    d.q = d.out = queries.strides, d.k = d.v = keys.strides;
    const auto values = [&](const HeadsInRows& layout, unsigned seed) {
        Floats numbers = elements(inputs == Inputs::Subnormal ? inputs : Inputs::Normal, d.dtype, layout.size(d.outer), seed);
        return numbers;
    };
    Floats q = values(queries, 142), k = values(keys, 143);
    const Floats v = values(keys, 144), g = values(queries, 145);
    if (inputs == Inputs::NonFinite) {
        q[queries.index(d.length / 2 * d.headDim)] = std::nanf("");
        k[keys.index((d.length - 1) * d.headDim)] = std::nanf("");
    }
    const reference::AttentionShape s{d.outer, d.heads, d.keyHeads, d.length, d.headDim, d.causal, wide(d.scale)};
    const Values qs = queries.take(d.outer, q), ks = keys.take(d.outer, k), vs = keys.take(d.outer, v);
    const reference::Attention forward = reference::attention(s, qs, ks, vs);
    const CompareOptions options{.mayBeConstant = true, .maxZeroShare = inputs == Inputs::Subnormal ? 1 : 0.75};
    Case test{.desc = d,
              .inputs = inputs,
              .shape = std::to_string(d.outer) + "x" + std::to_string(d.heads) + "/" + std::to_string(d.keyHeads) + "x" +
                       std::to_string(d.length) + "x" + std::to_string(d.headDim),
              .layout = d.causal ? "causal" : ""};
    const auto width = at(d.headDim);
    if (!isGradient) {
        Values narrow, logLimits;
        const double others = columnBound(vs, d.length);
        for (const double magnitude : forward.outMagnitudes) narrow.push_back(narrowFactorError(d, magnitude, others));
        const auto limitOf = [&](std::size_t i, double narrowError) {
            const double magnitude = forward.outMagnitudes[i], y = forward.out[i];
            const double error = narrowError + narrowComputeError(d, magnitude, others, y, forward.logSumExp[i / width]);
            return attentionLimit(d, forward.scoreMagnitudes[i / width], magnitude, error, y);
        };
        for (std::size_t i = 0; i < forward.logSumExp.size(); ++i) {
            logLimits.push_back(logSumExpLimit(d, forward.scoreMagnitudes[i], forward.logSumExp[i]));
        }
        test.operands = {reads(d.dtype, q), reads(d.dtype, k), reads(d.dtype, v),
                         queries.becomes(d.dtype, d.outer, forward.out, narrow, options, limitOf),
                         writes(Dtype::F32, within(Dtype::F32, forward.logSumExp, logLimits, options))};
        return sink(test);
    }
    Floats out(queries.size(d.outer)), logs;
    double scores = 0;
    for (std::size_t i = 0; i < forward.out.size(); ++i)
        out[queries.index(static_cast<std::int64_t>(i))] = roundTo(d.dtype, static_cast<float>(forward.out[i]));
    for (std::size_t i = 0; i < forward.logSumExp.size(); ++i) {
        logs.push_back(static_cast<float>(forward.logSumExp[i]));
        scores = std::max(scores, forward.scoreMagnitudes[i] + std::fabs(forward.logSumExp[i]));
    }
    const reference::AttentionGradient own =
        reference::attentionGrad(s, queries.take(d.outer, g), qs, ks, vs, queries.take(d.outer, out), toDouble(logs));
    const auto becomes = [&](const HeadsInRows& layout, const Values& gradients, const Values& magnitudes, double others) {
        Values narrow;
        const bool areShared = layout.heads == d.keyHeads;
        for (const double magnitude : magnitudes)
            narrow.push_back(narrowFactorError(d, magnitude, others) + (areShared ? sharedHeadsError(d, magnitude) : 0));
        return layout.becomes(d.dtype, d.outer, gradients, narrow, options, [&](std::size_t i, double narrowError) {
            return attentionGradLimit(d, scores, magnitudes[i], narrowError, gradients[i]);
        });
    };
    test.desc = FusedAttentionGradDesc{d};
    const std::int64_t rowsOfKeys = d.length * d.heads / d.keyHeads;  // query rows per key head
    test.operands = {reads(d.dtype, g),
                     reads(d.dtype, q),
                     reads(d.dtype, k),
                     reads(d.dtype, v),
                     reads(d.dtype, out),
                     reads(Dtype::F32, logs),
                     becomes(queries, own.q, own.qMagnitudes, columnBound(ks, d.length)),
                     becomes(keys, own.k, own.kMagnitudes, columnBound(qs, rowsOfKeys)),
                     becomes(keys, own.v, own.vMagnitudes, columnBound(queries.take(d.outer, g), rowsOfKeys))};
    sink(test);
}

/// Attention that computes in its format, with and without the remedy for tied maxima; where all scores are 0 they change nothing.
void dividedAfterCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    FusedAttentionDesc d{.outer = 2, .heads = 4, .keyHeads = 2, .length = 9, .headDim = 8, .scale = 0.3f, .dtype = dtype, .compute = dtype};
    if (extent == Extent::Full) d.length = 131;
    for (const bool shiftsTies : {false, true}) {
        d.shiftsTies = shiftsTies;
        for (const bool causal : {true, false}) {
            d.causal = causal;
            for (const Inputs inputs : {Inputs::Normal, Inputs::Subnormal, Inputs::NonFinite}) fusedCase(d, inputs, false, sink);
        }
    }
}

void fusedCases(Dtype dtype, bool isGradient, Extent extent, const CaseSink& sink) {
    std::vector<FusedAttentionDesc> shapes{{.outer = 2, .heads = 4, .keyHeads = 2, .length = 9, .headDim = 8, .scale = 0.3f}};
    if (extent == Extent::Full) {
        shapes.push_back({.outer = 1, .heads = 1, .keyHeads = 1, .length = 1, .headDim = 1, .scale = 1});
        shapes.push_back({.outer = 2, .heads = 3, .keyHeads = 1, .length = 131, .headDim = 17, .scale = 0.2f});
        shapes.push_back({.outer = 1, .heads = 2, .keyHeads = 2, .length = 64, .headDim = 64, .scale = 0.125f});
    }
    for (FusedAttentionDesc d : shapes) {
        d.dtype = dtype;
        for (const bool causal : {true, false}) {
            d.causal = causal;
            for (const Inputs inputs : {Inputs::Normal, Inputs::Subnormal, Inputs::NonFinite}) {
                if (isGradient && inputs == Inputs::NonFinite) continue;  // masked keys count 0, and 0 times NaN is NaN
                fusedCase(d, inputs, isGradient, sink);
            }
        }
    }
    if (extent == Extent::Short || isFp8(dtype)) return;
    // A size of training, for which libraries' kernels and stored score matrices are used; never in fp8.
    fusedCase({.heads = 1, .keyHeads = 1, .length = 1024, .headDim = 64, .causal = true, .scale = 0.125f, .dtype = dtype}, Inputs::Normal,
              isGradient, sink);
}

}  // namespace

void addFusedAttention(std::vector<Check>& checks) {
    for (const Dtype dtype : kStorageDtypes) {
        const std::string format(facts(dtype).name);
        checks.push_back({"attention", dtype, format, [=](Extent e, const CaseSink& sink) { fusedCases(dtype, false, e, sink); }});
        checks.push_back({"attention gradient", dtype, format, [=](Extent e, const CaseSink& sink) { fusedCases(dtype, true, e, sink); }});
    }
    for (const Dtype dtype : {Dtype::F16, Dtype::BF16}) {
        checks.push_back({"attention, divided after the product", dtype, std::string(facts(dtype).name),
                          [=](Extent e, const CaseSink& sink) { dividedAfterCases(dtype, e, sink); }});
    }
}

}  // namespace mantissa::conformance
