// SPDX-License-Identifier: Apache-2.0
// cuDNN's calls that kernels/cuda makes, on the host: NHWC tensors of one format, sums in fp32 in the order of the window, and a refusal of
// what the library's documentation does not list (cuDNN 9, cudnnConvolutionForward and its gradients). Graphs are there for convolutions in
// one group: the others are left to the entry points, and attention to the kernels.
#include <cudnn.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "kernels/cuda/dnn_graphs.h"
#include "kernels/dtype/rounding.h"
#include "tests/support/cuda_emulation/emulation.h"
#include "tests/support/cuda_emulation/libraries.h"
#include "tests/support/cuda_emulation/runtime.h"

struct cudnnContext {
    cudaStream_t stream = nullptr;
    int device = mantissa::emulation::currentDevice();
};
struct cudnnTensorStruct {
    cudnnDataType_t type;
    int samples, channels, height, width;
    bool operator==(const cudnnTensorStruct&) const = default;
};
struct cudnnFilterStruct {
    cudnnDataType_t type;
    int out, in, height, width;
};
struct cudnnConvolutionStruct {
    int padHeight, padWidth, strideHeight, strideWidth;
    int groups = 1;
    cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};
struct cudnnActivationStruct {
    cudnnActivationMode_t mode = CUDNN_ACTIVATION_RELU;
};

namespace mantissa::emulation {
namespace {

constexpr std::size_t kWorkspaceBytes = 500;

Dtype dtypeOf(cudnnDataType_t type) {
    return type == CUDNN_DATA_HALF ? Dtype::F16 : type == CUDNN_DATA_BFLOAT16 ? Dtype::BF16 : Dtype::F32;
}

/// A convolution by its descriptors, as they were when it was called.
struct ConvolutionCall {
    cudnnTensorStruct x, y;
    cudnnFilterStruct weight;
    cudnnConvolutionStruct windows;

    cudnnStatus_t check() const {
        const auto isOffered = [](cudnnDataType_t type) {
            return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_HALF || type == CUDNN_DATA_BFLOAT16;
        };
        if (!isOffered(x.type) || y.type != x.type || weight.type != x.type) return CUDNN_STATUS_NOT_SUPPORTED;
        if (x.samples != y.samples || weight.in * windows.groups != x.channels || weight.out != y.channels) return CUDNN_STATUS_BAD_PARAM;
        const auto places = [](int plane, int pad, int window, int stride) { return (plane + 2 * pad - window) / stride + 1; };
        if (y.height != places(x.height, windows.padHeight, weight.height, windows.strideHeight)) return CUDNN_STATUS_BAD_PARAM;
        if (y.width != places(x.width, windows.padWidth, weight.width, windows.strideWidth)) return CUDNN_STATUS_BAD_PARAM;
        const bool isNarrow = x.type != CUDNN_DATA_FLOAT;
        if (isNarrow != (windows.math == CUDNN_TENSOR_OP_MATH)) return CUDNN_STATUS_NOT_SUPPORTED;
        return libraryCalls().refuses ? CUDNN_STATUS_NOT_SUPPORTED : CUDNN_STATUS_SUCCESS;
    }

    std::size_t countX() const { return std::size_t(1) * x.samples * x.height * x.width * x.channels; }
    std::size_t countY() const { return std::size_t(1) * y.samples * y.height * y.width * y.channels; }
    std::size_t countWeights() const { return std::size_t(1) * weight.out * weight.in * weight.height * weight.width; }

    /// use(index in x, in the weights, in y) for all that are multiplied.
    template <typename Use>
    void forEach(Use use) const {
        const int outGroup = weight.out / windows.groups;
        for (int sample = 0; sample < y.samples; ++sample)
            for (int row = 0; row < y.height; ++row)
                for (int col = 0; col < y.width; ++col)
                    for (int out = 0; out < weight.out; ++out)
                        for (int down = 0; down < weight.height; ++down)
                            for (int right = 0; right < weight.width; ++right) {
                                const int fromRow = row * windows.strideHeight - windows.padHeight + down;
                                const int fromCol = col * windows.strideWidth - windows.padWidth + right;
                                if (fromRow < 0 || fromRow >= x.height || fromCol < 0 || fromCol >= x.width) continue;
                                for (int in = 0; in < weight.in; ++in) {
                                    const int channel = out / outGroup * weight.in + in;
                                    use(std::size_t(((sample * x.height + fromRow) * x.width + fromCol) * x.channels + channel),
                                        std::size_t(((out * weight.height + down) * weight.width + right) * weight.in + in),
                                        std::size_t(((sample * y.height + row) * y.width + col) * y.channels + out));
                                }
                            }
    }

