// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/context.h"

namespace mantissa::cuda {

void check(cublasStatus_t status, const char* call) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    if (status == CUBLAS_STATUS_ALLOC_FAILED) throwOutOfMemory(call);
    throw DeviceError{std::string(call) + ": " + cublasLtGetStatusString(status)};
}

void check(cudnnStatus_t status, const char* call) {
    if (status == CUDNN_STATUS_SUCCESS) return;
    if (status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED || status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED)
        throwOutOfMemory(call);
    throw DeviceError{std::string(call) + ": " + cudnnGetErrorString(status)};
}

#if defined(MANTISSA_CUDA_EMULATION)
constexpr bool kTimesAlgorithms = false;  // an emulated GPU has no timings
#else
constexpr bool kTimesAlgorithms = true;
#endif

Context::Context(int device) : m_device(device) {
    setTimesAlgorithms(kTimesAlgorithms);
    useDevice(device);
    check(cudaGetDeviceProperties(&m_properties, device), "cudaGetDeviceProperties");
    check(cublasLtCreate(&m_blasLt), "cublasLtCreate");
}

Context::~Context() {
    useDeviceToRelease(m_device);
    m_dnnGraphs.clear();
    if (m_dnn != nullptr) cudnnDestroy(m_dnn);
    cublasLtDestroy(m_blasLt);
}

void Context::setTimesAlgorithms(bool times) {
    m_timesAlgorithms = times && !isSet("MANTISSA_DETERMINISTIC");
}

cudnnHandle_t Context::dnn() {
    return dnn(nullptr);  // the last stream may belong to a destroyed queue
}

cudnnHandle_t Context::dnn(cudaStream_t stream) {
    if (m_dnn == nullptr) check(cudnnCreate(&m_dnn), "cudnnCreate");
    check(cudnnSetStream(m_dnn, stream), "cudnnSetStream");
    return m_dnn;
}

cudnnHandle_t Context::dnnIfAny() {
    if (isSet("MANTISSA_NO_CUDNN")) return nullptr;
    if (m_dnn == nullptr && cudnnCreate(&m_dnn) != CUDNN_STATUS_SUCCESS) m_dnn = nullptr;
    return m_dnn;
}

}  // namespace mantissa::cuda
