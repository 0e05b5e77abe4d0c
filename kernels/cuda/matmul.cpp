// SPDX-License-Identifier: Apache-2.0
// Matrix products, single and batched, on cuBLASLt, whose matrices are column-major: C' = op(B)' op(A)', so its A is our B. A product has
// several implementations, tried from the fastest: each converts operands to a format of tensor cores (or to fp32) and requires an
// alignment of its pointers. The kernel of plain_matmul.cu computes the rest.
//
// fp32: CUBLAS_COMPUTE_32F_PEDANTIC, which never reduces the precision of operands. tf32: operands are rounded here first, since the
// library's rounding is unspecified (tensor cores truncate). fp8: A transposed, B not, every size a multiple of 16; otherwise as fp16,
// which represents all of their numbers. Its conversions to fp8 saturate, ours do not: such results are rounded from fp32.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "kernels/cuda/lt_product.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/product.h"

namespace mantissa::cuda {
namespace {

// Library calls per product: above this limit one kernel of our own is cheaper, unless each call has enough work.
constexpr std::int64_t kMostCalls = 32, kFlopsWorthACall = 50'000'000;
constexpr std::size_t kLibraryAlignment = 256;  // of the library's workspace
constexpr std::uint32_t kWide = 16;             // bytes per access of the library's best kernels

cudaDataType blasType(Dtype dtype) {
    switch (dtype) {
        case Dtype::F16:
            return CUDA_R_16F;
        case Dtype::BF16:
            return CUDA_R_16BF;
        case Dtype::E4M3:
            return CUDA_R_8F_E4M3;
        case Dtype::E5M2:
            return CUDA_R_8F_E5M2;
        case Dtype::F32:
        case Dtype::TF32:
            return CUDA_R_32F;
        case Dtype::E2M3:
        case Dtype::E3M2:
        case Dtype::E2M1:
        case Dtype::E8M0:
            break;
    }
    throw std::invalid_argument("cuBLASLt has no such format");
}

std::int64_t sizeOf(Dtype dtype) {
    return static_cast<std::int64_t>(facts(dtype).storageBytes());
}

/// One index of a batch, and its stride in each operand.
struct Axis {
    std::int64_t count = 1, a = 0, b = 0, out = 0;
    /// Whether this axis and `inner` can be joined to one.
    bool continues(const Axis& inner) const {
        return a == inner.count * inner.a && b == inner.count * inner.b && out == inner.count * inner.out;
    }
};

Matrices packedAs(const Matrices& matrices, std::int64_t inner) {
    Matrices packed = matrices;
    const std::int64_t elements = matrices.rows * matrices.cols;
    packed.strides = {matrices.cols, inner / matrices.divisor * elements, elements};
    return packed;
}

/// An operand of a library call: as stored, or converted into the workspace.
struct Input {
    Matrices matrices;
    Dtype stored = Dtype::F32, format = Dtype::F32;
    bool isConverted = false, isTransposed = false;
    std::size_t offset = 0;
};

/// An implementation of a product by the library.
class Way {
public:
    /// `format`: of both operands in the product; fp8 operands keep theirs. `alignment`: required of every pointer; 0: none.
    Way(Context& context, const Product& p, Dtype format, std::uint32_t alignment, bool mayTime) : m_product(p), m_alignment(alignment) {
        const bool isFp8Way = isFp8(format);
        m_a = input(p.aMatrices, p.a, isFp8Way ? p.a : format);
        m_b = input(p.bMatrices, p.b, isFp8Way ? p.b : format);
        m_a.isTransposed = isFp8Way && p.transposeA;
        m_b.isTransposed = isFp8Way && !p.transposeB;
        // The library's bias must be aligned and have the dtype of the result. If rows are not aligned, its bf16 kernels round the sum
        // before they add the bias, and once more after it (13.1, on an H200).
        const bool mayAddBias = alignment > 0 && (isFp8Way || !p.isScaled) && p.n * sizeOf(p.out) % alignment == 0;
        const bool sums16 = p.out == Dtype::F16 || p.out == Dtype::BF16;
        const bool isDirect16 =
            sums16 && (isFp8Way || (format == p.out && !p.isScaled)) && p.outMatrices.divisor == 1 && (!p.hasBias || mayAddBias);
        m_addsBias = p.hasBias && mayAddBias && (isDirect16 || (p.out == Dtype::F32 && !isFp8Way));
        m_sums = isDirect16 ? p.out : Dtype::F32;
        m_isInPlace = isDirect16 || p.out == Dtype::F32;
        const bool scalesLater = p.scale != 1 && p.outMatrices.divisor > 1;
        m_finishes = !m_isInPlace || (p.hasBias && !m_addsBias) || (p.isScaled && !isFp8Way) || scalesLater ||
                     (p.out == Dtype::F32 && p.result != Dtype::F32);
        m_alpha = scalesLater ? 1.0f : p.scale;
        place();
        m_isPossible = findAxes();
        if (m_isPossible) m_call = std::make_unique<LtProduct>(context, shape(isFp8Way), mayTime);
    }

