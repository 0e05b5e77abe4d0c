// SPDX-License-Identifier: Apache-2.0
// The suite must be able to fail: a backend that does one thing wrong, and the suite names it, and where.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

#include "kernels/conformance/suite.h"
#include "kernels/dtype/rounding.h"
#include "tests/support/forwarding_backend.h"

namespace mantissa::conformance {
namespace {

using Operands = std::span<void* const>;

/// An operation with something done to its operands afterwards.
class Altered : public Operation {
public:
    Altered(std::unique_ptr<Operation> inner, std::function<void(Operands)> after) : m_inner(std::move(inner)), m_after(std::move(after)) {}
    void enqueue(Queue& queue, Operands operands) override {
        m_inner->enqueue(queue, operands);
        m_after(operands);
    }

private:
    std::unique_ptr<Operation> m_inner;
    std::function<void(Operands)> m_after;
};

/// The CPU backend, whose operations described by `Desc` are altered, or made for another description.
template <typename Desc>
class BrokenBackend : public test::ForwardingBackend {
public:
    std::function<void(const Desc&, Operands)> after;
    std::function<void(Desc&)> misread;

    std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
        if (!std::holds_alternative<Desc>(desc)) return inner->prepare(desc);
        Desc own = std::get<Desc>(desc);
        if (misread) misread(own);
        auto operation = inner->prepare(own);
        if (!after) return operation;
        return std::make_unique<Altered>(std::move(operation), [own, this](Operands operands) { after(own, operands); });
    }
};

CheckResult resultOf(Backend& backend, const std::string& operation, const std::string& format) {
    for (const Check& check : allChecks()) {
        if (check.operation == operation && check.format == format) return runCheck(check, backend, Extent::Short);
    }
    throw std::logic_error("no row " + operation + " " + format);
}

template <typename Desc>
CheckResult resultAfter(std::function<void(const Desc&, Operands)> after, const std::string& operation, const std::string& format) {
    BrokenBackend<Desc> backend;
    backend.after = std::move(after);
    return resultOf(backend, operation, format);
}

/// The first failure has this fault, and the pattern names where.
void expectFault(const CheckResult& result, Fault fault, const std::string& pattern) {
    ASSERT_FALSE(result.holds());
    ASSERT_FALSE(result.failures.empty());
    EXPECT_EQ(faultName(result.failures.front().fault), faultName(fault)) << result.sentence();
    EXPECT_NE(result.pattern.find(pattern), std::string::npos) << result.sentence();
    EXPECT_NE(result.sentence().find(faultName(fault)), std::string::npos);
    EXPECT_NE(result.sentence().find(result.operation), std::string::npos);
}

std::span<float> floats(void* memory, std::int64_t count) {
    return {static_cast<float*>(memory), static_cast<std::size_t>(count)};
}
std::span<std::uint16_t> halves(void* memory, std::int64_t count) {
    return {static_cast<std::uint16_t*>(memory), static_cast<std::size_t>(count)};
}
void* resultOf(const MatmulDesc& d, Operands operands) {
    return operands[d.hasBias ? 3 : 2];
}

TEST(BrokenBackend, RoundsTowardZero) {
    const auto truncate = [](const CastDesc& d, Operands operands) {
        if (d.from != Dtype::F32 || d.to != Dtype::BF16) return;
        const auto src = floats(operands[0], d.count);
        const auto dst = halves(operands[1], d.count);
        for (std::size_t i = 0; i < src.size(); ++i)
            dst[i] = static_cast<std::uint16_t>(encodeBits(Dtype::BF16, src[i], {.rounding = Rounding::TowardZero}));
    };
    expectFault(resultAfter<CastDesc>(truncate, "cast to", "bf16"), Fault::RoundedTowardZero, "only in layout from fp32");
    EXPECT_TRUE(resultAfter<CastDesc>(truncate, "cast to", "fp16").holds());
}

TEST(BrokenBackend, RoundsProductsTowardZero) {
    BrokenBackend<MatmulDesc> backend;
    backend.after = [](const MatmulDesc& d, Operands operands) {  // a narrower neighbour in place of each inexact result
        for (std::uint16_t& code : halves(resultOf(d, operands), d.m * d.n))
            code = (code & 0x7FFF) > 0 && (code & 0x7FFF) < 0x7C00 ? code - 1 : code;
    };
    expectFault(resultOf(backend, "matmul", "fp16"), Fault::RoundedTowardZero, "");
}

/// Multiplies in 16 bits by itself, as tensor cores do.
template <typename Desc>
struct NativeBrokenBackend : BrokenBackend<Desc> {
    bool isNative(Dtype) const override { return true; }
};

// Probabilities with fewer digits than fp32's and more than bf16's: tensor cores may make them, fp32 may not.
TEST(BrokenBackend, RoundsProbabilities) {
    constexpr float kBlur = 1 + 0x1p-14f;
    const auto again = [](FusedAttentionDesc d, Operands operands) {  // the logarithms are judged in fp32, and stay
        d.scale *= kBlur;
        std::vector<float> logarithms(static_cast<std::size_t>(d.outer * d.heads * d.length));
        std::vector<void*> own(operands.begin(), operands.end());
        own[4] = logarithms.data();
        const auto cpu = createCpuBackend();
        const auto queue = cpu->createQueue();
        cpu->prepare(d)->enqueue(*queue, own);
        queue->wait();
    };
    BrokenBackend<FusedAttentionDesc> wide;
    NativeBrokenBackend<FusedAttentionDesc> narrow;
    wide.after = narrow.after = again;
    EXPECT_FALSE(resultOf(wide, "attention", "bf16").holds());
    EXPECT_TRUE(resultOf(narrow, "attention", "bf16").holds()) << resultOf(narrow, "attention", "bf16").sentence();
    EXPECT_FALSE(resultOf(narrow, "attention", "fp32").holds());
    BrokenBackend<FusedAttentionGradDesc> wideGradient;
    NativeBrokenBackend<FusedAttentionGradDesc> narrowGradient;
    wideGradient.misread = narrowGradient.misread = [](FusedAttentionGradDesc& d) { d.forward.scale *= kBlur; };
    EXPECT_FALSE(resultOf(wideGradient, "attention gradient", "bf16").holds());
    EXPECT_TRUE(resultOf(narrowGradient, "attention gradient", "bf16").holds())
        << resultOf(narrowGradient, "attention gradient", "bf16").sentence();
}

TEST(BrokenBackend, FormsSumsInFp32WhateverIsAsked) {
    BrokenBackend<MatmulDesc> backend;
    backend.misread = [](MatmulDesc& d) { d.accumulator = Accumulator::Fp32, d.promoteEvery = 0; };
    EXPECT_FALSE(resultOf(backend, "matmul", "fp16, sums of hopper").holds());
    EXPECT_FALSE(resultOf(backend, "matmul", "fp8_e4m3 > bf16, scaled, sums of hopper").holds());
    EXPECT_TRUE(resultOf(backend, "matmul", "fp16").holds());
}

TEST(BrokenBackend, NeverPromotesPartialSums) {
    BrokenBackend<MatmulDesc> backend;
    backend.misread = [](MatmulDesc& d) { d.promoteEvery = 0; };
    EXPECT_FALSE(resultOf(backend, "matmul", "fp8_e4m3 > bf16, scaled, sums of hopper promoted").holds());
    EXPECT_TRUE(resultOf(backend, "matmul", "fp8_e4m3 > bf16, scaled, sums of hopper").holds());
}

TEST(BrokenBackend, FlushesSubnormals) {
    const auto flush = [](const MatmulDesc& d, Operands operands) {
        constexpr std::uint16_t kExponent = 0x7C00;
        for (std::uint16_t& code : halves(resultOf(d, operands), d.m * d.n)) code = (code & kExponent) == 0 ? 0 : code;
    };
    expectFault(resultAfter<MatmulDesc>(flush, "matmul", "fp16"), Fault::FlushedSubnormals, "only in inputs subnormal");
    const auto flushFloats = [](const AccumulateDesc& d, Operands operands) {
        for (float& v : floats(operands[1], d.count)) v = std::fpclassify(v) == FP_SUBNORMAL ? 0 : v;
    };
    expectFault(resultAfter<AccumulateDesc>(flushFloats, "accumulate", "fp32"), Fault::FlushedSubnormals, "only in inputs subnormal");
}

TEST(BrokenBackend, WritesOneElementBeyondTheEnd) {
    const auto beyond = [](const ActivationDesc& d, Operands operands) { static_cast<std::uint16_t*>(operands[1])[d.count] = 0; };
    expectFault(resultAfter<ActivationDesc>(beyond, "relu", "bf16"), Fault::GuardBand, "");
    const auto before = [](const ActivationDesc&, Operands operands) { static_cast<std::uint16_t*>(operands[1])[-1] = 0; };
    expectFault(resultAfter<ActivationDesc>(before, "relu", "bf16"), Fault::GuardBand, "");
}

TEST(BrokenBackend, WritesBeyondItsWorkspace) {
    BrokenBackend<MatmulDesc> backend;
    backend.after = [&](const MatmulDesc& d, Operands operands) {
        static_cast<std::byte*>(operands.back())[backend.workspaceBytes(d)] = std::byte{0};
    };
    const CheckResult result = resultOf(backend, "matmul", "bf16");
    expectFault(result, Fault::GuardBand, "");
    EXPECT_NE(result.sentence().find("workspace"), std::string::npos) << result.sentence();
}

TEST(BrokenBackend, DropsANan) {
    const auto drop = [](const ActivationDesc& d, Operands operands) {
        for (float& v : floats(operands[1], d.count)) v = std::isnan(v) ? 0 : v;
    };
    expectFault(resultAfter<ActivationDesc>(drop, "gelu", "fp32"), Fault::LostNan, "only in inputs non-finite");
}

TEST(BrokenBackend, SaturatesInfinities) {
    const auto saturate = [](const BiasGradDesc& d, Operands operands) {
        for (float& v : floats(operands[1], d.cols)) v = std::isinf(v) ? std::copysign(1.0f, v) : v;
    };
    expectFault(resultAfter<BiasGradDesc>(saturate, "bias gradient", "fp32"), Fault::Infinity, "only in inputs non-finite or overflow");
    const auto saturateProduct = [](const MatmulDesc& d, Operands operands) {
        for (std::uint16_t& code : halves(resultOf(d, operands), d.m * d.n)) code = (code & 0x7FFF) == 0x7C00 ? code - 1 : code;
    };
    const CheckResult product = resultAfter<MatmulDesc>(saturateProduct, "matmul", "fp16");
    expectFault(product, Fault::RoundedTowardZero, "only in inputs non-finite or overflow");
}

TEST(BrokenBackend, SwapsATranspose) {
    BrokenBackend<MatmulDesc> backend;
    backend.misread = [](MatmulDesc& d) { d.transposeB = false; };
    const CheckResult result = resultOf(backend, "matmul", "fp32");
    expectFault(result, Fault::BeyondLimit, "only in layout A B' or A B' +bias or A' B' or A' B' +bias");
}

TEST(BrokenBackend, ForgetsTheBias) {
    BrokenBackend<MatmulDesc> backend;
    backend.after = [](const MatmulDesc& d, Operands operands) {
        if (!d.hasBias) return;
        const auto c = floats(resultOf(d, operands), d.m * d.n), bias = floats(operands[2], d.n);
        for (std::size_t i = 0; i < c.size(); ++i) c[i] -= std::isfinite(c[i]) ? bias[i % bias.size()] : 0;
    };
    expectFault(resultOf(backend, "matmul", "tf32"), Fault::BeyondLimit, "only in layout A B +bias or A B +bias off-line");
}

// Far below what a derived limit allows a sum: whole numbers, whose sums are exact, see it.
TEST(BrokenBackend, IsOffByOneUlpInSums) {
    const auto nudge = [](float& v) { v = std::isfinite(v) && v != 0 ? std::nextafter(v, std::copysign(INFINITY, v)) : v; };
    const auto columns = [&](const BiasGradDesc& d, Operands operands) { nudge(floats(operands[1], d.cols).back()); };
    expectFault(resultAfter<BiasGradDesc>(columns, "bias gradient", "fp32"), Fault::OneUlp, "");
    const auto product = [&](const MatmulDesc& d, Operands operands) { nudge(floats(resultOf(d, operands), d.m * d.n).back()); };
    expectFault(resultAfter<MatmulDesc>(product, "matmul", "fp32"), Fault::OneUlp, "");
}

TEST(BrokenBackend, ChangesWhatItShouldOnlyRead) {
    const auto scribble = [](const AdamWDesc& d, Operands operands) {
        for (float& g : floats(operands[1], d.count)) g = 0;
    };
    expectFault(resultAfter<AdamWDesc>(scribble, "adamw", "fp32"), Fault::InputChanged, "");
}

TEST(BrokenBackend, GivesOtherBitsWhenRunAgain) {
    const auto alternate = [run = 0](const ActivationDesc& d, Operands operands) mutable {
        const auto y = floats(operands[1], d.count);
        if (run++ % 2 == 1 && !y.empty()) y[0] = std::nextafter(y[0], 0.0f);  // within the limit, each time
    };
    expectFault(resultAfter<ActivationDesc>(alternate, "sigmoid", "fp32"), Fault::NotRepeatable, "");
}

TEST(BrokenBackend, TakesInWhatTheOutputHeld) {
    class Adds : public test::ForwardingBackend {
    public:
        std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
            class Held : public Operation {
            public:
                Held(std::unique_ptr<Operation> own, std::int64_t count) : m_own(std::move(own)), m_count(count) {}
                void enqueue(Queue& queue, Operands operands) override {
                    const auto out = floats(operands[1], m_count);
                    const std::vector<float> held(out.begin(), out.end());
                    m_own->enqueue(queue, operands);
                    for (std::size_t i = 0; i < out.size(); ++i) out[i] += held[i];
                }

            private:
                std::unique_ptr<Operation> m_own;
                std::int64_t m_count;
            };
            return std::make_unique<Held>(inner->prepare(desc), std::get<BiasGradDesc>(desc).cols);
        }
    } backend;
    expectFault(resultOf(backend, "bias gradient", "fp32"), Fault::NewNan, "");
}

