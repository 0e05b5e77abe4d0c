// SPDX-License-Identifier: Apache-2.0
// Single elements of a step, against all of its tensors as the test reads them itself.
#include "engine/training/elements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/plan/tensor_statistics.h"
#include "engine/training/provenance.h"
#include "tests/engine/training/small_run.h"

namespace mantissa {
namespace {

TrainingSettings elementSettings(const std::string& policy, double scale, std::int64_t accumulate = 1) {
    TrainingSettings settings = smallRun(policy);
    settings.accumulate = accumulate;
    settings.scaler = {.preset = "static", .initScale = scale};
    return settings;
}

Trainer elementTrainer(const TrainingSettings& settings) {
    return Trainer(settings, loadDataset(settings.data), createCpuBackend());
}

TrainingSettings elementsOfModel(const std::string& kind, const std::string& policy) {
    TrainingSettings settings;
    if (kind == "gpt") {
        settings.model = {.kind = "gpt", .nLayer = 2, .nHead = 2, .nEmbd = 16, .gradientCheckpointing = true};
        settings.data = {.name = "synthetic-tokens", .batchSize = 2, .context = 8, .length = 500};
        settings.accumulate = 2;
    } else {
        settings.model = {.kind = "resnet", .depth = 8, .gradientCheckpointing = true};
        settings.data = {.name = "digits", .batchSize = 4};
    }
    settings.precision.policy = policy;
    return settings;
}

struct WholeTensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
    std::vector<std::uint32_t> bits;
};

/// All tensors of the next step's passes, each as it was written last, in memory of the test's own.
std::map<std::string, WholeTensor> allTensors(Trainer& trainer) {
    std::map<std::string, WholeTensor> all;
    const Plan& plan = trainer.plan();
    const Trainer::Observer observer{.at = [&](Executor& executor, Queue& queue, std::int64_t at, int buffer, const ElementClasses&) {
        const Buffer& written = plan.buffers[static_cast<std::size_t>(buffer)];
        if (!written.dtype || at < plan.prologueEnd || at >= plan.backwardEnd) return;
        const Instruction& made = plan.instructions[static_cast<std::size_t>(at)];
        WholeTensor& whole = all[written.name + " by " + made.name];
        whole = {written.shape, executor.values(queue, buffer), {}};
        for (std::size_t i = 0; i < whole.values.size(); ++i)
            whole.bits.push_back(executor.bits(queue, buffer, static_cast<std::int64_t>(i)));
    }};
    trainer.tryStep(&observer);
    return all;
}

StepStats statsOfNext(const TrainingSettings& settings, int step) {
    Trainer trainer = elementTrainer(settings);
    trainer.setInstrumentation(Instrumentation::Full);
    for (int i = 0; i <= step; ++i) trainer.step();
    return trainer.stats().value();
}

std::int64_t flatOf(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& index) {
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) flat = flat * shape[i] + index[i];
    return flat;
}

TEST(Elements, AreTheTensorsOwnInOrderOfMagnitude) {
    for (const std::int64_t accumulate : {1, 2}) {
        const TrainingSettings settings = elementSettings("fp16", 1024, accumulate);
        Trainer trainer = elementTrainer(settings);
        for (int i = 0; i < 3; ++i) trainer.step();
        const auto all = allTensors(trainer);
        const StepStats stats = statsOfNext(settings, 3);
        TensorName wanted;
        for (const TensorStats& tensor : stats.tensors)
            if (tensor.tensor == "activations.0.output.grad" && tensor.storage == Dtype::F16) wanted = nameOf(tensor);
        ASSERT_FALSE(wanted.operation.empty());
        const ElementsFound found = readElements(trainer, {.tensors = {wanted}, .from = 0x1p-3, .below = 0x1p-2, .limit = 40});
        const WholeTensor& whole = all.at(wanted.tensor + " by " + wanted.operation);
        std::vector<std::size_t> expected;
        for (std::size_t i = 0; i < whole.values.size(); ++i)
            if (std::abs(whole.values[i]) >= 0x1p-3f && std::abs(whole.values[i]) < 0x1p-2f) expected.push_back(i);
        std::stable_sort(expected.begin(), expected.end(),
                         [&](std::size_t a, std::size_t b) { return std::abs(whole.values[a]) > std::abs(whole.values[b]); });
        EXPECT_EQ(found.total, static_cast<std::int64_t>(expected.size()));
        EXPECT_EQ(found.lossScale, 1024);
        ASSERT_GT(expected.size(), 40u);
        ASSERT_EQ(found.elements.size(), 40u);
        for (std::size_t i = 0; i < found.elements.size(); ++i) {
            const Element& element = found.elements[i];
            EXPECT_EQ(flatOf(whole.shape, element.index), static_cast<std::int64_t>(expected[i]));
            EXPECT_EQ(element.value, static_cast<double>(whole.values[expected[i]]));
            EXPECT_EQ(element.bits, whole.bits[expected[i]]);
            EXPECT_EQ(element.storage, Dtype::F16);
            EXPECT_TRUE(element.isScaled);
        }
    }
}

