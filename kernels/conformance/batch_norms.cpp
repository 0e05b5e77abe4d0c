// SPDX-License-Identifier: Apache-2.0
// Rows of batch norm. The reference treats a column as a row of layer norm with one weight and one bias.
#include <cmath>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/network_reference.h"
#include "kernels/conformance/network_tolerance.h"
#include "kernels/conformance/tolerance.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

struct Size {
    std::int64_t rows, channels;
    std::string shape() const { return std::to_string(rows) + "x" + std::to_string(channels); }
};
std::vector<Size> sizesFor(Extent extent) {
    if (extent == Extent::Short) return {{2, 3}, {37, 16}};
    return {{2, 3}, {37, 16}, {2, 1}, {9, 65}, {1500, 3}, {70, 600}, {4500, 16}, {40, 2000}};  // the last three in pieces
}

/// Formats of the input and of the parameters.
struct Format {
    Dtype x, parameters;
};

Values column(const Values& values, const Size& size, std::int64_t index) {
    Values own;
    for (std::int64_t row = 0; row < size.rows; ++row) own.push_back(values[at(row * size.channels + index)]);
    return own;
}
void setColumn(Values& values, const Size& size, std::int64_t index, const Values& own) {
    for (std::int64_t row = 0; row < size.rows; ++row) values[at(row * size.channels + index)] = own[at(row)];
}

/// Non-finite values occur only in every third column. `offset`: a mean far from 0, where squares would cancel.
Floats input(Inputs inputs, Dtype dtype, const Size& size, double offset) {
    Floats x = elements(inputs, dtype, at(size.rows * size.channels), 131);
    const Floats finite = elements(Inputs::Normal, dtype, x.size(), 132);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (inputs == Inputs::NonFinite && i % at(size.channels) % 3 != 0) x[i] = finite[i];
        if (offset != 0) x[i] = roundTo(dtype, x[i] + static_cast<float>(offset));
    }
    return x;
}

Expected inFp32(const Values& values, const Values& limits) {
    return within(Dtype::F32, values, limits, kAnything);
}

void trainingCase(const BatchNormDesc& d, const Size& size, Inputs inputs, double offset, const CaseSink& sink, bool moves = true) {
    const Floats x = input(inputs, d.from, size, offset), weight = elements(Inputs::Normal, d.parameters, at(size.channels), 133),
                 bias = elements(Inputs::Normal, d.parameters, weight.size(), 134), runningMean = normals(weight.size(), 135);
    Floats runningVariance = normals(weight.size(), 136);
    for (float& v : runningVariance) v *= v;
    const Values xs = toDouble(x);
    Values y(x.size()), yLimits(x.size()), means, meanLimits, inverses, inverseLimits, newMeans, newMeanLimits, newVariances,
        newVarianceLimits;
    for (std::int64_t i = 0; i < size.channels; ++i) {
        const Values own = column(xs, size, i), weights(own.size(), wide(weight[at(i)])), biases(own.size(), wide(bias[at(i)]));
        const reference::NormRow expected = reference::layerNorm({d.epsilon, true}, own, weights, biases);
        const BatchNormErrors errors = batchNormErrors(own, expected.mean, d.epsilon);
        Values limits;
        for (std::size_t row = 0; row < own.size(); ++row) {
            limits.push_back(
                errors.norm.result(d.to, own[row] - expected.mean, expected.inverseDeviation, weights[0], biases[0], expected.y[row]));
        }
        setColumn(y, size, i, expected.y);
        setColumn(yLimits, size, i, limits);
        means.push_back(expected.mean);
        meanLimits.push_back(errors.norm.mean);
        inverses.push_back(expected.inverseDeviation);
        inverseLimits.push_back(errors.norm.inverse * expected.inverseDeviation);
        double squares = 0;
        for (const double v : own) squares += (v - expected.mean) * (v - expected.mean);
        const double variance = squares / static_cast<double>(size.rows - 1);
        newMeans.push_back((1 - d.momentum) * wide(runningMean[at(i)]) + d.momentum * expected.mean);
        newMeanLimits.push_back(runningLimit(wide(runningMean[at(i)]), expected.mean, errors.mean, newMeans.back()));
        newVariances.push_back((1 - d.momentum) * wide(runningVariance[at(i)]) + d.momentum * variance);
        newVarianceLimits.push_back(runningLimit(wide(runningVariance[at(i)]), variance, errors.variance * variance, newVariances.back()));
    }
    sink({.desc = d,
          .inputs = inputs,
          .shape = size.shape(),
          .layout = !moves        ? "without running statistics"
                    : offset != 0 ? "far from 0"
                                  : "",
          .operands = {reads(d.from, x), reads(d.parameters, weight), reads(d.parameters, bias),
                       moves ? updates(Dtype::F32, runningMean, inFp32(newMeans, newMeanLimits)) : absent(),
                       moves ? updates(Dtype::F32, runningVariance, inFp32(newVariances, newVarianceLimits)) : absent(),
                       writes(d.to, within(d.to, y, yLimits, kAnything)), writes(Dtype::F32, inFp32(means, meanLimits)),
                       writes(Dtype::F32, inFp32(inverses, inverseLimits))}});
}

