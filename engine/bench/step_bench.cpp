// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>
#include <random>

#include "engine/bench/bench.h"
#include "engine/session/session.h"
#include "engine/training/trainer.h"
#include "kernels/cpu/bare_mlp.h"

namespace mantissa {
namespace {

/// An MLP 2-64-64-2 with batch 64.
constexpr const char* kTorchMlp = R"(
net = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
parameters = net.parameters()
inputs, labels = torch.randn(4096, 2), torch.randint(0, 2, (4096,))
def batch_of(number):
    first = number % 64 * 64
    return inputs[first:first + 64], labels[first:first + 64]
def loss_of(inputs, labels):
    return F.cross_entropy(net(inputs), labels)
)";

/// Normal inputs and random labels, seeded. Never shown to users.
std::shared_ptr<const Dataset> syntheticDataset(std::int64_t features, std::int64_t classes, std::int64_t count) {
    auto data = std::make_shared<Dataset>();
    data->name = "synthetic";
    data->features = features;
    data->classes = classes;
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    data->trainInputs.resize(static_cast<std::size_t>(features * count));
    for (float& x : data->trainInputs) x = normal(random);
    for (std::int64_t i = 0; i < count; ++i)
        data->trainLabels.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(classes)));
    return data;
}

TrainingSettings mlp(std::vector<std::int64_t> hidden, std::int64_t batch, const std::string& policy) {
    TrainingSettings settings;
    settings.model.hidden = std::move(hidden);
    settings.data.batchSize = batch;
    settings.data.order = "sequential";
    settings.precision.policy = policy;
    if (policy == "fp16") settings.scaler.preset = "pytorch";
    settings.steps = 1'000'000'000;
    return settings;
}

}  // namespace

std::vector<BenchResult> benchSmallStep() {
    constexpr int kSteps = 400;
    constexpr std::int64_t kBatch = 64, kCount = 4096;
    const auto data = syntheticDataset(2, 2, kCount);
    Trainer trainer(mlp({64, 64}, kBatch, "fp32"), data, createCpuBackend());
    BareMlp bare({2, 64, 64, 2}, kBatch);
    std::int64_t bareBatch = 0;
    const TimedBlock ours = [&] { return timeUnits(kSteps, [&] { trainer.step(); }); };
    const TimedBlock floor = [&] {
        return timeUnits(kSteps, [&] {
            const std::int64_t first = bareBatch++ % (kCount / kBatch) * kBatch;
            bare.step(data->trainInputs.data() + first * 2, data->trainLabels.data() + first);
        });
    };
    const std::string what = "2-64-64-2, batch 64, AdamW, fp32, one thread";
    std::vector<BenchResult> results{resultOf(runPaired(ours, floor), "step-small", what, "bare oneDNN products and plain loops", 1.5)};

    results.push_back(againstTorch("step-small-torch", what, kTorchMlp, kSteps, ours, 8));
    for (BenchResult& result : results) result.tflops = tflopsOf(result, trainer);
    return results;
}

namespace {

/// A step of an MLP in an emulated format against one in `rival`.
BenchResult timeEmulated(const std::string& policy, const std::string& rival, std::int64_t width, int steps, double limit) {
    const auto data = syntheticDataset(64, 10, 2048);
    Trainer emulated(mlp({width, width}, 64, policy), data, createCpuBackend());
    Trainer plain(mlp({width, width}, 64, rival), data, createCpuBackend());
    const PairedTimes times =
        runPaired([&] { return timeUnits(steps, [&] { emulated.step(); }); }, [&] { return timeUnits(steps, [&] { plain.step(); }); });
    const std::string w = std::to_string(width);
    BenchResult result = resultOf(times, "step-" + policy + "-" + w, "64-" + w + "-" + w + "-10, batch 64, AdamW, " + policy + " emulated",
                                  "the same in " + rival, limit);
    result.tflops = tflopsOf(result, emulated);
    return result;
}

}  // namespace

std::vector<BenchResult> benchMixedStep() {
    std::vector<BenchResult> results;
    for (const std::int64_t width : {256, 512, 1024}) {
        const int steps = width >= 1024 ? 8 : width >= 512 ? 20 : 60;
        for (const char* policy : {"fp16", "bf16", "tf32", "fp8"}) {
            const bool isStrict = width == 512 && (policy == std::string_view("fp16") || policy == std::string_view("fp8"));
            results.push_back(timeEmulated(policy, "fp32", width, steps, isStrict ? 1.15 : 1.25));
        }
    }
    for (const BlockPolicy& policy : blockPolicies()) results.push_back(timeEmulated(std::string(policy.name), "bf16", 512, 20, 1.5));
    return results;
}

