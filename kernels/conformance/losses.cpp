// SPDX-License-Identifier: Apache-2.0
// Rows of the losses and their gradients, in fp32; of logits that are stored in 16 bits as well.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/reference.h"
#include "kernels/conformance/tolerance.h"

namespace mantissa::conformance {
namespace {

struct LossBatch {
    std::int64_t rows, classes;
    Inputs inputs;
    Floats logits;
    std::vector<std::int32_t> labels;

    Values numbers() const { return toDouble(logits); }
    std::string shape() const { return std::to_string(rows) + "x" + std::to_string(classes); }
    /// Over finite ones.
    double largest() const {
        double result = 0;
        for (const double x : numbers()) result = std::isfinite(x) ? std::max(result, std::fabs(x)) : result;
        return result;
    }
};

LossBatch batchOf(Dtype dtype, std::int64_t rows, std::int64_t classes, Inputs inputs) {
    const auto seed = static_cast<unsigned>(rows * 1000 + classes);
    LossBatch batch{rows,
                    classes,
                    inputs,
                    elements(inputs == Inputs::NonFinite || inputs == Inputs::Overflow ? Inputs::Normal : inputs, dtype,
                             static_cast<std::size_t>(rows * classes), seed),
                    {}};
    for (std::int64_t row = 0; row < rows; ++row) {
        float* const x = batch.logits.data() + row * classes;
        std::int64_t label = (row * 7 + 3) % classes;
        if (row % 3 == 0) label = std::max_element(x, x + classes) - x;  // some are right
        batch.labels.push_back(static_cast<std::int32_t>(label));
        // Far apart, the first row's label the least likely of all.
        if (inputs == Inputs::Overflow) {
            for (std::int64_t i = 0; i < classes; ++i) x[i] = i == label && row > 0 ? 1e38f : -1e38f;
            if (row == 0) x[(label + 1) % classes] = 1e38f;
        } else if (inputs == Inputs::NonFinite && row % 2 == 1) {
            constexpr float kPlanted[] = {-kInf, kInf, std::numeric_limits<float>::quiet_NaN()};
            x[row % 5 % classes] = kPlanted[row / 2 % 3];
        }
    }
    return batch;
}

void forBatches(Dtype dtype, Extent extent, const std::function<void(const LossBatch&)>& use) {
    std::vector<std::array<std::int64_t, 2>> sizes{{1, 2}, {33, 10}, {64, 91}};
    if (extent == Extent::Full) sizes.insert(sizes.end(), {{1, 1}, {64, 2}, {17, 5}, {500, 91}, {7, 1031}, {61, 257}});
    for (const auto& [rows, classes] : sizes) {
        for (const Inputs inputs : kAllInputs) {
            if (dtype != Dtype::F32 && inputs == Inputs::Overflow) continue;  // of fp32: what is planted is no number of other formats
            use(batchOf(dtype, rows, classes, inputs));
        }
    }
}

void lossCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    forBatches(dtype, extent, [&](const LossBatch& batch) {
        for (const double smoothing : {0.0, 0.1}) {
            if (smoothing != 0 && batch.inputs == Inputs::Overflow) continue;  // the sum over classes overflows fp32
            const reference::CrossEntropy expected = reference::crossEntropy(batch.classes, batch.numbers(), batch.labels, smoothing);
            const double limit = crossEntropyLimit(batch.rows, batch.classes, batch.largest(), expected.loss);
            sink({.desc = SoftmaxCrossEntropyDesc{batch.rows, batch.classes, smoothing, dtype},
                  .inputs = batch.inputs,
                  .shape = batch.shape(),
                  .layout = smoothing == 0 ? "" : "smoothed",
                  .operands = {reads(dtype, batch.logits), readsLabels(batch.labels),
                               writes(Dtype::F32, within(Dtype::F32, {expected.loss}, {limit}, optionsFor(1))),
                               writesCount(expected.correct)}});
        }
    });
}

void lossGradCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    forBatches(dtype, extent, [&](const LossBatch& batch) {
        for (const auto& [lossGrad, smoothing] : {std::pair{1.0f, 0.0}, {65536.0f / 3, 0.0}, {1.0f, 0.1}}) {
            const double factor = static_cast<double>(lossGrad) / static_cast<double>(batch.rows);
            const Values expected =
                reference::crossEntropyGrad(batch.classes, batch.numbers(), batch.labels, static_cast<double>(lossGrad), smoothing);
            // Logits that are 1e38 apart have no error to carry on: their differences are 0, or beyond what exp looks at.
            const double largest = batch.inputs == Inputs::Overflow ? 0 : batch.largest();
            Values limits;
            for (const double g : expected) limits.push_back(crossEntropyGradLimit(batch.classes, largest, factor, g));
            CompareOptions options = optionsFor(expected.size());
            if (batch.inputs == Inputs::Overflow || batch.classes == 1) options = optionsFor(0);  // all right but one row: gradients of 0
            sink({.desc = SoftmaxCrossEntropyGradDesc{batch.rows, batch.classes, smoothing, dtype},
                  .inputs = batch.inputs,
                  .shape = batch.shape(),
                  .layout = lossGrad != 1    ? "scaled"
                            : smoothing == 0 ? ""
                                             : "smoothed",
                  .operands = {reads(dtype, batch.logits),
                               readsLabels(batch.labels),
                               {.before = bytesOf(StepScalars{.lossGrad = lossGrad})},
                               writes(Dtype::F32, within(Dtype::F32, expected, limits, options))}});
        }
    });
}

