// SPDX-License-Identifier: Apache-2.0
// Whether two backends train alike. That a card does is for `mantissa selftest` and tests/kernels/cuda to say; here, that the comparison
// sees what parts them.
#include "engine/training/agreement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/support/capturing_backend.h"

namespace mantissa {
namespace {

AgreementRun runNamed(const std::string& name, std::int64_t steps = 4) {
    for (AgreementRun& run : agreementRuns(steps)) {
        if (run.name == name) return run;
    }
    throw std::logic_error("no run " + name);
}

/// Epsilon is another one: the smallest mistake of a backend that counts.
struct OtherOptimizer : test::ForwardingBackend {
    std::function<void(AdamWDesc&)> alter;
    std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
        if (!std::holds_alternative<AdamWDesc>(desc)) return inner->prepare(desc);
        AdamWDesc altered = std::get<AdamWDesc>(desc);
        alter(altered);
        return inner->prepare(altered);
    }
};

TEST(Agreement, OfABackendWithItselfIsPerfect) {
    for (const char* name : {"mlp fp16", "resnet fp32", "gpt bf16", "llama fp8", "autoencoder tf32"}) {
        const Agreement agreement = compareTraining(runNamed(name), createCpuBackend(), createCpuBackend());
        EXPECT_EQ(agreement.worst, 0) << name;
        EXPECT_EQ(agreement.steps, 4) << name;
        EXPECT_TRUE(agreement.holds()) << name;
    }
}

/// A forwarding backend offers no groups of instructions (kernels/fusion.h).
TEST(Agreement, OfStepsWhoseInstructionsAreComputedTogetherAndApartIsPerfect) {
    for (const AgreementRun& run : agreementRuns(4)) {
        const Agreement agreement = compareTraining(run, createCpuBackend(), std::make_shared<test::ForwardingBackend>());
        EXPECT_EQ(agreement.worst, 0) << run.name << " at step " << agreement.worstStep;
        EXPECT_TRUE(agreement.holds()) << run.name;
    }
}

TEST(Agreement, OfARunThatIsSwitchedWhileStepsAreUnderWayIsPerfectToo) {
    const AgreementRun run = runNamed("mlp switched");
    const auto refusing = std::make_shared<test::CapturingBackend>();
    refusing->onCapture = [] { throw DeviceError{"not in a capture"}; };
    for (const std::shared_ptr<Backend>& backend :
         {createCpuBackend(), std::shared_ptr<Backend>(new test::CapturingBackend), std::shared_ptr<Backend>(refusing)}) {
        const Agreement agreement = compareTraining(run, backend, createCpuBackend());
        EXPECT_EQ(agreement.worst, 0) << "at step " << agreement.worstStep;
        EXPECT_EQ(agreement.steps, 20);
    }
}

/// Takes gradients that are not finite for good ones.
struct Unseeing : test::ForwardingBackend {
    std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
        auto operation = inner->prepare(desc);
        if (!std::holds_alternative<UnscaleDesc>(desc)) return operation;
        return std::make_unique<Blind>(std::move(operation));
    }
    struct Blind : Operation {
        std::unique_ptr<Operation> inner;
        explicit Blind(std::unique_ptr<Operation> operation) : inner(std::move(operation)) {}
        void enqueue(Queue& queue, std::span<void* const> operands) override {
            inner->enqueue(queue, operands);
            auto& scalars = *static_cast<StepScalars*>(operands[2]);
            scalars.foundInf = 0;
            scalars.skipped = 0;
        }
    };
};

TEST(Agreement, NamesTheStepWhereTheFormatIsSeenToChange) {
    const AgreementRun run = runNamed("mlp switched");
    const Agreement agreement = compareTraining(run, std::make_shared<Unseeing>(), createCpuBackend());
    EXPECT_TRUE(std::isinf(agreement.worst));
    EXPECT_EQ(agreement.worstStep, run.changes.back().step) << "from bf16's range to fp16's";
}

TEST(Agreement, NamesTheStepWhereAWrongUpdateIsSeen) {
    const auto wrong = std::make_shared<OtherOptimizer>();
    wrong->alter = [](AdamWDesc& desc) { desc.beta1 = 0.8; };
    const Agreement agreement = compareTraining(runNamed("mlp fp32", 30), wrong, createCpuBackend());
    EXPECT_FALSE(agreement.holds());
    EXPECT_GT(agreement.worstStep, 1);  // Adam's first update is the same for any beta1
}

TEST(Agreement, ANumberThatIsNoneOnOneSideAloneIsNoAgreement) {
    const auto wrong = std::make_shared<OtherOptimizer>();
    wrong->alter = [](AdamWDesc& desc) { desc.epsilon = NAN; };
    EXPECT_TRUE(std::isinf(compareTraining(runNamed("mlp fp32"), wrong, createCpuBackend()).worst));
}

}  // namespace
}  // namespace mantissa