/// Normalises by the running statistics, which stay unchanged: in fp32, except for the root.
void evaluationCase(const BatchNormDesc& d, const Size& size, Inputs inputs, const CaseSink& sink) {
    const Floats x = input(inputs, d.from, size, 0), weight = elements(Inputs::Normal, d.parameters, at(size.channels), 133),
                 bias = elements(Inputs::Normal, d.parameters, weight.size(), 134), mean = normals(weight.size(), 137);
    Floats variance = normals(weight.size(), 138);
    for (float& v : variance) v *= v;
    Values y, limits;
    const NormErrors errors{.mean = 0, .inverse = roundingLimit(Dtype::F32, 1)};
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t c = i % weight.size();
        const double inverse = 1 / std::sqrt(wide(variance[c]) + d.epsilon), difference = wide(x[i]) - wide(mean[c]);
        y.push_back(difference * inverse * wide(weight[c]) + wide(bias[c]));
        limits.push_back(errors.result(d.to, difference, inverse, wide(weight[c]), wide(bias[c]), y.back()));
    }
    sink({.desc = d,
          .inputs = inputs,
          .shape = size.shape(),
          .layout = "running",
          .operands = {reads(d.from, x), reads(d.parameters, weight), reads(d.parameters, bias), reads(Dtype::F32, mean),
                       reads(Dtype::F32, variance), writes(d.to, within(d.to, y, limits, kAnything)), absent(), absent()}});
}

void batchNormCases(Format format, Extent extent, const CaseSink& sink) {
    for (const Size& size : sizesFor(extent)) {
        BatchNormDesc d{.rows = size.rows, .channels = size.channels, .from = format.x, .parameters = format.parameters, .to = format.x};
        trainingCase(d, size, Inputs::Normal, 200, sink);
        trainingCase(d, size, Inputs::Normal, 0, sink, false);
        for (const Inputs inputs : {Inputs::Normal, Inputs::Subnormal, Inputs::NonFinite}) {
            d.training = true;
            trainingCase(d, size, inputs, 0, sink);
            d.training = false;
            evaluationCase(d, size, inputs, sink);
        }
    }
}

