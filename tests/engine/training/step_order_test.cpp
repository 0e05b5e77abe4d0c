// SPDX-License-Identifier: Apache-2.0
// What of a step can be ordered otherwise: unscaling and clipping, the schedule and a skip, micro-batches and the check, training's
// format and validation's.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/training/build_plan.h"
#include "engine/training/trainer.h"
#include "tests/engine/training/small_run.h"
#include "tests/support/forwarding_backend.h"

namespace mantissa {
namespace {

/// An SGD run of rate 1, whose update is minus the gradient that reached the optimizer.
TrainingSettings bareRun(const std::string& policy, double scale) {
    TrainingSettings settings = smallRun(policy);
    settings.optimizer = {.kind = "sgd", .lr = 1, .weightDecay = 0};
    settings.scaler = {.preset = "static", .initScale = scale};
    return settings;
}

Trainer trainerFor(const TrainingSettings& settings, const std::vector<NamedTensor>* initial = nullptr,
                   std::shared_ptr<Backend> backend = createCpuBackend()) {
    return Trainer(settings, loadDataset(settings.data), std::move(backend), initial);
}

double updateNorm(Trainer& trainer) {
    const auto before = trainer.weights();
    trainer.step();
    const auto after = trainer.weights();
    double squares = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        for (std::size_t j = 0; j < before[i].values.size(); ++j)
            squares += std::pow(static_cast<double>(after[i].values[j]) - static_cast<double>(before[i].values[j]), 2);
    }
    return std::sqrt(squares);
}

TEST(StepOrder, ABoundMeetsUnscaledGradientsUnlessItIsToldOtherwise) {
    TrainingSettings settings = bareRun("fp32", 1024);
    settings.clipGradNorm = 0.125;
    Trainer right = trainerFor(settings);
    settings.unscale = "after_clip";
    Trainer wrong = trainerFor(settings);
    // weights of about 0.1 in fp32 hold differences down to 2^-28, and there are 2,400 of them
    EXPECT_NEAR(updateNorm(right), 0.125, 1e-6);
    EXPECT_NEAR(updateNorm(wrong), 0.125 / 1024, 1e-6) << "the bound met gradients 1024 times as large";
}

TEST(StepOrder, TheRowsNormIsTheUnscaledOneInEitherOrder) {
    TrainingSettings settings = bareRun("fp32", 1024);
    settings.clipGradNorm = 0.125;
    const double norm = trainerFor(settings).step().gradNorm;
    settings.unscale = "after_clip";
    EXPECT_EQ(trainerFor(settings).step().gradNorm, norm);
    settings.clipGradNorm.reset();
    EXPECT_EQ(trainerFor(settings).step().gradNorm, norm);
    settings.clipGradNorm = 1e6;
    Trainer loose = trainerFor(settings);
    EXPECT_NEAR(updateNorm(loose), norm, 1e-6) << "a bound beyond the scaled norm changes nothing";
}

TEST(StepOrder, AnOverflowIsFoundInEitherOrder) {
    TrainingSettings settings = bareRun("fp16", std::ldexp(1.0, 40));
    settings.clipGradNorm = 1;
    for (const char* order : {"before_clip", "after_clip"}) {
        settings.unscale = order;
        Trainer trainer = trainerFor(settings);
        EXPECT_TRUE(trainer.step().skipped()) << order;
    }
}

TEST(StepOrder, TheRowHasTheRateThatTheStepUsed) {
    TrainingSettings settings = bareRun("fp32", 1);
    settings.optimizer.schedule = {.kind = "linear", .warmupSteps = 2, .totalSteps = 10};
    Trainer scheduled = trainerFor(settings);
    std::vector<double> rates;
    for (int i = 0; i < 12; ++i) rates.push_back(scheduled.step().lr);
    EXPECT_EQ(rates, (std::vector<double>{0.5, 1, 1, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125, 0, 0}));
    const double unchanged = updateNorm(scheduled);
    EXPECT_EQ(unchanged, 0) << "at a rate of 0";
}

TEST(StepOrder, ASkippedStepAdvancesTheScheduleUnlessItHolds) {
    TrainingSettings settings = smallRun("fp16");
    settings.optimizer.lr = 1;
    settings.optimizer.schedule = {.kind = "linear", .totalSteps = 100};
    settings.scaler = {.preset = "pytorch", .initScale = std::ldexp(1.0, 34)};
    Trainer drifting = trainerFor(settings);
    settings.optimizer.schedule.onSkip = "hold";
    Trainer held = trainerFor(settings);
    StepRecord last;
    for (int i = 0; i < 40; ++i) {
        EXPECT_EQ(drifting.step().lr, 1 - i / 100.0) << i;
        const std::int64_t taken = i - last.skippedTotal;
        last = held.step();
        EXPECT_EQ(last.lr, 1 - static_cast<double>(taken) / 100) << i;
    }
    EXPECT_GE(last.skippedTotal, 3);
    EXPECT_LT(last.skippedTotal, 40);
}

/// Says in which order gradients were added up and checked.
class ListeningBackend : public test::ForwardingBackend {
public:
    std::string heard;  // one letter an operation: a, accumulate; u, unscale and check