TEST(BrokenBackend, FindsOverflowInTheWrongParameter) {
    const auto shift = [](const UnscaleDesc& d, Operands operands) {
        const auto found = floats(operands[1], static_cast<std::int64_t>(d.segments.size()) - 1);
        std::rotate(found.begin(), found.begin() + 1, found.end());
    };
    expectFault(resultAfter<UnscaleDesc>(shift, "unscale", "fp32"), Fault::BeyondLimit, "only in inputs non-finite");
}

TEST(BrokenBackend, StepsWhereItShouldSkip) {
    BrokenBackend<SgdDesc> backend;
    backend.after = [](const SgdDesc& d, Operands operands) {
        if (static_cast<const StepScalars*>(operands[3])->skipped == 0) return;
        for (float& w : floats(operands[0], d.count)) w = NAN;
    };
    expectFault(resultOf(backend, "sgd", "fp32"), Fault::NewNan, "only in layout skipped");
}

TEST(BrokenBackend, DrawsOtherRandomBits) {
    BrokenBackend<SgdDesc> backend;
    backend.misread = [](SgdDesc& d) { ++d.storage.seed; };
    expectFault(resultOf(backend, "sgd", "bf16"), Fault::OneUlp, "only in layout stochastic");
}

TEST(BrokenBackend, LosesWhatKahanKeeps) {
    const auto forget = [](const AdamWDesc& d, Operands operands) {
        if (d.storage.update == WeightUpdate::Kahan) std::ranges::fill(halves(operands[5], d.count), std::uint16_t{0});
    };
    expectFault(resultAfter<AdamWDesc>(forget, "adamw", "fp16"), Fault::BeyondLimit, "only in layout Kahan");
}

