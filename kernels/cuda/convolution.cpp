// SPDX-License-Identifier: Apache-2.0
// Convolutions on cuDNN, which takes activations as they lie (NHWC) and weights as [out, height, width, in / groups]: they are put in that
// order on the way. What cuDNN does not do, the kernels of plain_convolution.cu do.
//
// Algorithms are those that multiply and add as the formula says, and give the same bits each time: no transforms (Winograd's and Fourier's
// spread what is not finite, and err by the largest element around), no atomics. Math types: CUDNN_FMA_MATH for fp32, which keeps it off
// tensor cores; CUDNN_DEFAULT_MATH for tf32, on operands that have been rounded here; CUDNN_TENSOR_OP_MATH for 16 bits. Where fp16 or bf16
// operands (or fp8, which is fp16 here) have results of another format, fp32 tensors on tf32 tensor cores give the same exact products.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "kernels/cuda/context.h"
#include "kernels/cuda/convolution.h"
#include "kernels/cuda/operations.h"

namespace mantissa::cuda {
namespace {

constexpr std::size_t kAligned = 16;  // what the library reads at a time

template <typename Handle, auto create, auto destroy>
class Descriptor {
public:
    Descriptor() { check(create(&m_handle), "a cuDNN descriptor"); }
    ~Descriptor() { destroy(m_handle); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    operator Handle() const { return m_handle; }  // NOLINT(google-explicit-constructor): it stands for the handle

private:
    Handle m_handle = nullptr;
};
using Tensor = Descriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using Filter = Descriptor<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using Windows = Descriptor<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor, cudnnDestroyConvolutionDescriptor>;
using Identity = Descriptor<cudnnActivationDescriptor_t, cudnnCreateActivationDescriptor, cudnnDestroyActivationDescriptor>;

cudnnDataType_t libraryType(Dtype dtype) {
    return dtype == Dtype::F16 ? CUDNN_DATA_HALF : dtype == Dtype::BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}
std::size_t roomFor(std::int64_t elements, Dtype dtype) {
    return (static_cast<std::size_t>(elements) * facts(dtype).storageBytes() + 255) / 256 * 256;
}

/// One convolution in the library's terms: every tensor in one format.
class LibraryCall {
public:
    LibraryCall(Context& context, const Convolution& c, Dtype format, bool addsBias)
        : m_context(context), m_direction(c.direction), m_addsBias(addsBias) {
        const Convolution2dDesc& d = c.shape;
        const auto size = [](std::int64_t value) { return static_cast<int>(value); };
        const cudnnDataType_t type = libraryType(format);
        check(cudnnSetTensor4dDescriptor(m_x, CUDNN_TENSOR_NHWC, type, size(d.samples), size(d.inChannels), size(d.height), size(d.width)),
              "cudnnSetTensor4dDescriptor");
        check(cudnnSetTensor4dDescriptor(m_y, CUDNN_TENSOR_NHWC, type, size(d.samples), size(d.outChannels), size(c.outHeight),
                                         size(c.outWidth)),
              "cudnnSetTensor4dDescriptor");
        check(cudnnSetTensor4dDescriptor(m_bias, CUDNN_TENSOR_NHWC, type, 1, size(d.outChannels), 1, 1), "cudnnSetTensor4dDescriptor");
        check(cudnnSetFilter4dDescriptor(m_weight, type, CUDNN_TENSOR_NHWC, size(d.outChannels), size(d.inChannels / d.groups),
                                         size(d.window.height), size(d.window.width)),
              "cudnnSetFilter4dDescriptor");
        check(cudnnSetConvolution2dDescriptor(m_windows, size(d.window.padHeight), size(d.window.padWidth), size(d.window.strideHeight),
                                              size(d.window.strideWidth), 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
              "cudnnSetConvolution2dDescriptor");
        check(cudnnSetConvolutionGroupCount(m_windows, size(d.groups)), "cudnnSetConvolutionGroupCount");
        const cudnnMathType_t math = format != Dtype::F32      ? CUDNN_TENSOR_OP_MATH
                                     : d.compute == Dtype::F32 ? CUDNN_FMA_MATH
                                                               : CUDNN_DEFAULT_MATH;
        check(cudnnSetConvolutionMathType(m_windows, math), "cudnnSetConvolutionMathType");
        check(cudnnSetActivationDescriptor(m_identity, CUDNN_ACTIVATION_IDENTITY, CUDNN_PROPAGATE_NAN, 0), "cudnnSetActivationDescriptor");
        findAlgorithm();
    }

    bool isOffered() const { return m_isOffered; }
    std::size_t workspaceBytes() const { return m_workspaceBytes; }

    /// x or y's gradient, weights or x, then y or what is wanted of the gradients. False where the library will not do it after all.
    bool run(cudaStream_t stream, const void* first, const void* second, const void* bias, void* out, void* workspace) {
        const float one = 1, none = 0;
        cudnnHandle_t handle = m_context.dnn();
        check(cudnnSetStream(handle, stream), "cudnnSetStream");
        cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
        if (m_direction == Direction::WeightGrad) {
            status = cudnnConvolutionBackwardFilter(handle, &one, m_x, second, m_y, first, m_windows, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1,
                                                    workspace, m_workspaceBytes, &none, m_weight, out);
        } else if (m_direction == Direction::InputGrad) {
            status = cudnnConvolutionBackwardData(handle, &one, m_weight, second, m_y, first, m_windows, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1,
                                                  workspace, m_workspaceBytes, &none, m_x, out);
        } else if (m_addsBias) {
            status = cudnnConvolutionBiasActivationForward(handle, &one, m_x, first, m_weight, second, m_windows, m_algorithm, workspace,
                                                           m_workspaceBytes, &none, m_y, out, m_bias, bias, m_identity, m_y, out);
        } else {
            status = cudnnConvolutionForward(handle, &one, m_x, first, m_weight, second, m_windows, m_algorithm, workspace,
                                             m_workspaceBytes, &none, m_y, out);
        }
        if (isRefusal(status)) return false;
        check(status, "a convolution of cuDNN");
        return true;
    }

private:
    /// cuDNN 9 has a code for each kind of refusal.
    static bool isRefusal(cudnnStatus_t status) {
        constexpr int kCodesOfAKind = 1000;
        const int kind = status / kCodesOfAKind * kCodesOfAKind;
        return kind == CUDNN_STATUS_NOT_SUPPORTED || kind == CUDNN_STATUS_BAD_PARAM;
    }

    Context& m_context;
    Direction m_direction;
    bool m_addsBias, m_isOffered = false;
    Tensor m_x, m_y, m_bias;
    Filter m_weight;
    Windows m_windows;
    Identity m_identity;
    cudnnConvolutionFwdAlgo_t m_algorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
    std::size_t m_workspaceBytes = 0;

    /// The library says how much memory an algorithm wants, or that it cannot.
    void findAlgorithm() {
        cudnnHandle_t handle = m_context.dnn();
        const auto isFound = [this](cudnnStatus_t status) {
            if (!isRefusal(status)) check(status, "the workspace of a convolution of cuDNN");
            return m_isOffered = status == CUDNN_STATUS_SUCCESS;
        };
        if (m_direction == Direction::WeightGrad) {
            isFound(cudnnGetConvolutionBackwardFilterWorkspaceSize(handle, m_x, m_y, m_windows, m_weight,
                                                                   CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, &m_workspaceBytes));
            return;
        }
        if (m_direction == Direction::InputGrad) {
            isFound(cudnnGetConvolutionBackwardDataWorkspaceSize(handle, m_weight, m_y, m_windows, m_x, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1,
                                                                 &m_workspaceBytes));
            return;
        }
        for (const auto algorithm : {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM}) {
            m_algorithm = algorithm;
            if (isFound(cudnnGetConvolutionForwardWorkspaceSize(handle, m_x, m_weight, m_windows, m_y, algorithm, &m_workspaceBytes)))
                return;
            if (m_addsBias) return;  // which the first one alone can do
        }
    }
};

/// Where the parts of a convolution lie: what is converted, sums that are rounded afterwards, the library's own.
struct Plan {
    Dtype format = Dtype::F32;
    bool addsBias = false;
    bool convertsFirst = false, convertsSecond = false;
    bool isDirect = false;  // the library writes the result where it belongs
    std::size_t second = 0, sums = 0, library = 0;

