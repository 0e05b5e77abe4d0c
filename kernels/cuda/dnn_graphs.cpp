// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/dnn_graphs.h"

#if defined(MANTISSA_HAS_CUDNN_FRONTEND)

// The headers include a norm engine that compiles its kernel by NVRTC. Our graphs never use it, so NVRTC is not needed.
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

namespace mantissa::cuda {
namespace {

namespace graphs = cudnn_frontend::graph;
using cudnn_frontend::DataType_t;
using cudnn_frontend::HeurMode_t;
using cudnn_frontend::NumericalNote_t;
using Tensor = std::shared_ptr<graphs::Tensor_attributes>;
using Numbers = std::vector<std::int64_t>;

DataType_t typeOf(Dtype dtype) {
    return dtype == Dtype::F16 ? DataType_t::HALF : dtype == Dtype::BF16 ? DataType_t::BFLOAT16 : DataType_t::FLOAT;
}

/// A tensor's type, sizes and strides, in elements.
struct Place {
    Numbers sizes, strides;
    DataType_t type = DataType_t::FLOAT;
};

/// Restrictions on a graph's engines.
struct Demands {
    std::vector<HeurMode_t> heuristics;  // in the order of their use
    std::vector<NumericalNote_t> without;
    std::int64_t mostWorkspaceBytes;
};

class BuiltGraph final : public DnnGraph {
public:
    BuiltGraph() { m_graph.set_intermediate_data_type(DataType_t::FLOAT).set_compute_data_type(DataType_t::FLOAT); }

    graphs::Graph& graph() { return m_graph; }

    /// A tensor's id is its operand index + 1: ids below 1 are invalid.
    Tensor input(std::size_t operand, const Place& place) {
        graphs::Tensor_attributes tensor;
        put(tensor, operand, place);
        return m_graph.tensor(tensor);
    }
    void output(const Tensor& tensor, std::size_t operand, const Place& place) {
        tensor->set_output(true);
        put(*tensor, operand, place);
    }

    /// Chooses the engine that the library's heuristics prefer. False if there is none. Throws OutOfMemory.
    bool prepare(const Demands& demands, const DnnTarget& target) {
        if (!target.description.empty()) {
            auto properties = std::make_shared<cudnn_frontend::DeviceProperties>();
            if (properties->deserialize({target.description.begin(), target.description.end()}).is_bad()) return false;
            m_graph.set_device_properties(std::move(properties));
        }
        if (m_graph.validate().is_bad() || m_graph.build_operation_graph(target.handle).is_bad()) return false;
        if (m_graph.create_execution_plans(demands.heuristics).is_bad()) return false;
        m_graph.deselect_numeric_notes(demands.without).deselect_workspace_greater_than(demands.mostWorkspaceBytes);
        if (target.isTensorCoresAlone) m_graph.select_numeric_notes({NumericalNote_t::TENSOR_CORE});
        if (!isGood(m_graph.check_support())) return false;
        if (target.handle == nullptr) return true;  // kernels are loaded only if there is a GPU
        std::int64_t bytes = 0;
        if (!isGood(m_graph.build_plans()) || !isGood(m_graph.get_workspace_size(bytes))) return false;
        m_workspaceBytes = static_cast<std::size_t>(bytes);
        return true;
    }

    std::size_t workspaceBytes() const override { return m_workspaceBytes; }

    void execute(cudnnHandle_t handle, std::span<void* const> operands, void* workspace) override {
        for (auto& [name, memory] : m_operands) memory = operands[static_cast<std::size_t>(name - 1)];
        cudnn_frontend::error_t status = m_graph.execute(handle, m_operands, workspace);
        if (!isGood(status)) throw DeviceError{"a graph of cuDNN: " + status.get_message()};
    }

private:
    graphs::Graph m_graph;
    std::unordered_map<std::int64_t, void*> m_operands;  // by name
    std::size_t m_workspaceBytes = 0;

    /// An out-of-memory status is neither a missing engine nor a device failure. The frontend reports the library's status only as text.
    static bool isGood(cudnn_frontend::error_t status) {
        if (!status.is_bad()) return true;
        if (status.get_message().find("ALLOC") != std::string::npos) throwOutOfMemory("a graph of cuDNN");
        return false;
    }