    bool isOffered() const { return m_isPossible && m_call->isOffered(); }
    std::size_t workspaceBytes() const {
        return m_libraryOffset + m_call->workspaceBytes() + (m_call->workspaceBytes() > 0 ? kLibraryAlignment : 0);
    }

    bool fits(const ProductOperands& given) const {
        if (m_alignment == 0) return true;
        const auto fitsAt = [this](const void* memory) { return reinterpret_cast<std::uintptr_t>(memory) % m_alignment == 0; };
        const auto steps = [this](std::int64_t Axis::*stride, Dtype dtype) {
            const auto fits = [&](const Axis& axis) { return axis.*stride * sizeOf(dtype) % m_alignment == 0; };
            return fits(m_batch) && std::all_of(m_axes.begin(), m_axes.end(), fits);
        };
        return fitsAt(inputIn(m_a, given.a, given)) && fitsAt(inputIn(m_b, given.b, given)) && fitsAt(sumsIn(given)) &&
               (!m_addsBias || fitsAt(given.bias)) && steps(&Axis::a, m_a.format) && steps(&Axis::b, m_b.format) &&
               steps(&Axis::out, m_sums);
    }

    void run(cudaStream_t stream, const ProductOperands& given) {
        convertOperands(stream, conversion(m_a, given.a, given), conversion(m_b, given.b, given));
        turnMatrices(stream, turn(m_a, given.a, given), turn(m_b, given.b, given));
        const auto* const a = static_cast<const std::byte*>(inputIn(m_a, given.a, given));
        const auto* const b = static_cast<const std::byte*>(inputIn(m_b, given.b, given));
        auto* const sums = static_cast<std::byte*>(sumsIn(given));
        auto* const scales = static_cast<std::byte*>(given.workspace) + m_scalesOffset;
        if (m_call->shape().hasScales) placeScales(stream, given.inverseB, given.inverseA, scales);
        for (std::int64_t call = 0; call < m_calls; ++call) {
            std::int64_t rest = call, atA = 0, atB = 0, atOut = 0;
            for (const Axis& axis : m_axes) {  // innermost first: products of one sum are consecutive
                const std::int64_t index = rest % axis.count;
                rest /= axis.count;
                atA += index * axis.a, atB += index * axis.b, atOut += index * axis.out;
            }
            const bool adds = m_product.outMatrices.divisor > 1 && call % m_product.outMatrices.divisor != 0;
            m_call->run(stream,
                        {.a = b + atB * sizeOf(m_b.format),
                         .b = a + atA * sizeOf(m_a.format),
                         .bias = given.bias,
                         .scaleA = scales,
                         .scaleB = scales + kLtScaleAlignment,
                         .d = sums + atOut * sizeOf(m_sums),
                         .alpha = m_alpha,
                         .beta = adds ? 1.0f : 0.0f},
                        libraryWorkspace(given));
        }
        if (m_finishes) finish(stream, given, sums);
    }

private:
    Product m_product;
    std::uint32_t m_alignment;
    Input m_a, m_b;
    Matrices m_sumMatrices;
    Dtype m_sums = Dtype::F32;
    bool m_addsBias = false, m_isInPlace = false, m_finishes = false, m_isPossible = false;
    float m_alpha = 1;
    std::size_t m_sumsOffset = 0, m_scalesOffset = 0, m_libraryOffset = 0;
    std::vector<Axis> m_axes;  // of single calls, innermost first
    Axis m_batch;
    std::int64_t m_calls = 1;
    std::unique_ptr<LtProduct> m_call;

    Input input(const Matrices& matrices, Dtype stored, Dtype format) const {
        const bool isConverted = format != stored || m_product.formatOf(stored) != stored;
        return {isConverted ? packedAs(matrices, m_product.inner) : matrices, stored, format, isConverted};
    }
    std::int64_t countOf(const Matrices& matrices) const { return m_product.outer * (m_product.inner / matrices.divisor); }