void gradientCase(Format format, const Size& size, Inputs inputs, const CaseSink& sink) {
    const BatchNormGradDesc d{.rows = size.rows,
                              .channels = size.channels,
                              .gradOutput = format.x,
                              .x = format.x,
                              .parameters = format.parameters,
                              .gradInput = format.x,
                              .gradParameters = format.parameters};
    const Floats x = elements(Inputs::Normal, d.x, at(size.rows * size.channels), 139),
                 weight = elements(Inputs::Normal, d.parameters, at(size.channels), 140);
    Floats g = elements(inputs, d.gradOutput, x.size(), 141);
    const Floats finite = elements(Inputs::Normal, d.gradOutput, x.size(), 142);
    for (std::size_t i = 0; i < g.size(); ++i) {
        if (inputs == Inputs::NonFinite && i % weight.size() % 3 != 0) g[i] = finite[i];
    }
    const Values gs = toDouble(g), xs = toDouble(x);
    Floats means, inverses;
    Values gradInput(x.size()), inputLimits(x.size()), gradWeight, weightLimits, gradBias, biasLimits;
    for (std::int64_t i = 0; i < size.channels; ++i) {
        const Values ownG = column(gs, size, i), ownX = column(xs, size, i), weights(ownG.size(), wide(weight[at(i)]));
        const reference::NormRow forward = reference::layerNorm({}, ownX, weights, {});
        means.push_back(static_cast<float>(forward.mean));
        inverses.push_back(static_cast<float>(forward.inverseDeviation));
        const double mean = wide(means.back()), inverse = wide(inverses.back());
        const reference::NormGradient own = reference::layerNormGrad({}, ownG, ownX, weights, mean, inverse);
        double sumG = 0, sumGn = 0, sizeG = 0, sizeGn = 0;
        for (std::size_t row = 0; row < ownG.size(); ++row) {
            sumG += ownG[row];
            sumGn += own.weight[row];
            sizeG += std::fabs(ownG[row]);
            sizeGn += std::fabs(own.weight[row]);
        }
        Values limits;
        for (std::size_t row = 0; row < ownG.size(); ++row) {
            const double n = std::fabs((ownX[row] - mean) * inverse), rows = static_cast<double>(size.rows);
            const double magnitude = std::fabs(weights[0] * inverse) * (std::fabs(ownG[row]) + sizeG / rows + n * sizeGn / rows);
            limits.push_back(batchNormGradLimit(d.gradInput, magnitude, own.input[row]));
        }
        setColumn(gradInput, size, i, own.input);
        setColumn(inputLimits, size, i, limits);
        gradBias.push_back(sumG);
        biasLimits.push_back(doubleSumLimit(d.gradParameters, size.rows, 0, sizeG, sumG));
        gradWeight.push_back(sumGn);
        weightLimits.push_back(doubleSumLimit(d.gradParameters, size.rows, 2, sizeGn, sumGn));  // a difference and a product
    }
    sink({.desc = d,
          .inputs = inputs,
          .shape = size.shape(),
          .operands = {reads(d.gradOutput, g), reads(d.x, x), reads(d.parameters, weight), reads(Dtype::F32, means),
                       reads(Dtype::F32, inverses), writes(d.gradInput, within(d.gradInput, gradInput, inputLimits, kAnything)),
                       writes(d.gradParameters, within(d.gradParameters, gradWeight, weightLimits, kAnything)),
                       writes(d.gradParameters, within(d.gradParameters, gradBias, biasLimits, kAnything))}});
}

void gradientCases(Format format, Extent extent, const CaseSink& sink) {
    for (const Size& size : sizesFor(extent)) {
        for (const Inputs inputs : {Inputs::Normal, Inputs::Subnormal, Inputs::NonFinite}) gradientCase(format, size, inputs, sink);
    }
}

}  // namespace

void addBatchNorms(std::vector<Check>& checks) {
    for (const Dtype dtype : kStorageDtypes) {
        const auto bothParameters = [dtype](const auto& cases) {
            return [=](Extent extent, const CaseSink& sink) {
                cases({dtype, Dtype::F32}, extent, sink);
                if (dtype != Dtype::F32) cases({dtype, dtype}, extent, sink);
            };
        };
        checks.push_back({"batch norm", dtype, formatName(dtype), bothParameters(batchNormCases)});
        checks.push_back({"batch norm gradient", dtype, formatName(dtype), bothParameters(gradientCases)});
    }
}

}  // namespace mantissa::conformance
