// SPDX-License-Identifier: Apache-2.0
// Convolutions on cuDNN, which reads activations in place (NHWC) and weights as [out, height, width, in / groups]: weights are first
// reordered. The kernels of plain_convolution.cu compute what cuDNN does not support.
// If fp16 or bf16 operands (or fp8, which is converted to fp16 here) have results of another format, fp32 tensors on tf32 tensor cores give
// identical exact products.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "kernels/cuda/context.h"
#include "kernels/cuda/convolution.h"
#include "kernels/cuda/dnn_graphs.h"
#include "kernels/cuda/operations.h"

namespace mantissa::cuda {
namespace {

/// Workspace layout of a convolution: converted operands, sums before rounding, the library's workspace.
struct Plan {
    Dtype format = Dtype::F32;
    bool addsBias = false;
    bool convertsFirst = false, convertsSecond = false;
    bool isDirect = false;  // the library writes the final result
    std::size_t second = 0, sums = 0, library = 0;

    Plan(const Convolution& c, Dtype libraryFormat) : format(libraryFormat) {
        const bool isWeightGrad = c.direction == Direction::WeightGrad;
        addsBias = c.direction == Direction::Forward && c.shape.hasBias && format != Dtype::F32;
        const auto converts = [&](Dtype stored) { return stored != format || c.roundingOf(stored) != Dtype::F32; };
        convertsFirst = converts(c.first);
        convertsSecond = converts(c.second) || (!isWeightGrad && !isInOrder(c));
        isDirect = c.out == format && (!isWeightGrad || (isInOrder(c) && c.result == Dtype::F32));
        second = convertsFirst ? partBytes(c.direction == Direction::Forward ? c.countX() : c.countY(), format) : 0;
        sums = second + (convertsSecond ? partBytes(isWeightGrad ? c.countX() : c.countWeights(), format) : 0);
        library = sums + (isDirect ? 0 : partBytes(countOut(c), format));
    }

    static std::int64_t countOut(const Convolution& c) {
        return c.direction == Direction::Forward ? c.countY() : c.direction == Direction::InputGrad ? c.countX() : c.countWeights();
    }
    /// Whether both orders of the weights are identical.
    static bool isInOrder(const Convolution& c) {
        return c.shape.window.height * c.shape.window.width == 1 || c.shape.inChannels == c.shape.groups;
    }
};

class LibraryConvolution final : public Operation {
public:
    LibraryConvolution(Context& context, const Convolution& c) : m_convolution(c), m_plan(c, Dtype::F32) {
        if (std::max({c.countX(), c.countY(), c.countWeights()}) > std::numeric_limits<int>::max()) return;
        const auto tryFormat = [&](Dtype format) {
            const Plan plan(c, format);
            m_call = callDnn(context, c, format, plan.addsBias);
            if (m_call == nullptr) return false;
            m_plan = plan;
            return true;
        };
        const Dtype narrow = c.shape.compute == Dtype::BF16 ? Dtype::BF16 : Dtype::F16;
        const Dtype rounded = c.out == Dtype::F32 ? c.result : c.out;
        const bool isNarrow = c.shape.compute != Dtype::F32 && c.shape.compute != Dtype::TF32 && rounded == narrow;
        if (isNarrow && tryFormat(narrow)) return;
        tryFormat(Dtype::F32);
    }

    /// The format that the library computes in; nullopt if it does not support this convolution.
    std::optional<Dtype> libraryFormat() const { return m_call == nullptr ? std::nullopt : std::optional(m_plan.format); }
    std::size_t workspaceBytes() const { return m_call == nullptr ? 0 : m_plan.library + m_call->workspaceBytes() + 256; }

    void enqueue(Queue& queue, Operands operands) override {
        const bool isForward = m_convolution.direction == Direction::Forward;
        const ConvolutionOperands given{.first = operands[0],
                                        .second = operands[1],
                                        .bias = isForward && m_convolution.shape.hasBias ? operands[2] : nullptr,
                                        .out = operands[isForward ? 3 : 2],
                                        .workspace = operands.back()};
        if (!runByLibrary(streamOf(queue), given)) convolvePlainly(streamOf(queue), m_convolution, given);
    }

private:
    Convolution m_convolution;
    Plan m_plan;
    std::unique_ptr<ConvolutionCall> m_call;