    std::vector<float> numbers(const void* memory, std::size_t count) const {
        const std::size_t bytes = facts(dtypeOf(x.type)).storageBytes();
        const bool isTf32 = x.type == CUDNN_DATA_FLOAT && windows.math != CUDNN_FMA_MATH;
        std::vector<float> values(count);
        for (std::size_t i = 0; i < count; ++i) {
            std::uint32_t code = 0;
            std::memcpy(&code, static_cast<const char*>(memory) + i * bytes, bytes);
            const float value = decodeBits(dtypeOf(x.type), code);
            values[i] = isTf32 ? floatFromBits(floatBits(value) & ~0x1FFFu) : value;  // as tensor cores do it
        }
        return values;
    }
    void store(void* memory, const std::vector<float>& values) const {
        const std::size_t bytes = facts(dtypeOf(x.type)).storageBytes();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::uint32_t code = encodeBits(dtypeOf(x.type), values[i]);
            std::memcpy(static_cast<char*>(memory) + i * bytes, &code, bytes);
        }
    }
};

/// What comes before any of them: pointers as the kernels read them, and a workspace that is written over.
cudnnStatus_t begin(cudnnHandle_t handle, const ConvolutionCall& call, std::initializer_list<const void*> tensors, void* workspace,
                    std::size_t bytes, const void* alpha, const void* beta) {
    if (const cudnnStatus_t status = call.check(); status != CUDNN_STATUS_SUCCESS) return status;
    for (const void* tensor : tensors) {
        if (tensor == nullptr || reinterpret_cast<std::uintptr_t>(tensor) % 16 != 0) return CUDNN_STATUS_BAD_PARAM;
    }
    if (bytes < kWorkspaceBytes || workspace == nullptr) return CUDNN_STATUS_BAD_PARAM;
    if (*static_cast<const float*>(alpha) != 1 || *static_cast<const float*>(beta) != 0) return CUDNN_STATUS_NOT_SUPPORTED;
    ++libraryCalls().convolutions;
    enqueue(handle->stream, [workspace] { std::memset(workspace, 0xAB, kWorkspaceBytes); });
    return CUDNN_STATUS_SUCCESS;
}

void forward(const ConvolutionCall& call, const void* x, const void* weight, const void* bias, void* y) {
    const std::vector<float> left = call.numbers(x, call.countX()), right = call.numbers(weight, call.countWeights());
    std::vector<float> sums(call.countY());
    call.forEach([&](std::size_t inX, std::size_t inWeights, std::size_t inY) { sums[inY] += left[inX] * right[inWeights]; });
    if (bias != nullptr) {
        const auto channels = static_cast<std::size_t>(call.y.channels);
        const std::vector<float> added = call.numbers(bias, channels);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += added[i % channels];
    }
    call.store(y, sums);
}

void inputGrad(const ConvolutionCall& call, const void* gradY, const void* weight, void* gradX) {
    const std::vector<float> left = call.numbers(gradY, call.countY()), right = call.numbers(weight, call.countWeights());
    std::vector<float> sums(call.countX());
    call.forEach([&](std::size_t inX, std::size_t inWeights, std::size_t inY) { sums[inX] += left[inY] * right[inWeights]; });
    call.store(gradX, sums);
}

void weightGrad(const ConvolutionCall& call, const void* gradY, const void* x, void* gradWeight) {
    const std::vector<float> left = call.numbers(gradY, call.countY()), right = call.numbers(x, call.countX());
    std::vector<float> sums(call.countWeights());
    call.forEach([&](std::size_t inX, std::size_t inWeights, std::size_t inY) { sums[inWeights] += left[inY] * right[inX]; });
    call.store(gradWeight, sums);
}

class ConvolutionGraph final : public cuda::DnnGraph {
public:
    ConvolutionGraph(const ConvolutionCall& call, cuda::Direction direction, bool addsBias)
        : m_call(call), m_direction(direction), m_addsBias(addsBias) {}

    std::size_t workspaceBytes() const override { return kWorkspaceBytes; }

