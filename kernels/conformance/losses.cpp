// SPDX-License-Identifier: Apache-2.0
// Rows of the losses and their gradients: in fp32, also with 16-bit logits, and with log-probabilities in the logits' format.
#include <algorithm>
#include <cmath>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/reference.h"
#include "kernels/conformance/tolerance.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

struct LossBatch {
    std::int64_t rows, classes;
    Inputs inputs;
    Floats logits;
    std::vector<std::int32_t> labels;

    Values numbers() const { return toDouble(logits); }
    std::string shape() const { return std::to_string(rows) + "x" + std::to_string(classes); }
    /// The largest magnitude of the finite logits.
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
        if (row % 3 == 0) label = std::max_element(x, x + classes) - x;  // some predictions are correct
        batch.labels.push_back(static_cast<std::int32_t>(label));
        // Logits far apart; the prediction of the first row is wrong.
        if (inputs == Inputs::Overflow) {
            for (std::int64_t i = 0; i < classes; ++i) x[i] = i == label && row > 0 ? 1e38f : -1e38f;
            if (row == 0) x[(label + 1) % classes] = 1e38f;
        } else if (inputs == Inputs::NonFinite && row % 2 == 1) {
            constexpr float kPlanted[] = {-kInf, kInf, kNan};
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
            if (dtype != Dtype::F32 && inputs == Inputs::Overflow) continue;  // fp32 only: other formats do not hold the planted values
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
            // Logits that are 1e38 apart propagate no error: their differences are 0, or beyond the range of exp.
            const double largest = batch.inputs == Inputs::Overflow ? 0 : batch.largest();
            Values limits;
            for (const double g : expected) limits.push_back(crossEntropyGradLimit(batch.classes, largest, factor, g));
            CompareOptions options = optionsFor(expected.size());
            if (batch.inputs == Inputs::Overflow || batch.classes == 1) options = optionsFor(0);  // gradients of 0, except in one row
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

/// A batch's log-probabilities rounded to the format, and how far apart roundings may be where fp32's error crosses a tie.
struct RoundedLogProbabilities {
    Values values, spreads, lowest, highest;

    RoundedLogProbabilities(const LossBatch& batch, Dtype format) {
        const auto narrow = [format](double value) { return wide(roundTo(format, static_cast<float>(value))); };
        const double error = logProbabilityLimit(batch.classes, batch.largest());
        for (const double value : reference::logProbabilities(batch.classes, batch.numbers())) {
            values.push_back(narrow(value));
            lowest.push_back(narrow(value - error));
            highest.push_back(narrow(value + error));
            spreads.push_back(std::isfinite(values.back()) ? highest.back() - lowest.back() : 0);
        }
    }
};

void narrowLossCases(Dtype format, Extent extent, const CaseSink& sink) {
    forBatches(format, extent, [&](const LossBatch& batch) {
        const RoundedLogProbabilities rounded(batch, format);
        for (const double smoothing : {0.0, 0.1}) {
            const double expected = reference::lossOfLogProbabilities(batch.classes, rounded.values, batch.labels, smoothing);
            double ofLabels = 0, ofAll = 0;
            for (std::size_t i = 0; i < rounded.spreads.size(); ++i) {
                const auto label = static_cast<std::size_t>(batch.labels[i / static_cast<std::size_t>(batch.classes)]);
                ofAll += rounded.spreads[i];
                ofLabels += i % static_cast<std::size_t>(batch.classes) == label ? rounded.spreads[i] : 0;
            }
            const auto rows = static_cast<double>(batch.rows), classes = static_cast<double>(batch.classes);
            const double limit = crossEntropyLimit(batch.rows, batch.classes, batch.largest(), expected) +
                                 ((1 - smoothing) * ofLabels + smoothing / classes * ofAll) / rows;
            const auto correct = reference::crossEntropy(batch.classes, batch.numbers(), batch.labels).correct;
            sink({.desc = SoftmaxCrossEntropyDesc{batch.rows, batch.classes, smoothing, format, format},
                  .inputs = batch.inputs,
                  .shape = batch.shape(),
                  .layout = smoothing == 0 ? "" : "smoothed",
                  .operands = {reads(format, batch.logits), readsLabels(batch.labels),
                               writes(Dtype::F32, within(Dtype::F32, {expected}, {limit}, optionsFor(1))), writesCount(correct)}});
        }
    });
}

void narrowLossGradCases(Dtype format, Extent extent, const CaseSink& sink) {
    forBatches(format, extent, [&](const LossBatch& batch) {
        const RoundedLogProbabilities rounded(batch, format);
        const auto rows = static_cast<float>(batch.rows);
        // The last setting is 65520 per row: the smallest loss scale that overflows fp16 there.
        for (const auto& [lossGrad, smoothing] : {std::pair{1.0f, 0.0}, {65536.0f / 3, 0.0}, {1.0f, 0.1}, {65520 * rows, 0.0}}) {
            const bool overflows = lossGrad > 65536;
            if (overflows && batch.inputs != Inputs::Normal) continue;
            const Values expected =
                reference::narrowCrossEntropyGrad(format, batch.classes, rounded.values, batch.labels, wide(lossGrad), smoothing);
            const double sum = wide(lossGrad / rows) * (1 + wide(roundTo(format, 0.5f)));  // above the sum of any row's gradient
            Values limits;
            for (std::size_t i = 0; i < expected.size(); ++i) {
                const double spread = std::exp(rounded.highest[i]) - std::exp(rounded.lowest[i]);
                // Roundings of values up to `sum`: exp (2), the sum (2), product, difference; then the rounding to storage.
                limits.push_back(std::isfinite(expected[i]) ? spread * sum + chainLimit(format, 6, sum, expected[i]) : 0);
            }
            CompareOptions options = batch.classes == 1 || overflows ? optionsFor(0) : optionsFor(expected.size());
            options.maxZeroShare = 1;  // the format or exp flushes small probabilities
            sink({.desc = SoftmaxCrossEntropyGradDesc{batch.rows, batch.classes, smoothing, format, format},
                  .inputs = batch.inputs,
                  .shape = batch.shape(),
                  .layout = overflows        ? "65520 a row"
                            : lossGrad != 1  ? "scaled"
                            : smoothing == 0 ? ""
                                             : "smoothed",
                  .operands = {reads(format, batch.logits),
                               readsLabels(batch.labels),
                               {.before = bytesOf(StepScalars{.lossGrad = lossGrad})},
                               writes(format, within(format, expected, limits, options))}});
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
        const std::string format = formatName(dtype);
        checks.push_back({"cross-entropy", dtype, format, std::bind_front(lossCases, dtype)});
        checks.push_back({"cross-entropy gradient", dtype, format, std::bind_front(lossGradCases, dtype)});
    }
    for (const Dtype dtype : {Dtype::F16, Dtype::BF16}) {
        const std::string format = "fp32 in " + formatName(dtype);
        checks.push_back({"cross-entropy", dtype, format, std::bind_front(narrowLossCases, dtype)});
        checks.push_back({"cross-entropy gradient", dtype, format, std::bind_front(narrowLossGradCases, dtype)});
    }
    checks.push_back({"squared error", Dtype::F32, "fp32", [](Extent extent, const CaseSink& sink) {
                          squaredErrorCases(false, extent, sink);
                          squaredErrorCases(true, extent, sink);
                      }});
}

}  // namespace mantissa::conformance
