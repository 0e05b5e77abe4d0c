// SPDX-License-Identifier: Apache-2.0
// Products on oneDNN's f32 matmul. Operands that are stored or computed narrower are decoded and rounded into the workspace first;
// a narrower result is rounded out of it. So every product is fp32 arithmetic on exact values of the format, rounded once.
#include <omp.h>

#include "kernels/cpu/operations.h"

namespace mantissa::cpu {
namespace {

/// Below this a product costs less on one thread than waking a second one; measured on two cores with 64 to 512 rows and columns.
constexpr std::int64_t kOneThreadFlops = 8'000'000;

/// Pieces of the workspace begin on cache lines.
std::size_t roomFor(std::int64_t floats) {
    return (static_cast<std::size_t>(floats) * sizeof(float) + 63) / 64 * 64;
}

bool holdsEveryValue(Dtype wide, Dtype narrow) {
    return facts(wide).exponentBits >= facts(narrow).exponentBits && facts(wide).mantissaBits >= facts(narrow).mantissaBits;
}

/// Oversubscribed or not, a small product must not wait for other threads.
class ThreadLimit {
public:
    explicit ThreadLimit(bool oneThread) : m_before(oneThread ? omp_get_max_threads() : 1) {
        if (m_before > 1) omp_set_num_threads(1);
    }
    ~ThreadLimit() {
        if (m_before > 1) omp_set_num_threads(m_before);
    }
    ThreadLimit(const ThreadLimit&) = delete;
    ThreadLimit& operator=(const ThreadLimit&) = delete;

private:
    int m_before;
};

/// An operand on its way into the product: as it lies, or decoded and rounded into its place in the workspace.
struct Input {
    std::int64_t count = 0;
    Dtype stored = Dtype::F32, compute = Dtype::F32;
    std::size_t offset = 0;

    bool needsRoom() const { return stored != Dtype::F32 || !holdsEveryValue(compute, stored); }
    std::size_t room() const { return needsRoom() ? roomFor(count) : 0; }

    void* prepare(void* operand, void* workspace) const {
        if (!needsRoom()) return operand;
        auto* values = reinterpret_cast<float*>(static_cast<std::byte*>(workspace) + offset);
        const auto n = static_cast<std::size_t>(count);
        if (stored == Dtype::F32) {
            roundArray(compute, static_cast<const float*>(operand), values, n);
        } else {
            decodeArray(stored, operand, values, n);
            if (!holdsEveryValue(compute, stored)) roundArray(compute, values, values, n);
        }
        return values;
    }
};

/// Who needs how much of the workspace, and where. The bias joins the fp32 accumulator: it is decoded, never rounded to `compute`.
struct WorkspaceLayout {
    explicit WorkspaceLayout(const MatmulDesc& d)
        : a{d.m * d.k, d.a, d.compute}, b{d.k * d.n, d.b, d.compute}, bias{d.hasBias ? d.n : 0, d.a, Dtype::F32} {
        for (Input* input : {&a, &b, &bias}) {
            input->offset = bytes;
            bytes += input->room();
        }
        resultOffset = bytes;
        if (d.out != Dtype::F32) bytes += roomFor(d.m * d.n);
    }

    Input a, b, bias;
    std::size_t resultOffset = 0, bytes = 0;
};

class Matmul final : public Operation {
public:
    Matmul(const MatmulDesc& desc, const dnnl::engine& engine)
        : m_desc(desc), m_layout(desc), m_oneThread(2 * desc.m * desc.n * desc.k < kOneThreadFlops) {
        const dnnl::memory::desc a = matrix(desc.m, desc.k, desc.transposeA), b = matrix(desc.k, desc.n, desc.transposeB),
                                 c = matrix(desc.m, desc.n, false), bias = matrix(1, desc.n, false);
        const ThreadLimit limit(m_oneThread);  // the library splits the work when the primitive is made
        m_primitive = dnnl::matmul(
            dnnl::matmul::primitive_desc(desc.hasBias ? dnnl::matmul::desc(a, b, bias, c) : dnnl::matmul::desc(a, b, c), engine));
        addArgument(DNNL_ARG_SRC, a, engine);
        addArgument(DNNL_ARG_WEIGHTS, b, engine);
        addArgument(DNNL_ARG_DST, c, engine);
        if (desc.hasBias) addArgument(DNNL_ARG_BIAS, bias, engine);
    }

    void enqueue(Queue& queue, Operands operands) override {
        void* const workspace = m_layout.bytes > 0 ? operands.back() : nullptr;
        void* const out = operands[m_desc.hasBias ? 3 : 2];
        void* const result = m_desc.out == Dtype::F32 ? out : static_cast<std::byte*>(workspace) + m_layout.resultOffset;
        bind(0, m_layout.a.prepare(operands[0], workspace));
        bind(1, m_layout.b.prepare(operands[1], workspace));
        bind(2, result);
        if (m_desc.hasBias) bind(3, m_layout.bias.prepare(operands[2], workspace));
        {
            const ThreadLimit limit(m_oneThread);
            // The C call takes the arguments as they are; the C++ one copies them from a map each time.
            dnnl::error::wrap_c_api(dnnl_primitive_execute(m_primitive.get(), static_cast<CpuQueue&>(queue).stream().get(),
                                                           static_cast<int>(m_arguments.size()), m_arguments.data()),
                                    "matmul failed");
        }
        if (m_desc.out != Dtype::F32) {
            encodeArray(m_desc.out, static_cast<const float*>(result), out, static_cast<std::size_t>(m_desc.m * m_desc.n));
        }
    }

private:
    static dnnl::memory::desc matrix(std::int64_t rows, std::int64_t cols, bool isTransposed) {
        using Tag = dnnl::memory::format_tag;
        return {{rows, cols}, dnnl::memory::data_type::f32, isTransposed ? Tag::ba : Tag::ab};
    }

    void addArgument(int id, const dnnl::memory::desc& desc, const dnnl::engine& engine) {
        m_memories.emplace_back(desc, engine, nullptr);
        m_bound.push_back(nullptr);
        m_arguments.push_back({id, m_memories.back().get()});
    }

    void bind(std::size_t argument, void* data) {
        if (m_bound[argument] == data) return;
        m_memories[argument].set_data_handle(data);
        m_bound[argument] = data;
    }

    MatmulDesc m_desc;
    WorkspaceLayout m_layout;
    bool m_oneThread;
    dnnl::matmul m_primitive;
    std::vector<dnnl::memory> m_memories;
    std::vector<void*> m_bound;
    std::vector<dnnl_exec_arg_t> m_arguments;
};

}  // namespace

std::unique_ptr<Operation> makeMatmul(const MatmulDesc& desc, const dnnl::engine& engine) {
    return std::make_unique<Matmul>(desc, engine);
}

std::size_t matmulWorkspaceBytes(const MatmulDesc& desc) {
    return WorkspaceLayout(desc).bytes;
}

}  // namespace mantissa::cpu
