// SPDX-License-Identifier: Apache-2.0
// Products of operands in block formats. cuBLASLt multiplies their codes if it has a mode for them (native_blocks.h). Otherwise their
// numbers are written into the workspace in BlockFormat::numbers(), bf16 unless scales are fp32, and the ordinary product of operands with
// scales multiplies them. So the results are those of the format on every GPU, at the speed of bf16 or fp32.
#include <array>

#include "kernels/cuda/blocks.h"
#include "kernels/cuda/native_blocks.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/product.h"

namespace mantissa::cuda {
namespace {

/// Element times scale, without the tensor's factor, in `to`.
__global__ void decodeNumbers(Blocks b, const std::uint8_t* stored, Dtype to, void* values) {
    const std::uint8_t* const scales = stored + b.packedBytes;
    forChunks(b.count(), [&](std::int64_t first, int n) {
        const std::uint64_t codes = unpackCodes(b, stored, first, n);
        BlockPosition position(b, first);
        Chunk chunk{};
        for (int i = 0; i < n; ++i, position.advance(b)) {
            const std::uint32_t scale = scaleCodeAt(b, scales, position.scaleIndex(b));
            chunk.x[i] = decodeBits(b.element, codeIn(b, codes, i)) * decodeBits(b.scale, scale);
        }
        storeChunk(to, values, first, n, chunk);
    });
}

std::optional<Blocks> blocksOf(const std::optional<BlockFormat>& format, std::int64_t rows, std::int64_t cols, bool isTransposed) {
    if (!format) return std::nullopt;
    return Blocks(*format, isTransposed ? MatrixShape{cols, rows} : MatrixShape{rows, cols});
}

/// The product of the decoded operands.
MatmulDesc decodedProduct(MatmulDesc desc) {
    desc.aBlocks = desc.bBlocks = std::nullopt;
    return desc;
}

std::size_t decodedBytes(const std::optional<BlockFormat>& format, std::int64_t count) {
    return format ? partBytes(count, format->numbers()) : 0;
}

std::size_t decodedBytes(const MatmulDesc& desc) {
    return decodedBytes(desc.aBlocks, desc.m * desc.k) + decodedBytes(desc.bBlocks, desc.k * desc.n);
}

/// A product of bf16 operands by our own kernel, at any address. It needs no workspace.
std::unique_ptr<Operation> makePlainMatmul(const MatmulDesc& desc) {
    return makeFunction([product = Product(desc)](cudaStream_t stream, Operands operands) {
        multiplyPlainly(stream, product, operandsOf(product, operands));
    });
}

/// Workspace: the decoded operands, then the product's.
class DecodedMatmul final : public Operation {
public:
    DecodedMatmul(const MatmulDesc& desc, std::unique_ptr<Operation> product)
        : m_numbersA(desc.a),
          m_numbersB(desc.b),
          m_a(blocksOf(desc.aBlocks, desc.m, desc.k, desc.transposeA)),
          m_b(blocksOf(desc.bBlocks, desc.k, desc.n, desc.transposeB)),
          m_bytesA(decodedBytes(desc.aBlocks, desc.m * desc.k)),
          m_bytes(m_bytesA + decodedBytes(desc.bBlocks, desc.k * desc.n)),
          m_product(std::move(product)) {}

    void enqueue(Queue& queue, Operands operands) override {
        std::array<void*, kMostOperands> ofProduct{};
        std::copy(operands.begin(), operands.end(), ofProduct.begin());
        auto* const workspace = static_cast<std::byte*>(operands.back());
        if (m_a) ofProduct[0] = decoded(queue, *m_a, operands[0], m_numbersA, workspace);
        if (m_b) ofProduct[1] = decoded(queue, *m_b, operands[1], m_numbersB, workspace + m_bytesA);
        ofProduct[operands.size() - 1] = workspace + m_bytes;
        m_product->enqueue(queue, Operands(ofProduct.data(), operands.size()));
    }

private:
    static constexpr std::size_t kMostOperands = 7;  // a, b, bias, two scales, c and workspace

    static void* decoded(Queue& queue, const Blocks& blocks, const void* stored, Dtype numbers, std::byte* values) {
        decodeBlocks(streamOf(queue), blocks, stored, numbers, values);
        return values;
    }

    Dtype m_numbersA, m_numbersB;
    std::optional<Blocks> m_a, m_b;
    std::size_t m_bytesA, m_bytes;
    std::unique_ptr<Operation> m_product;
};

/// The product of the codes, or at addresses that the library does not take, of decoded operands.
class BlockMatmul final : public Operation {
public:
    BlockMatmul(std::unique_ptr<NativeBlockMatmul> native, const MatmulDesc& desc)
        : m_native(std::move(native)), m_decoded(desc, makePlainMatmul(decodedProduct(desc))) {}

    void enqueue(Queue& queue, Operands operands) override {
        if (m_native->fits(operands)) return m_native->enqueue(streamOf(queue), operands);
        m_decoded.enqueue(queue, operands);
    }

private:
    std::unique_ptr<NativeBlockMatmul> m_native;
    DecodedMatmul m_decoded;
};

}  // namespace

void decodeBlocks(cudaStream_t stream, const Blocks& blocks, const void* stored, Dtype to, void* values) {
    launch(gridOfChunks(blocks.count()), stream, decodeNumbers, blocks, static_cast<const std::uint8_t*>(stored), to, values);
}

std::unique_ptr<Operation> makeBlockMatmul(const MatmulDesc& desc, Context& context) {
    std::string reason;
    auto native = makeNativeBlockMatmul(desc, context, reason);
    if (native == nullptr) return std::make_unique<DecodedMatmul>(desc, makeMatmul(decodedProduct(desc), context));
    return std::make_unique<BlockMatmul>(std::move(native), desc);
}

std::size_t blockMatmulWorkspaceBytes(const MatmulDesc& desc, Context& context) {
    std::string reason;
    const auto native = makeNativeBlockMatmul(desc, context, reason);
    if (native == nullptr) return decodedBytes(desc) + matmulWorkspaceBytes(decodedProduct(desc), context);
    return std::max(native->workspaceBytes(), decodedBytes(desc));
}

BlockMultiplication blockMultiplication(const MatmulDesc& desc, Context& context) {
    std::string reason;
    const auto native = makeNativeBlockMatmul(desc, context, reason);
    return native == nullptr
               ? BlockMultiplication{false, std::string("decoded to ") + (desc.a == Dtype::F32 ? "fp32: " : "bf16: ") + reason}
               : BlockMultiplication{true, native->mode()};
}

}  // namespace mantissa::cuda
