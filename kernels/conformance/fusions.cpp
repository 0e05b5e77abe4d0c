// SPDX-License-Identifier: Apache-2.0
// Rows of the groups of kernels/fusion.h, each beside its parts: every bit is the same.
#include "kernels/fusion.h"

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"

namespace mantissa::conformance {
namespace {

struct RowSize {
    std::int64_t rows, cols;
    std::size_t count() const { return at(rows * cols); }
    std::string shape() const { return std::to_string(rows) + "x" + std::to_string(cols); }
};
std::vector<RowSize> rowSizes(Extent extent) {
    if (extent == Extent::Short) return {{3, 16}, {5, 768}};
    return {{3, 16}, {5, 264}, {5, 768}, {9, 1000}, {1200, 64}, {2100, 64}};
}

Operand writesElements(Dtype dtype, std::size_t count) {
    Operand operand = writes(dtype, {});
    operand.before.resize(count * facts(dtype).storageBytes());
    return operand;
}
Operand sameAs(int index) {
    Operand operand = absent();
    operand.role = Role::Read;
    operand.sameAs = index;
    return operand;
}

/// Formats of the residual stream, and of what a layer reads and writes.
struct StreamFormats {
    Dtype stream, layer;
};

/// RMS norm has no mean and no bias.
void toRmsNorm(Case& test, std::size_t norm, std::initializer_list<std::size_t> unused) {
    test.layout += " RMS";
    for (const std::size_t operand : unused) test.operands[operand] = absent();
    OperationDesc& desc = norm == 0 ? test.desc : test.followers[norm - 1].desc;
    const auto change = [](auto* each) {
        if (each != nullptr) each->centres = each->hasBias = false;
    };
    change(std::get_if<LayerNormDesc>(&desc));
    change(std::get_if<LayerNormGradDesc>(&desc));
}

void togetherAddNormCases(StreamFormats format, Extent extent, const CaseSink& sink) {
    for (const RowSize& size : rowSizes(extent)) {
        for (const Inputs inputs : {Inputs::Normal, Inputs::Subnormal, Inputs::NonFinite}) {
            const AddDesc add{.count = size.rows * size.cols, .a = format.stream, .b = format.layer, .out = format.stream};
            const LayerNormDesc norm{.rows = size.rows, .cols = size.cols, .from = format.stream, .to = format.layer};
            const Floats perColumn = elements(Inputs::Normal, Dtype::F32, at(size.cols), 3);
            Case test{
                .desc = add,
                .inputs = inputs,
                .shape = size.shape(),
                .layout = "> " + formatName(format.layer),
                .operands = {reads(add.a, elements(inputs, add.a, size.count(), 1)),
                             reads(add.b, elements(Inputs::Normal, add.b, size.count(), 2)), writesElements(add.out, size.count()),
                             sameAs(2), reads(Dtype::F32, perColumn), reads(Dtype::F32, perColumn), writesElements(norm.to, size.count()),
                             writesElements(Dtype::F32, at(size.rows)), writesElements(Dtype::F32, at(size.rows))},
                .followers = {{norm, 6}}};
            sink(test);
            toRmsNorm(test, 1, {5, 7});
            sink(test);
        }
    }
}

/// What follows the gradient.
struct Tail {
    bool adds, casts;
};

void togetherNormGradCases(StreamFormats format, Tail tail, Extent extent, const CaseSink& sink) {
    for (const RowSize& size : rowSizes(extent)) {
        for (const Inputs inputs : {Inputs::Normal, Inputs::Subnormal, Inputs::NonFinite}) {
            const LayerNormGradDesc grad{
                .rows = size.rows, .cols = size.cols, .gradOutput = format.layer, .x = format.stream, .gradInput = format.stream};
            const Floats perColumn = elements(Inputs::Normal, Dtype::F32, at(size.cols), 13),
                         perRow = elements(Inputs::Normal, Dtype::F32, at(size.rows), 14);
            Case test{.desc = grad,
                      .inputs = inputs,
                      .shape = size.shape(),
                      .layout = std::string(tail.adds ? "+sum" : "") + (tail.casts ? "+cast" : ""),
                      .operands = {reads(grad.gradOutput, elements(inputs, grad.gradOutput, size.count(), 11)),
                                   reads(grad.x, elements(Inputs::Normal, grad.x, size.count(), 12)), reads(Dtype::F32, perColumn),
                                   reads(Dtype::F32, perRow), reads(Dtype::F32, perRow), writesElements(grad.gradInput, size.count()),
                                   writesElements(Dtype::F32, at(size.cols)), writesElements(Dtype::F32, at(size.cols))},
                      .followers = {}};
            int result = 5;
            if (tail.adds) {
                const AddDesc add{.count = size.rows * size.cols, .a = format.stream, .b = format.stream, .out = format.stream};
                test.operands.push_back(reads(add.a, elements(Inputs::Normal, add.a, size.count(), 15)));
                test.operands.push_back(sameAs(result));
                result = static_cast<int>(test.operands.size());
                test.operands.push_back(writesElements(add.out, size.count()));
                test.followers.push_back({add, 3});
            }
            if (tail.casts) {
                test.operands.push_back(sameAs(result));
                test.operands.push_back(writesElements(format.layer, size.count()));
                test.followers.push_back({CastDesc{size.rows * size.cols, format.stream, format.layer}, 2});
            }
            sink(test);
            toRmsNorm(test, 0, {3, 7});
            sink(test);
        }
    }
}

void togetherActivationCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    std::vector<RowSize> sizes{{3, 16}, {700, 24}};
    if (extent == Extent::Full) sizes.insert(sizes.end(), {{1, 8}, {300, 1032}, {5000, 72}});
    for (const Activation kind : {Activation::Relu, Activation::Gelu, Activation::Tanh, Activation::Sigmoid, Activation::Silu}) {
        for (const RowSize& size : sizes) {
            for (const Inputs inputs : {Inputs::Normal, Inputs::Overflow, Inputs::NonFinite}) {
                Case test{.desc = ActivationGradDesc{kind, size.rows * size.cols, dtype},
                          .inputs = inputs,
                          .shape = size.shape(),
                          .layout = std::string(activationName(kind)),
                          .operands = {reads(dtype, elements(inputs, dtype, size.count(), 21)),
                                       reads(dtype, elements(Inputs::Normal, dtype, size.count(), 22)), writesElements(dtype, size.count()),
                                       sameAs(2), writesElements(dtype, at(size.cols))},
                          .followers = {{BiasGradDesc{size.rows, size.cols, dtype, dtype}, 2}}};
                sink(test);
                test.layout += "+cast";
                test.operands.push_back(sameAs(4));
                test.operands.push_back(writesElements(Dtype::F32, at(size.cols)));
                test.followers.push_back({CastDesc{size.cols, dtype, Dtype::F32}, 2});
                sink(test);
            }
        }
    }
}

void togetherBatchNormCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    std::vector<RowSize> sizes{{3, 16}, {130, 40}};
    if (extent == Extent::Full) sizes.insert(sizes.end(), {{3000, 17}, {700, 64}});
    for (const RowSize& size : sizes) {
        for (const Inputs inputs : {Inputs::Normal, Inputs::NonFinite}) {
            for (const bool trains : {true, false}) {
                for (const int summand : {-1, 0, 1}) {
                    const BatchNormDesc norm{.rows = size.rows, .channels = size.cols, .training = trains, .from = dtype, .to = dtype};
                    const std::size_t cols = at(size.cols);
                    const auto perColumn = [&](unsigned seed) { return elements(Inputs::Normal, Dtype::F32, cols, seed); };
                    Floats variance = perColumn(54);
                    for (float& each : variance) each = each * each + 1;
                    Case test{.desc = norm,
                              .inputs = inputs,
                              .shape = size.shape(),
                              .layout = std::string(trains ? "training" : "") + (summand < 0 ? "" : "+sum"),
                              .operands = {reads(dtype, elements(inputs, dtype, size.count(), 51)), reads(Dtype::F32, perColumn(52)),
                                           reads(Dtype::F32, perColumn(53)), trains ? absent() : reads(Dtype::F32, perColumn(55)),
                                           trains ? absent() : reads(Dtype::F32, variance), writesElements(dtype, size.count()),
                                           trains ? writesElements(Dtype::F32, cols) : absent(),
                                           trains ? writesElements(Dtype::F32, cols) : absent()},
                              .followers = {}};
                    int result = 5;
                    if (summand >= 0) {
                        const Operand other = reads(dtype, elements(Inputs::Normal, dtype, size.count(), 56));
                        test.operands.push_back(summand == 0 ? sameAs(result) : other);
                        test.operands.push_back(summand == 0 ? other : sameAs(result));
                        result = static_cast<int>(test.operands.size());
                        test.operands.push_back(writesElements(dtype, size.count()));
                        test.followers.push_back({AddDesc{.count = size.rows * size.cols, .a = dtype, .b = dtype, .out = dtype}, 3});
                    }
                    test.operands.push_back(sameAs(result));
                    test.operands.push_back(writesElements(dtype, size.count()));
                    test.followers.push_back({ActivationDesc{Activation::Relu, size.rows * size.cols, dtype}, 2});
                    sink(test);
                }
            }
        }
    }
}

