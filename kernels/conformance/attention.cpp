// SPDX-License-Identifier: Apache-2.0
// Rows of attention's operations: products of many small matrices in place, causal mask, softmax, rotary embedding.
#include <algorithm>
#include <cmath>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/network_reference.h"
#include "kernels/conformance/network_tolerance.h"
#include "kernels/conformance/tolerance.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

// ---- Batched products ----

const BatchedMatmulDesc kBatchedFormats[] = {
    {.a = Dtype::F32, .b = Dtype::F32, .out = Dtype::F32, .compute = Dtype::F32},
    {.a = Dtype::F32, .b = Dtype::BF16, .out = Dtype::F16, .compute = Dtype::F32},
    {.a = Dtype::F32, .b = Dtype::F32, .out = Dtype::F32, .compute = Dtype::TF32},
    {.a = Dtype::F32, .b = Dtype::F32, .out = Dtype::F32, .compute = Dtype::TF32, .operandRounding = Rounding::TowardZero},
    {.a = Dtype::F16, .b = Dtype::F16, .out = Dtype::F16, .compute = Dtype::F16},
    {.a = Dtype::F16, .b = Dtype::F16, .out = Dtype::F32, .compute = Dtype::F16},
    {.a = Dtype::F16, .b = Dtype::F16, .out = Dtype::F16, .compute = Dtype::F16, .accumulator = Accumulator::Hopper},
    {.a = Dtype::BF16, .b = Dtype::BF16, .out = Dtype::BF16, .compute = Dtype::BF16},
    {.a = Dtype::E4M3, .b = Dtype::E4M3, .out = Dtype::BF16, .compute = Dtype::E4M3},
    {.a = Dtype::E5M2, .b = Dtype::E4M3, .out = Dtype::E5M2, .compute = Dtype::F32},
};

/// Two samples of six heads. Side by side: heads are adjacent in rows with a gap; otherwise matrices are stored one after the other.
struct Layout {
    const char* name;
    bool transposeA, transposeB, sideBySideIn, sideBySideOut;
    std::int64_t aDivisor = 1, bDivisor = 1, outDivisor = 1;
};
constexpr Layout kLayouts[] = {
    {"A B", false, false, false, false},
    {"A B'", false, true, true, false},
    {"A B, side by side", false, false, true, true},
    {"A' B, side by side", true, false, true, true},
    {"A' B'", true, true, false, false},
    {"A B', shared", false, true, true, false, 1, 3, 1},
    {"A' B, summed", true, false, true, true, 1, 1, 3},
    {"A B, one for all", false, false, false, true, 6, 1, 2},
};
constexpr std::int64_t kOuter = 2, kInner = 6, kGap = 3;

/// Stored matrices of one operand, rows x cols.
struct Batch {
    std::int64_t rows, cols, divisor;
    BatchStrides strides;
    std::size_t size;

    Batch(std::int64_t r, std::int64_t c, std::int64_t d, bool isSideBySide) : rows(r), cols(c), divisor(d) {
        const std::int64_t heads = kInner / d;
        strides = isSideBySide ? BatchStrides{heads * c + kGap, r * (heads * c + kGap), c} : BatchStrides{c, heads * r * c, r * c};
        size = at(kOuter * strides.outer);
    }
    std::size_t index(std::int64_t outer, std::int64_t inner, std::int64_t row, std::int64_t col) const {
        return at(outer * strides.outer + inner / divisor * strides.inner + row * strides.row + col);
    }
    Values matrix(const Floats& stored, Dtype compute, Rounding rounding, std::int64_t outer, std::int64_t inner) const {
        Values values;
        for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t col = 0; col < cols; ++col) {
                values.push_back(wide(roundTo(compute, stored[index(outer, inner, row, col)], {rounding})));
            }
        }
        return values;
    }
};

/// Sums of whole numbers are exact; the scale moves them to the ends of the format.
float scaleFor(Dtype out, Inputs inputs, std::int64_t terms) {
    switch (inputs) {
        case Inputs::Subnormal:
            return static_cast<float>(std::max(facts(out).minSubnormal / 4, facts(Dtype::F32).minSubnormal));
        case Inputs::Overflow:
            return static_cast<float>(
                std::exp2(std::floor(std::log2(facts(out).overflowFrom / (16 * std::sqrt(static_cast<double>(terms)))))));
        case Inputs::Normal:
            return 0.3f;
        default:
            return 1;
    }
}