    Plan(const Convolution& c, Dtype libraryFormat) : format(libraryFormat) {
        const bool isWeightGrad = c.direction == Direction::WeightGrad;
        addsBias = c.direction == Direction::Forward && c.shape.hasBias && format != Dtype::F32;
        const auto converts = [&](Dtype stored) { return stored != format || c.roundingOf(stored) != Dtype::F32; };
        convertsFirst = converts(c.first);
        convertsSecond = converts(c.second) || (!isWeightGrad && !isInOrder(c));
        isDirect = c.out == format && (!isWeightGrad || (isInOrder(c) && c.result == Dtype::F32));
        second = convertsFirst ? roomFor(c.direction == Direction::Forward ? c.countX() : c.countY(), format) : 0;
        sums = second + (convertsSecond ? roomFor(isWeightGrad ? c.countX() : c.countWeights(), format) : 0);
        library = sums + (isDirect ? 0 : roomFor(countOut(c), format));
    }

    static std::int64_t countOut(const Convolution& c) {
        return c.direction == Direction::Forward ? c.countY() : c.direction == Direction::InputGrad ? c.countX() : c.countWeights();
    }
    /// Whether both orders of the weights are one.
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
            auto call = std::make_unique<LibraryCall>(context, c, format, plan.addsBias);
            if (!call->isOffered()) return false;
            m_plan = plan;
            m_call = std::move(call);
            return true;
        };
        const Dtype narrow = c.shape.compute == Dtype::BF16 ? Dtype::BF16 : Dtype::F16;
        const Dtype rounded = c.out == Dtype::F32 ? c.result : c.out;
        const bool isNarrow = c.shape.compute != Dtype::F32 && c.shape.compute != Dtype::TF32 && rounded == narrow;
        if (isNarrow && tryFormat(narrow)) return;
        tryFormat(Dtype::F32);
    }

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
    std::unique_ptr<LibraryCall> m_call;