TEST(BrokenBackend, OverflowsWhereItShouldSaturate) {
    const auto overflow = [](const QuantizeDesc& d, Operands operands) {
        const std::span<std::uint8_t> codes(static_cast<std::uint8_t*>(operands[1]), static_cast<std::size_t>(d.count));
        for (std::uint8_t& code : codes) code = (code & 0x7F) == 0x7E ? code + 1 : code;
    };
    expectFault(resultAfter<QuantizeDesc>(overflow, "quantize to", "fp8_e4m3"), Fault::NewNan, "");
    const auto toInf = [](const QuantizeDesc& d, Operands operands) {
        const std::span<std::uint8_t> codes(static_cast<std::uint8_t*>(operands[1]), static_cast<std::size_t>(d.count));
        for (std::uint8_t& code : codes) code = (code & 0x7F) == 0x7B ? code + 1 : code;
    };
    expectFault(resultAfter<QuantizeDesc>(toInf, "quantize to", "fp8_e5m2"), Fault::Infinity, "");
}

TEST(BrokenBackend, RoundsOperandsInItsOwnWay) {
    BrokenBackend<MatmulDesc> backend;
    backend.misread = [](MatmulDesc& d) { d.operandRounding = Rounding::TowardZero; };
    EXPECT_TRUE(resultOf(backend, "matmul", "tf32, toward-zero").holds());
    expectFault(resultOf(backend, "matmul", "tf32"), Fault::BeyondLimit, "only in inputs normal");
}

