// SPDX-License-Identifier: Apache-2.0
// Attention on cuDNN's graphs (cuDNN 9, "Scaled Dot Product Attention"; cudnn_frontend/graph_properties.h), by way of the headers that
// NVIDIA publishes as cudnn-frontend. A graph is built once for a shape and serves every operation that has it. What cuDNN saves (its
// "stats") is what FusedAttentionDesc calls logSumExp: the natural logarithm of the sum of exp(scale * q k'), fp32, [outer, heads, length,
// 1].
#include "kernels/cuda/attention.h"

#if defined(MANTISSA_HAS_CUDNN_FRONTEND)

// The headers bring an engine for norms that compiles its kernel by NVRTC. No graph of ours asks for it, so that library is not needed.
#pragma weak nvrtcCreateProgram
#pragma weak nvrtcCompileProgram
#pragma weak nvrtcDestroyProgram
#pragma weak nvrtcGetProgramLogSize
#pragma weak nvrtcGetProgramLog
#pragma weak nvrtcGetCUBINSize
#pragma weak nvrtcGetCUBIN

#include <cudnn_frontend.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/cuda/context.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::cuda {

namespace graphs = cudnn_frontend::graph;

class AttentionGraph {
public:
    graphs::Graph graph;
    std::size_t workspaceBytes = 0;
};

namespace {

constexpr std::int64_t kAligned = 16;  // bytes that cuDNN's kernels move at a time
/// On capability 9.0 the gradient that is the same each time stores the gradients of all scores: more of them than this are left to others.
constexpr std::int64_t kMostWorkspaceBytes = std::int64_t{4} << 30;

using Tensor = std::shared_ptr<graphs::Tensor_attributes>;
using Dimensions = std::vector<std::int64_t>;

/// The index of a tensor among an operation's operands is its name in the graph, which takes none below 1.
std::int64_t nameOf(std::size_t operand) {
    return static_cast<std::int64_t>(operand) + 1;
}

/// Where the heads of an operand lie; `heads` 0: the saved logarithms.
struct Place {
    std::int64_t heads = 0;
    BatchStrides strides;
};

class Builder {
public:
    Builder(const FusedAttentionDesc& desc, bool isGradient) : m_desc(desc), m_graph(std::make_shared<AttentionGraph>()) {
        using cudnn_frontend::DataType_t;
        m_type = desc.dtype == Dtype::F16 ? DataType_t::HALF : DataType_t::BFLOAT16;
        m_graph->graph.set_io_data_type(m_type).set_intermediate_data_type(DataType_t::FLOAT).set_compute_data_type(DataType_t::FLOAT);
        isGradient ? addBackward() : addForward();
    }

    /// Null where cuDNN declines.
    std::shared_ptr<AttentionGraph> build(cudnnHandle_t handle) {
        std::int64_t bytes = 0;
        if (m_graph->graph.build(handle, {cudnn_frontend::HeurMode_t::A}).is_bad()) return nullptr;
        if (m_graph->graph.get_workspace_size(bytes).is_bad() || bytes > kMostWorkspaceBytes) return nullptr;
        m_graph->workspaceBytes = static_cast<std::size_t>(bytes);
        return std::move(m_graph);
    }

private:
    FusedAttentionDesc m_desc;
    std::shared_ptr<AttentionGraph> m_graph;
    cudnn_frontend::DataType_t m_type = cudnn_frontend::DataType_t::NOT_SET;

    Place queries() const { return {m_desc.heads, m_desc.q}; }
    Place keys() const { return {m_desc.keyHeads, m_desc.k}; }
    Place values() const { return {m_desc.keyHeads, m_desc.v}; }
    Place results() const { return {m_desc.heads, m_desc.out}; }