    bool runByLibrary(cudaStream_t stream, const ConvolutionOperands& given) {
        if (m_call == nullptr) return false;
        const Convolution& c = m_convolution;
        auto* const workspace = static_cast<std::byte*>(given.workspace);
        const void* const first = m_plan.convertsFirst ? workspace : given.first;
        const void* const second = m_plan.convertsSecond ? workspace + m_plan.second : given.second;
        void* const out = m_plan.isDirect ? given.out : workspace + m_plan.sums;
        for (const void* each : {first, second, static_cast<const void*>(out), m_plan.addsBias ? given.bias : nullptr}) {
            if (reinterpret_cast<std::uintptr_t>(each) % kAligned != 0) return false;
        }
        const bool isWeightGrad = c.direction == Direction::WeightGrad;
        const Conversion none;
        convertOperands(stream, m_plan.convertsFirst ? flat(c.first, given.first, isForward() ? c.countX() : c.countY(), workspace) : none,
                        m_plan.convertsSecond && isWeightGrad ? flat(c.second, given.second, c.countX(), workspace + m_plan.second) : none);
        if (m_plan.convertsSecond && !isWeightGrad) {
            arrangeWeights(stream, c, c.second, given.second, m_plan.format, workspace + m_plan.second);
        }
        const auto library = reinterpret_cast<std::uintptr_t>(workspace + m_plan.library);
        if (!m_call->run(stream, first, second, given.bias, out, reinterpret_cast<void*>((library + 255) / 256 * 256))) return false;
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

    /// Bias and rounding, as after a matrix product of as many rows as there are places.
    void finish(cudaStream_t stream, const ConvolutionOperands& given, const void* sums) const {
        const Convolution& c = m_convolution;
        const bool addsBias = isForward() && c.shape.hasBias && !m_plan.addsBias;
        if (m_plan.isDirect && !addsBias) return;
        const std::int64_t channels = isForward() ? c.shape.outChannels : c.shape.inChannels;
        const Product product(MatmulDesc{.m = Plan::countOut(c) / channels, .n = channels, .k = 1, .hasBias = addsBias, .out = c.out});
        finishProduct(stream, product, addsBias, product.outMatrices, sums, {.bias = given.bias, .out = given.out});
    }
};

template <typename Desc>
std::unique_ptr<Operation> make(const Desc& desc, Context& context) {
    return std::make_unique<LibraryConvolution>(context, Convolution(desc));
}
template <typename Desc>
std::size_t bytesFor(const Desc& desc, Context& context) {
    return LibraryConvolution(context, Convolution(desc)).workspaceBytes();
}

}  // namespace

Convolution::Convolution(const Convolution2dDesc& desc, Direction way)
    : shape(desc), direction(way), outHeight(desc.window.outHeight(desc.height)), outWidth(desc.window.outWidth(desc.width)) {}
Convolution::Convolution(const Convolution2dDesc& desc) : Convolution(desc, Direction::Forward) {
    first = desc.x, second = desc.weight, out = desc.out;
}
Convolution::Convolution(const Convolution2dInputGradDesc& desc) : Convolution(desc.forward, Direction::InputGrad) {
    first = desc.gradOutput, second = desc.forward.weight, out = desc.gradInput;
}
Convolution::Convolution(const Convolution2dWeightGradDesc& desc) : Convolution(desc.forward, Direction::WeightGrad) {
    first = desc.gradOutput, second = desc.forward.x, out = desc.gradWeight, result = desc.result;
}

std::unique_ptr<Operation> makeConvolution(const Convolution2dDesc& desc, Context& context) {
    return make(desc, context);
}
std::unique_ptr<Operation> makeConvolutionInputGrad(const Convolution2dInputGradDesc& desc, Context& context) {
    return make(desc, context);
}
std::unique_ptr<Operation> makeConvolutionWeightGrad(const Convolution2dWeightGradDesc& desc, Context& context) {
    return make(desc, context);
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
