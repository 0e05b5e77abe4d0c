// SPDX-License-Identifier: Apache-2.0
// A card as operations are made for it: its capability and the libraries' handles. One per backend; made and used on one thread at a time.
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

/// What cuBLASLt needs beside a matrix product's operands, at most.
inline constexpr std::size_t kLtWorkspaceBytes = std::size_t{32} << 20;

/// An algorithm of cuBLASLt; none: the library has nothing for what was asked.
struct LtAlgorithm {
    bool isOffered = false;
    cublasLtMatmulAlgo_t algorithm{};
    std::size_t workspaceBytes = 0;
};

/// What cuDNN's kernels do with the smallest numbers of fp32's range, as a clause of Departures.
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
    /// 90 for capability 9.0.
    int capability() const { return m_properties.major * 10 + m_properties.minor; }
    cublasLtHandle_t blasLt() const { return m_blasLt; }
    /// Made when it is first asked for: it takes a while and some memory.
    cudnnHandle_t dnn();
    /// The same, for work on `stream`: in a capture no other one than that is set.
    cudnnHandle_t dnn(cudaStream_t stream);
    /// Null where cuDNN does not begin, or the environment has MANTISSA_NO_CUDNN, and not as 0: for those who can do without.
    cudnnHandle_t dnnIfAny();

    /// cuBLASLt's algorithms by the description that they were chosen for.
    std::map<std::string, LtAlgorithm>& algorithms() { return m_algorithms; }
    /// cuDNN's graph (dnn_graphs.h) of what `key` describes, made once; null: it has none. What `make` throws leaves nothing behind.
    template <typename Make>
    std::shared_ptr<DnnGraph> dnnGraph(const std::string& key, Make make) {
        const auto known = m_dnnGraphs.find(key);
        return known != m_dnnGraphs.end() ? known->second : m_dnnGraphs.emplace(key, make()).first->second;
    }
    /// Whether algorithms are chosen by their times on this card, which may differ from process to process, and with them last bits. Else
    /// the first one that a library offers is taken: always so where the environment has MANTISSA_DETERMINISTIC, and not as 0.
    bool timesAlgorithms() const { return m_timesAlgorithms; }
    void setTimesAlgorithms(bool times);
    /// While only sizes are asked for, no algorithm is timed or kept: a product's workspace is then that of the hungriest one. Graphs are
    /// made and kept all the same, since nothing else tells their size.
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
