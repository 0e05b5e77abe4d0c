// SPDX-License-Identifier: Apache-2.0
// Rows of matrix products and of sums over rows.
#include <algorithm>
#include <cmath>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/product_inputs.h"
#include "kernels/conformance/reference.h"
#include "kernels/conformance/tensor_core_reference.h"
#include "kernels/conformance/tolerance.h"

namespace mantissa::conformance {
namespace {

/// Formats that policies, benchmarks and audits may request: descriptions without sizes.
const MatmulDesc kProductFormats[] = {
    {.a = Dtype::F32, .b = Dtype::F32, .out = Dtype::F32, .compute = Dtype::F32},
    {.a = Dtype::F32, .b = Dtype::F32, .out = Dtype::BF16, .compute = Dtype::F32},
    {.a = Dtype::F32, .b = Dtype::BF16, .out = Dtype::F32, .compute = Dtype::F32},
    {.a = Dtype::F32, .b = Dtype::F32, .out = Dtype::F16, .compute = Dtype::F16},
    {.a = Dtype::F32, .b = Dtype::F32, .out = Dtype::F32, .compute = Dtype::TF32},
    {.a = Dtype::F32, .b = Dtype::F32, .out = Dtype::F32, .compute = Dtype::TF32, .operandRounding = Rounding::NearestAway},
    {.a = Dtype::F32, .b = Dtype::F32, .out = Dtype::F32, .compute = Dtype::TF32, .operandRounding = Rounding::TowardZero},
    {.a = Dtype::F32, .b = Dtype::F32, .out = Dtype::F32, .compute = Dtype::TF32, .accumulator = Accumulator::Ampere},
    {.a = Dtype::F16, .b = Dtype::F16, .out = Dtype::F16, .compute = Dtype::F16},
    {.a = Dtype::F16, .b = Dtype::F16, .out = Dtype::F32, .compute = Dtype::F16},
    {.a = Dtype::F16, .b = Dtype::F16, .out = Dtype::F16, .compute = Dtype::F16, .accumulator = Accumulator::Hopper},
    {.a = Dtype::F16, .b = Dtype::F16, .out = Dtype::F16, .compute = Dtype::F16, .accumulator = Accumulator::Fp16},
    {.a = Dtype::BF16, .b = Dtype::BF16, .out = Dtype::BF16, .compute = Dtype::BF16},
    {.a = Dtype::BF16, .b = Dtype::BF16, .out = Dtype::F32, .compute = Dtype::BF16},
    {.a = Dtype::BF16, .b = Dtype::BF16, .out = Dtype::BF16, .compute = Dtype::BF16, .accumulator = Accumulator::Blackwell},
    {.a = Dtype::E4M3, .b = Dtype::E4M3, .out = Dtype::E4M3, .compute = Dtype::E4M3},
    {.a = Dtype::E4M3, .b = Dtype::E4M3, .out = Dtype::F16, .compute = Dtype::E4M3},
    {.a = Dtype::E4M3, .b = Dtype::E4M3, .out = Dtype::F32, .compute = Dtype::F32},
    {.a = Dtype::E4M3, .b = Dtype::E4M3, .out = Dtype::BF16, .compute = Dtype::E4M3, .isScaled = true},
    {.a = Dtype::E4M3, .b = Dtype::E4M3, .out = Dtype::BF16, .compute = Dtype::E4M3, .isScaled = true, .accumulator = Accumulator::Hopper},
    {.a = Dtype::E4M3,
     .b = Dtype::E4M3,
     .out = Dtype::BF16,
     .compute = Dtype::E4M3,
     .isScaled = true,
     .accumulator = Accumulator::Hopper,
     .promoteEvery = 128},
    {.a = Dtype::E5M2, .b = Dtype::E5M2, .out = Dtype::E5M2, .compute = Dtype::E5M2},
    {.a = Dtype::E5M2, .b = Dtype::E5M2, .out = Dtype::BF16, .compute = Dtype::F32},
    {.a = Dtype::E5M2, .b = Dtype::E4M3, .out = Dtype::F16, .compute = Dtype::E5M2, .isScaled = true},
};

struct ProductSize {
    std::int64_t m, n, k;
};
/// The first five are those of Extent::Short.
constexpr ProductSize kSizes[] = {{1, 1, 1}, {3, 5, 7}, {17, 33, 65}, {64, 64, 64}, {5, 10, 300}, {64, 2, 2}, {1, 127, 31}, {61, 1, 128}};
/// Large enough for distribution among threads by rows, by columns, by both with an odd rest; and one long sum.
constexpr ProductSize kLargeSizes[] = {{640, 40, 700}, {40, 640, 700}, {330, 270, 270}, {16, 16, 20000}};

std::size_t indexInA(const MatmulDesc& d, std::int64_t row, std::int64_t k) {
    return at(d.transposeA ? k * d.m + row : row * d.k + k);
}

std::size_t indexInB(const MatmulDesc& d, std::int64_t k, std::int64_t col) {
    return at(d.transposeB ? col * d.k + k : k * d.n + col);
}

void plantNonFinite(const MatmulDesc& d, Factors& factors) {
    const std::int64_t last = d.k - 1;
    const auto bAt = [&](std::int64_t k, std::int64_t j) -> float& { return factors.b[indexInB(d, k, j)]; };
    factors.a[indexInA(d, d.m / 2, last / 2)] = std::nanf("");
    if (d.m > 2) factors.a[indexInA(d, 0, last)] = kInf;  // times 0 it is NaN
    if (d.n > 2) bAt(last, d.n - 1) = -kInf;
    if (d.n > 3) bAt(0, 1) = std::nanf("");
}

Factors factorsOf(const MatmulDesc& d, Inputs inputs, unsigned seed) {
    const std::size_t a = at(d.m * d.k), b = at(d.k * d.n), bias = d.hasBias ? at(d.n) : 0;
    const auto isInOddRow = [&](std::size_t i) { return (d.transposeA ? i % at(d.m) : i / at(d.k)) % 2 == 1; };
    Factors factors = drawFactors(d, inputs, {a, b, bias}, seed, isInOddRow);
    if (inputs == Inputs::NonFinite) plantNonFinite(d, factors);
    return factors;
}

/// Bit-exact tensor core sums, then scale and bias in fp32, one rounding each.
Expected tensorCoreExpected(const MatmulDesc& d, Inputs inputs, const Values& a, const Values& b, const Values& bias) {
    const Scales scales = scalesOf(d, inputs);
    const reference::TensorCore core{d.accumulator, d.compute, d.promoteEvery};
    reference::Terms left{operandFormat(d.a, d), Floats(static_cast<std::size_t>(d.k))}, right{operandFormat(d.b, d), left.values};
    Values values;
    for (std::int64_t i = 0; i < d.m; ++i) {
        for (std::int64_t j = 0; j < d.n; ++j) {
            for (std::int64_t k = 0; k < d.k; ++k) {
                const auto at = static_cast<std::size_t>(k);
                left.values[at] = static_cast<float>(a[indexInA(d, i, k)]);
                right.values[at] = static_cast<float>(b[indexInB(d, k, j)]);
            }
            auto value = static_cast<float>(reference::tensorCoreSum(core, left, right));
            if (d.isScaled) value *= scales.a * scales.b;
            if (d.hasBias) value += static_cast<float>(bias[static_cast<std::size_t>(j)]);
            values.push_back(static_cast<double>(value));
        }
    }
    return exactly(d.out, values, optionsFor(values.size()));
}

Expected expectedOf(const MatmulDesc& d, Inputs inputs, const Factors& factors) {
    const double factor = scalesOf(d, inputs).factor();
    const Values a = operandValues(factors.a, d.a, computeOf(d.a, d), d.operandRounding),
                 b = operandValues(factors.b, d.b, computeOf(d.b, d), d.operandRounding);
    // The bias is added to the fp32 accumulator: it is not rounded to the compute dtype, and not scaled.
    const Values bias = operandValues(factors.bias, d.out, Dtype::F32);
    if (fusedDot(d.accumulator, d.compute) && inputs == Inputs::Normal) return tensorCoreExpected(d, inputs, a, b, bias);
    const reference::Sums sums = reference::product({d.m, d.n, d.k, d.transposeA, d.transposeB}, a, b, {});
    Values values, limits, narrowLimits;
    for (std::size_t i = 0; i < sums.values.size(); ++i) {
        const double added = d.hasBias ? bias[i % bias.size()] : 0, magnitude = sums.magnitudes[i] * std::fabs(factor);
        values.push_back(sums.values[i] * factor + added);
        limits.push_back(productLimit(d, magnitude, added, values.back()));
        if (isFp8(d.compute)) narrowLimits.push_back(narrowSumLimit(d, magnitude, added, values.back()));
    }
    CompareOptions options = optionsFor(values.size());
    if (inputs == Inputs::Overflow || inputs == Inputs::NonFinite) options.mayBeConstant = true;  // small products may overflow entirely
    if (inputs != Inputs::Normal) return exactly(d.out, values, options);
    Expected expected = within(d.out, std::move(values), std::move(limits), options);
    expected.nativeLimits = std::move(narrowLimits);
    expected.nativeFormat = d.compute;
    return expected;
}

std::string layoutOf(const MatmulDesc& d) {
    return std::string(d.transposeA ? "A'" : "A") + (d.transposeB ? " B'" : " B") + (d.hasBias ? " +bias" : "");
}

void productCase(const MatmulDesc& d, Inputs inputs, bool isOffLine, const CaseSink& sink) {
    const auto seed = static_cast<unsigned>(d.m * 10007 + d.n * 101 + d.k);
    const Factors factors = factorsOf(d, inputs, seed);
    Case test{.desc = d,
              .inputs = inputs,
              .shape = std::to_string(d.m) + "x" + std::to_string(d.n) + "x" + std::to_string(d.k),
              .layout = layoutOf(d) + (isOffLine ? " off-line" : ""),
              .operands = {reads(d.a, factors.a), reads(d.b, factors.b)},
              .isOffLine = isOffLine};
    if (d.hasBias) test.operands.push_back(reads(d.out, factors.bias));
    if (d.isScaled) {
        const Scales scales = scalesOf(d, inputs);
        for (const float inverse : {scales.a, scales.b}) {
            test.operands.push_back({.before = bytesOf(QuantScale{.scale = 1 / inverse, .inverse = inverse})});
        }
    }
    test.operands.push_back(writes(d.out, expectedOf(d, inputs, factors)));
    sink(test);
}

/// A'A, with both operands in one buffer.
void squareCase(MatmulDesc d, const CaseSink& sink) {
    d.transposeA = true;
    Factors factors = factorsOf(d, Inputs::Whole, 77);
    factors.b = factors.a;
    Case test{.desc = d,
              .inputs = Inputs::Whole,
              .shape = std::to_string(d.m) + "x" + std::to_string(d.n) + "x" + std::to_string(d.k),
              .layout = "A' A in one buffer",
              .operands = {reads(d.a, factors.a), reads(d.b, factors.b), writes(d.out, expectedOf(d, Inputs::Whole, factors))}};
    test.operands[1].sameAs = 0;
    sink(test);
}

/// An fp16 accumulator holds 11 bits: whole numbers up to 2,048, but the ends of the range only inexactly.
bool isExactIn(Accumulator accumulator, Inputs inputs) {
    return accumulator != Accumulator::Fp16 || (inputs != Inputs::Subnormal && inputs != Inputs::Overflow);
}

void products(const MatmulDesc& format, Extent extent, const CaseSink& sink) {
    const auto descOf = [&](const ProductSize& size, int layout) {
        MatmulDesc d = format;
        d.m = size.m, d.n = size.n, d.k = size.k;
        d.transposeA = (layout & 1) != 0;
        d.transposeB = (layout & 2) != 0;
        d.hasBias = (layout & 4) != 0;
        return d;
    };
    const bool isShort = extent == Extent::Short;
    for (const ProductSize& size : std::span(kSizes).first(isShort ? 5 : std::size(kSizes))) {
        for (const Inputs inputs : kAllInputs) {
            if (!isExactIn(format.accumulator, inputs)) continue;
            for (int layout = 0; layout < 8; ++layout) productCase(descOf(size, layout), inputs, false, sink);
            productCase(descOf(size, 4), inputs, true, sink);
        }
        if (size.m == size.n && size.m > 1 && format.a == format.b && !format.isScaled) squareCase(descOf(size, 0), sink);
    }
    if (isShort || format.accumulator != Accumulator::Fp32) return;  // emulated sums are slow and have few bits
    for (const ProductSize& size : kLargeSizes) {
        for (int layout = 4; layout < 8; ++layout) productCase(descOf(size, layout), Inputs::Whole, false, sink);
        productCase(descOf(size, 6), Inputs::Normal, false, sink);
    }
}

/// tf32 exists only in products and has its own rows. Other formats are listed by storage dtype.
Dtype listedUnder(const MatmulDesc& d) {
    return d.a == Dtype::F32 && d.compute == Dtype::TF32 ? Dtype::TF32 : d.a;
}

std::string nameOf(const MatmulDesc& d) {
    const Dtype listed = listedUnder(d);
    std::string text = formatName(listed) + (d.b != d.a ? " x " + formatName(d.b) : "") + (d.out != d.a ? " > " + formatName(d.out) : "") +
                       (d.compute == listed || d.compute == Dtype::F32 ? "" : " in " + formatName(d.compute));
    if (d.operandRounding != Rounding::NearestEven) text += ", " + std::string(roundingName(d.operandRounding));
    if (d.isScaled) text += ", scaled";
    if (d.accumulator != Accumulator::Fp32) text += ", sums of " + std::string(accumulatorName(d.accumulator));
    if (d.promoteEvery > 0) text += " promoted";
    return text;
}

/// Whole numbers with the special values of `inputs`, so that every sum is exact; or normal numbers.
Floats summands(Dtype dtype, Dtype out, const ProductSize& size, Inputs inputs, unsigned seed) {
    const std::size_t count = at(size.m * size.n);
    if (inputs == Inputs::Normal) return elements(inputs, dtype, count, seed);
    Floats g = wholes(count, seed);
    if (inputs == Inputs::Subnormal) {
        scale(g, facts(dtype).minSubnormal);
    } else if (inputs == Inputs::Overflow) {
        takeMagnitudes(g);
        scale(g, std::min(powerOfTwo(facts(out).overflowFrom / (2 * static_cast<double>(size.m))), largestUnit(dtype)));
        for (std::size_t i = 0; i < count; ++i)
            g[i] /= i % static_cast<std::size_t>(size.n) % 2 == 0 ? 1.0F : 2.0F;  // every second column does not overflow
    } else if (inputs == Inputs::NonFinite) {
        const Floats planted = elements(inputs, dtype, count, seed);
        for (std::size_t i = 0; i < count; i += static_cast<std::size_t>(size.n) / 2 + 3)
            g[i] = std::isfinite(planted[i]) ? g[i] : planted[i];
    }
    return g;
}

void biasGradCase(const BiasGradDesc& d, Inputs inputs, const CaseSink& sink) {
    const Floats g = summands(d.dtype, d.out, {d.rows, d.cols, 0}, inputs, static_cast<unsigned>(d.rows * 101 + d.cols));
    const reference::Sums sums = reference::columnSums(d.rows, d.cols, operandValues(g, d.dtype, Dtype::F32));
    CompareOptions options = optionsFor(sums.values.size());
    if (inputs == Inputs::Overflow) options.mayBeConstant = true;
    Values limits;
    for (std::size_t i = 0; i < sums.values.size(); ++i) limits.push_back(sumLimit(d.out, d.rows, sums.magnitudes[i], sums.values[i]));
    Expected expected =
        inputs == Inputs::Normal ? within(d.out, sums.values, std::move(limits), options) : exactly(d.out, sums.values, options);
    sink({.desc = d,
          .inputs = inputs,
          .shape = std::to_string(d.rows) + "x" + std::to_string(d.cols),
          .layout = "> " + formatName(d.out),
          .operands = {reads(d.dtype, g), writes(d.out, std::move(expected))}});
}

void biasGrad(Dtype dtype, Extent extent, const CaseSink& sink) {
    std::vector<ProductSize> sizes{{1, 1, 0}, {33, 17, 0}, {64, 10, 0}};
    if (extent == Extent::Full) sizes.insert(sizes.end(), {{1, 1025, 0}, {1000, 3, 0}, {33, 1500, 0}});
    for (const ProductSize& size : sizes) {
        for (const Inputs inputs : kAllInputs) {
            biasGradCase({size.m, size.n, dtype, dtype}, inputs, sink);
            if (dtype != Dtype::F32) biasGradCase({size.m, size.n, dtype, Dtype::F32}, inputs, sink);
        }
    }
}

}  // namespace

void addProducts(std::vector<Check>& checks) {
    for (const MatmulDesc& f : kProductFormats) {
        checks.push_back({"matmul", listedUnder(f), nameOf(f), [f](Extent extent, const CaseSink& sink) { products(f, extent, sink); }});
    }
    for (const Dtype dtype : kStorageDtypes) {
        checks.push_back({"bias gradient", dtype, formatName(dtype), std::bind_front(biasGrad, dtype)});
    }
}

}  // namespace mantissa::conformance