/// In fp32 from the same weights, which for the first step are those of a run in fp32.
TEST(Elements, AreWideWhatTheSameStepGivesInFp32) {
    Trainer trainer = elementTrainer(elementSettings("fp16", 1024)), wide = elementTrainer(elementSettings("fp32", 1024));
    const auto inFp32 = allTensors(wide);
    const StepStats stats = statsOfNext(elementSettings("fp16", 1024), 0);
    std::int64_t compared = 0, other = 0;
    for (const TensorStats& tensor : stats.tensors) {
        if (tensor.role == TensorRole::Weight || tensor.role == TensorRole::Update) continue;
        const ElementsFound found = readElements(trainer, {.tensors = {nameOf(tensor)}, .limit = 20});
        const auto same = inFp32.find(tensor.tensor + " by " + tensor.operation);
        for (const Element& element : found.elements) {
            if (same == inFp32.end()) continue;
            const WholeTensor& whole = same->second;
            EXPECT_EQ(element.wide, static_cast<double>(whole.values[static_cast<std::size_t>(flatOf(whole.shape, element.index))]));
            ++compared;
            other += element.wide != element.value ? 1 : 0;
        }
    }
    EXPECT_GT(compared, 100);
    EXPECT_GT(other, 50) << "fp16 rounds";
}

/// So that a name is one tensor, whatever the model.
TEST(Elements, EachTensorOfAStepHasAName) {
    for (const char* kind : {"gpt", "resnet"}) {
        for (const char* policy : {"fp16", "fp8"}) {
            const StepStats stats = statsOfNext(elementsOfModel(kind, policy), 0);
            std::set<std::string> names;
            for (const TensorStats& tensor : stats.tensors) {
                const TensorName name = nameOf(tensor);
                EXPECT_TRUE(names
                                .insert(name.tensor + "|" + name.layer + "|" + name.operation + "|" + name.phase + "|" +
                                        std::string(roleName(name.role)))
                                .second)
                    << kind << " in " << policy << ": " << name.tensor << " by " << name.operation;
            }
        }
    }
}

/// The histogram counts what is listed: of each tensor of the step, and of each of its bars.
TEST(Elements, AreAsManyAsTheHistogramSays) {
    const TrainingSettings many[] = {elementSettings("fp16", 1024), elementSettings("pure-bf16", 1), elementsOfModel("gpt", "fp16"),
                                     elementsOfModel("resnet", "fp8")};
    for (const TrainingSettings& settings : many) {
        const StepStats stats = statsOfNext(settings, 1);
        Trainer trainer = elementTrainer(settings);
        trainer.step();
        const std::size_t stride = std::max<std::size_t>(1, stats.tensors.size() / 12);
        for (std::size_t i = 0; i < stats.tensors.size(); i += stride) {
            const TensorStats& tensor = stats.tensors[i];
            const auto totalOf = [&](ElementRequest request) {
                request.tensors = {nameOf(tensor)};
                request.limit = 1;
                return readElements(trainer, request).total;
            };
            EXPECT_EQ(totalOf({}), tensor.magnitudes.total()) << tensor.tensor;
            EXPECT_EQ(totalOf({.kind = ElementKind::Zero}), tensor.classes.zero) << tensor.tensor;
            const std::vector<ExponentBin> bins = binsOf(tensor.magnitudes);
            if (bins.empty()) continue;
            const ExponentBin& bin = bins[bins.size() / 2];
            EXPECT_EQ(totalOf({.from = std::ldexp(1.0, bin.exponent), .below = std::ldexp(1.0, bin.exponent + 1)}), bin.count)
                << tensor.tensor << ", 2^" << bin.exponent;
        }
        std::vector<TensorName> gradients;
        std::int64_t total = 0;
        for (const TensorStats& tensor : stats.tensors) {
            if (tensor.role != TensorRole::WeightGradient) continue;
            gradients.push_back(nameOf(tensor));
            total += tensor.magnitudes.total();
        }
        EXPECT_EQ(readElements(trainer, {.tensors = gradients, .limit = 1}).total, total);
    }
}