    void put(graphs::Tensor_attributes& tensor, std::size_t operand, const Place& place) {
        const auto name = static_cast<std::int64_t>(operand) + 1;
        tensor.set_uid(name).set_data_type(place.type).set_dim(place.sizes).set_stride(place.strides);
        m_operands[name] = nullptr;
    }
};

std::shared_ptr<DnnGraph> prepared(std::shared_ptr<BuiltGraph> graph, const Demands& demands, const DnnTarget& target) {
    return graph->prepare(demands, target) ? std::move(graph) : nullptr;
}

// ---- Attention ----

/// The deterministic gradient stores the gradients of all scores (402 MB for 16 x 12 heads of 1024 rows). Above this limit other
/// implementations are used.
constexpr std::int64_t kMostAttentionBytes = std::int64_t{4} << 30;

/// [outer, heads, length, headDim] of one operand.
Place headsOf(const FusedAttentionDesc& d, std::int64_t heads, const BatchStrides& strides) {
    return {{d.outer, heads, d.length, d.headDim}, {strides.outer, strides.inner, strides.row, 1}, typeOf(d.dtype)};
}

// ---- Convolutions ----

/// Workspace limit; engines that convert all operands to another layout need more than the operands' size.
constexpr std::int64_t kMostConvolutionBytes = std::int64_t{512} << 20;

/// NHWC; sizes in the library's order: samples (or outputs), channels, height, width.
Place imagesOf(Dtype format, std::int64_t samples, std::int64_t channels, std::int64_t height, std::int64_t width) {
    return {{samples, channels, height, width}, {height * width * channels, 1, width * channels, channels}, typeOf(format)};
}

template <typename Attributes>
Attributes windowsOf(const Window& window) {
    Attributes how;
    how.set_padding({window.padHeight, window.padWidth}).set_stride({window.strideHeight, window.strideWidth}).set_dilation({1, 1});
    return how;
}

Demands demandsOf(const Convolution& c) {
    // Transforms (Winograd, FFT) spread non-finite values, and their error grows with the largest nearby element.
    Demands demands{.heuristics = {HeurMode_t::A, HeurMode_t::FALLBACK},
                    .without = {NumericalNote_t::FFT, NumericalNote_t::WINOGRAD, NumericalNote_t::WINOGRAD_TILE_4x4,
                                NumericalNote_t::WINOGRAD_TILE_6x6, NumericalNote_t::WINOGRAD_TILE_13x13, NumericalNote_t::NONDETERMINISTIC,
                                NumericalNote_t::REDUCED_PRECISION_REDUCTION, NumericalNote_t::DOWN_CONVERT_INPUTS},
                    .mostWorkspaceBytes = kMostConvolutionBytes};
    if (c.shape.compute == Dtype::F32) demands.without.push_back(NumericalNote_t::TENSOR_CORE);
    return demands;
}

}  // namespace

std::shared_ptr<DnnGraph> attentionGraph(const FusedAttentionDesc& d, bool isGradient, const DnnTarget& target) {
    auto built = std::make_shared<BuiltGraph>();
    const Place queries = headsOf(d, d.heads, d.q), keys = headsOf(d, d.keyHeads, d.k), values = headsOf(d, d.keyHeads, d.v),
                results = headsOf(d, d.heads, d.out);
    const Place stats{{d.outer, d.heads, d.length, 1}, {d.heads * d.length, d.length, 1, 1}};
    if (isGradient) {
        graphs::SDPA_backward_attributes how;
        how.set_name("attention's gradient").set_attn_scale(d.scale).set_deterministic_algorithm(true).set_causal_mask(d.causal);
        const Tensor gradOut = built->input(0, results), q = built->input(1, queries), k = built->input(2, keys),
                     v = built->input(3, values), out = built->input(4, results), saved = built->input(5, stats);
        const auto [gradQ, gradK, gradV] = built->graph().sdpa_backward(q, k, v, out, gradOut, saved, how);
        built->output(gradQ, 6, queries);
        built->output(gradK, 7, keys);
        built->output(gradV, 8, values);
    } else {
        graphs::SDPA_attributes how;
        how.set_name("attention").set_generate_stats(true).set_attn_scale(d.scale).set_causal_mask(d.causal);
        const Tensor q = built->input(0, queries), k = built->input(1, keys), v = built->input(2, values);
        const auto [out, saved] = built->graph().sdpa(q, k, v, how);
        built->output(out, 3, results);
        built->output(saved, 4, stats);
    }
    return prepared(std::move(built), {.heuristics = {HeurMode_t::A}, .without = {}, .mostWorkspaceBytes = kMostAttentionBytes}, target);
}

std::shared_ptr<DnnGraph> convolutionGraph(const Convolution& c, Dtype format, bool addsBias, const DnnTarget& target) {
    auto built = std::make_shared<BuiltGraph>();
    const Convolution2dDesc& d = c.shape;
    const Place x = imagesOf(format, d.samples, d.inChannels, d.height, d.width),
                y = imagesOf(format, d.samples, d.outChannels, c.outHeight, c.outWidth),
                weights = imagesOf(format, d.outChannels, d.inChannels / d.groups, d.window.height, d.window.width);
    const bool isForward = c.direction == Direction::Forward, isWeightGrad = c.direction == Direction::WeightGrad;
    const Tensor first = built->input(0, isForward ? x : y), second = built->input(1, isWeightGrad ? x : weights);
    if (isWeightGrad) {
        built->output(built->graph().conv_wgrad(first, second, windowsOf<graphs::Conv_wgrad_attributes>(d.window)), 2, weights);
    } else if (!isForward) {
        built->output(built->graph().conv_dgrad(first, second, windowsOf<graphs::Conv_dgrad_attributes>(d.window)), 2, x);
    } else {
        Tensor sums = built->graph().conv_fprop(first, second, windowsOf<graphs::Conv_fprop_attributes>(d.window));
        if (addsBias) {
            sums->set_dim(y.sizes).set_stride(y.strides);
            graphs::Pointwise_attributes how;
            how.set_mode(cudnn_frontend::PointwiseMode_t::ADD);
            sums = built->graph().pointwise(sums, built->input(2, imagesOf(format, 1, d.outChannels, 1, 1)), how);
        }
        built->output(sums, addsBias ? 3 : 2, y);
    }
    return prepared(std::move(built), demandsOf(c), target);
}

}  // namespace mantissa::cuda

#else

namespace mantissa::cuda {

std::shared_ptr<DnnGraph> attentionGraph(const FusedAttentionDesc&, bool, const DnnTarget&) {
    return nullptr;
}
std::shared_ptr<DnnGraph> convolutionGraph(const Convolution&, Dtype, bool, const DnnTarget&) {
    return nullptr;
}

}  // namespace mantissa::cuda

#endif
