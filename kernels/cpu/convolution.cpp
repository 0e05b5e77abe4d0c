// SPDX-License-Identifier: Apache-2.0
// Convolutions on oneDNN's f32 primitives, on activations in place and weights in the library's order. Each primitive runs on one thread,
// on a piece of the samples that depends only on the shape. Narrower operands are decoded into the thread's scratch memory; results are
// rounded from there. The weight gradient is the sum of the pieces' gradients, in order.
//
// (Measured: 1.0 to 6 times the speed of im2col with sgemm, the most for few channels.)
#include <optional>

#include "kernels/cpu/library_call.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/cpu/vector_math.h"

namespace mantissa::cpu {
namespace {

using dnnl::memory;

constexpr std::int64_t kPieceFlops = 16'000'000;  // far above the cost of waking a helper thread
constexpr std::int64_t kMostPieces = 32;
constexpr std::int64_t kMostPartialSums = 8;  // each as large as the weights

enum class Direction : std::uint8_t { Forward, InputGrad, WeightGrad };

std::int64_t weightsPerChannel(const Convolution2dDesc& d) {
    return d.inChannels / d.groups * d.window.height * d.window.width;
}
std::int64_t elementsOfX(const Convolution2dDesc& d, std::int64_t samples) {
    return samples * d.height * d.width * d.inChannels;
}
std::int64_t elementsOfY(const Convolution2dDesc& d, std::int64_t samples) {
    return samples * d.window.outHeight(d.height) * d.window.outWidth(d.width) * d.outChannels;
}

memory::desc weightsAs(const Convolution2dDesc& d, bool isStored) {
    const std::int64_t out = d.outChannels / d.groups, in = d.inChannels / d.groups;
    const memory::dims plain{out, in, d.window.height, d.window.width}, grouped{d.groups, out, in, d.window.height, d.window.width};
    const auto stored = d.groups > 1 ? memory::format_tag::goihw : memory::format_tag::oihw;
    return {d.groups > 1 ? grouped : plain, memory::data_type::f32, isStored ? stored : memory::format_tag::any};
}

/// The library's primitive for a number of samples, and its memory descriptors.
struct Primitive {
    dnnl::primitive primitive;
    memory::desc x, weights, y, bias, scratch;

    /// `order`: of the weights, any or that of another primitive.
    Primitive(const Convolution2dDesc& d, Direction direction, std::int64_t samples, const memory::desc& order, const dnnl::engine& engine)
        : x({samples, d.inChannels, d.height, d.width}, memory::data_type::f32, memory::format_tag::nhwc),
          weights(order),
          y({samples, d.outChannels, d.window.outHeight(d.height), d.window.outWidth(d.width)}, memory::data_type::f32,
            memory::format_tag::nhwc),
          bias({d.outChannels}, memory::data_type::f32, memory::format_tag::a) {
        using dnnl::algorithm;
        const memory::dims strides{d.window.strideHeight, d.window.strideWidth}, padding{d.window.padHeight, d.window.padWidth};
        const auto forwardOf = [&](const memory::desc& own) {
            constexpr auto kKind = dnnl::prop_kind::forward_training;
            using Forward = dnnl::convolution_forward;
            return d.hasBias && direction == Direction::Forward
                       ? describe<Forward>(engine, libraryAttributes(), kKind, algorithm::convolution_direct, x, own, bias, y, strides,
                                           padding, padding)
                       : describe<Forward>(engine, libraryAttributes(), kKind, algorithm::convolution_direct, x, own, y, strides, padding,
                                           padding);
        };
        if (direction == Direction::Forward) {
            const auto desc = forwardOf(order);
            primitive = dnnl::convolution_forward(desc);
            weights = desc.weights_desc();
            scratch = desc.scratchpad_desc();
        } else if (direction == Direction::InputGrad) {
            const auto desc = describeGradient<dnnl::convolution_backward_data>(
                engine, forwardOf(weightsAs(d, false)), algorithm::convolution_direct, x, order, y, strides, padding, padding);
            primitive = dnnl::convolution_backward_data(desc);
            weights = desc.weights_desc();
            scratch = desc.scratchpad_desc();
        } else {
            const auto desc = describeGradient<dnnl::convolution_backward_weights>(
                engine, forwardOf(weightsAs(d, false)), algorithm::convolution_direct, x, order, y, strides, padding, padding);
            primitive = dnnl::convolution_backward_weights(desc);
            weights = desc.diff_weights_desc();
            scratch = desc.scratchpad_desc();
        }
    }
};

/// The samples in `count` pieces, the last one smaller, and the primitives for them.
class Pieces {
public:
    Pieces(const Convolution2dDesc& d, Direction direction, const dnnl::engine& engine) : m_samples(d.samples) {
        const OneThread limit;
        const std::int64_t flops = 2 * elementsOfY(d, d.samples) * weightsPerChannel(d);
        const std::int64_t most = std::min(d.samples, direction == Direction::WeightGrad ? kMostPartialSums : kMostPieces);
        const std::int64_t wanted = std::clamp<std::int64_t>(flops / kPieceFlops, 1, most);
        m_size = (d.samples + wanted - 1) / wanted;
        m_count = (d.samples + m_size - 1) / m_size;
        m_primitives.emplace_back(d, direction, m_size, weightsAs(d, false), engine);
        if (samples(m_count - 1) != m_size) {
            m_primitives.emplace_back(d, direction, samples(m_count - 1), m_primitives.front().weights, engine);
        }
        for (const Primitive& primitive : m_primitives) m_scratchBytes = std::max(m_scratchBytes, primitive.scratch.get_size());
    }