TEST(BrokenBackend, Throws) {
    const auto fail = [](const ClassifyDesc&, Operands) { throw std::runtime_error("the device went away"); };
    const CheckResult result = resultAfter<ClassifyDesc>(fail, "classify", "fp16");
    expectFault(result, Fault::Threw, "");
    EXPECT_EQ(result.failures.front().detail, "the device went away");
}

TEST(BrokenBackend, WhatIsNotOfferedIsNoFault) {
    class NoFp8 : public test::ForwardingBackend {
    public:
        Support supports(const OperationDesc& desc) const override {
            const auto* cast = std::get_if<CastDesc>(&desc);
            if (cast != nullptr && cast->to == Dtype::E4M3) return {false, "fp8 needs compute capability 8.9"};
            if (cast != nullptr && cast->from == Dtype::E4M3) return {false, "fp8 needs compute capability 8.9"};
            return ForwardingBackend::supports(desc);
        }
    } backend;
    const CheckResult none = resultOf(backend, "cast to", "fp8_e4m3");
    EXPECT_TRUE(none.holds());
    EXPECT_FALSE(none.isOffered());
    EXPECT_GT(none.notOffered, 0u);
    EXPECT_EQ(none.reason, "fp8 needs compute capability 8.9");
    const CheckResult some = resultOf(backend, "cast to", "bf16");
    EXPECT_TRUE(some.isOffered() && some.holds());
    EXPECT_EQ(some.notOffered * 4, some.cases);
}