void batchedCase(BatchedMatmulDesc d, const Layout& layout, Inputs inputs, const CaseSink& sink) {
    d.outer = kOuter, d.inner = kInner;
    d.transposeA = layout.transposeA, d.transposeB = layout.transposeB;
    d.aDivisor = layout.aDivisor, d.bDivisor = layout.bDivisor, d.outDivisor = layout.outDivisor;
    const Batch a(d.transposeA ? d.k : d.m, d.transposeA ? d.m : d.k, d.aDivisor, layout.sideBySideIn),
        b(d.transposeB ? d.n : d.k, d.transposeB ? d.k : d.n, d.bDivisor, layout.sideBySideIn),
        out(d.m, d.n, d.outDivisor, layout.sideBySideOut);
    d.aStrides = a.strides, d.bStrides = b.strides, d.outStrides = out.strides;
    d.scale = scaleFor(d.out, inputs, d.k * d.outDivisor);
    const auto factors = [&](std::size_t count, Dtype dtype, unsigned seed) {
        Floats values = inputs == Inputs::Normal ? normals(count, seed) : wholes(count, seed);
        if (inputs == Inputs::NonFinite) values[count / 2] = std::nanf(""), values[1] = static_cast<float>(kInf);
        for (float& v : values) v = roundTo(dtype, v);
        return values;
    };
    const Floats left = factors(a.size, d.a, 81), right = factors(b.size, d.b, 82);
    const Floats before = wholes(out.size, 83);
    Values values = toDouble(before), limits(out.size, 0), magnitudes(out.size, 0);
    std::vector<bool> isWritten(out.size, false);
    for (std::int64_t outer = 0; outer < kOuter; ++outer) {
        for (std::int64_t inner = 0; inner < kInner; ++inner) {
            const reference::Sums one =
                reference::product({d.m, d.n, d.k, d.transposeA, d.transposeB}, a.matrix(left, d.compute, d.operandRounding, outer, inner),
                                   b.matrix(right, d.compute, d.operandRounding, outer, inner), {});
            for (std::int64_t i = 0; i < d.m * d.n; ++i) {
                const std::size_t to = out.index(outer, inner, i / d.n, i % d.n);
                values[to] = (isWritten[to] ? values[to] : 0) + one.values[at(i)] * wide(d.scale);
                magnitudes[to] += one.magnitudes[at(i)] * wide(d.scale);
                isWritten[to] = true;
            }
        }
    }
    for (std::size_t i = 0; i < out.size; ++i) limits[i] = isWritten[i] ? batchedProductLimit(d, magnitudes[i], values[i]) : 0;
    const CompareOptions options = kAnything;
    sink({.desc = d,
          .inputs = inputs,
          .shape = std::to_string(d.m) + "x" + std::to_string(d.n) + "x" + std::to_string(d.k),
          .layout = layout.name,
          .operands = {reads(d.a, left), reads(d.b, right),
                       updates(d.out, before,
                               inputs == Inputs::Normal ? within(d.out, values, limits, options) : exactly(d.out, values, options))}});
}

void batchedCases(const BatchedMatmulDesc& format, Extent extent, const CaseSink& sink) {
    const auto run = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
        for (const Layout& layout : kLayouts) {
            for (const Inputs inputs : kAllInputs) {
                BatchedMatmulDesc d = format;
                d.m = m, d.n = n, d.k = k;
                batchedCase(d, layout, inputs, sink);
            }
        }
    };
    run(5, 3, 7);
    if (extent == Extent::Short) return;
    run(1, 1, 1), run(17, 33, 20);
    if (format.accumulator == Accumulator::Fp32) run(65, 64, 66);  // several tasks
}