    std::int64_t count() const { return m_count; }
    std::int64_t size() const { return m_size; }  // samples of the largest piece
    std::int64_t first(std::int64_t piece) const { return piece * m_size; }
    std::int64_t samples(std::int64_t piece) const { return std::min(m_size, m_samples - piece * m_size); }
    const Primitive& primitive(std::int64_t piece) const { return samples(piece) == m_size ? m_primitives.front() : m_primitives.back(); }
    const memory::desc& weights() const { return m_primitives.front().weights; }
    std::size_t weightsRoom() const { return roomFor(static_cast<std::int64_t>(weights().get_size() / sizeof(float))); }
    std::size_t scratchBytes() const { return m_scratchBytes; }

private:
    std::int64_t m_samples, m_size = 1, m_count = 1;
    std::vector<Primitive> m_primitives;
    std::size_t m_scratchBytes = 0;
};

/// Reorders weights.
class Reorder {
public:
    Reorder(const dnnl::engine& engine, const memory& from, const memory& to) {
        const OneThread limit;
        const dnnl::reorder::primitive_desc desc(engine, from.get_desc(), engine, to.get_desc(), libraryAttributes());
        m_scratchBytes = desc.scratchpad_desc().get_size();
        m_call.emplace(
            engine, dnnl::reorder(desc),
            LibraryCall::Arguments{
                {DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {DNNL_ARG_SCRATCHPAD, memory(desc.scratchpad_desc(), engine, nullptr)}});
    }
    void run(const void* from, void* to) { m_call->run({from, to, m_scratchBytes > 0 ? threadScratch(m_scratchBytes) : nullptr}); }

private:
    std::size_t m_scratchBytes = 0;
    std::optional<LibraryCall> m_call;
};

/// Input of a piece's product: an activation or its gradient, decoded into the thread's scratch memory.
Input activation(const Convolution2dDesc& d, Dtype stored, std::int64_t count, std::size_t offset) {
    return {count, stored, d.compute, d.operandRounding, offset};
}

const float* load(const Input& input, void* operand, std::int64_t first, void* scratch) {
    void* const own = elementAt(input.stored, operand, first);
    input.prepare(own, scratch, 0, input.count);
    return input.place(own, scratch);
}

/// Workspace: the decoded weights and bias, then the weights in the library's order.
struct SampleWorkspace {
    SampleWorkspace(const Convolution2dDesc& d, Direction direction, const Pieces& pieces)
        : weight{d.outChannels * weightsPerChannel(d), d.weight, d.compute, d.operandRounding},
          bias{direction == Direction::Forward && d.hasBias ? d.outChannels : 0, d.out, Dtype::F32, Rounding::NearestEven, weight.room()},
          arranged(bias.offset + bias.room()),
          bytes(arranged + pieces.weightsRoom()) {}
    Input weight, bias;
    std::size_t arranged, bytes;
};

/// The convolution, or its input gradient: computed per sample.
class SampleConvolution final : public Operation {
public:
    SampleConvolution(const Convolution2dDesc& desc, Direction direction, Dtype from, Dtype to, const dnnl::engine& engine, WorkPool& pool)
        : m_desc(desc),
          m_isForward(direction == Direction::Forward),
          m_from(from),
          m_to(to),
          m_pieces(desc, direction, engine),
          m_workspace(desc, direction, m_pieces),
          m_weights(m_pieces.weights(), engine, nullptr),
          m_arrange(engine, memory(weightsAs(desc, true), engine, nullptr), m_weights),
          m_pool(pool) {
        const auto unbound = [&engine](const memory::desc& own) { return memory(own, engine, nullptr); };
        for (std::int64_t piece = 0; piece < m_pieces.count(); ++piece) {
            const Primitive& own = m_pieces.primitive(piece);
            LibraryCall::Arguments arguments{{m_isForward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST, unbound(m_isForward ? own.x : own.y)},
                                             {DNNL_ARG_WEIGHTS, m_weights},
                                             {m_isForward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC, unbound(m_isForward ? own.y : own.x)},
                                             {DNNL_ARG_SCRATCHPAD, unbound(own.scratch)}};
            if (hasBias()) arguments.emplace_back(DNNL_ARG_BIAS, unbound(own.bias));
            m_calls.emplace_back(engine, own.primitive, std::move(arguments));
        }
    }

