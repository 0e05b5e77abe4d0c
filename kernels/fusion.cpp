// SPDX-License-Identifier: Apache-2.0
#include "kernels/fusion.h"

#include <algorithm>
#include <initializer_list>

namespace mantissa {
namespace {

/// The longest row that a GPU's norm holds in registers, and the elements that it loads at a time.
constexpr std::int64_t kLongestRow = 1024, kRowStep = 8;

bool areTensorFormats(std::initializer_list<Dtype> dtypes) {
    return std::all_of(dtypes.begin(), dtypes.end(),
                       [](Dtype dtype) { return dtype == Dtype::F32 || dtype == Dtype::F16 || dtype == Dtype::BF16; });
}

template <typename Norm>
bool isHeld(const Norm& norm) {
    return norm.compute == Dtype::F32 && norm.cols <= kLongestRow && norm.cols % kRowStep == 0;
}

/// A sum of `count` elements of both operands.
bool isSumOf(const AddDesc& add, std::int64_t count) {
    return add.count == count && (add.bCount == 0 || add.bCount == count) && areTensorFormats({add.a, add.b, add.out});
}

bool matches(const AddDesc& add, const LayerNormDesc& norm) {
    return isHeld(norm) && isSumOf(add, norm.rows * norm.cols) && norm.from == add.out;
}

bool matches(const LayerNormGradDesc& grad, const AddDesc& add) {
    return isSumOf(add, grad.rows * grad.cols) && add.b == grad.gradInput;
}

bool matches(const ActivationGradDesc& grad, const BiasGradDesc& bias) {
    return bias.rows * bias.cols == grad.count && bias.dtype == grad.dtype && bias.cols % kRowStep == 0 && areTensorFormats({grad.dtype});
}

bool matches(const SoftmaxCrossEntropyDesc& loss, const SoftmaxCrossEntropyGradDesc& grad) {
    return grad.rows == loss.rows && grad.classes == loss.classes && grad.labelSmoothing == loss.labelSmoothing &&
           grad.logits == loss.logits && grad.compute == loss.compute && grad.compute == grad.logits && grad.compute != Dtype::F32;
}

bool matches(const BiasGradDesc& bias, const CastDesc& cast) {
    return cast.count == bias.cols && cast.from == bias.out;
}

/// Whether a sum of equal shares is in one format.
bool isSumIn(Dtype dtype, const AddDesc& add, std::int64_t count) {
    return isSumOf(add, count) && add.a == dtype && add.b == dtype && add.out == dtype && add.aFactor == 1 && add.bFactor == 1;
}

bool matches(const AddDesc& add, const ActivationGradDesc& grad) {
    return grad.kind == Activation::Relu && isSumIn(grad.dtype, add, grad.count);
}

bool isBatchNormRelu(std::span<const OperationDesc> parts) {
    const auto* const norm = std::get_if<BatchNormDesc>(&parts.front());
    const auto* const relu = std::get_if<ActivationDesc>(&parts.back());
    if (norm == nullptr || relu == nullptr || relu->kind != Activation::Relu || relu->dtype != norm->to) return false;
    const std::int64_t count = norm->rows * norm->channels;
    if (relu->count != count || !areTensorFormats({norm->from, norm->to})) return false;
    if (parts.size() == 2) return true;
    const auto* const add = std::get_if<AddDesc>(&parts[1]);
    return parts.size() == 3 && add != nullptr && isSumIn(norm->to, *add, count);
}

/// Whether the first parts are First and Second, and fit.
template <typename First, typename Second>
bool begins(std::span<const OperationDesc> parts) {
    const auto* const first = std::get_if<First>(&parts[0]);
    const auto* const second = std::get_if<Second>(&parts[1]);
    return first != nullptr && second != nullptr && matches(*first, *second);
}

bool areCasts(std::span<const OperationDesc> parts) {
    const auto* const first = std::get_if<CastDesc>(&parts[0]);
    return first != nullptr && first->from != first->to && parts.size() <= kMostCasts &&
           std::all_of(parts.begin(), parts.end(), [&](const OperationDesc& part) {
               const auto* const cast = std::get_if<CastDesc>(&part);
               return cast != nullptr && cast->from == first->from && cast->to == first->to;
           });
}

template <typename First, typename Second>
bool are(const OperationDesc& part, const OperationDesc& next) {
    return std::holds_alternative<First>(part) && std::holds_alternative<Second>(next);
}

bool isNormGradAdd(std::span<const OperationDesc> parts) {
    const auto* const grad = std::get_if<LayerNormGradDesc>(&parts[0]);
    if (grad == nullptr || !isHeld(*grad) || !areTensorFormats({grad->gradOutput, grad->x, grad->gradInput})) return false;
    Dtype result = grad->gradInput;
    std::size_t next = 1;
    if (const auto* const add = std::get_if<AddDesc>(&parts[next])) {
        if (!matches(*grad, *add)) return false;
        result = add->out;
        if (++next == parts.size()) return true;
    }
    const auto* const cast = std::get_if<CastDesc>(&parts[next]);
    return cast != nullptr && next + 1 == parts.size() && cast->count == grad->rows * grad->cols && cast->from == result &&
           areTensorFormats({cast->to});
}

}  // namespace

Fusion fusionOf(std::span<const OperationDesc> parts) {
    if (parts.size() < 2) return Fusion::None;
    const bool isPair = parts.size() == 2;
    if (isPair && begins<AddDesc, LayerNormDesc>(parts)) return Fusion::AddNorm;
    if (isPair && begins<BiasGradDesc, CastDesc>(parts)) return Fusion::BiasGrad;
    if (isPair && begins<SoftmaxCrossEntropyDesc, SoftmaxCrossEntropyGradDesc>(parts)) return Fusion::LossGrad;
    if (begins<ActivationGradDesc, BiasGradDesc>(parts) && (isPair || fusionOf(parts.subspan(1)) == Fusion::BiasGrad))
        return Fusion::ActivationBiasGrad;
    if (isPair && begins<AddDesc, ActivationGradDesc>(parts)) return Fusion::AddReluGrad;
    if (isBatchNormRelu(parts)) return Fusion::BatchNormRelu;
    if (areCasts(parts)) return Fusion::Casts;
    return isNormGradAdd(parts) ? Fusion::NormGradAdd : Fusion::None;
}

std::optional<SharedOperand> sharedOperand(const OperationDesc& part, const OperationDesc& next) {
    using Operand = SharedOperand;
    if (are<AddDesc, LayerNormDesc>(part, next) || are<AddDesc, CastDesc>(part, next) || are<AddDesc, ActivationDesc>(part, next) ||
        are<AddDesc, ActivationGradDesc>(part, next))
        return Operand{2, {0}};
    if (are<LayerNormGradDesc, AddDesc>(part, next)) return Operand{5, {1}};
    if (are<LayerNormGradDesc, CastDesc>(part, next) || are<BatchNormDesc, ActivationDesc>(part, next)) return Operand{5, {0}};
    if (are<BatchNormDesc, AddDesc>(part, next)) return Operand{5, {0, 1}};
    if (are<ActivationGradDesc, BiasGradDesc>(part, next)) return Operand{2, {0}};
    if (are<BiasGradDesc, CastDesc>(part, next)) return Operand{1, {0}};
    if (are<SoftmaxCrossEntropyDesc, SoftmaxCrossEntropyGradDesc>(part, next)) return Operand{0, {0}};
    return std::nullopt;
}

std::size_t leftOutResults(std::span<const OperationDesc> parts) {
    switch (fusionOf(parts)) {
        case Fusion::BatchNormRelu:
        case Fusion::AddReluGrad:
            return parts.size() - 1;
        case Fusion::NormGradAdd:
            return std::holds_alternative<AddDesc>(parts[1]) ? 1 : 0;
        default:
            return 0;
    }
}

}  // namespace mantissa
