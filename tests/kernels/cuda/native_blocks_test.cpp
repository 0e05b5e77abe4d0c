// SPDX-License-Identifier: Apache-2.0
// Products of operands in block formats by cuBLASLt's own modes, on an emulated card of capability 9.0 or 10.0: the CPU backend's bits
// where sums are exact, which products are decoded instead and why, and training.
#include <gtest/gtest.h>

#include <random>

#include "engine/training/agreement.h"
#include "kernels/cuda/context.h"
#include "kernels/cuda/lt_product.h"
#include "kernels/dtype/rounding.h"
#include "tests/kernels/cuda/beside_cpu.h"
#include "tests/kernels/cuda/library_guard.h"
#include "tests/support/conformance.h"
#include "tests/support/cuda_emulation/runtime.h"

namespace mantissa::test {
namespace {

/// An emulated card of this capability, with its library's calls counted from 0.
class BlockCard {
public:
    explicit BlockCard(int capability, bool refuses = false) : m_library(refuses) { emulation::card().capability = capability; }
    ~BlockCard() { emulation::card() = {}; }
    BlockCard(const BlockCard&) = delete;
    BlockCard& operator=(const BlockCard&) = delete;

private:
    LibraryGuard m_library;
};

std::int64_t productsOfCodes() {
    return emulation::libraryCalls().blockProducts;
}

BlockFormat blockFormatNamed(const std::string& name) {
    return *blockFormatFromName(name);
}

/// Codes of small numbers and scales around 1, all random: any other scale or number changes a sum, and every sum is exact in fp32.
Bytes randomBlocks(const BlockFormat& format, MatrixShape shape, unsigned seed) {
    std::mt19937 random(seed);
    const auto oneOf = [&random](const std::vector<float>& numbers) { return numbers[random() % numbers.size()]; };
    const std::vector<float> scales = format.isMx() ? std::vector<float>{0.5f, 1, 2} : std::vector<float>{0.5f, 1, 1.5f, 2};
    const auto bits = static_cast<std::size_t>(facts(format.element).storageBits), count = static_cast<std::size_t>(shape.count());
    Bytes stored((count * bits + 7) / 8);
    for (std::size_t i = 0; i < count; ++i) {
        const float number = oneOf({-6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6});
        const std::uint64_t code = std::uint64_t{encodeBits(format.element, number)} << (i * bits % 8);
        for (std::size_t at = i * bits / 8, byte = 0; at < stored.size() && byte < 2; ++at, ++byte)
            stored[at] |= static_cast<std::byte>(code >> (8 * byte));
    }
    for (std::int64_t i = 0; i < format.scales(shape).count(); ++i) {
        const std::uint32_t code = encodeBits(format.scale, oneOf(scales));
        for (std::size_t byte = 0; byte < facts(format.scale).storageBytes(); ++byte)
            stored.push_back(static_cast<std::byte>(code >> (8 * byte)));
    }
    return stored;
}

/// The format with blocks of `across` by its own length along k, for an operand stored as [rows, k] or its transpose.
BlockFormat alongK(BlockFormat format, bool isTransposed, std::int64_t across) {
    format.block = {across, format.blockSize()};
    if (isTransposed) std::swap(format.block.rows, format.block.cols);
    return format;
}

struct Operand {
    BlockFormat format;
    std::int64_t across = 1;
};

MatmulDesc blockProduct(int layout, const Operand& a, const Operand& b) {
    MatmulDesc d{.m = 144, .n = 160, .k = 672, .transposeA = layout % 2 == 1, .transposeB = layout < 2};
    d.hasBias = layout == 0 || layout == 3;
    d.out = layout == 1 ? Dtype::F32 : layout == 2 ? Dtype::F16 : Dtype::BF16;
    d.a = a.format.numbers(), d.b = b.format.numbers(), d.compute = Dtype::BF16;
    d.isScaled = true;
    d.aBlocks = alongK(a.format, d.transposeA, a.across);
    d.bBlocks = alongK(b.format, !d.transposeB, b.across);
    return d;
}

Trial exactTrial(const MatmulDesc& d) {
    const MatrixShape a = d.transposeA ? MatrixShape{d.k, d.m} : MatrixShape{d.m, d.k};
    const MatrixShape b = d.transposeB ? MatrixShape{d.n, d.k} : MatrixShape{d.k, d.n};
    Trial trial{.desc = d, .operands = {randomBlocks(*d.aBlocks, a, 41), randomBlocks(*d.bBlocks, b, 42)}};
    if (d.hasBias) trial.operands.push_back(normalBytes(d.out, d.n, 43));
    trial.operands.push_back(bytesOfAll<QuantScale>({{.scale = 2, .inverse = 0.5f}}));
    trial.operands.push_back(bytesOfAll<QuantScale>({{.scale = 8, .inverse = 0.125f}}));
    trial.operands.push_back(roomFor(d.out, d.m * d.n));
    return trial;
}

void expectBitsOfCpuFromCodes(const Operand& a, const Operand& b) {
    for (int layout = 0; layout < 4; ++layout) {
        const MatmulDesc d = blockProduct(layout, a, b);
        SCOPED_TRACE(std::string(a.format.name) + " x " + std::string(b.format.name) + ", " + std::to_string(a.across) + " and " +
                     std::to_string(b.across) + " across, layout " + std::to_string(layout));
        const std::int64_t before = productsOfCodes();
        expectSameAsCpu(exactTrial(d));
        EXPECT_EQ(productsOfCodes(), before + 1);
    }
}

TEST(NativeBlocks, HaveTheBitsOfTheCpuOnBlackwell) {
    const BlockCard card(100);
    const BlockFormat mx = blockFormatNamed("mxfp8_e4m3"), mx5 = blockFormatNamed("mxfp8_e5m2"), nv = blockFormatNamed("nvfp4");
    for (const auto& [a, b] : {std::pair(Operand{mx}, Operand{mx}),
                               {Operand{mx5}, Operand{mx}},
                               {Operand{mx}, Operand{mx, 32}},
                               {Operand{nv}, Operand{nv}},
                               {Operand{nv}, Operand{nv, 16}},
                               {Operand{nv, 16}, Operand{nv, 16}}})
        expectBitsOfCpuFromCodes(a, b);
}

/// Its scales, powers of two, are those of four blocks of MXFP8 each.
TEST(NativeBlocks, OfBlockFp8AreMxfp8OnBlackwell) {
    const BlockCard card(100);
    const BlockFormat fp8 = blockFormatNamed("fp8_block_e4m3");
    expectBitsOfCpuFromCodes({fp8}, {fp8, 128});
    EXPECT_EQ(cuda::createBackend(0)->blockMultiplication(blockProduct(0, {fp8}, {fp8})).how, "cuBLASLt's VEC32_UE8M0");
}

TEST(NativeBlocks, HaveTheBitsOfTheCpuOnHopper) {
    const BlockCard card(90);
    const BlockFormat fp8 = blockFormatNamed("fp8_block_e4m3"), fp85 = blockFormatNamed("fp8_block_e5m2");
    const BlockFormat wide = withRule(fp8, ScaleRule::Fp32);
    const auto mode = [](const Operand& a, const Operand& b) {
        return cuda::createBackend(0)->blockMultiplication(blockProduct(0, a, b)).how;
    };
    struct {
        Operand a, b;
        const char* how;
    } cases[] = {{{fp8}, {fp8}, "cuBLASLt's VEC128_32F x VEC128_32F"},
                 {{fp85}, {fp8, 128}, "cuBLASLt's VEC128_32F x BLK128x128_32F"},
                 {{fp8, 128}, {fp85}, "cuBLASLt's BLK128x128_32F x VEC128_32F"},
                 {{fp8, 128}, {fp8, 128}, "cuBLASLt's VEC128_32F x BLK128x128_32F"},
                 {{fp8, 3}, {fp8, 128}, "cuBLASLt's VEC128_32F x BLK128x128_32F"},
                 {{wide}, {wide}, "cuBLASLt's VEC128_32F x VEC128_32F"},
                 {{wide}, {wide, 128}, "cuBLASLt's VEC128_32F x BLK128x128_32F"}};
    for (const auto& each : cases) {
        expectBitsOfCpuFromCodes(each.a, each.b);
        EXPECT_EQ(mode(each.a, each.b), each.how);
    }
}

/// A scale for a whole row, as in rowwise FP8.
TEST(NativeBlocks, RepeatTheScaleOfAWholeRow) {
    for (const int capability : {90, 100}) {
        const BlockCard card(capability);
        BlockFormat whole = blockFormatNamed("fp8_block_e4m3");
        whole.block = {1, 672};
        expectBitsOfCpuFromCodes({whole}, {whole});
    }
}

TEST(NativeBlocks, AddTheBiasThemselvesWhereTheLibraryDoesNot) {
    const BlockCard card(100);
    const BlockFormat nv = blockFormatNamed("nvfp4");
    MatmulDesc d = blockProduct(1, {nv}, {nv});
    d.hasBias = true;  // of fp32, in which the library takes none
    expectSameAsCpu(exactTrial(d));
    d.result = Dtype::BF16;
    expectSameAsCpu(exactTrial(d));
    d.out = Dtype::E4M3;  // nor has it such results
    d.result = Dtype::F32;
    expectSameAsCpu(exactTrial(d));
    EXPECT_EQ(productsOfCodes(), 3);
}

TEST(NativeBlocks, AreRecordedAndTakeTheFactorsOfTheirRun) {
    const BlockCard card(100);
    const BlockFormat nv = blockFormatNamed("nvfp4");
    Trial trial = exactTrial(blockProduct(3, {nv}, {nv}));
    trial.earlier = trial.operands;
    trial.operands[3] = bytesOfAll<QuantScale>({{.scale = 0.25f, .inverse = 4}});
    trial.isRecorded = true;
    trial.times = 2;
    expectSameAsCpu(trial);
    EXPECT_GT(productsOfCodes(), 0);
}

TEST(NativeBlocks, AreDecodedAtAddressesThatTheLibraryDoesNotTake) {
    const BlockCard card(90);
    const BlockFormat fp8 = blockFormatNamed("fp8_block_e4m3");
    Trial trial = exactTrial(blockProduct(0, {fp8}, {fp8}));
    trial.offset = 8;
    expectSameAsCpu(trial);
    EXPECT_EQ(productsOfCodes(), 0);
}

/// A product that is decoded on this card, and why. The result is the CPU's.
void expectDecoded(const MatmulDesc& d, const std::string& reason) {
    const BlockMultiplication is = cuda::createBackend(0)->blockMultiplication(d);
    EXPECT_FALSE(is.isNative) << reason;
    EXPECT_EQ(is.how, std::string("decoded to ") + (d.a == Dtype::F32 ? "fp32: " : "bf16: ") + reason);
    if (d.aBlocks && d.bBlocks) expectSameAsCpu(exactTrial(d));
    EXPECT_EQ(productsOfCodes(), 0) << reason;
}

TEST(NativeBlocks, AreDecodedWithAReason) {
    const BlockFormat mx = blockFormatNamed("mxfp8_e4m3"), mx5 = blockFormatNamed("mxfp8_e5m2"), nv = blockFormatNamed("nvfp4"),
                      fp8 = blockFormatNamed("fp8_block_e4m3");
    {
        const BlockCard card(80);
        expectDecoded(blockProduct(0, {fp8}, {fp8}), "cuBLASLt multiplies block formats on capability 9.0, and from 10.0 on");
        expectDecoded(blockProduct(0, {nv}, {nv}), "cuBLASLt multiplies NVFP4 from capability 10.0 on");
    }
    {
        const BlockCard card(90);
        expectDecoded(blockProduct(0, {mx}, {mx}), "this GPU's mode has a scale for each 128 numbers along k");
        expectDecoded(blockProduct(0, {nv}, {nv}), "cuBLASLt multiplies NVFP4 from capability 10.0 on");
    }
    const BlockCard card(100);
    expectDecoded(blockProduct(0, {mx5}, {mx5}), "cuBLASLt multiplies E5M2 only with E4M3");
    expectDecoded(blockProduct(0, {blockFormatNamed("mxfp4")}, {blockFormatNamed("mxfp4")}), "cuBLASLt has no mode for MXFP4");
    expectDecoded(blockProduct(0, {mx}, {blockFormatNamed("mxfp6_e2m3")}), "cuBLASLt has no mode for MXFP6 E2M3");
    expectDecoded(blockProduct(0, {nv}, {mx}), "cuBLASLt has no mode for NVFP4");
    const BlockFormat wide = withRule(fp8, ScaleRule::Fp32);
    expectDecoded(blockProduct(0, {wide}, {wide}), "cuBLASLt multiplies FP8 in blocks with fp32 scales on capability 9.0 alone");
    MatmulDesc d = blockProduct(0, {mx}, {mx});
    d.aBlocks->block = {32, 1};
    expectDecoded(d, "this GPU's mode has a scale for each 32 numbers along k");
    d = blockProduct(0, {mx}, {mx});
    d.m = 100;
    expectDecoded(d, "m or n is no multiple of 16");
    d = blockProduct(0, {mx}, {mx});
    d.k = 80;
    expectDecoded(d, "k is no multiple of 32");
    d = blockProduct(0, {mx}, {mx});
    d.accumulator = Accumulator::Hopper;
    expectDecoded(d, "sums of another accumulator are requested");
    d = blockProduct(0, {mx}, {mx});
    d.bBlocks.reset();
    expectDecoded(d, "one operand is not in blocks");
    setenv("MANTISSA_EMULATE_BLOCKS", "1", 1);
    expectDecoded(blockProduct(0, {mx}, {mx}), "MANTISSA_EMULATE_BLOCKS is set");
    unsetenv("MANTISSA_EMULATE_BLOCKS");
    const BlockCard refusing(100, true);
    expectDecoded(blockProduct(0, {mx}, {mx}), "cuBLASLt offers no algorithm for this shape");
}

/// The stand-in takes what the manual allows.
TEST(NativeBlocks, AreOfferedByTheLibraryWhereItsManualSaysSo) {
    using cuda::LtScales;
    struct {
        int capability;
        cudaDataType a, b;
        LtScales ofA, ofB;
        bool isOffered;
    } cases[] = {{100, CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, LtScales::Vec32Ue8m0, LtScales::Vec32Ue8m0, true},
                 {100, CUDA_R_8F_E5M2, CUDA_R_8F_E4M3, LtScales::Vec32Ue8m0, LtScales::Vec32Ue8m0, true},
                 {100, CUDA_R_8F_E5M2, CUDA_R_8F_E5M2, LtScales::Vec32Ue8m0, LtScales::Vec32Ue8m0, false},
                 {90, CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, LtScales::Vec32Ue8m0, LtScales::Vec32Ue8m0, false},
                 {100, CUDA_R_4F_E2M1, CUDA_R_4F_E2M1, LtScales::Vec16Ue4m3, LtScales::Vec16Ue4m3, true},
                 {100, CUDA_R_4F_E2M1, CUDA_R_4F_E2M1, LtScales::Vec32Ue8m0, LtScales::Vec32Ue8m0, false},
                 {100, CUDA_R_4F_E2M1, CUDA_R_4F_E2M1, LtScales::OfTensor, LtScales::OfTensor, false},
                 {90, CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, LtScales::Vec128F32, LtScales::Vec128F32, true},
                 {90, CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, LtScales::Blk128x128F32, LtScales::Vec128F32, true},
                 {90, CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, LtScales::Blk128x128F32, LtScales::Blk128x128F32, false},
                 {100, CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, LtScales::Vec128F32, LtScales::Vec128F32, false},
                 {80, CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, LtScales::Vec128F32, LtScales::Vec128F32, false}};
    for (const auto& each : cases) {
        const BlockCard card(each.capability);
        cuda::Context context(0);
        const cuda::LtShape shape{.rows = 32,
                                  .cols = 64,
                                  .k = 96,
                                  .transposeA = true,
                                  .lda = 96,
                                  .ldb = 96,
                                  .ldd = 32,
                                  .a = each.a,
                                  .b = each.b,
                                  .d = CUDA_R_16BF,
                                  .hasScales = true,
                                  .scalesOfA = each.ofA,
                                  .scalesOfB = each.ofB,
                                  .alignment = 16};
        const auto isOffered = [&context](const cuda::LtShape& of) { return cuda::LtProduct(context, of, false).isOffered(); };
        EXPECT_EQ(isOffered(shape), each.isOffered) << each.capability << ' ' << static_cast<int>(each.ofA);
        cuda::LtShape turned = shape, unaligned = shape, odd = shape;
        turned.transposeA = false, turned.lda = 32;
        unaligned.alignment = 8;
        odd.k = odd.lda = odd.ldb = 40;
        for (const cuda::LtShape& other : {turned, unaligned, odd}) EXPECT_FALSE(isOffered(other));
    }
}

/// The suite's rows on cards of several generations. Each multiplies codes in some cases of its own formats, and in none of the others.
class NativeBlockRows : public testing::TestWithParam<int> {};

TEST_P(NativeBlockRows, AgreeWithTheReference) {
    const BlockCard card(GetParam());
    const auto backend = cuda::createBackend(0);
    std::set<std::string> ofCodes;
    for (const conformance::Check& check : conformance::allChecks()) {
        if (check.operation != "matmul" || !blockFormatFromName(check.format)) continue;
        SCOPED_TRACE(check.format);
        const conformance::CheckResult result = conformance::runCheck(check, *backend, conformance::Extent::Short);
        EXPECT_TRUE(result.holds()) << result.sentence();
        for (const auto& [how, cases] : result.implementations) {
            if (how.starts_with("cuBLASLt")) ofCodes.insert(check.format);
        }
    }
    const std::set<std::string> onHopper{"fp8_block_e4m3", "fp8_block_e5m2"},
        onBlackwell{"fp8_block_e4m3", "fp8_block_e5m2", "mxfp8_e4m3", "mxfp8_e5m2", "nvfp4"};
    EXPECT_EQ(ofCodes, GetParam() == 80 ? std::set<std::string>{} : GetParam() == 90 ? onHopper : onBlackwell);
}

INSTANTIATE_TEST_SUITE_P(Emulated, NativeBlockRows, testing::Values(80, 90, 100));

/// Whole runs beside the CPU.
struct BlockRun {
    int capability;
    const char *kind, *policy;
};
class NativeBlockTraining : public testing::TestWithParam<BlockRun> {};

TEST_P(NativeBlockTraining, AgreesWithTheCpu) {
    const BlockCard card(GetParam().capability);
    const std::string kind = GetParam().kind, policy = GetParam().policy;
    for (AgreementRun run : agreementRuns(3)) {
        if (run.name != (kind == "mlp" ? "mlp " + policy : kind + " bf16")) continue;
        run.settings.precision.policy = policy;
        if (kind != "mlp") run.settings.data.batchSize = 4, run.settings.data.context = 16;
        const Agreement agreement = compareTraining(run, cuda::createBackend(0), createCpuBackend());
        EXPECT_TRUE(agreement.holds()) << agreement.worst << " of the limit at step " << agreement.worstStep;
        const std::int64_t ofCodes = productsOfCodes();
        const bool takesBlocks = GetParam().capability != 80;
        EXPECT_EQ(ofCodes > 0, takesBlocks);
        std::cout << ofCodes << " products of codes, " << agreement.worst << " of the limit\n";
        return;
    }
    FAIL() << "no such run";
}

INSTANTIATE_TEST_SUITE_P(Emulated, NativeBlockTraining,
                         testing::Values(BlockRun{90, "mlp", "fp8-block"}, BlockRun{90, "gpt", "fp8-block"},
                                         BlockRun{90, "gpt", "fp8-rowwise"}, BlockRun{100, "mlp", "fp8-block"},
                                         BlockRun{100, "mlp", "mxfp8"}, BlockRun{100, "gpt", "mxfp8"}, BlockRun{100, "mlp", "nvfp4"},
                                         BlockRun{100, "gpt", "nvfp4"}, BlockRun{80, "mlp", "mxfp8"}),
                         [](const auto& test) {
                             std::string name =
                                 std::string(test.param.kind) + "_" + test.param.policy + "_" + std::to_string(test.param.capability);
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace mantissa::test