    void enqueue(Queue&, Operands operands) override {
        const OneThread limit;
        auto* const workspace = static_cast<std::byte*>(operands.back());
        m_arrange.run(m_workspace.weight.prepareAll(m_pool, operands[1], workspace), workspace + m_workspace.arranged);
        const float* bias = hasBias() ? m_workspace.bias.prepareAll(m_pool, operands[2], workspace) : nullptr;
        void* const out = operands[operands.size() - 2];
        m_pool.run(static_cast<int>(m_pieces.count()),
                   [&](int piece) { runPiece(piece, operands[0], workspace + m_workspace.arranged, bias, out); });
    }

private:
    bool hasBias() const { return m_workspace.bias.count > 0; }
    std::int64_t elementsIn(std::int64_t samples) const {
        return m_isForward ? elementsOfX(m_desc, samples) : elementsOfY(m_desc, samples);
    }
    std::int64_t elementsOut(std::int64_t samples) const {
        return m_isForward ? elementsOfY(m_desc, samples) : elementsOfX(m_desc, samples);
    }

    void runPiece(int piece, void* in, const void* weights, const float* bias, void* out) {
        const std::int64_t samples = m_pieces.samples(piece), before = m_pieces.first(piece);
        const Input input = activation(m_desc, m_from, elementsIn(samples), 0);
        const std::size_t resultRoom = m_to == Dtype::F32 ? 0 : roomFor(elementsOut(samples));
        auto* const scratch = static_cast<std::byte*>(threadScratch(input.room() + resultRoom + m_pieces.scratchBytes()));
        float* const result = resultRow(m_to, out, elementsOut(before), reinterpret_cast<float*>(scratch + input.room()));
        void* const libraryScratch = scratch + input.room() + resultRoom;
        const float* const values = load(input, in, elementsIn(before), scratch);
        LibraryCall& call = m_calls[static_cast<std::size_t>(piece)];
        if (hasBias()) {
            call.run({values, weights, result, libraryScratch, bias});
        } else {
            call.run({values, weights, result, libraryScratch});
        }
        storeRow(m_to, out, elementsOut(before), elementsOut(samples), result);
    }

    Convolution2dDesc m_desc;
    bool m_isForward;
    Dtype m_from, m_to;
    Pieces m_pieces;
    SampleWorkspace m_workspace;
    memory m_weights;
    Reorder m_arrange;
    std::vector<LibraryCall> m_calls;
    WorkPool& m_pool;
};

/// Workspace: each piece's sums in the library's order, then the gradient in storage order, before rounding to a narrower format.
std::size_t weightGradBytes(const Convolution2dWeightGradDesc& desc, const Pieces& pieces) {
    const std::int64_t weights = desc.forward.outChannels * weightsPerChannel(desc.forward);
    return static_cast<std::size_t>(pieces.count()) * pieces.weightsRoom() + (desc.gradWeight == Dtype::F32 ? 0 : roomFor(weights));
}

class WeightGradient final : public Operation {
public:
    WeightGradient(const Convolution2dWeightGradDesc& desc, const dnnl::engine& engine, WorkPool& pool)
        : m_desc(desc),
          m_pieces(desc.forward, Direction::WeightGrad, engine),
          m_arrange(engine, memory(m_pieces.weights(), engine, nullptr), memory(weightsAs(desc.forward, true), engine, nullptr)),
          m_pool(pool) {
        const auto unbound = [&engine](const memory::desc& own) { return memory(own, engine, nullptr); };
        for (std::int64_t piece = 0; piece < m_pieces.count(); ++piece) {
            const Primitive& own = m_pieces.primitive(piece);
            m_calls.emplace_back(engine, own.primitive,
                                 LibraryCall::Arguments{{DNNL_ARG_DIFF_DST, unbound(own.y)},
                                                        {DNNL_ARG_SRC, unbound(own.x)},
                                                        {DNNL_ARG_DIFF_WEIGHTS, unbound(own.weights)},
                                                        {DNNL_ARG_SCRATCHPAD, unbound(own.scratch)}});
        }
    }