    std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
        const char letter = std::holds_alternative<AccumulateDesc>(desc) ? 'a' : std::holds_alternative<UnscaleDesc>(desc) ? 'u' : 0;
        return std::make_unique<Listened>(inner->prepare(desc), letter, heard);
    }

private:
    class Listened : public Operation {
    public:
        Listened(std::unique_ptr<Operation> operation, char letter, std::string& to)
            : m_operation(std::move(operation)), m_letter(letter), m_to(to) {}
        void enqueue(Queue& queue, std::span<void* const> operands) override {
            if (m_letter != 0) m_to += m_letter;
            m_operation->enqueue(queue, operands);
        }

    private:
        std::unique_ptr<Operation> m_operation;
        char m_letter;
        std::string& m_to;
    };
};

TEST(StepOrder, ASkippedStepLeavesTheMomentumBufferToTheFirstThatIsTaken) {
    TrainingSettings settings = smallRun("fp16");
    settings.optimizer = {.kind = "sgd", .lr = 0.5, .weightDecay = 0};
    settings.scaler = {.preset = "pytorch", .initScale = std::ldexp(1.0, 34)};
    Trainer plain = trainerFor(settings);
    settings.optimizer.momentum = 0.9;
    settings.optimizer.dampening = 0.5;
    Trainer withMomentum = trainerFor(settings);
    StepRecord last;
    do {
        last = plain.step();
        withMomentum.step();
    } while (last.skipped());
    ASSERT_GE(last.skippedTotal, 3);
    // its first use is the gradient itself, undampened
    for (std::size_t i = 0; i < plain.weights().size(); ++i) EXPECT_EQ(withMomentum.weights()[i].values, plain.weights()[i].values);
}

TEST(StepOrder, MicroBatchesAreCheckedOnceAtTheirEnd) {
    const auto backend = std::make_shared<ListeningBackend>();
    TrainingSettings settings = smallRun("fp16");
    settings.scaler.preset = "pytorch";
    settings.accumulate = 3;
    Trainer trainer = trainerFor(settings, nullptr, backend);
    trainer.step();
    const std::string aStep = std::string(3 * 4, 'a') + "u";  // two layers, weight and bias each
    EXPECT_EQ(backend->heard, aStep);
    trainer.step();
    EXPECT_EQ(backend->heard, aStep + aStep);
}

TEST(StepOrder, EachMicroBatchDrawsADropoutMaskOfItsOwn) {
    TrainingSettings settings;
    settings.data = {.name = "opticks", .batchSize = 4, .order = "sequential", .context = 12};
    settings.model = {.kind = "gpt", .nLayer = 1, .nHead = 2, .nEmbd = 16, .dropout = 0.5};
    settings.optimizer.lr = 1e-30;  // stays where it is
    const auto data = loadDataset(settings.data);
    Trainer apart(settings, data, createCpuBackend());
    settings.accumulate = 3;
    Trainer together(settings, data, createCpuBackend());
    double sum = 0;
    for (int micro = 0; micro < 3; ++micro) sum += apart.step().loss;
    EXPECT_EQ(together.step().loss, sum / 3) << "a micro-batch is what it would be as a step";
}

TEST(StepOrder, OneOverflowingMicroBatchSkipsTheWholeStepAndBacksOffOnce) {
    // Sequential batches of 16: sample 100 lies in the third of the second step's four, and its pixel is far out of range.
    auto dataset = std::make_shared<Dataset>(*loadDataset({.name = "digits"}));
    dataset->trainInputs[static_cast<std::size_t>(100 * dataset->features + 20)] = 1e30f;
    TrainingSettings settings = smallRun("fp16");
    settings.data.batchSize = 16;
    settings.accumulate = 4;
    settings.scaler = {.preset = "pytorch", .initScale = 1024};
    Trainer trainer(settings, dataset, createCpuBackend());
    EXPECT_FALSE(trainer.step().skipped());
    const auto before = trainer.weights();
    EXPECT_TRUE(trainer.step().skipped());
    EXPECT_EQ(trainer.scaler().scale(), 512.0f);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(trainer.weights()[i].values, before[i].values) << before[i].name;
    EXPECT_FALSE(trainer.step().skipped());
}

TEST(EvalPrecision, ValidatesInItsOwnFormatAndTrainsAsBefore) {
    TrainingSettings settings = smallRun("fp16");
    settings.scaler.preset = "pytorch";
    settings.validationInterval = 30;
    Trainer plain = trainerFor(settings);
    settings.evalPrecision = "fp32";
    Trainer apart = trainerFor(settings);
    StepRecord a, b;
    for (int i = 0; i < 30; ++i) {
        a = plain.step();
        b = apart.step();
        ASSERT_EQ(a.loss, b.loss) << i;
    }
    ASSERT_TRUE(a.validated() && b.validated());
    EXPECT_NE(a.validationLoss, b.validationLoss);
    EXPECT_NEAR(a.validationLoss, b.validationLoss, 5e-3);

    // the same weights, validated by a run that trains in fp32 and stands still
    TrainingSettings still = smallRun("fp32");
    still.optimizer.lr = 0;
    still.validationInterval = 1;
    const auto weights = apart.weights();
    EXPECT_EQ(trainerFor(still, &weights).step().validationLoss, b.validationLoss);
    still.evalPrecision = "fp16";
    EXPECT_EQ(trainerFor(still, &weights).step().validationLoss, a.validationLoss);
}