void togetherReluGradCases(Dtype dtype, Extent, const CaseSink& sink) {
    for (const std::int64_t count : {1, 1000, 70001}) {
        for (const Inputs inputs : kElementInputs) {
            const auto tensor = [&](Inputs kind, unsigned seed) { return reads(dtype, elements(kind, dtype, at(count), seed)); };
            sink({.desc = AddDesc{.count = count, .a = dtype, .b = dtype, .out = dtype},
                  .inputs = inputs,
                  .shape = std::to_string(count),
                  .operands = {tensor(inputs, 61), tensor(Inputs::Normal, 62), writesElements(dtype, at(count)), sameAs(2),
                               tensor(Inputs::Normal, 63), writesElements(dtype, at(count))},
                  .followers = {{ActivationGradDesc{Activation::Relu, count, dtype}, 3}}});
        }
    }
}

void togetherCastCases(Dtype dtype, Extent, const CaseSink& sink) {
    for (const Inputs inputs : {Inputs::Normal, Inputs::Subnormal, Inputs::Overflow, Inputs::NonFinite}) {
        Case test{.desc = CastDesc{1, Dtype::F32, dtype}, .inputs = inputs, .shape = "arrays", .followers = {}};
        for (const std::int64_t count : {1, 3000, 7, 70001, 2048}) {
            if (test.operands.empty())
                test.desc = CastDesc{count, Dtype::F32, dtype};
            else
                test.followers.push_back({CastDesc{count, Dtype::F32, dtype}, 2});
            test.operands.push_back(reads(Dtype::F32, elements(inputs, Dtype::F32, at(count), static_cast<unsigned>(count))));
            test.operands.push_back(writesElements(dtype, at(count)));
        }
        sink(test);
    }
}

