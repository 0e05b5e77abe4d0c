// SPDX-License-Identifier: Apache-2.0
// Two implementations of a cuDNN convolution: a graph (dnn_graphs.h), and the deprecated entry points, for builds without the headers of
// cuDNN's frontend and for descriptions without a graph. The entry points use only deterministic algorithms that follow the formula: no
// transforms, no atomics. Math types: CUDNN_FMA_MATH for fp32, which disables tensor cores; CUDNN_DEFAULT_MATH for tf32, on operands that
// are already rounded; CUDNN_TENSOR_OP_MATH for 16 bits.
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/context.h"
#include "kernels/cuda/convolution.h"
#include "kernels/cuda/dnn_graphs.h"

namespace mantissa::cuda {
namespace {

// ---- Graph ----

std::string keyOf(const Convolution& c, Dtype format, bool addsBias) {
    const Convolution2dDesc& d = c.shape;
    const Window& w = d.window;
    std::string key = "convolution";
    for (const std::int64_t part : {static_cast<std::int64_t>(c.direction), static_cast<std::int64_t>(format), std::int64_t{addsBias},
                                    std::int64_t{d.compute == Dtype::F32}, d.samples, d.height, d.width, d.inChannels, d.outChannels,
                                    d.groups, w.height, w.width, w.strideHeight, w.strideWidth, w.padHeight, w.padWidth}) {
        key += ' ' + std::to_string(part);
    }
    return key;
}

class GraphCall final : public ConvolutionCall {
public:
    GraphCall(Context& context, std::shared_ptr<DnnGraph> graph) : m_context(context), m_graph(std::move(graph)) {}

    std::size_t workspaceBytes() const override { return m_graph->workspaceBytes(); }

    bool run(cudaStream_t stream, const void* first, const void* second, const void* bias, void* out, void* workspace) override {
        cudnnHandle_t handle = m_context.dnn(stream);
        // The library takes pointers to non-const.
        std::vector<void*> operands{const_cast<void*>(first), const_cast<void*>(second)};
        if (bias != nullptr) operands.push_back(const_cast<void*>(bias));
        operands.push_back(out);
        m_graph->execute(handle, operands, workspace);
        return true;
    }

private:
    Context& m_context;
    std::shared_ptr<DnnGraph> m_graph;
};

// ---- Entry points ----

template <typename Handle, auto create, auto destroy>
class Descriptor {
public:
    Descriptor() { check(create(&m_handle), "a cuDNN descriptor"); }
    ~Descriptor() { destroy(m_handle); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    operator Handle() const { return m_handle; }  // NOLINT(google-explicit-constructor): wraps the handle

private:
    Handle m_handle = nullptr;
};
using Tensor = Descriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using Filter = Descriptor<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using Windows = Descriptor<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor, cudnnDestroyConvolutionDescriptor>;
using Identity = Descriptor<cudnnActivationDescriptor_t, cudnnCreateActivationDescriptor, cudnnDestroyActivationDescriptor>;

cudnnDataType_t dnnType(Dtype dtype) {
    return dtype == Dtype::F16 ? CUDNN_DATA_HALF : dtype == Dtype::BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

class EntryPointCall final : public ConvolutionCall {
public:
    EntryPointCall(Context& context, const Convolution& c, Dtype format, bool addsBias)
        : m_context(context), m_direction(c.direction), m_addsBias(addsBias) {
        const Convolution2dDesc& d = c.shape;
        const auto size = [](std::int64_t value) { return static_cast<int>(value); };
        const cudnnDataType_t type = dnnType(format);
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
    std::size_t workspaceBytes() const override { return m_workspaceBytes; }

    bool run(cudaStream_t stream, const void* first, const void* second, const void* bias, void* out, void* workspace) override {
        const float one = 1, none = 0;
        cudnnHandle_t handle = m_context.dnn(stream);
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
    /// cuDNN 9 has several status codes for a refusal.
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

    /// Finds an algorithm that the library supports, and its workspace size.
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
            if (m_addsBias) return;  // only the first algorithm adds a bias
        }
    }
};

}  // namespace

std::unique_ptr<ConvolutionCall> callDnn(Context& context, const Convolution& convolution, Dtype format, bool addsBias) {
    if (context.dnnIfAny() == nullptr) return nullptr;
    std::shared_ptr<DnnGraph> graph = context.dnnGraph(
        keyOf(convolution, format, addsBias), [&] { return convolutionGraph(convolution, format, addsBias, {.handle = context.dnn()}); });
    if (graph != nullptr) return std::make_unique<GraphCall>(context, std::move(graph));
    auto call = std::make_unique<EntryPointCall>(context, convolution, format, addsBias);
    return call->isOffered() ? std::move(call) : nullptr;
}

}  // namespace mantissa::cuda