std::string nameOf(const BatchedMatmulDesc& d) {
    const bool isTf32 = d.compute == Dtype::TF32;
    std::string text =
        isTf32 ? "tf32" : formatName(d.a) + (d.b != d.a ? " x " + formatName(d.b) : "") + (d.out != d.a ? " > " + formatName(d.out) : "");
    if (d.operandRounding != Rounding::NearestEven) text += ", " + std::string(roundingName(d.operandRounding));
    if (d.accumulator != Accumulator::Fp32) text += ", sums of " + std::string(accumulatorName(d.accumulator));
    return text;
}

// ---- Along rows ----

struct Rows {
    std::int64_t rows, cols;
    std::string shape() const { return std::to_string(rows) + "x" + std::to_string(cols); }
};
std::vector<Rows> rowsFor(Extent extent) {
    if (extent == Extent::Short) return {{5, 7}, {9, 65}};
    return {{1, 1}, {5, 7}, {9, 65}, {3, 16}, {70, 1031}, {33, 91}};
}

void softmaxCases(Dtype from, Dtype to, Extent extent, const CaseSink& sink) {
    for (const Rows& size : rowsFor(extent)) {
        for (const Inputs inputs : kAllInputs) {
            Floats x = elements(inputs, from, at(size.rows * size.cols), 91);
            if (inputs == Inputs::NonFinite) {  // in every third row at most; the last row is all -Inf
                const Floats own = elements(Inputs::Normal, from, x.size(), 92);
                for (std::size_t i = 0; i < x.size(); ++i) x[i] = i / at(size.cols) % 3 == 0 ? x[i] : own[i];
                std::fill_n(x.end() - size.cols, size.cols, roundTo(from, -static_cast<float>(kInf)));
            }
            const Values numbers = toDouble(x);
            Values values, limits;
            for (std::int64_t row = 0; row < size.rows; ++row) {
                const auto own = std::span(numbers).subspan(at(row * size.cols), at(size.cols));
                const double largest = *std::max_element(own.begin(), own.end());
                const Values y = reference::softmax(own);
                for (std::size_t i = 0; i < y.size(); ++i) limits.push_back(softmaxLimit(to, size.cols, largest - own[i], y[i]));
                values.insert(values.end(), y.begin(), y.end());
            }
            sink({.desc = SoftmaxDesc{size.rows, size.cols, from, to},
                  .inputs = inputs,
                  .shape = size.shape(),
                  .layout = from == to ? "" : "from " + formatName(from),
                  .operands = {reads(from, x), writes(to, within(to, values, limits, kAnything))}});
        }
    }
}

/// Softmax without the maximum subtracted; each elementary result is rounded. The first score of the second row overflows exp.
void naiveSoftmaxCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    const float beyond = dtype == Dtype::F16 ? 11.1f : 89.0f;
    for (const Rows& size : rowsFor(extent)) {
        Floats x = elements(Inputs::Normal, dtype, at(size.rows * size.cols), 96);
        for (float& each : x) each = roundTo(dtype, std::clamp(each, -4.0f, 4.0f));
        if (size.rows > 1) x[at(size.cols)] = roundTo(dtype, beyond);
        Values values, limits;
        for (std::int64_t row = 0; row < size.rows; ++row) {
            const Values own = toDouble(std::span(x).subspan(at(row * size.cols), at(size.cols)));
            const Values y = reference::naiveSoftmax(own, facts(dtype).overflowFrom);
            for (const double each : y) limits.push_back(naiveSoftmaxLimit(dtype, size.cols, each));
            values.insert(values.end(), y.begin(), y.end());
        }
        sink({.desc = SoftmaxDesc{size.rows, size.cols, dtype, dtype, false, dtype},
              .inputs = Inputs::Normal,
              .shape = size.shape(),
              .layout = "naive",
              .operands = {reads(dtype, x), writes(dtype, within(dtype, values, limits, kAnything))}});
    }
}

