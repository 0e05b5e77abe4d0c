// SPDX-License-Identifier: Apache-2.0
// Attention and convolutions as graphs of cuDNN 9 (https://docs.nvidia.com/deeplearning/cudnn, "Graph API"), by way of the headers that
// NVIDIA publishes as cudnn-frontend. A build that has not found them offers no graph.
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

/// What cuDNN's kernels move at a time, in bytes: every operand of a graph, and its workspace, lies on a multiple.
inline constexpr std::uintptr_t kDnnAligned = 16;

/// A graph with an engine of the library's chosen for it. Made once for a shape; serves every operation that has it.
class DnnGraph {
public:
    virtual ~DnnGraph() = default;
    virtual std::size_t workspaceBytes() const = 0;
    /// On the handle's stream; operands in the order that the graph's maker says. Throws DeviceError.
    virtual void execute(cudnnHandle_t handle, std::span<void* const> operands, void* workspace) = 0;
};

/// The card that a graph is for: a handle's, or one that is only described, in the JSON that cuDNN writes of a card
/// (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION). A graph for the latter says that the library has engines for it; it cannot be executed.
struct DnnTarget {
    cudnnHandle_t handle = nullptr;
    std::string_view description;
    bool isTensorCoresAlone = false;  // engines that use none are left out as well: for whoever asks which there are
};

/// Attention, or its gradient, in a 16-bit format, the same bits each time: the operands of FusedAttentionDesc, or of
/// FusedAttentionGradDesc, but for the workspace. What cuDNN saves (its "stats") is what they call logSumExp. Null where it declines.
std::shared_ptr<DnnGraph> attentionGraph(const FusedAttentionDesc& desc, bool isGradient, const DnnTarget& target);

/// A convolution in any of its directions, every tensor in `format`, weights [out, height, width, in / groups]: first, second, the bias
/// where it `addsBias` (before the one rounding), and the result. Engines that multiply and add as the formula says, in fp32, with the same
/// bits each time; none on tensor cores where the convolution computes in fp32. Null where cuDNN declines.
std::shared_ptr<DnnGraph> convolutionGraph(const Convolution& convolution, Dtype format, bool addsBias, const DnnTarget& target);

}  // namespace mantissa::cuda
