// SPDX-License-Identifier: Apache-2.0
// Rows of embeddings, layer norm and RMS norm.
#include <cmath>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/network_reference.h"
#include "kernels/conformance/network_tolerance.h"
#include "kernels/conformance/tolerance.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

// ---- Embeddings ----

struct Lookup {
    std::int64_t rows, cols, tableRows;
    std::vector<std::int32_t> indices;  // repeated ones, missing ones, both ends

    Lookup(std::int64_t r, std::int64_t c, std::int64_t t) : rows(r), cols(c), tableRows(t) {
        for (std::int64_t i = 0; i < r; ++i) indices.push_back(static_cast<std::int32_t>(i % 3 == 0 ? t - 1 : i * i % t / 2 * 2 % t));
    }
    std::string shape() const { return std::to_string(rows) + "x" + std::to_string(cols) + " of " + std::to_string(tableRows); }
};
std::vector<Lookup> lookups(Extent extent) {
    if (extent == Extent::Short) return {{1, 3, 2}, {23, 17, 9}};
    return {{1, 3, 2}, {23, 17, 9}, {40, 1031, 5}, {300, 130, 700}};
}

void embeddingCases(Dtype table, Dtype out, Extent extent, const CaseSink& sink) {
    for (const Lookup& size : lookups(extent)) {
        for (const Inputs inputs : {Inputs::Normal, Inputs::Subnormal, Inputs::Overflow, Inputs::NonFinite}) {
            const Floats rows = elements(inputs, table, at(size.tableRows * size.cols), 101);
            Values values;
            for (const std::int32_t index : size.indices) {
                for (std::int64_t col = 0; col < size.cols; ++col) values.push_back(wide(rows[at(index * size.cols + col)]));
            }
            sink({.desc = EmbeddingDesc{size.rows, size.cols, size.tableRows, table, out},
                  .inputs = inputs,
                  .shape = size.shape(),
                  .layout = "> " + formatName(out),
                  .operands = {reads(table, rows), readsLabels(size.indices), writes(out, exactly(out, values, kAnything))}});
        }
    }
}

void embeddingGradCases(Dtype dtype, Dtype out, Extent extent, const CaseSink& sink) {
    for (const Lookup& size : lookups(extent)) {
        for (const Inputs inputs : {Inputs::Whole, Inputs::Normal, Inputs::NonFinite}) {
            const Floats g = elements(inputs, dtype, at(size.rows * size.cols), 102);
            Values values(at(size.tableRows * size.cols)), magnitudes(values.size()), limits;
            for (std::int64_t i = 0; i < size.rows * size.cols; ++i) {
                const std::size_t to = at(size.indices[at(i / size.cols)] * size.cols + i % size.cols);
                values[to] += wide(g[at(i)]);
                magnitudes[to] += std::fabs(wide(g[at(i)]));
            }
            for (std::size_t i = 0; i < values.size(); ++i) limits.push_back(sumLimit(out, size.rows, magnitudes[i], values[i]));
            const CompareOptions options{.mayBeConstant = values.size() < 16, .maxZeroShare = 0.99};  // most rows of a table are unused
            sink({.desc = EmbeddingGradDesc{size.rows, size.cols, size.tableRows, dtype, out},
                  .inputs = inputs,
                  .shape = size.shape(),
                  .layout = "> " + formatName(out),
                  .operands = {
                      reads(dtype, g), readsLabels(size.indices),
                      writes(out, inputs == Inputs::Whole ? exactly(out, values, options) : within(out, values, limits, options))}});
        }
    }
}

// ---- Norms ----

struct NormSize {
    std::int64_t rows, cols;
    std::string shape() const { return std::to_string(rows) + "x" + std::to_string(cols); }
};
std::vector<NormSize> normSizes(Extent extent) {
    if (extent == Extent::Short) return {{3, 16}, {9, 65}, {5, 768}};
    // A few numbers; each row length that a warp can hold; rows of a block; more rows than blocks have warps.
    return {{1, 1}, {3, 16}, {9, 65}, {5, 264}, {5, 768}, {5, 1000}, {2, 1500}, {1200, 64}, {2100, 64}};
}

/// Formats of x and y, and of the parameters.
struct NormFormat {
    Dtype x, parameters;
};