    bool runByLibrary(cudaStream_t stream, const ConvolutionOperands& given) {
        if (m_call == nullptr) return false;
        const Convolution& c = m_convolution;
        auto* const workspace = static_cast<std::byte*>(given.workspace);
        const void* const first = m_plan.convertsFirst ? workspace : given.first;
        const void* const second = m_plan.convertsSecond ? workspace + m_plan.second : given.second;
        void* const out = m_plan.isDirect ? given.out : workspace + m_plan.sums;
        const void* const bias = m_plan.addsBias ? given.bias : nullptr;
        for (const void* each : {first, second, static_cast<const void*>(out), bias}) {
            if (reinterpret_cast<std::uintptr_t>(each) % kDnnAligned != 0) return false;
        }
        const bool isWeightGrad = c.direction == Direction::WeightGrad;
        const Conversion none;
        convertOperands(stream, m_plan.convertsFirst ? flat(c.first, given.first, isForward() ? c.countX() : c.countY(), workspace) : none,
                        m_plan.convertsSecond && isWeightGrad ? flat(c.second, given.second, c.countX(), workspace + m_plan.second) : none);
        if (m_plan.convertsSecond && !isWeightGrad) {
            arrangeWeights(stream, c, c.second, given.second, m_plan.format, workspace + m_plan.second);
        }
        const auto library = reinterpret_cast<std::uintptr_t>(workspace + m_plan.library);
        if (!m_call->run(stream, first, second, bias, out, reinterpret_cast<void*>((library + 255) / 256 * 256))) return false;
        if (isWeightGrad) {
            if (!m_plan.isDirect) restoreWeights(stream, c, m_plan.format, out, given.out);
        } else {
            finish(stream, given, out);
        }
        return true;
    }

    bool isForward() const { return m_convolution.direction == Direction::Forward; }

    Conversion flat(Dtype stored, const void* src, std::int64_t count, void* dst) const {
        return {.src = src,
                .dst = dst,
                .from = {1, count, 1, {count, count, count}},
                .matrices = 1,
                .inner = 1,
                .stored = stored,
                .compute = m_convolution.roundingOf(stored),
                .to = m_plan.format,
                .rounding = m_convolution.shape.operandRounding};
    }

    /// Adds the bias and rounds, as after a matrix product with a row per position.
    void finish(cudaStream_t stream, const ConvolutionOperands& given, const void* sums) const {
        const Convolution& c = m_convolution;
        const bool addsBias = isForward() && c.shape.hasBias && !m_plan.addsBias;
        if (m_plan.isDirect && !addsBias) return;
        const std::int64_t channels = isForward() ? c.shape.outChannels : c.shape.inChannels;
        const Product product(MatmulDesc{.m = Plan::countOut(c) / channels, .n = channels, .k = 1, .hasBias = addsBias, .out = c.out});
        finishProduct(stream, product, addsBias, product.outMatrices, sums, {.bias = given.bias, .out = given.out});
    }
};

/// Measured on an H200 with cuDNN 9.14. Where windows reach into padding, or strides skip positions, the library's kernels multiply by
/// zeros, which turns an operand's Inf into NaN; some lose Inf. PyTorch's convolutions call these kernels and gave identical numbers.
template <typename Desc>
Departures departuresOf(const Desc& desc, Context& context) {
    const Convolution c(desc);
    const std::optional<Dtype> format = LibraryConvolution(context, c).libraryFormat();
    if (!format) return {};
    const Window& w = c.shape.window;
    const bool isInputGrad = c.direction == Direction::InputGrad;
    const bool hasGaps = w.padHeight + w.padWidth > 0 || w.strideHeight * w.strideWidth > 1 || (isInputGrad && w.height * w.width > 1);
    const bool spreads = hasGaps && (isInputGrad || *format != Dtype::F32);
    const bool isTf32 = *format == Dtype::F32 && c.shape.compute != Dtype::F32;
    return {.subnormals = *format == Dtype::BF16 || isTf32 ? kDnnFlushes : "",
            .nonFinite =
                spreads ? "cuDNN's kernels lose Inf, or make NaN of it, where windows reach into padding or strides leave places out" : ""};
}
template <typename Desc>
std::unique_ptr<Operation> make(const Desc& desc, Context& context) {
    return std::make_unique<LibraryConvolution>(context, Convolution(desc));
}
template <typename Desc>
std::size_t bytesFor(const Desc& desc, Context& context) {
    return LibraryConvolution(context, Convolution(desc)).workspaceBytes();
}

}  // namespace

std::unique_ptr<Operation> makeConvolution(const Convolution2dDesc& desc, Context& context) {
    return make(desc, context);
}
std::unique_ptr<Operation> makeConvolutionInputGrad(const Convolution2dInputGradDesc& desc, Context& context) {
    return make(desc, context);
}
std::unique_ptr<Operation> makeConvolutionWeightGrad(const Convolution2dWeightGradDesc& desc, Context& context) {
    return make(desc, context);
}
Departures convolutionDepartures(const Convolution2dDesc& desc, Context& context) {
    return departuresOf(desc, context);
}
Departures convolutionDepartures(const Convolution2dInputGradDesc& desc, Context& context) {
    return departuresOf(desc, context);
}
Departures convolutionDepartures(const Convolution2dWeightGradDesc& desc, Context& context) {
    return departuresOf(desc, context);
}
std::size_t convolutionWorkspaceBytes(const Convolution2dDesc& desc, Context& context) {
    return bytesFor(desc, context);
}
std::size_t convolutionInputGradWorkspaceBytes(const Convolution2dInputGradDesc& desc, Context& context) {
    return bytesFor(desc, context);
}
std::size_t convolutionWeightGradWorkspaceBytes(const Convolution2dWeightGradDesc& desc, Context& context) {
    return bytesFor(desc, context);
}

}  // namespace mantissa::cuda
