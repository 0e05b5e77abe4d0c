// SPDX-License-Identifier: Apache-2.0
// Products on oneDNN's f32 matmul. Narrower operands are decoded and rounded into the workspace; a narrower result is rounded from it. Each
// product is fp32 arithmetic on exact values of the format, with one rounding.
//
// oneDNN's bits depend on the number of threads if it splits the sums over k (measured: 2.6.3, tall transposed A). So each oneDNN call runs
// on one thread; large products are cut into panels of rows or columns by shape alone, for the pool.
#include "kernels/cpu/library_call.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/thread_scratch.h"

namespace mantissa::cpu {
namespace {

/// About 0.15 ms of work: far above the 10 us of waking a helper thread and the cost of packing operands for each panel.
constexpr std::int64_t kPanelFlops = 16'000'000;
constexpr std::int64_t kMaxPanels = 32;
constexpr std::int64_t kPanelMultiple = 64;  // rows or columns: whole tiles of the library's inner kernels

/// The panels: `count` pieces of `size` rows (or columns) of the result, the last one smaller.
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

struct Matrix {
    std::int64_t rows, cols;
    bool isTransposed;

    std::int64_t rowStride() const { return isTransposed ? 1 : cols; }
    std::int64_t colStride() const { return isTransposed ? rows : 1; }
    /// The stored tile of these rows and columns.
    Tile stored(std::int64_t row, std::int64_t rowCount, std::int64_t col, std::int64_t colCount) const {
        return isTransposed ? Tile{col, colCount, row, rowCount, rows} : Tile{row, rowCount, col, colCount, cols};
    }
    dnnl::memory::desc panel(std::int64_t panelRows, std::int64_t panelCols) const {
        return {{panelRows, panelCols}, dnnl::memory::data_type::f32, {rowStride(), colStride()}};
    }
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
        for (int i = 0; i + 1 < m_split.count; ++i) addPanel(engine, m_split.size);
        addPanel(engine, last);
    }

    void enqueue(Queue&, Operands operands) override {
        const ProductOperands given(m_desc, operands);
        void* const result = m_desc.out == Dtype::F32 ? given.out : static_cast<std::byte*>(given.workspace) + m_layout.resultOffset;
        // Prepares the operand that all panels read. Each panel prepares its part of the other one, which stays in the cache.
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

    /// The library adds the bias, unless sums must be scaled before.
    bool addsBias() const { return m_desc.hasBias && !m_desc.isScaled; }

    void addPanel(const dnnl::engine& engine, std::int64_t size) {
        const std::int64_t rows = m_split.byRows ? size : m_desc.m, cols = m_split.byRows ? m_desc.n : size;
        const dnnl::memory::desc a = m_a.panel(rows, m_desc.k), b = m_b.panel(m_desc.k, cols),
                                 c = Matrix{m_desc.m, m_desc.n, false}.panel(rows, cols),
                                 bias{{1, cols}, dnnl::memory::data_type::f32, {cols, 1}};
        const auto desc = addsBias() ? describe<dnnl::matmul>(engine, libraryAttributes(), a, b, bias, c)
                                     : describe<dnnl::matmul>(engine, libraryAttributes(), a, b, c);
        const auto unbound = [&engine](const dnnl::memory::desc& memory) { return dnnl::memory(memory, engine, nullptr); };
        LibraryCall::Arguments arguments{{DNNL_ARG_SRC, unbound(a)},
                                         {DNNL_ARG_WEIGHTS, unbound(b)},
                                         {DNNL_ARG_DST, unbound(c)},
                                         {DNNL_ARG_SCRATCHPAD, unbound(desc.scratchpad_desc())}};
        if (addsBias()) arguments.emplace_back(DNNL_ARG_BIAS, unbound(bias));
        m_scratchBytes = std::max(m_scratchBytes, desc.scratchpad_desc().get_size());
        m_panels.emplace_back(engine, dnnl::matmul(desc), std::move(arguments));
    }

    void runPanel(int index, const Product& p) {
        const std::int64_t first = index * m_split.size, size = std::min(m_split.size, m_split.side - first);
        const Input& own = m_split.byRows ? m_layout.a : m_layout.b;
        const Tile read = m_split.byRows ? m_a.stored(first, size, 0, m_desc.k) : m_b.stored(0, m_desc.k, first, size);
        read.forRuns([&](std::int64_t begin, std::int64_t count) {
            own.prepare(m_split.byRows ? p.given.a : p.given.b, p.given.workspace, begin, count);
        });
        const float* a = p.a + (m_split.byRows ? first * m_a.rowStride() : 0);
        const float* b = p.b + (m_split.byRows ? 0 : first * m_b.colStride());
        float* c = p.c + (m_split.byRows ? first * m_desc.n : first);
        void* const scratch = m_scratchBytes > 0 ? threadScratch(m_scratchBytes) : nullptr;
        LibraryCall& panel = m_panels[static_cast<std::size_t>(index)];
        if (addsBias()) {
            panel.run({a, b, c, scratch, p.bias + (m_split.byRows ? 0 : first)});
        } else {
            panel.run({a, b, c, scratch});
        }
        const Tile written = m_split.byRows ? Tile{first, size, 0, m_desc.n, m_desc.n} : Tile{0, m_desc.m, first, size, m_desc.n};
        finishProduct(m_desc, written, p.c, p.given.factor, addsBias() ? nullptr : p.bias, p.given.out);
    }

    MatmulDesc m_desc;
    WorkspaceLayout m_layout;
    Split m_split;
    Matrix m_a, m_b;
    WorkPool& m_pool;
    std::vector<LibraryCall> m_panels;
    std::size_t m_scratchBytes = 0;
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