/// A backend whose ReLU departs from the contract where numbers are small, or whose library refuses it.
struct Departing : test::ForwardingBackend {
    std::string subnormals = "small numbers become 0";
    bool isRefused = false;

    Departures departures(const OperationDesc& desc) const override {
        return std::holds_alternative<ActivationDesc>(desc) ? Departures{.subnormals = subnormals, .nonFinite = ""} : Departures{};
    }
    std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
        if (isRefused) throw DeviceError{"the library does not do that"};
        return inner->prepare(desc);
    }
};

TEST(Departures, CasesThatTheyNameAreNotOfferedForThatReason) {
    Departing backend;
    const CheckResult without = resultOf(backend, "relu", "fp16");
    EXPECT_TRUE(without.holds());
    EXPECT_GT(without.cases, 0u);
    EXPECT_GT(without.notOffered, 0u);
    EXPECT_EQ(without.reason, "small numbers become 0");
    backend.subnormals = "";
    const CheckResult with = resultOf(backend, "relu", "fp16");
    EXPECT_EQ(with.cases, without.cases + without.notOffered);
    EXPECT_EQ(with.notOffered, 0u);
}

TEST(Departures, WhatALibraryRefusesIsAFailedCaseWhileTheDeviceAnswers) {
    Departing backend;
    backend.isRefused = true;
    const CheckResult refused = resultOf(backend, "relu", "fp16");
    EXPECT_EQ(refused.failedCases, refused.cases);
    ASSERT_FALSE(refused.failures.empty());
    EXPECT_EQ(refused.failures[0].fault, Fault::Threw);
    EXPECT_EQ(refused.failures[0].detail, "the library does not do that");
}

}  // namespace
}  // namespace mantissa::conformance