    void execute(cudnnHandle_t handle, std::span<void* const> operands, void* workspace) override {
        const float one = 1, none = 0;
        void* const out = operands.back();
        const void *const first = operands[0], *const second = operands[1], *const bias = m_addsBias ? operands[2] : first;
        const bool isWhole = operands.size() == (m_addsBias ? 4 : 3) && reinterpret_cast<std::uintptr_t>(workspace) % 16 == 0;
        if (!isWhole || begin(handle, m_call, {first, second, bias, out}, workspace, kWorkspaceBytes, &one, &none) != CUDNN_STATUS_SUCCESS)
            throw DeviceError{"a graph of cuDNN: not as it was made"};
        ++libraryCalls().graphs;
        enqueue(handle->stream, [call = m_call, direction = m_direction, first, second, bias = m_addsBias ? bias : nullptr, out] {
            if (direction == cuda::Direction::Forward) forward(call, first, second, bias, out);
            if (direction == cuda::Direction::InputGrad) inputGrad(call, first, second, out);
            if (direction == cuda::Direction::WeightGrad) weightGrad(call, first, second, out);
        });
    }

private:
    ConvolutionCall m_call;
    cuda::Direction m_direction;
    bool m_addsBias;
};

cudnnStatus_t sizeFor(const ConvolutionCall& call, bool isOffered, std::size_t* bytes) {
    *bytes = kWorkspaceBytes;
    const cudnnStatus_t status = call.check();
    return status == CUDNN_STATUS_SUCCESS && !isOffered ? CUDNN_STATUS_NOT_SUPPORTED : status;
}

}  // namespace
}  // namespace mantissa::emulation

namespace mantissa::cuda {

std::shared_ptr<DnnGraph> attentionGraph(const FusedAttentionDesc&, bool, const DnnTarget&) {
    return nullptr;
}

std::shared_ptr<DnnGraph> convolutionGraph(const Convolution& c, Dtype format, bool addsBias, const DnnTarget&) {
    const Convolution2dDesc& d = c.shape;
    if (d.groups != 1 || emulation::libraryCalls().refuses || emulation::libraryCalls().hasNoGraphs) return nullptr;
    if (std::exchange(emulation::libraryCalls().hasNoMemory, false)) throw std::bad_alloc();
    ++emulation::libraryCalls().graphsMade;
    const auto size = [](std::int64_t value) { return static_cast<int>(value); };
    const cudnnDataType_t type = format == Dtype::F16 ? CUDNN_DATA_HALF : format == Dtype::BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
    const cudnnMathType_t math = format != Dtype::F32      ? CUDNN_TENSOR_OP_MATH
                                 : d.compute == Dtype::F32 ? CUDNN_FMA_MATH
                                                           : CUDNN_DEFAULT_MATH;
    const emulation::ConvolutionCall call{
        {type, size(d.samples), size(d.inChannels), size(d.height), size(d.width)},
        {type, size(d.samples), size(d.outChannels), size(c.outHeight), size(c.outWidth)},
        {type, size(d.outChannels), size(d.inChannels), size(d.window.height), size(d.window.width)},
        {size(d.window.padHeight), size(d.window.padWidth), size(d.window.strideHeight), size(d.window.strideWidth), 1, math}};
    return std::make_shared<emulation::ConvolutionGraph>(call, c.direction, addsBias);
}

}  // namespace mantissa::cuda

