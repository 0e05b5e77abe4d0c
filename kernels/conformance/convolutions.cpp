// SPDX-License-Identifier: Apache-2.0
// Rows of convolutions and their gradients.
#include <cmath>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/convolution_reference.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/product_inputs.h"
#include "kernels/conformance/tolerance.h"

namespace mantissa::conformance {
namespace {

/// Descriptions without sizes. Gradients of y, x and the weights have the dtypes of y, x and the weights.
const Convolution2dDesc kConvolutionFormats[] = {
    {.x = Dtype::F32, .weight = Dtype::F32, .out = Dtype::F32, .compute = Dtype::F32},
    {.x = Dtype::F32, .weight = Dtype::F32, .out = Dtype::F32, .compute = Dtype::TF32},
    {.x = Dtype::F32, .weight = Dtype::F32, .out = Dtype::F32, .compute = Dtype::TF32, .operandRounding = Rounding::TowardZero},
    {.x = Dtype::F32, .weight = Dtype::F32, .out = Dtype::F16, .compute = Dtype::F16},
    {.x = Dtype::F16, .weight = Dtype::F16, .out = Dtype::F16, .compute = Dtype::F16},
    {.x = Dtype::F16, .weight = Dtype::F16, .out = Dtype::F32, .compute = Dtype::F16},
    {.x = Dtype::BF16, .weight = Dtype::BF16, .out = Dtype::BF16, .compute = Dtype::BF16},
    {.x = Dtype::BF16, .weight = Dtype::F32, .out = Dtype::BF16, .compute = Dtype::F32},
    {.x = Dtype::E4M3, .weight = Dtype::E4M3, .out = Dtype::BF16, .compute = Dtype::E4M3},
    {.x = Dtype::E5M2, .weight = Dtype::E4M3, .out = Dtype::E5M2, .compute = Dtype::F32},
};

struct ImageShape {
    std::int64_t samples, height, width, in, out;
    Window window;
    std::int64_t groups = 1;
};
/// The first three are those of Extent::Short.
const ImageShape kShapes[] = {
    {1, 1, 1, 1, 1, {}},
    {2, 5, 4, 3, 4, {3, 3, 1, 1, 1, 1}},
    {3, 7, 6, 4, 6, {3, 2, 2, 1, 1, 0}, 2},
    {2, 6, 6, 16, 16, {3, 3, 1, 1, 1, 1}},     // whole vectors of channels
    {2, 8, 8, 16, 32, {3, 3, 2, 2, 1, 1}},     // a residual network's downsampling
    {2, 8, 8, 16, 33, {1, 1, 2, 2, 0, 0}},     // columns and rows that no window reads
    {1, 9, 8, 3, 16, {7, 7, 2, 2, 3, 3}},      // an image's first layer
    {2, 7, 9, 5, 5, {3, 3, 1, 1, 1, 1}, 5},    // one group per channel
    {2, 5, 5, 32, 32, {3, 3, 1, 1, 0, 0}, 2},  // no padding
    {2, 3, 4, 2, 3, {2, 2, 1, 1, 2, 2}},       // windows of padding only
    {1, 5, 6, 2, 3, {5, 6, 1, 1, 0, 0}},       // one window as large as the plane
};
/// Distributed among threads, with an odd rest.
const ImageShape kLargeShapes[] = {{19, 12, 12, 32, 32, {3, 3, 1, 1, 1, 1}}, {71, 11, 11, 40, 48, {3, 3, 2, 1, 1, 1}, 2}};

Convolution2dDesc descOf(Convolution2dDesc d, const ImageShape& s) {
    d.samples = s.samples, d.height = s.height, d.width = s.width, d.inChannels = s.in, d.outChannels = s.out;
    d.window = s.window;
    d.groups = s.groups;
    return d;
}

std::string nameOf(const ImageShape& s) {
    const Window& w = s.window;
    return std::to_string(s.samples) + "x" + std::to_string(s.height) + "x" + std::to_string(s.width) + "x" + std::to_string(s.in) +
           " to " + std::to_string(s.out) + ", window " + std::to_string(w.height) + "x" + std::to_string(w.width);
}
bool isPadded(const Convolution2dDesc& d) {
    return d.window.padHeight + d.window.padWidth > 0;
}
/// Names the special features.
std::string layoutOf(const Convolution2dDesc& d) {
    const std::pair<bool, const char*> features[] = {{d.window.strideHeight * d.window.strideWidth > 1, "strided"},
                                                     {isPadded(d), "padded"},
                                                     {d.groups > 1, "grouped"},
                                                     {d.hasBias, "+bias"}};
    std::string text;
    for (const auto& [is, name] : features) text += is ? (text.empty() ? "" : " ") + std::string(name) : "";
    return text;
}

using reference::sizeOfWeight, reference::sizeOfX, reference::sizeOfY;

/// Operands that may hold non-finite values: where they meet padding (zeros), a library may add nothing or NaN.
struct MayMeet {
    bool a = true, b = true;
};
void plantNonFinite(Factors& factors, MayMeet mayMeet) {
    Floats &a = factors.a, &b = factors.b;
    if (mayMeet.a) a[a.size() / 2] = std::nanf("");
    if (mayMeet.a && a.size() > 20) a[a.size() / 5] = kInf;  // times 0 it is NaN
    if (mayMeet.b && b.size() > 20) b[0] = -kInf;
    if (mayMeet.b && b.size() > 40) b[b.size() - 1] = std::nanf("");
}

/// `product`: formats and number of terms, as of a matrix product.
Factors factorsOf(const MatmulDesc& product, Inputs inputs, std::size_t a, std::size_t b, std::size_t bias, MayMeet mayMeet,
                  const std::function<bool(std::size_t)>& isHalved) {
    Factors factors = drawFactors(product, inputs, {a, b, bias}, static_cast<unsigned>(a * 101 + b), isHalved);
    if (inputs == Inputs::NonFinite) plantNonFinite(factors, mayMeet);
    return factors;
}

Values rounded(const Floats& values, Dtype storage, const MatmulDesc& product) {
    return operandValues(values, storage, product.compute, product.operandRounding);
}

/// `sums`: of the reference. The bias repeats.
Expected expectedOf(const MatmulDesc& product, Inputs inputs, const reference::Sums& sums, const Values& bias) {
    Values values, limits;
    for (std::size_t i = 0; i < sums.values.size(); ++i) {
        const double added = bias.empty() ? 0 : bias[i % bias.size()];
        values.push_back(sums.values[i] + added);
        limits.push_back(productLimit(product, sums.magnitudes[i], added, values.back()));
    }
    const CompareOptions options = kAnything;  // small results may all overflow, or be padding
    return inputs == Inputs::Normal ? within(product.out, std::move(values), std::move(limits), options)
                                    : exactly(product.out, values, options);
}

/// The formats of a convolution's sums of `terms` products, as of a matrix product.
MatmulDesc productOf(const Convolution2dDesc& d, std::int64_t terms, Dtype a, Dtype b, Dtype out) {
    return {.k = terms, .a = a, .b = b, .out = out, .compute = d.compute, .operandRounding = d.operandRounding};
}

void forwardCase(const Convolution2dDesc& d, const ImageShape& shape, Inputs inputs, const CaseSink& sink) {
    MatmulDesc product = productOf(d, d.inChannels / d.groups * d.window.height * d.window.width, d.x, d.weight, d.out);
    product.hasBias = d.hasBias;
    const std::size_t perSample = sizeOfX(d) / at(d.samples);
    const Factors f = factorsOf(product, inputs, sizeOfX(d), sizeOfWeight(d), d.hasBias ? at(d.outChannels) : 0, {.b = !isPadded(d)},
                                [&](std::size_t i) { return i / perSample % 2 == 1; });
    const reference::Sums sums = reference::convolution(d, rounded(f.a, d.x, product), rounded(f.b, d.weight, product));
    sink({.desc = d,
          .inputs = inputs,
          .shape = nameOf(shape),
          .layout = layoutOf(d),
          .operands = {reads(d.x, f.a), reads(d.weight, f.b), d.hasBias ? reads(d.out, f.bias) : absent(),
                       writes(d.out, expectedOf(product, inputs, sums, operandValues(f.bias, d.out, Dtype::F32)))}});
}

void inputGradCase(const Convolution2dDesc& d, const ImageShape& shape, Inputs inputs, const CaseSink& sink) {
    const MatmulDesc product = productOf(d, d.outChannels / d.groups * d.window.height * d.window.width, d.out, d.weight, d.x);
    const std::size_t perSample = sizeOfY(d) / at(d.samples);
    const Factors f = factorsOf(product, inputs, sizeOfY(d), sizeOfWeight(d), 0, {}, [&](std::size_t i) { return i / perSample % 2 == 1; });
    const reference::Sums sums = reference::convolutionInputGrad(d, rounded(f.a, d.out, product), rounded(f.b, d.weight, product));
    sink({.desc = Convolution2dInputGradDesc{d, d.out, d.x},
          .inputs = inputs,
          .shape = nameOf(shape),
          .layout = layoutOf(d),
          .operands = {reads(d.out, f.a), reads(d.weight, f.b), writes(d.x, expectedOf(product, inputs, sums, {}))}});
}

void weightGradCase(const Convolution2dDesc& d, const ImageShape& shape, Inputs inputs, const CaseSink& sink) {
    const MatmulDesc product = productOf(d, d.samples * d.window.outHeight(d.height) * d.window.outWidth(d.width), d.out, d.x, d.weight);
    const auto channels = at(d.outChannels);
    const Factors f =
        factorsOf(product, inputs, sizeOfY(d), sizeOfX(d), 0, {.a = !isPadded(d)}, [&](std::size_t i) { return i % channels % 2 == 1; });
    const reference::Sums sums = reference::convolutionWeightGrad(d, rounded(f.a, d.out, product), rounded(f.b, d.x, product));
    const Expected expected = expectedOf(product, inputs, sums, {});
    Case test{.desc = Convolution2dWeightGradDesc{d, d.out, d.weight},
              .inputs = inputs,
              .shape = nameOf(shape),
              .layout = layoutOf(d),
              .operands = {reads(d.out, f.a), reads(d.x, f.b), writes(d.weight, expected)}};
    sink(test);
    if (d.weight == Dtype::F32) return;
    test.desc = Convolution2dWeightGradDesc{d, d.out, Dtype::F32, d.weight};
    test.layout += " in fp32";
    test.operands.back() = writes(Dtype::F32, expected);
    sink(test);
}

template <typename MakeCase>
std::function<void(Extent, const CaseSink&)> everyShape(const Convolution2dDesc& format, bool mayHaveBias, const MakeCase& makeCase) {
    return [=](Extent extent, const CaseSink& sink) {
        const bool isShort = extent == Extent::Short;
        for (const ImageShape& shape : std::span(kShapes).first(isShort ? 3 : std::size(kShapes))) {
            for (const Inputs inputs : kAllInputs) {
                Convolution2dDesc d = descOf(format, shape);
                makeCase(d, shape, inputs, sink);
                d.hasBias = true;
                if (mayHaveBias) makeCase(d, shape, inputs, sink);
            }
        }
        for (const ImageShape& shape : isShort ? std::span<const ImageShape>() : std::span<const ImageShape>(kLargeShapes)) {
            makeCase(descOf(format, shape), shape, Inputs::Whole, sink);
        }
    };
}

/// tf32 has its own rows, as in products.
std::string nameOf(const Convolution2dDesc& d) {
    if (d.compute == Dtype::TF32) {
        return "tf32" + (d.operandRounding != Rounding::NearestEven ? ", " + std::string(roundingName(d.operandRounding)) : "");
    }
    return formatName(d.x) + (d.weight != d.x ? " x " + formatName(d.weight) : "") + (d.out != d.x ? " > " + formatName(d.out) : "");
}

}  // namespace

void addConvolutions(std::vector<Check>& checks) {
    for (const Convolution2dDesc& f : kConvolutionFormats) {
        const Dtype listed = f.compute == Dtype::TF32 ? Dtype::TF32 : f.x;
        checks.push_back({"convolution", listed, nameOf(f), everyShape(f, true, forwardCase)});
        checks.push_back({"convolution input gradient", listed, nameOf(f), everyShape(f, false, inputGradCase)});
        checks.push_back({"convolution weight gradient", listed, nameOf(f), everyShape(f, false, weightGradCase)});
    }
}

}  // namespace mantissa::conformance