    void place() {
        std::size_t next = 0;
        for (Input* each : {&m_a, &m_b}) {
            each->offset = next;
            if (each->isConverted || each->isTransposed) {
                next += partBytes(countOf(each->matrices) * each->matrices.rows * each->matrices.cols, each->format);
            }
        }
        m_sumsOffset = next;
        m_sumMatrices = m_isInPlace ? m_product.outMatrices : packedAs(m_product.outMatrices, m_product.inner);
        if (!m_isInPlace) next += partBytes(countOf(m_sumMatrices) * m_product.m * m_product.n, Dtype::F32);
        m_scalesOffset = next;
        if (isFp8(m_a.format) && m_product.isScaled) next += kLibraryAlignment;
        m_libraryOffset = next;
    }

    /// Divides the batch into one axis that the library iterates over, and others with a call per index.
    bool findAxes() {
        const Matrices &a = m_a.matrices, &b = m_b.matrices, &out = m_sumMatrices;
        const std::int64_t shared = std::max({a.divisor, b.divisor, out.divisor});
        for (const Matrices* each : {&a, &b, &out}) {
            if (each->divisor != 1 && each->divisor != shared) return false;
        }
        const auto within = [](const Matrices& of) { return of.divisor == 1 ? of.strides.inner : 0; };
        const auto group = [&](const Matrices& of) { return of.divisor == 1 ? shared * of.strides.inner : of.strides.inner; };
        const std::array all{Axis{shared, within(a), within(b), within(out)},
                             Axis{m_product.inner / shared, group(a), group(b), group(out)},
                             Axis{m_product.outer, a.strides.outer, b.strides.outer, out.strides.outer}};
        const bool adds = out.divisor > 1;
        for (const Axis& axis : all) {
            if (axis.count == 1) continue;
            const bool mayJoin = !m_axes.empty() && !(adds && m_axes.size() == 1);
            if (mayJoin && axis.continues(m_axes.back())) {
                m_axes.back().count *= axis.count;
            } else {
                m_axes.push_back(axis);
            }
        }
        const auto batch =
            std::max_element(m_axes.begin() + (adds ? 1 : 0), m_axes.end(), [](const Axis& x, const Axis& y) { return x.count < y.count; });
        if (batch != m_axes.end()) {
            m_batch = *batch;
            m_axes.erase(batch);
        }
        for (const Axis& axis : m_axes) m_calls *= axis.count;
        return m_calls <= kMostCalls || 2 * m_product.m * m_product.n * m_product.k * m_batch.count >= kFlopsWorthACall;
    }

    LtShape shape(bool isFp8Way) const {
        const Product& p = m_product;
        LtShape shape{.rows = p.n,
                      .cols = p.m,
                      .k = p.k,
                      .transposeA = isFp8Way || p.transposeB,
                      .transposeB = !isFp8Way && p.transposeA,
                      .lda = m_b.isTransposed ? p.k : m_b.matrices.strides.row,
                      .ldb = m_a.isTransposed ? p.k : m_a.matrices.strides.row,
                      .ldd = m_sumMatrices.strides.row,
                      .a = blasType(m_b.format),
                      .b = blasType(m_a.format),
                      .d = blasType(m_sums),
                      .compute = CUBLAS_COMPUTE_32F,
                      .hasBias = m_addsBias,
                      .hasScales = isFp8Way && p.isScaled,
                      .batch = m_batch.count,
                      .batchA = m_batch.b,
                      .batchB = m_batch.a,
                      .batchD = m_batch.out,
                      .alignment = m_alignment};
        if (m_a.format == Dtype::F32)
            shape.compute = p.computeOf(p.a) == Dtype::TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F_PEDANTIC;
        return shape;
    }

    const void* inputIn(const Input& input, const void* operand, const ProductOperands& given) const {
        return input.isConverted || input.isTransposed ? static_cast<const std::byte*>(given.workspace) + input.offset : operand;
    }
    void* sumsIn(const ProductOperands& given) const {
        return m_isInPlace ? given.out : static_cast<std::byte*>(given.workspace) + m_sumsOffset;
    }

    void* libraryWorkspace(const ProductOperands& given) const {
        if (m_call->workspaceBytes() == 0) return nullptr;
        const auto from = reinterpret_cast<std::uintptr_t>(given.workspace) + m_libraryOffset;
        return reinterpret_cast<void*>((from + kLibraryAlignment - 1) / kLibraryAlignment * kLibraryAlignment);
    }

    Conversion conversion(const Input& input, const void* operand, const ProductOperands& given) const {
        if (!input.isConverted) return {};
        const bool isA = &input == &m_a;
        return {.src = operand,
                .dst = static_cast<std::byte*>(given.workspace) + input.offset,
                .from = isA ? m_product.aMatrices : m_product.bMatrices,
                .matrices = countOf(input.matrices),
                .inner = m_product.inner / input.matrices.divisor,
                .stored = input.stored,
                .compute = m_product.formatOf(input.stored) == input.stored ? Dtype::F32 : m_product.formatOf(input.stored),
                .to = input.format,
                .rounding = m_product.operandRounding};
    }
    static Turn turn(const Input& input, const void* operand, const ProductOperands& given) {
        if (!input.isTransposed) return {};
        return {operand, static_cast<std::byte*>(given.workspace) + input.offset, input.matrices.rows, input.matrices.cols};
    }