TEST(EvalPrecision, InFp8ScalesEachTensorByWhatItSees) {
    TrainingSettings settings = smallRun("fp32");
    settings.optimizer.lr = 0;
    settings.validationInterval = 1;
    settings.evalPrecision = "fp8";
    const auto dataset = loadDataset({.name = "digits"});
    for (const Plan& plan : buildPlans(settings, shapeOf(*dataset), *createCpuBackend()).evaluation)
        ASSERT_TRUE(plan.delayedScales.empty()) << "no step before it has taught it scales";
    const double validated = trainerFor(settings).step().validationLoss;
    TrainingSettings narrow = settings;
    narrow.precision = {.policy = "fp8", .overrides = {}, .fp8 = {.scaling = "current"}};
    narrow.evalPrecision.clear();
    EXPECT_EQ(validated, trainerFor(narrow).step().validationLoss);
    settings.evalPrecision.clear();
    EXPECT_NE(validated, trainerFor(settings).step().validationLoss);
}

TEST(EvalPrecision, ReadsTheWeightsAsTrainingStoresThem) {
    const auto dataset = loadDataset({.name = "digits"});
    for (const auto& [policy, evaluation] : {std::pair{"pure-bf16", "fp32"}, {"fp32", "pure-bf16"}}) {
        TrainingSettings settings = smallRun(policy);
        settings.optimizer.lr = 0;
        settings.validationInterval = 1;
        settings.evalPrecision = evaluation;
        const RunPlans plans = buildPlans(settings, shapeOf(*dataset), *createCpuBackend());
        for (const Plan& plan : plans.evaluation) ASSERT_EQ(plan.policy.weights, plans.training.policy.weights) << policy;
        Trainer trainer = trainerFor(settings);
        const auto weights = trainer.weights();
        const double validated = trainer.step().validationLoss;
        TrainingSettings own = smallRun(evaluation);
        own.optimizer.lr = 0;
        own.validationInterval = 1;
        EXPECT_EQ(validated, trainerFor(own, &weights).step().validationLoss) << policy << " validated in " << evaluation;
    }
}

TEST(EvalPrecision, TakesTheTablesOfAPureGptAsFp32) {
    TrainingSettings settings;
    settings.model = {.kind = "gpt", .nLayer = 1, .nHead = 2, .nEmbd = 16};
    settings.data = {.name = "synthetic-tokens", .batchSize = 32, .context = 16, .length = 4000};
    settings.precision.policy = "pure-bf16";
    settings.evalPrecision = "fp32";
    settings.optimizer.lr = 0;
    settings.validationInterval = 1;
    settings.sampleTokens = 0;
    std::vector<NamedTensor> weights = trainerFor(settings).weights();
    for (NamedTensor& tensor : weights) {
        for (float& weight : tensor.values) weight *= 16;  // so large that a rounding of the tables' sum shows in the loss
    }
    const double validated = trainerFor(settings, &weights).step().validationLoss;
    settings.precision.policy = "fp32";
    EXPECT_EQ(validated, trainerFor(settings, &weights).step().validationLoss);
}

TEST(EvalPrecision, WidensLogitsAsTrainingDoes) {
    const auto dataset = loadDataset({.name = "digits"});
    TrainingSettings settings = smallRun("fp32");
    settings.evalPrecision = "bf16";
    for (const auto& [logits, computes] : {std::pair{"autocast", Dtype::BF16}, {"fp32", Dtype::F32}}) {
        settings.loss.logits = logits;
        const RunPlans plans = buildPlans(settings, shapeOf(*dataset), *createCpuBackend());
        const Plan& plan = plans.evaluation.front();
        std::vector<Dtype> losses;
        for (const Instruction& each : plan.instructions)
            if (const auto* desc = std::get_if<SoftmaxCrossEntropyDesc>(&each.operation)) losses.push_back(desc->compute);
        EXPECT_EQ(losses, std::vector<Dtype>{computes}) << logits;
    }
}

TEST(EvalPrecision, CanBeChangedBetweenSteps) {
    TrainingSettings settings = smallRun("fp32");
    settings.optimizer.lr = 0;
    settings.validationInterval = 1;
    Trainer trainer = trainerFor(settings);
    const double wide = trainer.step().validationLoss;
    settings.evalPrecision = "bf16";
    trainer.change(settings);
    EXPECT_NE(trainer.step().validationLoss, wide);
    settings.evalPrecision.clear();
    trainer.change(settings);
    EXPECT_EQ(trainer.step().validationLoss, wide);
}

}  // namespace
}  // namespace mantissa