void normCases(NormFormat format, bool centres, bool hasBias, Extent extent, const CaseSink& sink) {
    for (const NormSize& size : normSizes(extent)) {
        for (const Inputs inputs : {Inputs::Normal, Inputs::Subnormal, Inputs::NonFinite}) {
            const LayerNormDesc d{.rows = size.rows,
                                  .cols = size.cols,
                                  .centres = centres,
                                  .hasBias = hasBias,
                                  .from = format.x,
                                  .parameters = format.parameters,
                                  .to = format.x};
            Floats x = elements(inputs, d.from, at(size.rows * size.cols), 111);
            const Floats finite = elements(Inputs::Normal, d.from, x.size(), 112);
            for (std::size_t i = 0; i < x.size(); ++i) x[i] = inputs == Inputs::NonFinite && i / at(size.cols) % 2 == 1 ? finite[i] : x[i];
            const Floats weight = elements(Inputs::Normal, d.parameters, at(size.cols), 113),
                         bias = elements(Inputs::Normal, d.parameters, at(hasBias ? size.cols : 0), 114);
            const Values numbers = toDouble(x), weights = toDouble(weight), biases = toDouble(bias);
            Values y, yLimits, means, meanLimits, inverses, inverseLimits;
            for (std::int64_t row = 0; row < size.rows; ++row) {
                const auto own = std::span(numbers).subspan(at(row * size.cols), at(size.cols));
                const reference::NormRow expected = reference::layerNorm({d.epsilon, centres}, own, weights, biases);
                const NormErrors errors = normErrors(own, expected.mean, d.epsilon);
                for (std::size_t i = 0; i < own.size(); ++i) {
                    y.push_back(expected.y[i]);
                    yLimits.push_back(errors.result(d.to, own[i] - expected.mean, expected.inverseDeviation, weights[i],
                                                    hasBias ? biases[i] : 0, y.back()));
                }
                means.push_back(expected.mean);
                meanLimits.push_back(errors.mean);
                inverses.push_back(expected.inverseDeviation);
                inverseLimits.push_back(errors.inverse * expected.inverseDeviation);
            }
            sink({.desc = d,
                  .inputs = inputs,
                  .shape = size.shape(),
                  .layout = std::string(centres ? "" : "RMS") + (hasBias ? "+bias" : ""),
                  .operands = {reads(d.from, x), reads(d.parameters, weight), hasBias ? reads(d.parameters, bias) : absent(),
                               writes(d.to, within(d.to, y, yLimits, kAnything)),
                               centres ? writes(Dtype::F32, within(Dtype::F32, means, meanLimits, kAnything)) : absent(),
                               writes(Dtype::F32, within(Dtype::F32, inverses, inverseLimits, kAnything))}});
        }
    }
}

void normGradCases(NormFormat format, bool centres, bool hasBias, Extent extent, const CaseSink& sink) {
    for (const NormSize& size : normSizes(extent)) {
        for (const Inputs inputs : {Inputs::Normal, Inputs::Subnormal, Inputs::NonFinite}) {
            const LayerNormGradDesc d{.rows = size.rows,
                                      .cols = size.cols,
                                      .centres = centres,
                                      .hasBias = hasBias,
                                      .gradOutput = format.x,
                                      .x = format.x,
                                      .parameters = format.parameters,
                                      .gradInput = format.x,
                                      .gradParameters = format.parameters};
            const std::size_t count = at(size.rows * size.cols), cols = at(size.cols);
            const Floats g = elements(inputs, d.gradOutput, count, 115), x = elements(Inputs::Normal, d.x, count, 116),
                         weight = elements(Inputs::Normal, d.parameters, cols, 117);
            const Values gs = toDouble(g), xs = toDouble(x), weights = toDouble(weight);
            Floats means, inverses;
            Values gradInput, inputLimits, gradWeight(cols), weightSizes(cols), weightLimits, biasLimits;
            for (std::int64_t row = 0; row < size.rows; ++row) {
                const auto ownG = std::span(gs).subspan(at(row) * cols, cols), ownX = std::span(xs).subspan(at(row) * cols, cols);
                const reference::NormRow forward = reference::layerNorm({.centres = centres}, ownX, weights, {});
                means.push_back(static_cast<float>(forward.mean));
                inverses.push_back(static_cast<float>(forward.inverseDeviation));
                const double mean = wide(means.back()), inverse = wide(inverses.back());
                const reference::NormGradient own = reference::layerNormGrad({.centres = centres}, ownG, ownX, weights, mean, inverse);
                double sizeH = 0, sizeHn = 0;
                for (std::size_t i = 0; i < cols; ++i) {
                    const double h = std::fabs(ownG[i] * weights[i]) / static_cast<double>(cols);
                    sizeH += h;
                    sizeHn += h * std::fabs((ownX[i] - mean) * inverse);
                }
                for (std::size_t i = 0; i < cols; ++i) {
                    const double n = std::fabs((ownX[i] - mean) * inverse),
                                 magnitude = std::fabs(ownG[i] * weights[i]) + sizeH + n * sizeHn;
                    gradInput.push_back(own.input[i]);
                    inputLimits.push_back(normGradLimit(d.gradInput, size.cols, (1 + inverse) * magnitude, own.input[i]));
                    gradWeight[i] += own.weight[i];
                    weightSizes[i] += std::fabs(own.weight[i]);
                }
            }
            const reference::Sums gradBias = reference::columnSums(size.rows, size.cols, gs);
            for (std::size_t i = 0; i < cols; ++i) {
                weightLimits.push_back(sumLimit(d.gradParameters, size.rows + 3, weightSizes[i], gradWeight[i]));
                biasLimits.push_back(sumLimit(d.gradParameters, size.rows, gradBias.magnitudes[i], gradBias.values[i]));
            }
            sink({.desc = d,
                  .inputs = inputs,
                  .shape = size.shape(),
                  .layout = std::string(centres ? "" : "RMS") + (hasBias ? "+bias" : ""),
                  .operands = {
                      reads(d.gradOutput, g), reads(d.x, x), reads(d.parameters, weight), centres ? reads(Dtype::F32, means) : absent(),
                      reads(Dtype::F32, inverses), writes(d.gradInput, within(d.gradInput, gradInput, inputLimits, kAnything)),
                      writes(d.gradParameters, within(d.gradParameters, gradWeight, weightLimits, kAnything)),
                      hasBias ? writes(d.gradParameters, within(d.gradParameters, gradBias.values, biasLimits, kAnything)) : absent()}});
        }
    }
}

