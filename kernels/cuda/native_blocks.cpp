// SPDX-License-Identifier: Apache-2.0
// Which products in block formats cuBLASLt multiplies as stored, and how: blocks must lie along k, so an operand with blocks along columns
// is transposed first, and scales are copied into the library's order. From capability 10.0 on: MXFP8 and NVFP4, and block FP8 as MXFP8,
// each scale repeated. On 9.0: block FP8 with fp32 scales. The library's a is our b (matmul.cpp).
#include "kernels/cuda/native_blocks.h"

#include <vector>

#include "kernels/cuda/block_layout.h"
#include "kernels/cuda/lt_product.h"

namespace mantissa::cuda {
namespace {

constexpr std::int64_t kSizesOf = 16;             // m, n and k are multiples of this; k of a block's length, too, if that is 32
constexpr std::size_t kAddressesOf = 16;          // bytes
constexpr std::size_t kWorkspaceAlignment = 256;  // of the library's own
constexpr std::size_t kAlphaBytes = 2 * kLtScaleAlignment;

enum class BlockMode : std::uint8_t { Mxfp8, Nvfp4, HopperFp8 };

/// An operand's place in the product.
struct Blocked {
    BlockFormat format;
    MatrixShape shape;          // as stored
    bool isTransposed = false;  // stored as [k, rows]