using namespace mantissa::emulation;

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
    *handle = new cudnnContext;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
    mantissa::emulation::counts().strays += handle->device != mantissa::emulation::currentDevice() ? 1 : 0;
    delete handle;
    return CUDNN_STATUS_SUCCESS;
}
const char* cudnnGetErrorString(cudnnStatus_t status) {
    return status == CUDNN_STATUS_NOT_SUPPORTED ? "not supported" : status == CUDNN_STATUS_BAD_PARAM ? "bad parameter" : "status";
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* descriptor) {
    *descriptor = new cudnnTensorStruct{};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t descriptor) {
    delete descriptor;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t descriptor, cudnnTensorFormat_t format, cudnnDataType_t type, int samples,
                                         int channels, int height, int width) {
    if (format != CUDNN_TENSOR_NHWC) return CUDNN_STATUS_NOT_SUPPORTED;
    *descriptor = {type, samples, channels, height, width};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* descriptor) {
    *descriptor = new cudnnFilterStruct{};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t descriptor) {
    delete descriptor;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t descriptor, cudnnDataType_t type, cudnnTensorFormat_t format, int out,
                                         int in, int height, int width) {
    if (format != CUDNN_TENSOR_NHWC) return CUDNN_STATUS_NOT_SUPPORTED;
    *descriptor = {type, out, in, height, width};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* descriptor) {
    *descriptor = new cudnnConvolutionStruct{};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t descriptor) {
    delete descriptor;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t descriptor, int padHeight, int padWidth, int strideHeight,
                                              int strideWidth, int dilationHeight, int dilationWidth, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute) {
    if (dilationHeight != 1 || dilationWidth != 1 || mode != CUDNN_CROSS_CORRELATION || compute != CUDNN_DATA_FLOAT)
        return CUDNN_STATUS_NOT_SUPPORTED;
    *descriptor = {padHeight, padWidth, strideHeight, strideWidth};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t descriptor, int groups) {
    descriptor->groups = groups;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t descriptor, cudnnMathType_t math) {
    descriptor->math = math;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t* descriptor) {
    *descriptor = new cudnnActivationStruct;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t descriptor) {
    delete descriptor;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t descriptor, cudnnActivationMode_t mode, cudnnNanPropagation_t,
                                           double) {
    descriptor->mode = mode;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t weight,
                                                      cudnnConvolutionDescriptor_t windows, cudnnTensorDescriptor_t y,
                                                      cudnnConvolutionFwdAlgo_t algorithm, std::size_t* bytes) {
    return sizeFor({*x, *y, *weight, *windows}, algorithm <= CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, bytes);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(cudnnHandle_t, cudnnFilterDescriptor_t weight, cudnnTensorDescriptor_t y,
                                                           cudnnConvolutionDescriptor_t windows, cudnnTensorDescriptor_t x,
                                                           cudnnConvolutionBwdDataAlgo_t algorithm, std::size_t* bytes) {
    return sizeFor({*x, *y, *weight, *windows}, algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, bytes);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t y,
                                                             cudnnConvolutionDescriptor_t windows, cudnnFilterDescriptor_t weight,
                                                             cudnnConvolutionBwdFilterAlgo_t algorithm, std::size_t* bytes) {
    return sizeFor({*x, *y, *weight, *windows}, algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, bytes);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t xDesc, const void* x,
                                      cudnnFilterDescriptor_t wDesc, const void* w, cudnnConvolutionDescriptor_t windows,
                                      cudnnConvolutionFwdAlgo_t, void* workspace, std::size_t bytes, const void* beta,
                                      cudnnTensorDescriptor_t yDesc, void* y) {
    const ConvolutionCall call{*xDesc, *yDesc, *wDesc, *windows};
    const cudnnStatus_t status = begin(handle, call, {x, w, y}, workspace, bytes, alpha, beta);
    if (status == CUDNN_STATUS_SUCCESS) enqueue(handle->stream, [=] { forward(call, x, w, nullptr, y); });
    return status;
}
cudnnStatus_t cudnnConvolutionBiasActivationForward(cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t xDesc, const void* x,
                                                    cudnnFilterDescriptor_t wDesc, const void* w, cudnnConvolutionDescriptor_t windows,
                                                    cudnnConvolutionFwdAlgo_t algorithm, void* workspace, std::size_t bytes,
                                                    const void* alpha2, cudnnTensorDescriptor_t zDesc, const void* z,
                                                    cudnnTensorDescriptor_t biasDesc, const void* bias,
                                                    cudnnActivationDescriptor_t activation, cudnnTensorDescriptor_t yDesc, void* y) {
    if (algorithm != CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM || activation->mode != CUDNN_ACTIVATION_IDENTITY)
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (z == nullptr || !(*zDesc == *yDesc) || biasDesc->type != yDesc->type || biasDesc->channels != yDesc->channels)
        return CUDNN_STATUS_BAD_PARAM;
    const ConvolutionCall call{*xDesc, *yDesc, *wDesc, *windows};
    const cudnnStatus_t status = begin(handle, call, {x, w, y, bias}, workspace, bytes, alpha, alpha2);
    if (status == CUDNN_STATUS_SUCCESS) enqueue(handle->stream, [=] { forward(call, x, w, bias, y); });
    return status;
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha, cudnnFilterDescriptor_t wDesc, const void* w,
                                           cudnnTensorDescriptor_t yDesc, const void* gradY, cudnnConvolutionDescriptor_t windows,
                                           cudnnConvolutionBwdDataAlgo_t, void* workspace, std::size_t bytes, const void* beta,
                                           cudnnTensorDescriptor_t xDesc, void* gradX) {
    const ConvolutionCall call{*xDesc, *yDesc, *wDesc, *windows};
    const cudnnStatus_t status = begin(handle, call, {w, gradY, gradX}, workspace, bytes, alpha, beta);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    enqueue(handle->stream, [=] { inputGrad(call, gradY, w, gradX); });
    return status;
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t xDesc, const void* x,
                                             cudnnTensorDescriptor_t yDesc, const void* gradY, cudnnConvolutionDescriptor_t windows,
                                             cudnnConvolutionBwdFilterAlgo_t, void* workspace, std::size_t bytes, const void* beta,
                                             cudnnFilterDescriptor_t wDesc, void* gradW) {
    const ConvolutionCall call{*xDesc, *yDesc, *wDesc, *windows};
    const cudnnStatus_t status = begin(handle, call, {x, gradY, gradW}, workspace, bytes, alpha, beta);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    enqueue(handle->stream, [=] { weightGrad(call, gradY, x, gradW); });
    return status;
}

}  // extern "C"
