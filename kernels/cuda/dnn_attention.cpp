// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "kernels/cuda/attention.h"
#include "kernels/cuda/context.h"
#include "kernels/cuda/dnn_graphs.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::cuda {
namespace {

std::string keyOf(const FusedAttentionDesc& d, bool isGradient) {
    std::string key = "attention";
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
    DnnAttention(Context& context, std::shared_ptr<DnnGraph> graph) : m_context(context), m_graph(std::move(graph)) {}

    void enqueue(Queue& queue, Operands operands) override {
        m_graph->execute(m_context.dnn(streamOf(queue)), operands.first(operands.size() - 1), operands.back());
    }

private:
    Context& m_context;
    std::shared_ptr<DnnGraph> m_graph;
};

}  // namespace

AttentionWay attentionByDnn(const FusedAttentionDesc& desc, bool isGradient, Context& context) {
    if (desc.dtype != Dtype::F16 && desc.dtype != Dtype::BF16) return {};
    if (context.dnnIfAny() == nullptr) return {};
    const std::shared_ptr<DnnGraph> graph =
        context.dnnGraph(keyOf(desc, isGradient), [&] { return attentionGraph(desc, isGradient, {.handle = context.dnn()}); });
    if (graph == nullptr) return {};
    return {std::make_unique<DnnAttention>(context, graph), graph->workspaceBytes(), kDnnAligned};
}

}  // namespace mantissa::cuda