    std::int64_t rows() const { return isTransposed ? shape.cols : shape.rows; }
    std::int64_t k() const { return isTransposed ? shape.rows : shape.cols; }
    std::int64_t across() const { return isTransposed ? format.block.cols : format.block.rows; }
    std::int64_t along() const { return isTransposed ? format.block.rows : format.block.cols; }
    bool isNibbles() const { return format.element == Dtype::E2M1; }
    std::size_t codeBytes() const { return static_cast<std::size_t>(shape.count()) / (isNibbles() ? 2 : 1); }
    /// Whether all numbers of each part of k of this length share a scale.
    bool isWholeIn(std::int64_t length) const { return along() % length == 0 || along() >= k(); }
    bool isSquareOf(std::int64_t side) const { return across() % side == 0 || across() >= rows(); }
};

Blocked operandA(const MatmulDesc& d) {
    return {*d.aBlocks, d.transposeA ? MatrixShape{d.k, d.m} : MatrixShape{d.m, d.k}, d.transposeA};
}
Blocked operandB(const MatmulDesc& d) {
    return {*d.bBlocks, d.transposeB ? MatrixShape{d.n, d.k} : MatrixShape{d.k, d.n}, !d.transposeB};
}

bool isOfFp8(const BlockFormat& format) {
    return isFp8(format.element) && (format.isMx() || format.hasFp32Scales());
}
bool isNvfp4(const BlockFormat& format) {
    return format.element == Dtype::E2M1 && format.scale == Dtype::E4M3;
}

std::int64_t lengthOf(BlockMode mode) {
    return mode == BlockMode::Nvfp4 ? 16 : mode == BlockMode::Mxfp8 ? 32 : 128;
}

/// The library's mode for a product, or why it has none.
struct Choice {
    BlockMode mode = BlockMode::Mxfp8;
    std::string refusal;
};

Choice chooseFormat(const MatmulDesc& d, int capability) {
    const BlockFormat &a = *d.aBlocks, &b = *d.bBlocks;
    if (isNvfp4(a) && isNvfp4(b)) {
        return capability >= 100 ? Choice{BlockMode::Nvfp4, ""} : Choice{{}, "cuBLASLt multiplies NVFP4 from capability 10.0 on"};
    }
    if (!isOfFp8(a) || !isOfFp8(b)) {
        const BlockFormat& other = isOfFp8(a) ? b : a;
        return {{}, "cuBLASLt has no mode for " + std::string(other.screenName)};
    }
    if (a.element == Dtype::E5M2 && b.element == Dtype::E5M2) return {{}, "cuBLASLt multiplies E5M2 only with E4M3"};
    if (capability >= 100 && (a.hasFp32Scales() || b.hasFp32Scales()))
        return {{}, "cuBLASLt multiplies FP8 in blocks with fp32 scales on capability 9.0 alone"};
    if (capability >= 100) return {BlockMode::Mxfp8, ""};
    if (capability == 90) return {BlockMode::HopperFp8, ""};
    return {{}, "cuBLASLt multiplies block formats on capability 9.0, and from 10.0 on"};
}

Choice choose(const MatmulDesc& d, int capability) {
    if (isSet("MANTISSA_EMULATE_BLOCKS")) return {{}, "MANTISSA_EMULATE_BLOCKS is set"};
    if (!kLtHasBlockScales) return {{}, "it was built with a CUDA before 12.9"};
    if (!d.aBlocks || !d.bBlocks) return {{}, "one operand is not in blocks"};
    if (d.accumulator != Accumulator::Fp32) return {{}, "sums of another accumulator are requested"};
    Choice choice = chooseFormat(d, capability);
    if (!choice.refusal.empty()) return choice;
    const std::int64_t length = lengthOf(choice.mode), kOf = choice.mode == BlockMode::HopperFp8 ? kSizesOf : 32;
    const auto refused = [&](const std::string& reason) { return Choice{choice.mode, reason}; };
    if (!operandA(d).isWholeIn(length) || !operandB(d).isWholeIn(length))
        return refused("this GPU's mode has a scale for each " + std::to_string(length) + " numbers along k");
    if (d.m % kSizesOf != 0 || d.n % kSizesOf != 0) return refused("m or n is no multiple of " + std::to_string(kSizesOf));
    return d.k % kOf == 0 ? choice : refused("k is no multiple of " + std::to_string(kOf));
}

/// How one operand's scales are passed.
struct Scales {
    ScaleOrder order = ScaleOrder::Tiles;
    LtScales mode = LtScales::Vec32Ue8m0;
};

/// Hopper has no product of two operands in squares: then the squares of a are repeated in rows.
std::pair<Scales, Scales> scalesFor(BlockMode mode, const Blocked& a, const Blocked& b) {
    if (mode != BlockMode::HopperFp8) {
        const Scales tiles{ScaleOrder::Tiles, mode == BlockMode::Nvfp4 ? LtScales::Vec16Ue4m3 : LtScales::Vec32Ue8m0};
        return {tiles, tiles};
    }
    const Scales rows{ScaleOrder::RowsThenK, LtScales::Vec128F32}, squares{ScaleOrder::KThenRows128, LtScales::Blk128x128F32};
    const bool isSquareB = b.isSquareOf(128);
    return {a.isSquareOf(128) && !isSquareB ? squares : rows, isSquareB ? squares : rows};
}

cudaDataType codesOf(const BlockFormat& format) {
    return format.element == Dtype::E2M1 ? kLtE2m1 : format.element == Dtype::E5M2 ? CUDA_R_8F_E5M2 : CUDA_R_8F_E4M3;
}

std::size_t partOf(std::size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

/// Workspace: transposed codes, sums, scales, alpha and beta, the library's own.
class BlockProduct final : public NativeBlockMatmul {
public:
    /// `addsBias`, `sums`: whether the library adds the bias, and the format of its results.
    BlockProduct(Context& context, const MatmulDesc& d, BlockMode mode, Dtype sums, bool addsBias)
        : m_product(d),
          m_a(operandA(d)),
          m_b(operandB(d)),
          m_mode(mode),
          m_sums(sums),
          m_addsBias(addsBias),
          m_finishes(sums != d.out || (d.hasBias && !addsBias) || (d.out == Dtype::F32 && d.result != Dtype::F32)) {
        const auto [scalesA, scalesB] = scalesFor(mode, m_a, m_b);
        m_call = std::make_unique<LtProduct>(context, shape(scalesA, scalesB), true);
        m_scalesA = std::make_unique<ScaleCopy>(d.aBlocks.value(), m_a.shape, m_a.isTransposed, scalesA.order, lengthOf(mode));
        m_scalesB = std::make_unique<ScaleCopy>(d.bBlocks.value(), m_b.shape, m_b.isTransposed, scalesB.order, lengthOf(mode));
        place(scalesA.mode, scalesB.mode);
    }

    bool isOffered() const { return m_call->isOffered(); }

    std::size_t workspaceBytes() const override {
        return m_libraryOffset + m_call->workspaceBytes() + (m_call->workspaceBytes() > 0 ? kWorkspaceAlignment : 0);
    }

    std::string mode() const override {
        if (m_mode == BlockMode::Nvfp4) return "cuBLASLt's VEC16_UE4M3";
        if (m_mode == BlockMode::Mxfp8) return "cuBLASLt's VEC32_UE8M0";
        const auto name = [](LtScales each) { return each == LtScales::Blk128x128F32 ? "BLK128x128_32F" : "VEC128_32F"; };
        return std::string("cuBLASLt's ") + name(m_call->shape().scalesOfB) + " x " + name(m_call->shape().scalesOfA);
    }

    bool fits(Operands operands) const override {
        const ProductOperands given = operandsOf(m_product, operands);
        const auto isAligned = [](const void* memory) { return reinterpret_cast<std::uintptr_t>(memory) % kAddressesOf == 0; };
        return isAligned(codes(m_a, given.a, given, 0)) && isAligned(codes(m_b, given.b, given, m_bOffset)) && isAligned(sumsIn(given)) &&
               isAligned(given.workspace) && (!m_addsBias || isAligned(given.bias));
    }

    void enqueue(cudaStream_t stream, Operands operands) override {
        const ProductOperands given = operandsOf(m_product, operands);
        auto* const workspace = static_cast<std::byte*>(given.workspace);
        const Turn ofA = turn(m_a, given.a, workspace), ofB = turn(m_b, given.b, workspace + m_bOffset);
        m_a.isNibbles() ? turnNibbles(stream, ofA, ofB) : turnMatrices(stream, ofA, ofB);
        const AlphaCopy alpha{given.inverseA, given.inverseB, reinterpret_cast<float*>(workspace + m_alphaOffset),
                              reinterpret_cast<float*>(workspace + m_alphaOffset + kLtScaleAlignment)};
        ScaleCopy scalesA = *m_scalesA, scalesB = *m_scalesB;
        scalesA.stored = static_cast<const std::uint8_t*>(given.a) + m_a.codeBytes();
        scalesB.stored = static_cast<const std::uint8_t*>(given.b) + m_b.codeBytes();
        scalesA.dst = workspace + m_scalesAOffset, scalesB.dst = workspace + m_scalesBOffset;
        copyScales(stream, scalesA, scalesB, alpha);
        m_call->run(stream,
                    {.a = codes(m_b, given.b, given, m_bOffset),
                     .b = codes(m_a, given.a, given, 0),
                     .bias = given.bias,
                     .scaleA = scalesB.dst,
                     .scaleB = scalesA.dst,
                     .d = sumsIn(given),
                     .deviceAlpha = alpha.alpha,
                     .deviceBeta = alpha.beta},
                    libraryWorkspace(workspace));
        if (m_finishes) finish(stream, given);
    }

private:
    Product m_product;
    Blocked m_a, m_b;
    BlockMode m_mode;
    Dtype m_sums;
    bool m_addsBias, m_finishes;
    std::unique_ptr<ScaleCopy> m_scalesA, m_scalesB;
    std::unique_ptr<LtProduct> m_call;
    std::size_t m_bOffset = 0, m_sumsOffset = 0, m_scalesAOffset = 0, m_scalesBOffset = 0, m_alphaOffset = 0, m_libraryOffset = 0;

    LtShape shape(const Scales& ofA, const Scales& ofB) const {
        return {.rows = m_product.n,
                .cols = m_product.m,
                .k = m_product.k,
                .transposeA = true,
                .transposeB = false,
                .lda = m_product.k,
                .ldb = m_product.k,
                .ldd = m_product.n,
                .a = codesOf(m_b.format),
                .b = codesOf(m_a.format),
                .d = m_sums == Dtype::F16    ? CUDA_R_16F
                     : m_sums == Dtype::BF16 ? CUDA_R_16BF
                                             : CUDA_R_32F,
                .compute = CUBLAS_COMPUTE_32F,
                .hasBias = m_addsBias,
                .hasScales = true,
                .scalesOfA = ofB.mode,
                .scalesOfB = ofA.mode,
                .hasDeviceAlpha = true,
                .alignment = kAddressesOf};
    }

    void place(LtScales ofA, LtScales ofB) {
        const Product& p = m_product;
        m_bOffset = m_a.isTransposed ? partOf(m_a.codeBytes()) : 0;
        m_sumsOffset = m_bOffset + (m_b.isTransposed ? partOf(m_b.codeBytes()) : 0);
        m_scalesAOffset = m_sumsOffset + (isInPlace() ? 0 : partBytes(p.m * p.n, m_sums));
        m_scalesBOffset = m_scalesAOffset + partOf(ltScaleBytes(ofA, p.m, p.k));
        m_alphaOffset = m_scalesBOffset + partOf(ltScaleBytes(ofB, p.n, p.k));
        m_libraryOffset = m_alphaOffset + partOf(kAlphaBytes);
    }

    bool isInPlace() const { return m_sums == m_product.out; }
    void* sumsIn(const ProductOperands& given) const {
        return isInPlace() ? given.out : static_cast<std::byte*>(given.workspace) + m_sumsOffset;
    }

    static const void* codes(const Blocked& blocked, const void* operand, const ProductOperands& given, std::size_t offset) {
        return blocked.isTransposed ? static_cast<const std::byte*>(given.workspace) + offset : operand;
    }
    static Turn turn(const Blocked& blocked, const void* operand, void* to) {
        return blocked.isTransposed ? Turn{operand, to, blocked.shape.rows, blocked.shape.cols} : Turn{};
    }

    void* libraryWorkspace(std::byte* workspace) const {
        if (m_call->workspaceBytes() == 0) return nullptr;
        const auto from = reinterpret_cast<std::uintptr_t>(workspace + m_libraryOffset);
        return reinterpret_cast<void*>((from + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment);
    }

    /// The factors are already in the sums.
    void finish(cudaStream_t stream, const ProductOperands& given) const {
        ProductOperands left = given;
        left.inverseA = left.inverseB = nullptr;
        finishProduct(stream, m_product, m_product.hasBias && !m_addsBias, m_product.outMatrices, sumsIn(given), left);
    }
};

}  // namespace

std::unique_ptr<NativeBlockMatmul> makeNativeBlockMatmul(const MatmulDesc& desc, Context& context, std::string& reason) {
    const Choice choice = choose(desc, context.capability());
    reason = choice.refusal;
    if (!reason.empty()) return nullptr;
    const bool is16 = desc.out == Dtype::F16 || desc.out == Dtype::BF16;
    std::vector<std::pair<Dtype, bool>> ways;  // the format of the library's results, and whether it adds the bias
    if (is16) ways.emplace_back(desc.out, desc.hasBias);
    if (!is16 || desc.hasBias) ways.emplace_back(Dtype::F32, false);
    for (const auto& [sums, addsBias] : ways) {
        auto product = std::make_unique<BlockProduct>(context, desc, choice.mode, sums, addsBias);
        if (product->isOffered()) return product;
    }
    reason = "cuBLASLt offers no algorithm for this shape";
    return nullptr;
}

}  // namespace mantissa::cuda