/// A step of a GPT with fused attention against the same with attention in separate operations.
std::vector<BenchResult> benchAttention() {
    constexpr std::int64_t kTokens = 768, kNever = 1'000'000'000;
    std::vector<BenchResult> results;
    for (const char* policy : {"fp32", "bf16"}) {
        for (const std::int64_t context : {64, 256}) {
            TrainingSettings settings;
            settings.data = {
                .name = "synthetic-tokens", .batchSize = kTokens / context, .context = context, .vocabulary = 65, .length = 50'000};
            settings.model = {.kind = "gpt", .nLayer = 2, .nHead = 4, .nEmbd = 128};
            settings.precision.policy = policy;
            settings.steps = settings.validationInterval = kNever;
            const auto data = loadDataset(settings.data);
            Trainer separate(settings, data, createCpuBackend());
            settings.model.attention = "fused";
            Trainer fused(settings, data, createCpuBackend());
            const PairedTimes times =
                runPaired([&] { return timeUnits(10, [&] { fused.step(); }); }, [&] { return timeUnits(10, [&] { separate.step(); }); });
            const std::string name = "attention-" + std::string(policy) + "-" + std::to_string(context);
            results.push_back(resultOf(times, name, "a GPT of 2 layers, 128 channels, 4 heads, 768 tokens, fused attention",
                                       "the same with attention in separate operations", 1));
        }
    }
    return results;
}

namespace {

constexpr int kStepsAfterChange = 3;  // a device captures its work in the second

void takeSteps(Trainer& trainer) {
    for (std::size_t done = 0; done < kStepsAfterChange;) done += trainer.steps(kStepsAfterChange - static_cast<std::int64_t>(done)).size();
}

/// One unit: a change between fp32 and bf16 with the next steps, against as many plain fp32 steps. The ratio is the additional time of a
/// change in milliseconds: the 99th of a hundred changes, and the first change of a device, which may have to choose the libraries'
/// algorithms.
std::vector<BenchResult> timeSwitches(const std::string& name, const std::string& network, TrainingSettings settings,
                                      const OpenBackend& open) {
    settings.steps = settings.validationInterval = 1'000'000'000;
    const auto data = loadDataset(settings.data);
    settings.precision.policy = "fp32";
    Trainer toggled(settings, data, open()), plain(settings, data, open());
    bool low = false;
    const auto change = [&] {
        low = !low;
        settings.precision.policy = low ? "bf16" : "fp32";
        toggled.change(settings);
        takeSteps(toggled);
    };
    takeSteps(toggled);
    const double first = timeUnits(1, change)[0] * 1e6;
    const std::string what = network + ", " + std::to_string(toggled.plan().instructions.size()) +
                             " operations a step: change of precision and the next " + std::to_string(kStepsAfterChange) + " steps";
    const PairedTimes times = runPaired([&] { return timeUnits(10, change); }, [&] { return timeUnits(10, [&] { takeSteps(plain); }); });
    BenchResult result = resultOf(times, name, what, std::to_string(kStepsAfterChange) + " plain fp32 steps", 50);
    result.unit = "us";
    result.ratio = (result.oursP99 - result.theirs) / 1000;
    result.ratioName = "p99 beyond the rival, ms";
    BenchResult ofFirst = result;
    ofFirst.name += "-first";
    ofFirst.what += ", for the first time";
    ofFirst.ours = ofFirst.oursP99 = first;
    ofFirst.ratio = (first - ofFirst.theirs) / 1000;
    ofFirst.ratioName = "beyond the rival, ms";
    return {result, ofFirst};
}

}  // namespace

std::vector<BenchResult> benchSwitch(const OpenBackend& open) {
    TrainingSettings deep;
    deep.data = {.name = "synthetic-tokens", .batchSize = 2, .context = 16, .vocabulary = 64, .length = 10'000};
    deep.model = {.kind = "gpt", .nLayer = 17, .nHead = 2, .nEmbd = 32};
    std::vector<BenchResult> results = timeSwitches("switch", "digits, 128-128, batch 64", mlp({128, 128}, 64, "fp32"), open);
    for (BenchResult& each : timeSwitches("switch-deep", "a GPT of 17 layers", deep, open)) results.push_back(std::move(each));
    return results;
}

std::vector<BenchResult> benchTelemetry() {
    constexpr int kSteps = 400;
    // A session that records and emits every step, against the trainer alone.
    Trainer bare(mlp({32}, 16, "fp32"), loadDataset({.name = "digits"}), createCpuBackend());
    std::size_t events = 0;
    std::int64_t recorded = 0;
    Session session(createCpuBackend(), [&](Event&& event) {
        ++events;
        if (const auto* steps = std::get_if<StepsRecorded>(&event)) recorded += static_cast<std::int64_t>(steps->records.size());
    });
    session.post(
        {1, LoadExperiment{"bench", R"({"title":"bench","data":{"batch_size":16,"order":"sequential"},"model":{"kind":"mlp","hidden":[32]},
        "steps":1000000000,"runs":[{"name":"fp32","precision":"fp32"}]})"}});
    session.post({2, Train{}});
    session.advance(1, 0);
    const TimedBlock throughSession = [&] {
        const std::int64_t before = recorded;
        const auto seconds = timeUnits(1, [&] {
            while (recorded - before < kSteps) session.advance(4, 0);
        });
        return std::vector<double>{seconds[0] / static_cast<double>(recorded - before)};
    };
    const TimedBlock alone = [&] {
        const auto seconds = timeUnits(1, [&] {
            for (int i = 0; i < kSteps; ++i) bare.step();
        });
        return std::vector<double>{seconds[0] / kSteps};
    };
    return {resultOf(runPaired(throughSession, alone, 25), "telemetry",
                     "64-32-10, batch 16: steps through a session that emits every record", "the trainer alone", 1.1)};
}

}  // namespace mantissa
