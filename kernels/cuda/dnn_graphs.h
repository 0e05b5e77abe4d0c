// SPDX-License-Identifier: Apache-2.0
// Attention and convolutions as graphs of cuDNN 9 (https://docs.nvidia.com/deeplearning/cudnn, "Graph API"), built with the headers that
// NVIDIA publishes as cudnn-frontend. A build without them offers no graph.
#pragma once

#include <cudnn.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "kernels/cuda/convolution.h"
#include "kernels/network_operations.h"

namespace mantissa::cuda {

/// Alignment of cuDNN's accesses in bytes: every operand of a graph, and its workspace, must have it.
inline constexpr std::uintptr_t kDnnAligned = 16;

/// A graph with an engine that cuDNN chose. Made once per shape, for all operations of that shape.
class DnnGraph {
public:
    virtual ~DnnGraph() = default;
    virtual std::size_t workspaceBytes() const = 0;
    /// Runs on the handle's stream; operands in the order that the graph's maker documents. Throws DeviceError.
    virtual void execute(cudnnHandle_t handle, std::span<void* const> operands, void* workspace) = 0;
};

/// The GPU of a graph: a handle's, or one described by cuDNN's JSON (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION). A graph for the latter
/// shows that the library has engines for it; it cannot be executed.
struct DnnTarget {
    cudnnHandle_t handle = nullptr;
    std::string_view description;
    bool isTensorCoresAlone = false;  // excludes engines without tensor cores, to list the others
};

/// Makes a graph for attention or its gradient in a 16-bit format, deterministic: the operands of FusedAttentionDesc, or of
/// FusedAttentionGradDesc, without the workspace. logSumExp holds cuDNN's "stats". Null if cuDNN declines.
std::shared_ptr<DnnGraph> attentionGraph(const FusedAttentionDesc& desc, bool isGradient, const DnnTarget& target);

/// Makes a graph for a convolution in any direction, every tensor in `format`, weights [out, height, width, in / groups]: first, second,
/// the bias if it `addsBias` (before the one rounding), and the result. Uses engines that follow the formula in fp32 and are deterministic;
/// none on tensor cores if the convolution computes in fp32. Null if cuDNN declines.
std::shared_ptr<DnnGraph> convolutionGraph(const Convolution& convolution, Dtype format, bool addsBias, const DnnTarget& target);

}  // namespace mantissa::cuda
