// SPDX-License-Identifier: Apache-2.0
// Products on oneDNN's f32 matmul. Operands that are stored or computed narrower are decoded and rounded into the workspace first;
// a narrower result is rounded out of it. So every product is fp32 arithmetic on exact values of the format, rounded once.
//
// The library gives other bits on other numbers of threads where it splits the sums over k (measured: 2.6.3, tall transposed A). So each
// of its products runs on one thread, and large ones are cut into panels of rows or columns by their shape alone, for the pool.
#include "kernels/cpu/product.h"
#include "kernels/cpu/thread_scratch.h"

namespace mantissa::cpu {
namespace {

/// About 0.15 ms of work: far above the 10 us of waking a helper, and enough that packing operands anew for each panel is lost in it.
constexpr std::int64_t kPanelFlops = 16'000'000;
constexpr std::int64_t kMaxPanels = 32;
constexpr std::int64_t kPanelMultiple = 64;  // rows or columns: whole tiles of the library's inner kernels

/// Where the panels lie: `count` pieces of `size` rows (or columns) of the result, the last one smaller.
struct Split {
    explicit Split(const MatmulDesc& d) : byRows(d.m >= d.n), side(byRows ? d.m : d.n), size(side) {
        const std::int64_t wanted = std::clamp<std::int64_t>(2 * d.m * d.n * d.k / kPanelFlops, 1, kMaxPanels);
        const std::int64_t even = (side + wanted - 1) / wanted;
        if (wanted > 1) size = std::min(side, (even + kPanelMultiple - 1) / kPanelMultiple * kPanelMultiple);
        count = static_cast<int>((side + size - 1) / size);
    }

    bool byRows;
    std::int64_t side, size;
    int count = 1;
};

/// A matrix as stored: its strides, and where a panel of it begins.
struct Matrix {
    std::int64_t rows, cols;
    bool isTransposed;

    std::int64_t rowStride() const { return isTransposed ? 1 : cols; }
    std::int64_t colStride() const { return isTransposed ? rows : 1; }
    /// Rows and columns of the matrix, where they are stored.
    Tile stored(std::int64_t row, std::int64_t rowCount, std::int64_t col, std::int64_t colCount) const {
        return isTransposed ? Tile{col, colCount, row, rowCount, rows} : Tile{row, rowCount, col, colCount, cols};
    }
    dnnl::memory::desc panel(std::int64_t panelRows, std::int64_t panelCols) const {
        return {{panelRows, panelCols}, dnnl::memory::data_type::f32, {rowStride(), colStride()}};
    }
};

/// One product of the library with its arguments, bound anew only when an address changes.
class Panel {
public:
    Panel(const dnnl::engine& engine, const dnnl::matmul::primitive_desc& desc, const dnnl::matmul& primitive, bool hasBias)
        : m_primitive(primitive), m_stream(engine) {
        add(DNNL_ARG_SRC, desc.src_desc(), engine);
        add(DNNL_ARG_WEIGHTS, desc.weights_desc(), engine);
        add(DNNL_ARG_DST, desc.dst_desc(), engine);
        m_scratchBytes = desc.scratchpad_desc().get_size();
        add(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc(), engine);
        if (hasBias) add(DNNL_ARG_BIAS, desc.bias_desc(), engine);
    }

    void run(const float* a, const float* b, float* c, const float* bias) {
        bind(0, const_cast<float*>(a));
        bind(1, const_cast<float*>(b));
        bind(2, c);
        bind(3, m_scratchBytes > 0 ? threadScratch(m_scratchBytes) : nullptr);
        if (m_arguments.size() > 4) bind(4, const_cast<float*>(bias));
        // The C call takes the arguments as they are; the C++ one copies them from a map each time.
        dnnl::error::wrap_c_api(
            dnnl_primitive_execute(m_primitive.get(), m_stream.get(), static_cast<int>(m_arguments.size()), m_arguments.data()),
            "the matrix product failed");
    }

private:
    void add(int id, const dnnl::memory::desc& desc, const dnnl::engine& engine) {
        m_memories.emplace_back(desc, engine, nullptr);
        m_bound.push_back(nullptr);
        m_arguments.push_back({id, m_memories.back().get()});
    }

    void bind(std::size_t argument, void* data) {
        if (m_bound[argument] == data) return;
        m_memories[argument].set_data_handle(data);
        m_bound[argument] = data;
    }

    dnnl::matmul m_primitive;
    dnnl::stream m_stream;
    std::vector<dnnl::memory> m_memories;
    std::vector<void*> m_bound;
    std::vector<dnnl_exec_arg_t> m_arguments;
    std::size_t m_scratchBytes = 0;
};

class Matmul final : public Operation {
public:
    Matmul(const MatmulDesc& desc, const dnnl::engine& engine, WorkPool& pool)
        : m_desc(desc),
          m_layout(desc),
          m_split(desc),
          m_a{desc.m, desc.k, desc.transposeA},
          m_b{desc.k, desc.n, desc.transposeB},
          m_pool(pool) {
        const OneThread limit;
        const std::int64_t last = m_split.side - (m_split.count - 1) * m_split.size;
        for (int i = 0; i + 1 < m_split.count; ++i) m_panels.push_back(makePanel(engine, m_split.size));
        m_panels.push_back(makePanel(engine, last));
    }

