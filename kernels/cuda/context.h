// SPDX-License-Identifier: Apache-2.0
// A GPU for which operations are made: its capability and the libraries' handles. One per backend; made and used on one thread at a time.
#pragma once

#include <cublasLt.h>
#include <cudnn.h>

#include <map>
#include <memory>
#include <string>

#include "kernels/cuda/runtime.h"

namespace mantissa::cuda {

void check(cublasStatus_t status, const char* call);
void check(cudnnStatus_t status, const char* call);

/// Upper limit of cuBLASLt's workspace for a matrix product.
inline constexpr std::size_t kLtWorkspaceBytes = std::size_t{32} << 20;

/// An algorithm of cuBLASLt; isOffered false: the library has none for the description.
struct LtAlgorithm {
    bool isOffered = false;
    cublasLtMatmulAlgo_t algorithm{};
    std::size_t workspaceBytes = 0;
};

/// How cuDNN's kernels treat subnormals, as a clause of Departures.
inline constexpr const char* kDnnFlushes = "cuDNN's kernels for bf16 and tf32 take numbers below 2^-126 for 0";

class DnnGraph;

class Context {
public:
    explicit Context(int device);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    int device() const { return m_device; }
    const cudaDeviceProp& properties() const { return m_properties; }
    /// Compute capability: 90 for 9.0.
    int capability() const { return m_properties.major * 10 + m_properties.minor; }
    cublasLtHandle_t blasLt() const { return m_blasLt; }
    /// cuDNN's handle, made at the first call: this takes time and memory.
    cudnnHandle_t dnn();
    /// cuDNN's handle, set to `stream`; in a capture no other stream is set.
    cudnnHandle_t dnn(cudaStream_t stream);
    /// cuDNN's handle, or null if it cannot be initialised or the environment sets MANTISSA_NO_CUDNN (other than 0): for optional uses.
    cudnnHandle_t dnnIfAny();

    /// cuBLASLt's algorithms by the description for which they were chosen.
    std::map<std::string, LtAlgorithm>& algorithms() { return m_algorithms; }
    /// cuDNN's graph (dnn_graphs.h) for the description `key`, made once; null: it has none. Nothing is stored if `make` throws.
    template <typename Make>
    std::shared_ptr<DnnGraph> dnnGraph(const std::string& key, Make make) {
        const auto known = m_dnnGraphs.find(key);
        return known != m_dnnGraphs.end() ? known->second : m_dnnGraphs.emplace(key, make()).first->second;
    }
    /// Whether algorithms are chosen by their times on this GPU, so that they, and last bits, may differ between processes. Otherwise a
    /// library's first one is taken: always if the environment sets MANTISSA_DETERMINISTIC (other than 0).
    bool timesAlgorithms() const { return m_timesAlgorithms; }
    void setTimesAlgorithms(bool times);
    /// Whether only sizes are queried: no algorithm is timed or kept, and a product's workspace is the largest of all algorithms. Graphs
    /// are still made and kept, since only they have their size.
    bool isOnlyAsked() const { return m_isOnlyAsked; }
    class OnlyAsked {
    public:
        explicit OnlyAsked(Context& context) : m_context(context) { context.m_isOnlyAsked = true; }
        ~OnlyAsked() { m_context.m_isOnlyAsked = false; }
        OnlyAsked(const OnlyAsked&) = delete;
        OnlyAsked& operator=(const OnlyAsked&) = delete;

    private:
        Context& m_context;
    };

private:
    int m_device = 0;
    cudaDeviceProp m_properties{};
    cublasLtHandle_t m_blasLt = nullptr;
    cudnnHandle_t m_dnn = nullptr;
    std::map<std::string, LtAlgorithm> m_algorithms;
    std::map<std::string, std::shared_ptr<DnnGraph>> m_dnnGraphs;
    bool m_timesAlgorithms = false;
    bool m_isOnlyAsked = false;
};

}  // namespace mantissa::cuda