void squaredErrorCases(bool isGradient, Extent extent, const CaseSink& sink) {
    for (const std::int64_t count : lengths(extent)) {
        if (count == 0) continue;
        for (const Inputs inputs : {Inputs::Normal, Inputs::Subnormal, Inputs::NonFinite}) {
            const auto n = static_cast<std::size_t>(count);
            const Floats prediction = elements(inputs, Dtype::F32, n, 131), target = elements(Inputs::Normal, Dtype::F32, n, 132);
            const Values p = toDouble(prediction), t = toDouble(target);
            Case test{.desc = MeanSquaredErrorDesc{count},
                      .inputs = inputs,
                      .shape = std::to_string(count),
                      .layout = isGradient ? "gradient" : "loss"};
            test.operands = {reads(Dtype::F32, prediction), reads(Dtype::F32, target)};
            if (isGradient) {
                constexpr float kLossGrad = 1000.0f / 3;
                const Values expected = reference::meanSquaredErrorGrad(p, t, static_cast<double>(kLossGrad));
                Values limits;
                for (const double g : expected)
                    limits.push_back(chainLimit(Dtype::F32, 3, std::fabs(g), g));  // quotient, difference, product
                test.desc = MeanSquaredErrorGradDesc{count};
                test.operands.push_back({.before = bytesOf(StepScalars{.lossGrad = kLossGrad})});
                test.operands.push_back(writes(Dtype::F32, within(Dtype::F32, expected, limits, optionsFor(n))));
            } else {
                const double expected = reference::meanSquaredError(p, t);
                // Difference (twice in a square), square, the sum's terms, quotient.
                const double limit = chainLimit(Dtype::F32, static_cast<double>(count + 4), expected, expected);
                test.operands.push_back(writes(Dtype::F32, within(Dtype::F32, {expected}, {limit}, optionsFor(1))));
            }
            sink(test);
        }
    }
}

}  // namespace

void addLosses(std::vector<Check>& checks) {
    for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::BF16}) {
        const std::string format(facts(dtype).name);
        checks.push_back(
            {"cross-entropy", dtype, format, [dtype](Extent extent, const CaseSink& sink) { lossCases(dtype, extent, sink); }});
        checks.push_back({"cross-entropy gradient", dtype, format,
                          [dtype](Extent extent, const CaseSink& sink) { lossGradCases(dtype, extent, sink); }});
    }
    checks.push_back({"squared error", Dtype::F32, "fp32", [](Extent extent, const CaseSink& sink) {
                          squaredErrorCases(false, extent, sink);
                          squaredErrorCases(true, extent, sink);
                      }});
}

}  // namespace mantissa::conformance