/// Pairs of +-magnitudes of the format around a mean, so that every sum over a row is exact in any order.
Floats pairs(Dtype format, std::int64_t count, double mean, double least, double most, unsigned seed) {
    const Floats shares = elements(Inputs::Normal, Dtype::F32, at(count), seed);
    Floats x;
    for (std::int64_t i = 0; i < count; ++i) {
        const double share = std::fmod(std::fabs(wide(shares[at(i / 2)])), 1.0);
        const double magnitude = wide(roundTo(format, static_cast<float>(least + (most - least) * share)));
        x.push_back(static_cast<float>(mean + (i % 2 == 0 ? magnitude : -magnitude)));
    }
    return x;
}

/// Rows of mean +- distance, with one distance or distances from 1 to 4. A positive `epsilon` also tests its sum with the variance.
void narrowNormCases(Dtype compute, Extent, const CaseSink& sink) {
    constexpr std::int64_t kRows = 3, kCols = 34;
    struct Distances {
        double least, most, mean, epsilon;
    };
    for (const Distances& size : {Distances{4, 4, 0, 0}, {4, 4, 8, 0}, {255.75, 255.75, 8, 0}, {256, 256, 0, 0}, {1, 4, 0, 0.03125}}) {
        const LayerNormDesc d{.rows = kRows,
                              .cols = kCols,
                              .epsilon = size.epsilon,
                              .from = Dtype::F32,
                              .parameters = Dtype::F32,
                              .to = compute,
                              .compute = compute};
        const Floats x = pairs(compute, kRows * kCols, size.mean, size.least, size.most, 121),
                     weight = size.least == size.most ? wholes(kCols, 118) : pairs(compute, kCols, 0, 1, 2, 122), bias = wholes(kCols, 119);
        const Values numbers = toDouble(x), weights = toDouble(weight), biases = toDouble(bias);
        Values y, means, inverses;
        for (std::int64_t row = 0; row < kRows; ++row) {
            const auto own = std::span(numbers).subspan(at(row * kCols), kCols);
            const reference::NormRow expected = reference::layerNorm({d.epsilon, true, compute}, own, weights, biases);
            y.insert(y.end(), expected.y.begin(), expected.y.end());
            means.push_back(expected.mean);
            inverses.push_back(expected.inverseDeviation);
        }
        sink({.desc = d,
              .inputs = inverses[0] == 0 ? Inputs::Overflow : Inputs::Whole,
              .shape = std::to_string(kRows) + "x" + std::to_string(kCols),
              .layout = "+-" + std::to_string(size.least),
              .operands = {reads(Dtype::F32, x), reads(Dtype::F32, weight), reads(Dtype::F32, bias), writes(compute, exactly(compute, y)),
                           writes(Dtype::F32, exactly(Dtype::F32, means, kAnything)),
                           writes(Dtype::F32, exactly(Dtype::F32, inverses, kAnything))}});
    }
}

/// RMS norm in which one square overflows, but the mean would not: the whole row becomes 0. In bf16 no square overflows.
void outlierCases(Dtype compute, Extent, const CaseSink& sink) {
    constexpr std::int64_t kCols = 64;
    constexpr float kOutlier = 256;
    const bool overflows = wide(kOutlier) * wide(kOutlier) >= facts(compute).overflowFrom;
    const LayerNormDesc d{.rows = 1, .cols = kCols, .epsilon = 0, .centres = false, .hasBias = false, .to = compute, .compute = compute};
    Floats x(kCols, 0.0f);
    x[5] = kOutlier;  // 2^8 over the root of a mean of 2^10
    Values y(kCols, 0);
    y[5] = overflows ? 0 : 8;
    sink({.desc = d,
          .inputs = Inputs::Overflow,
          .shape = "1x64",
          .layout = "RMS, one outlier",
          .operands = {reads(Dtype::F32, x), reads(Dtype::F32, Floats(kCols, 1.0f)), absent(),
                       writes(compute, exactly(compute, y, kAnything)), absent(),
                       writes(Dtype::F32, exactly(Dtype::F32, {overflows ? 0 : 1.0 / 32}, kAnything))}});
}