    void finish(cudaStream_t stream, const ProductOperands& given, const void* sums) const {
        Product p = m_product;
        if (m_alpha != 1) p.scale = 1;  // already applied
        ProductOperands left = given;
        if (m_call->shape().hasScales) left.inverseA = left.inverseB = nullptr;
        finishProduct(stream, p, p.hasBias && !m_addsBias, m_sumMatrices, sums, left);
    }
};

/// Whether the library multiplies the stored codes. It supports E5M2 only together with E4M3.
bool isFp8Way(const Context& context, const Product& p) {
    const bool areStoredSo = isFp8(p.a) && isFp8(p.b) && p.formatOf(p.a) == p.a && p.formatOf(p.b) == p.b;
    const bool isOffered = p.a == Dtype::E4M3 || p.b == Dtype::E4M3;
    return areStoredSo && isOffered && (p.isScaled || isFp8(p.compute)) && !fusedDot(p.accumulator, p.compute) && p.outer * p.inner == 1 &&
           context.capability() >= 89 && p.m % kWide == 0 && p.n % kWide == 0 && p.k % kWide == 0;
}

/// The implementations for a product, in order of preference.
std::vector<std::unique_ptr<Way>> waysFor(Context& context, const Product& p) {
    std::vector<std::unique_ptr<Way>> ways;
    const auto tryWay = [&](Dtype format, std::uint32_t alignment) {
        auto way = std::make_unique<Way>(context, p, format, alignment, ways.empty());
        if (way->isOffered()) ways.push_back(std::move(way));
    };
    if (fusedDot(p.accumulator, p.compute)) return ways;
    const Dtype a = p.formatOf(p.a), b = p.formatOf(p.b);
    const bool areFp8 = isFp8(a) && isFp8(b) && (p.isScaled || isFp8(p.compute));
    if (isFp8Way(context, p)) tryWay(Dtype::E4M3, kWide);
    Dtype format = Dtype::F32;
    if (areFp8 || (p.isScaled && a == b)) {
        format = areFp8 ? Dtype::F16 : a;
    } else if (!p.isScaled && (p.compute == Dtype::F16 || isFp8(p.compute))) {
        format = Dtype::F16;
    } else if (!p.isScaled && p.compute == Dtype::BF16) {
        format = Dtype::BF16;
    }
    tryWay(format, kWide);
    tryWay(format, 0);
    return ways;
}

class LibraryMatmul final : public Operation {
public:
    LibraryMatmul(Context& context, const Product& product) : m_product(product), m_ways(waysFor(context, product)) {}

    std::size_t workspaceBytes() const {
        std::size_t bytes = 0;
        for (const auto& way : m_ways) bytes = std::max(bytes, way->workspaceBytes());
        return bytes;
    }

    void enqueue(Queue& queue, Operands operands) override {
        const ProductOperands given = operandsOf(m_product, operands);
        for (const auto& way : m_ways) {
            if (way->fits(given)) return way->run(streamOf(queue), given);
        }
        multiplyPlainly(streamOf(queue), m_product, given);
    }

private:
    Product m_product;
    std::vector<std::unique_ptr<Way>> m_ways;
};

bool hasBlocks(const MatmulDesc& desc) {
    return desc.aBlocks || desc.bBlocks;
}

}  // namespace

bool readsAlongK(const MatmulDesc& desc, const Context& context) {
    return isFp8Way(context, Product(desc));
}
std::unique_ptr<Operation> makeMatmul(const MatmulDesc& desc, Context& context) {
    if (hasBlocks(desc)) return makeBlockMatmul(desc, context);
    return std::make_unique<LibraryMatmul>(context, Product(desc));
}
std::size_t matmulWorkspaceBytes(const MatmulDesc& desc, Context& context) {
    if (hasBlocks(desc)) return blockMatmulWorkspaceBytes(desc, context);
    return LibraryMatmul(context, Product(desc)).workspaceBytes();
}
std::unique_ptr<Operation> makeBatchedMatmul(const BatchedMatmulDesc& desc, Context& context) {
    return std::make_unique<LibraryMatmul>(context, Product(desc));
}
std::size_t batchedMatmulWorkspaceBytes(const BatchedMatmulDesc& desc, Context& context) {
    return LibraryMatmul(context, Product(desc)).workspaceBytes();
}

}  // namespace mantissa::cuda