    /// [outer, heads, length, headDim], or [outer, heads, length, 1].
    template <typename AnyTensor>
    void place(AnyTensor& tensor, std::size_t operand, const Place& place) const {
        const FusedAttentionDesc& d = m_desc;
        const bool isStats = place.heads == 0;
        tensor.set_uid(nameOf(operand))
            .set_data_type(isStats ? cudnn_frontend::DataType_t::FLOAT : m_type)
            .set_dim(isStats ? Dimensions{d.outer, d.heads, d.length, 1} : Dimensions{d.outer, place.heads, d.length, d.headDim})
            .set_stride(isStats ? Dimensions{d.heads * d.length, d.length, 1, 1}
                                : Dimensions{place.strides.outer, place.strides.inner, place.strides.row, 1});
    }
    Tensor input(std::size_t operand, const Place& where) {
        graphs::Tensor_attributes tensor;
        place(tensor, operand, where);
        return m_graph->graph.tensor(tensor);
    }
    void output(const Tensor& tensor, std::size_t operand, const Place& where) const {
        tensor->set_output(true);
        place(*tensor, operand, where);
    }

    void addForward() {
        graphs::SDPA_attributes how;
        how.set_name("attention").set_generate_stats(true).set_attn_scale(m_desc.scale);
        how.set_causal_mask(m_desc.causal);
        const Tensor q = input(0, queries()), k = input(1, keys()), v = input(2, values());
        const auto [out, stats] = m_graph->graph.sdpa(q, k, v, how);
        output(out, 3, results());
        output(stats, 4, {});
    }

    void addBackward() {
        graphs::SDPA_backward_attributes how;
        how.set_name("attention's gradient").set_attn_scale(m_desc.scale).set_deterministic_algorithm(true);
        how.set_causal_mask(m_desc.causal);
        const Tensor gradOut = input(0, results()), q = input(1, queries()), k = input(2, keys()), v = input(3, values()),
                     out = input(4, results()), stats = input(5, {});
        const auto [gradQ, gradK, gradV] = m_graph->graph.sdpa_backward(q, k, v, out, gradOut, stats, how);
        output(gradQ, 6, queries());
        output(gradK, 7, keys());
        output(gradV, 8, values());
    }
};

std::string keyOf(const FusedAttentionDesc& d, bool isGradient) {
    std::string key;
    for (const std::int64_t part : {std::int64_t{isGradient}, std::int64_t{d.causal}, d.outer, d.heads, d.keyHeads, d.length, d.headDim,
                                    static_cast<std::int64_t>(d.dtype), std::int64_t{floatBits(d.scale)}}) {
        key += ' ' + std::to_string(part);
    }
    for (const BatchStrides& strides : {d.q, d.k, d.v, d.out}) {
        for (const std::int64_t part : {strides.row, strides.outer, strides.inner}) key += ' ' + std::to_string(part);
    }
    return key;
}

class DnnAttention final : public Operation {
public:
    DnnAttention(Context& context, std::shared_ptr<AttentionGraph> graph, std::size_t operands)
        : m_context(context), m_graph(std::move(graph)) {
        for (std::size_t operand = 0; operand < operands; ++operand) m_pack[nameOf(operand)] = nullptr;
    }

    void enqueue(Queue& queue, Operands operands) override {
        cudnnHandle_t handle = m_context.dnn();
        check(cudnnSetStream(handle, streamOf(queue)), "cudnnSetStream");
        for (auto& [name, memory] : m_pack) memory = operands[static_cast<std::size_t>(name - 1)];
        cudnn_frontend::error_t status = m_graph->graph.execute(handle, m_pack, operands.back());
        if (status.is_bad()) throw DeviceError{"attention of cuDNN: " + status.get_message()};
    }

private:
    Context& m_context;
    std::shared_ptr<AttentionGraph> m_graph;
    std::unordered_map<std::int64_t, void*> m_pack;  // by name
};

}  // namespace

AttentionWay attentionByDnn(const FusedAttentionDesc& desc, bool isGradient, Context& context) {
    if (desc.dtype != Dtype::F16 && desc.dtype != Dtype::BF16) return {};
    if (context.dnnIfAny() == nullptr) return {};
    const auto [known, isNew] = context.attentionGraphs().try_emplace(keyOf(desc, isGradient));
    if (isNew) known->second = Builder(desc, isGradient).build(context.dnn());
    if (known->second == nullptr) return {};
    const std::size_t operands = isGradient ? 9 : 5;
    return {std::make_unique<DnnAttention>(context, known->second, operands), known->second->workspaceBytes, kAligned};
}

}  // namespace mantissa::cuda

#else

namespace mantissa::cuda {

AttentionWay attentionByDnn(const FusedAttentionDesc&, bool, Context&) {
    return {};
}

}  // namespace mantissa::cuda

#endif