/// Small whole numbers, whose normed elements are +-1 and means are sixteenths; then numbers that require rounding in every step.
void narrowNormGradCases(Dtype compute, Extent, const CaseSink& sink) {
    constexpr std::int64_t kRows = 5, kCols = 16;
    for (const bool isWhole : {true, false}) {
        const LayerNormGradDesc d{
            .rows = kRows, .cols = kCols, .gradOutput = Dtype::F32, .gradInput = compute, .gradParameters = Dtype::F32, .compute = compute};
        const double distance = isWhole ? 4 : 1;
        const float inverse = roundTo(compute, isWhole ? 0.25f : 0.37f);
        const Floats g = wholes(kRows * kCols, 120, 3), weight = isWhole ? Floats(kCols, 1.0f) : pairs(compute, kCols, 0, 1, 2, 123),
                     x = pairs(compute, kRows * kCols, isWhole ? 8 : 0, distance, isWhole ? 4 : 2, 124),
                     means(kRows, isWhole ? 8.0f : 0.0f), inverses(kRows, inverse);
        const Values gs = toDouble(g), xs = toDouble(x), weights = toDouble(weight);
        Values gradInput, gradWeight(kCols);
        for (std::int64_t row = 0; row < kRows; ++row) {
            const auto rowOf = [&](const Values& values) { return std::span(values).subspan(at(row * kCols), kCols); };
            const reference::NormGradient own =
                reference::layerNormGrad({.everyResult = compute}, rowOf(gs), rowOf(xs), weights, wide(means[0]), wide(inverse));
            gradInput.insert(gradInput.end(), own.input.begin(), own.input.end());
            for (std::size_t i = 0; i < gradWeight.size(); ++i) gradWeight[i] += own.weight[i];
        }
        const reference::Sums gradBias = reference::columnSums(kRows, kCols, gs);
        sink({.desc = d,
              .inputs = Inputs::Whole,
              .shape = "5x16",
              .layout = isWhole ? "" : "rounded",
              .operands = {reads(Dtype::F32, g), reads(Dtype::F32, x), reads(Dtype::F32, weight), reads(Dtype::F32, means),
                           reads(Dtype::F32, inverses), writes(compute, exactly(compute, gradInput)),
                           writes(Dtype::F32, exactly(Dtype::F32, gradWeight)), writes(Dtype::F32, exactly(Dtype::F32, gradBias.values))}});
    }
}

}  // namespace

void addNorms(std::vector<Check>& checks) {
    for (const Dtype dtype : kStorageDtypes) {
        const auto bothOuts = [dtype](const auto& cases) {
            return [=](Extent extent, const CaseSink& sink) {
                cases(dtype, dtype, extent, sink);
                if (dtype != Dtype::F32) cases(dtype, Dtype::F32, extent, sink);
                if (dtype != Dtype::F32) cases(Dtype::F32, dtype, extent, sink);
            };
        };
        const auto everyKind = [dtype](const auto& cases) {
            return [=](Extent extent, const CaseSink& sink) {
                cases({dtype, Dtype::F32}, true, true, extent, sink);
                cases({dtype, dtype}, true, false, extent, sink);
                cases({dtype, Dtype::F32}, false, false, extent, sink);
            };
        };
        checks.push_back({"embedding", dtype, formatName(dtype), bothOuts(embeddingCases)});
        checks.push_back({"embedding gradient", dtype, formatName(dtype), bothOuts(embeddingGradCases)});
        checks.push_back({"layer norm", dtype, formatName(dtype), everyKind(normCases)});
        checks.push_back({"layer norm gradient", dtype, formatName(dtype), everyKind(normGradCases)});
    }
    for (const Dtype compute : {Dtype::F16, Dtype::BF16}) {
        const std::string format = "fp32 in " + formatName(compute);
        checks.push_back({"layer norm", compute, format, [=](Extent e, const CaseSink& sink) {
                              narrowNormCases(compute, e, sink);
                              outlierCases(compute, e, sink);
                          }});
        checks.push_back(
            {"layer norm gradient", compute, format, [=](Extent e, const CaseSink& sink) { narrowNormGradCases(compute, e, sink); }});
    }
}

}  // namespace mantissa::conformance