void softmaxGradCases(Dtype from, Dtype to, Extent extent, const CaseSink& sink) {
    for (const Rows& size : rowsFor(extent)) {
        for (const Inputs inputs : {Inputs::Normal, Inputs::Subnormal, Inputs::NonFinite}) {
            const Floats g = elements(inputs, from, at(size.rows * size.cols), 93), scores = normals(g.size(), 94, 2);
            const Values numbers = toDouble(g), x = toDouble(scores);
            Floats y;
            Values values, limits;
            for (std::int64_t row = 0; row < size.rows; ++row) {
                const std::size_t first = at(row * size.cols), cols = at(size.cols);
                const auto own = std::span(numbers).subspan(first, cols);
                Values stored = reference::softmax(std::span(x).subspan(first, cols));
                double sum = 0;
                for (std::size_t i = 0; i < cols; ++i) {
                    y.push_back(roundTo(from, static_cast<float>(stored[i])));
                    stored[i] = wide(y.back());
                    sum += std::fabs(own[i] * stored[i]);
                }
                const Values gradient = reference::softmaxGrad(own, stored);
                for (std::size_t i = 0; i < cols; ++i) {
                    limits.push_back(softmaxGradLimit(to, size.cols, own[i], stored[i], sum, gradient[i]));
                }
                values.insert(values.end(), gradient.begin(), gradient.end());
            }
            sink({.desc = SoftmaxGradDesc{size.rows, size.cols, from, to},
                  .inputs = inputs,
                  .shape = size.shape(),
                  .layout = from == to ? "" : "from " + formatName(from),
                  .operands = {reads(from, g), reads(from, y), writes(to, within(to, values, limits, kAnything))}});
        }
    }
}

void maskCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    for (const Rows& size : rowsFor(extent)) {
        const std::int64_t length = size.rows;
        const Floats x = elements(Inputs::NonFinite, dtype, at(3 * length * length), 95);
        Values values = toDouble(x);
        for (const float masked : {-static_cast<float>(kInf), -1e9f, 0.0f}) {
            for (std::int64_t i = 0; i < 3 * length * length; ++i) {
                if (i % length > i / length % length) values[at(i)] = wide(roundTo(dtype, masked));
            }
            sink({.desc = CausalMaskDesc{3, length, dtype, masked},
                  .inputs = Inputs::NonFinite,
                  .shape = "3x" + std::to_string(length),
                  .layout = std::isinf(masked) ? ""
                            : masked == 0      ? "by 0"
                                               : "by -1e9",
                  .operands = {
                      reads(dtype, x),
                      writes(dtype, exactly(dtype, values, {.signOfZeroCounts = true, .mayBeConstant = true, .maxZeroShare = 1}))}});
        }
    }
}

/// Rotates forwards, backwards, and backwards with products that are rounded to the result's format.
void rotaryCases(Dtype from, Dtype dtype, Extent extent, const CaseSink& sink) {
    for (const std::int64_t headDim : extent == Extent::Short ? std::vector<std::int64_t>{8} : std::vector<std::int64_t>{2, 8, 34, 64}) {
        for (const auto& [inverse, rounds] : {std::pair(false, false), {true, false}, {true, true}}) {
            if (rounds && (isFp8(dtype) || dtype == Dtype::F32)) continue;
            for (const Inputs inputs : {Inputs::Normal, Inputs::Subnormal, Inputs::NonFinite}) {
                const RotaryDesc d{.rows = 14,
                                   .length = 7,
                                   .heads = 3,
                                   .headDim = headDim,
                                   .srcStride = 4 * headDim,
                                   .dstStride = 3 * headDim + 1,
                                   .base = 500,
                                   .inverse = inverse,
                                   .roundsProducts = rounds,
                                   .from = from,
                                   .to = dtype};
                const Floats x = elements(inputs, from, at(d.rows * d.srcStride), 96), before = wholes(at(d.rows * d.dstStride), 97);
                const Values numbers = toDouble(x);
                Values values = toDouble(before), limits(before.size(), 0);
                for (std::int64_t i = 0; i < d.rows * d.heads; ++i) {
                    const std::int64_t row = i / d.heads, head = i % d.heads * headDim;
                    const auto own = std::span(numbers).subspan(at(row * d.srcStride + head), at(headDim));
                    const Values rotated = reference::rotate(own, row % d.length, d.base, inverse ? -1 : 1);
                    for (std::size_t j = 0; j < rotated.size(); ++j) {
                        const std::size_t to = at(row * d.dstStride + head) + j, half = rotated.size() / 2;
                        values[to] = rotated[j];
                        limits[to] = rotaryLimit(dtype, own[j], own[(j + half) % rotated.size()], rotated[j]);
                        if (rounds) limits[to] += roundingLimit(dtype, own[j]) + roundingLimit(dtype, own[(j + half) % rotated.size()]);
                    }
                }
                sink({.desc = d,
                      .inputs = inputs,
                      .shape = "14x3x" + std::to_string(headDim),
                      .layout = std::string(inverse ? "inverse" : "") + (rounds ? ", rounded products" : "") +
                                (from == dtype ? "" : ", from " + formatName(from)),
                      .operands = {reads(from, x), updates(dtype, before, within(dtype, values, limits))}});
            }
        }
    }
}