    void enqueue(Queue&, Operands operands) override {
        const OneThread limit;
        auto* const workspace = static_cast<std::byte*>(operands[3]);
        const auto sumsOf = [&](std::int64_t piece) {
            return reinterpret_cast<float*>(workspace + static_cast<std::size_t>(piece) * m_pieces.weightsRoom());
        };
        m_pool.run(static_cast<int>(m_pieces.count()), [&](int piece) { runPiece(piece, operands[0], operands[1], sumsOf(piece)); });
        const auto floats = static_cast<std::int64_t>(m_pieces.weights().get_size() / sizeof(float));
        m_pool.runPieces(floats, [&](std::int64_t first, std::int64_t count) {
            for (std::int64_t piece = 1; piece < m_pieces.count(); ++piece) addInto(sumsOf(0) + first, sumsOf(piece) + first, count);
        });
        const std::int64_t weights = m_desc.forward.outChannels * weightsPerChannel(m_desc.forward);
        float* const stored = resultRow(m_desc.gradWeight, operands[2], 0, sumsOf(m_pieces.count()));
        m_arrange.run(sumsOf(0), stored);
        if (m_desc.result != Dtype::F32) roundArray(m_desc.result, stored, stored, static_cast<std::size_t>(weights));
        storeRow(m_desc.gradWeight, operands[2], 0, weights, stored);
    }

private:
    void runPiece(int piece, void* gradOutput, void* x, float* sums) {
        const Convolution2dDesc& d = m_desc.forward;
        const std::int64_t samples = m_pieces.samples(piece), before = m_pieces.first(piece);
        const Input gradients = activation(d, m_desc.gradOutput, elementsOfY(d, samples), 0);
        const Input inputs = activation(d, d.x, elementsOfX(d, samples), gradients.room());
        const std::size_t room = gradients.room() + inputs.room();
        auto* const scratch = static_cast<std::byte*>(threadScratch(room + m_pieces.scratchBytes()));
        const float* const g = load(gradients, gradOutput, elementsOfY(d, before), scratch);
        const float* const values = load(inputs, x, elementsOfX(d, before), scratch);
        m_calls[static_cast<std::size_t>(piece)].run({g, values, sums, scratch + room});
    }

    Convolution2dWeightGradDesc m_desc;
    Pieces m_pieces;
    Reorder m_arrange;
    std::vector<LibraryCall> m_calls;
    WorkPool& m_pool;
};

}  // namespace

std::unique_ptr<Operation> makeConvolution(const Convolution2dDesc& desc, const dnnl::engine& engine, WorkPool& pool) {
    return std::make_unique<SampleConvolution>(desc, Direction::Forward, desc.x, desc.out, engine, pool);
}

std::unique_ptr<Operation> makeConvolutionInputGrad(const Convolution2dInputGradDesc& desc, const dnnl::engine& engine, WorkPool& pool) {
    return std::make_unique<SampleConvolution>(desc.forward, Direction::InputGrad, desc.gradOutput, desc.gradInput, engine, pool);
}

std::unique_ptr<Operation> makeConvolutionWeightGrad(const Convolution2dWeightGradDesc& desc, const dnnl::engine& engine, WorkPool& pool) {
    return std::make_unique<WeightGradient>(desc, engine, pool);
}

std::size_t convolutionWorkspaceBytes(const Convolution2dDesc& desc, const dnnl::engine& engine) {
    return SampleWorkspace(desc, Direction::Forward, Pieces(desc, Direction::Forward, engine)).bytes;
}

std::size_t convolutionInputGradWorkspaceBytes(const Convolution2dInputGradDesc& desc, const dnnl::engine& engine) {
    return SampleWorkspace(desc.forward, Direction::InputGrad, Pieces(desc.forward, Direction::InputGrad, engine)).bytes;
}

std::size_t convolutionWeightGradWorkspaceBytes(const Convolution2dWeightGradDesc& desc, const dnnl::engine& engine) {
    return weightGradBytes(desc, Pieces(desc.forward, Direction::WeightGrad, engine));
}

}  // namespace mantissa::cpu
