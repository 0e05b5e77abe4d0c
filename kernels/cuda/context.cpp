// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/context.h"

#include <cstdlib>
#include <string_view>

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
constexpr bool kTimesAlgorithms = false;  // a card that is none has no times
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
    const char* const deterministic = std::getenv("MANTISSA_DETERMINISTIC");
    const std::string_view asked = deterministic != nullptr ? deterministic : "";
    m_timesAlgorithms = times && (asked.empty() || asked == "0");
}

cudnnHandle_t Context::dnn() {
    if (m_dnn == nullptr) check(cudnnCreate(&m_dnn), "cudnnCreate");
    check(cudnnSetStream(m_dnn, nullptr), "cudnnSetStream");  // the last one may belong to a queue that is gone
    return m_dnn;
}

cudnnHandle_t Context::dnnIfAny() {
    if (m_dnn == nullptr && cudnnCreate(&m_dnn) != CUDNN_STATUS_SUCCESS) m_dnn = nullptr;
    return m_dnn;
}

}  // namespace mantissa::cuda