void sumHeadsCases(Dtype from, Dtype to, Extent extent, const CaseSink& sink) {
    for (const std::int64_t headDim : extent == Extent::Short ? std::vector<std::int64_t>{5} : std::vector<std::int64_t>{1, 5, 64, 300}) {
        for (const std::int64_t group : {1, 3}) {
            for (const Inputs inputs : {Inputs::Whole, Inputs::Normal, Inputs::Overflow, Inputs::NonFinite}) {
                // fp32 and bf16: a sum in double may return to the range where one in fp32 has overflowed
                if (inputs == Inputs::Overflow && facts(from).maxFinite > 1e30) continue;
                const SumHeadsDesc d{.rows = 7, .heads = 2, .group = group, .headDim = headDim, .from = from, .to = to};
                const Floats x = elements(inputs, from, at(d.rows * d.heads * group * headDim), 98);
                Values values, limits;
                for (std::int64_t i = 0; i < d.rows * d.heads * headDim; ++i) {
                    double sum = 0, magnitudes = 0;
                    for (std::int64_t j = 0; j < group; ++j) {
                        const double term = wide(x[at((i / headDim * group + j) * headDim + i % headDim)]);
                        sum += term;
                        magnitudes += std::fabs(term);
                    }
                    values.push_back(sum);
                    limits.push_back(sumLimit(to, group, magnitudes, sum));
                }
                sink({.desc = d,
                      .inputs = inputs,
                      .shape = "7x2x" + std::to_string(headDim) + " of " + std::to_string(group),
                      .layout = "> " + formatName(to),
                      .operands = {reads(from, x), writes(to, inputs == Inputs::Whole ? exactly(to, values, kAnything)
                                                                                      : within(to, values, limits, kAnything))}});
            }
        }
    }
}

}  // namespace

void addAttention(std::vector<Check>& checks) {
    for (const BatchedMatmulDesc& f : kBatchedFormats) {
        const Dtype listed = f.compute == Dtype::TF32 ? Dtype::TF32 : f.a;
        checks.push_back({"batched matmul", listed, nameOf(f), std::bind_front(batchedCases, f)});
    }
    for (const Dtype dtype : kStorageDtypes) {
        const auto bothWays = [dtype](const auto& cases) {
            return [=](Extent extent, const CaseSink& sink) {
                cases(dtype, dtype, extent, sink);
                if (dtype != Dtype::F32) cases(Dtype::F32, dtype, extent, sink);
                if (dtype != Dtype::F32) cases(dtype, Dtype::F32, extent, sink);
            };
        };
        checks.push_back({"softmax", dtype, formatName(dtype), bothWays(softmaxCases)});
        if (!isFp8(dtype)) checks.push_back({"softmax, naive", dtype, formatName(dtype), std::bind_front(naiveSoftmaxCases, dtype)});
        checks.push_back({"softmax gradient", dtype, formatName(dtype), bothWays(softmaxGradCases)});
        checks.push_back({"causal mask", dtype, formatName(dtype), std::bind_front(maskCases, dtype)});
        checks.push_back({"rotary", dtype, formatName(dtype), bothWays(rotaryCases)});
        checks.push_back({"sum of heads", dtype, formatName(dtype), bothWays(sumHeadsCases)});
    }
}

}  // namespace mantissa::conformance