void togetherBiasGradCases(Dtype dtype, Extent, const CaseSink& sink) {
    for (const RowSize& size : {RowSize{3, 17}, RowSize{2100, 72}}) {
        sink({.desc = BiasGradDesc{size.rows, size.cols, dtype, dtype},
              .shape = size.shape(),
              .operands = {reads(dtype, elements(Inputs::Normal, dtype, size.count(), 41)), writesElements(dtype, at(size.cols)), sameAs(1),
                           writesElements(Dtype::F32, at(size.cols))},
              .followers = {{CastDesc{size.cols, dtype, Dtype::F32}, 2}}});
    }
}

void togetherLossCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    std::vector<RowSize> sizes{{33, 10}, {6, 5000}};
    if (extent == Extent::Full) sizes.insert(sizes.end(), {{500, 91}, {7, 1031}, {3, 50304}});
    for (const RowSize& size : sizes) {
        for (const Inputs inputs : {Inputs::Normal, Inputs::Subnormal, Inputs::NonFinite}) {
            for (const double smoothing : {0.0, 0.1}) {
                const Floats logits = elements(inputs, dtype, size.count(), 31);
                std::vector<std::int32_t> labels;
                for (std::int64_t row = 0; row < size.rows; ++row) labels.push_back(static_cast<std::int32_t>((row * 7 + 3) % size.cols));
                StepScalars scalars;
                scalars.lossGrad = 1024;
                Operand step = absent();
                step.role = Role::Read;
                step.before = bytesOf(scalars);
                sink({.desc = SoftmaxCrossEntropyDesc{size.rows, size.cols, smoothing, dtype, dtype},
                      .inputs = inputs,
                      .shape = size.shape(),
                      .layout = smoothing == 0 ? "" : "smoothed",
                      .operands = {reads(dtype, logits), readsLabels(labels), writesElements(Dtype::F32, 1), writesCount(0), sameAs(0),
                                   sameAs(1), step, writesElements(dtype, size.count())},
                      .followers = {{SoftmaxCrossEntropyGradDesc{size.rows, size.cols, smoothing, dtype, dtype}, 4}}});
            }
        }
    }
}

}  // namespace

void addFusions(std::vector<Check>& checks) {
    for (const Dtype dtype : kParameterDtypes) {
        const auto inBoth = [dtype](const auto& cases) {
            return [=](Extent extent, const CaseSink& sink) {
                cases(StreamFormats{Dtype::F32, dtype}, extent, sink);
                if (dtype != Dtype::F32) cases(StreamFormats{dtype, dtype}, extent, sink);
            };
        };
        checks.push_back({"residual sum with norm", dtype, formatName(dtype), inBoth(togetherAddNormCases)});
        checks.push_back({"norm gradient with sum and cast", dtype, formatName(dtype),
                          inBoth([](StreamFormats format, Extent extent, const CaseSink& sink) {
                              for (const Tail tail : {Tail{true, true}, {true, false}, {false, true}})
                                  togetherNormGradCases(format, tail, extent, sink);
                          })});
        checks.push_back({"activation and bias gradient", dtype, formatName(dtype),
                          [=](Extent extent, const CaseSink& sink) { togetherActivationCases(dtype, extent, sink); }});
        checks.push_back({"batch norm with sum and relu", dtype, formatName(dtype),
                          [=](Extent extent, const CaseSink& sink) { togetherBatchNormCases(dtype, extent, sink); }});
        checks.push_back({"sum with relu gradient", dtype, formatName(dtype),
                          [=](Extent extent, const CaseSink& sink) { togetherReluGradCases(dtype, extent, sink); }});
        if (dtype == Dtype::F32) continue;
        checks.push_back({"conversions together", dtype, "fp32 > " + formatName(dtype),
                          [=](Extent extent, const CaseSink& sink) { togetherCastCases(dtype, extent, sink); }});
        checks.push_back({"bias gradient with cast", dtype, formatName(dtype),
                          [=](Extent extent, const CaseSink& sink) { togetherBiasGradCases(dtype, extent, sink); }});
        checks.push_back({"cross-entropy with gradient", dtype, formatName(dtype),
                          [=](Extent extent, const CaseSink& sink) { togetherLossCases(dtype, extent, sink); }});
    }
}

}  // namespace mantissa::conformance