TEST(Elements, ThatAreNotFiniteAreFinitelyInFp32) {
    Trainer trainer = elementTrainer(elementSettings("fp16", 0x1p30));
    const StepStats stats = statsOfNext(elementSettings("fp16", 0x1p30), 0);
    const auto broken =
        std::find_if(stats.tensors.begin(), stats.tensors.end(), [](const TensorStats& tensor) { return tensor.classes.nonFinite() > 0; });
    ASSERT_NE(broken, stats.tensors.end());
    const ElementsFound found = readElements(trainer, {.tensors = {nameOf(*broken)}, .kind = ElementKind::NonFinite});
    EXPECT_EQ(found.total, broken->classes.nonFinite());
    ASSERT_FALSE(found.elements.empty());
    EXPECT_FALSE(std::isfinite(found.elements[0].value));
    EXPECT_EQ(found.elements[0].bits & 0x7C00u, 0x7C00u);
    EXPECT_TRUE(std::isfinite(found.elements[0].wide));
    EXPECT_GT(std::abs(found.elements[0].wide), 65504);
}

TEST(Elements, ThatAreFlushedAreZerosThatFp32DoesNotHave) {
    const TrainingSettings settings = elementSettings("fp16", 0x1p-12);  // so small a scale loses gradients
    Trainer trainer = elementTrainer(settings), wide = elementTrainer(elementSettings("fp32", 0x1p-12));
    const auto narrow = allTensors(trainer), inFp32 = allTensors(wide);
    const StepStats stats = statsOfNext(settings, 0);
    std::int64_t flushed = 0;
    for (const TensorStats& tensor : stats.tensors) {
        const std::string key = tensor.tensor + " by " + tensor.operation;
        if (tensor.role != TensorRole::WeightGradient || !inFp32.contains(key)) continue;
        const std::vector<float>&a = narrow.at(key).values, &b = inFp32.at(key).values;
        std::int64_t expected = 0;
        double largest = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (a[i] != 0 || b[i] == 0) continue;
            ++expected;
            largest = std::max(largest, std::abs(static_cast<double>(b[i])));
        }
        const ElementsFound found = readElements(trainer, {.tensors = {nameOf(tensor)}, .kind = ElementKind::Flushed, .limit = 10});
        EXPECT_EQ(found.total, expected) << key;
        if (expected > 0) {
            EXPECT_EQ(std::abs(found.elements.at(0).wide), largest) << "the largest loss first";
        }
        for (const Element& element : found.elements) EXPECT_EQ(element.value, 0);
        flushed += expected;
    }
    EXPECT_GT(flushed, 10);
}

TEST(Elements, OfAnUpdateAreWhatTheWeightsMovedBy) {
    TrainingSettings settings = elementSettings("pure-bf16", 1);
    Trainer trainer = elementTrainer(settings), other = elementTrainer(settings);
    const auto before = other.weights();
    other.step();
    const auto after = other.weights();
    const TensorName update{"layers.0.weight", "layers.0", "update", "optimizer", TensorRole::Update};
    const ElementsFound found = readElements(trainer, {.tensors = {update}, .limit = 5});
    ASSERT_EQ(found.elements.size(), 5u);
    for (const Element& element : found.elements) {
        const auto at = static_cast<std::size_t>(flatOf(after[0].shape, element.index));
        EXPECT_EQ(element.value, static_cast<double>(after[0].values[at] - before[0].values[at]));
        EXPECT_FALSE(element.isScaled);
    }
    TensorName weight = update;
    weight.role = TensorRole::Weight;
    const ElementsFound weights = readElements(trainer, {.tensors = {weight}, .limit = 1});
    ASSERT_EQ(weights.elements.size(), 1u);
    EXPECT_EQ(weights.elements[0].storage, Dtype::BF16);
    EXPECT_EQ(decodeBits(Dtype::BF16, weights.elements[0].bits), static_cast<float>(weights.elements[0].value));
}

TEST(Elements, LeaveTheTrainerAsItWas) {
    const TrainingSettings settings = elementSettings("fp16", 1024, 2);
    Trainer trainer = elementTrainer(settings), other = elementTrainer(settings);
    trainer.step();
    other.step();
    const StepStats stats = statsOfNext(settings, 1);
    std::vector<TensorName> all;
    for (const TensorStats& tensor : stats.tensors) all.push_back(nameOf(tensor));
    EXPECT_GT(readElements(trainer, {.tensors = all}).total, 1000);
    EXPECT_THROW(readElements(trainer, {.tensors = {{"nothing", "", "", "", TensorRole::Value}}}), std::invalid_argument);
    EXPECT_THROW(readElements(trainer, {.tensors = all, .limit = 0}), std::invalid_argument);
    EXPECT_THROW(readElements(trainer, {}), std::invalid_argument);
    EXPECT_EQ(trainer.nextStep(), 1);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(isSameValue(trainer.step().loss, other.step().loss));
    EXPECT_EQ(trainer.snapshot().memory, other.snapshot().memory);
}

}  // namespace
}  // namespace mantissa