    void enqueue(Queue&, Operands operands) override {
        const ProductOperands given(m_desc, operands);
        void* const result = m_desc.out == Dtype::F32 ? given.out : static_cast<std::byte*>(given.workspace) + m_layout.resultOffset;
        // What every panel reads is prepared here; the rest by the panel that reads it, while it is in the cache.
        const Input& shared = m_split.byRows ? m_layout.b : m_layout.a;
        shared.prepareAll(m_pool, m_split.byRows ? given.b : given.a, given.workspace);
        const Product product{given, m_layout.a.place(given.a, given.workspace), m_layout.b.place(given.b, given.workspace),
                              m_desc.hasBias ? m_layout.bias.prepareAll(m_pool, given.bias, given.workspace) : nullptr,
                              static_cast<float*>(result)};
        const OneThread limit;
        if (m_split.count == 1) {
            runPanel(0, product);
        } else {
            m_pool.run(m_split.count, [this, &product](int i) { runPanel(i, product); });
        }
    }

private:
    struct Product {
        const ProductOperands& given;
        const float *a, *b, *bias;
        float* c;
    };

    /// The library adds the bias, unless sums must be scaled first.
    bool addsBias() const { return m_desc.hasBias && !m_desc.isScaled; }

    Panel makePanel(const dnnl::engine& engine, std::int64_t size) const {
        const std::int64_t rows = m_split.byRows ? size : m_desc.m, cols = m_split.byRows ? m_desc.n : size;
        const dnnl::memory::desc a = m_a.panel(rows, m_desc.k), b = m_b.panel(m_desc.k, cols),
                                 c = Matrix{m_desc.m, m_desc.n, false}.panel(rows, cols),
                                 bias{{1, cols}, dnnl::memory::data_type::f32, {cols, 1}};
        dnnl::primitive_attr attributes;
        attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);  // the library's own is tied to the thread that makes the product
        attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);        // fp32 arithmetic, whatever ONEDNN_DEFAULT_FPMATH_MODE says
        const dnnl::matmul::primitive_desc desc(addsBias() ? dnnl::matmul::desc(a, b, bias, c) : dnnl::matmul::desc(a, b, c), attributes,
                                                engine);
        return {engine, desc, dnnl::matmul(desc), addsBias()};
    }

    void runPanel(int index, const Product& p) {
        const std::int64_t first = index * m_split.size, size = std::min(m_split.size, m_split.side - first);
        const Input& own = m_split.byRows ? m_layout.a : m_layout.b;
        const Tile read = m_split.byRows ? m_a.stored(first, size, 0, m_desc.k) : m_b.stored(0, m_desc.k, first, size);
        read.forRuns([&](std::int64_t begin, std::int64_t count) {
            own.prepare(m_split.byRows ? p.given.a : p.given.b, p.given.workspace, begin, count);
        });
        Panel& panel = m_panels[static_cast<std::size_t>(index)];
        const float* const bias = addsBias() ? p.bias : nullptr;
        if (m_split.byRows) {
            panel.run(p.a + first * m_a.rowStride(), p.b, p.c + first * m_desc.n, bias);
        } else {
            panel.run(p.a, p.b + first * m_b.colStride(), p.c + first, bias == nullptr ? nullptr : bias + first);
        }
        const Tile written = m_split.byRows ? Tile{first, size, 0, m_desc.n, m_desc.n} : Tile{0, m_desc.m, first, size, m_desc.n};
        finishProduct(m_desc, written, p.c, p.given.factor, addsBias() ? nullptr : p.bias, p.given.out);
    }

    MatmulDesc m_desc;
    WorkspaceLayout m_layout;
    Split m_split;
    Matrix m_a, m_b;
    WorkPool& m_pool;
    std::vector<Panel> m_panels;
};

}  // namespace

std::unique_ptr<Operation> makeMatmul(const MatmulDesc& desc, const dnnl::engine& engine, WorkPool& pool) {
    if (fusedDot(desc.accumulator, desc.compute)) return makeTensorCoreMatmul(desc, pool);
    return std::make_unique<Matmul>(desc, engine, pool);
}

std::size_t matmulWorkspaceBytes(const MatmulDesc& desc) {
    if (fusedDot(desc.accumulator, desc.compute)) return tensorCoreWorkspaceBytes(desc);
    return WorkspaceLayout(desc).bytes;
}

}  // namespace mantissa::cpu
