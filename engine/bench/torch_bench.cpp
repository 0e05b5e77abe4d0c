// SPDX-License-Identifier: Apache-2.0
// Whole models against PyTorch with an equal number of threads: equal architecture, batch and optimizer, each with its own random batches.
#include "engine/bench/bench.h"
#include "engine/bench/torch_models.h"
#include "engine/bench/torch_rival.h"
#include "engine/plan/product_rate.h"
#include "engine/training/measure_times.h"
#include "engine/training/trainer.h"

namespace mantissa {
namespace {

constexpr double kMicro = 1e6;

struct GptSize {
    const char* name;
    std::int64_t layers, heads, width, vocabulary, batch;
    int steps, pairs;
};
constexpr std::int64_t kLength = 64;

constexpr double kLimit = 1.3;
constexpr std::int64_t kNever = 1'000'000'000;

/// `name = value`, in Python.
std::string defined(const char* name, std::int64_t value) {
    return std::string(name) + " = " + std::to_string(value) + "\n";
}

/// Whether this rival is ready and its steps take less time, after some to warm up.
bool isFaster(TorchRival& rival, TorchRival& other) {
    constexpr int kWarmUp = 3, kTried = 5;
    if (!rival.isReady()) return false;
    std::vector<double> medians;
    for (TorchRival* each : {&rival, &other}) {
        each->steps(kWarmUp);
        const std::vector<double> seconds = each->steps(kTried);
        if (seconds.size() != kTried) return each == &other;
        medians.push_back(median(seconds));
    }
    return medians[0] < medians[1];
}

/// Steps with as many threads as PyTorch uses.
BenchResult benchModel(const std::string& name, const std::string& what, TrainingSettings settings, const std::string& rival, int steps,
                       int pairs, double limit) {
    settings.steps = settings.validationInterval = kNever;
    const std::shared_ptr<Backend> backend = createCpuBackend();
    const std::string threads = std::to_string(backend->device().threads);
    Trainer trainer(settings, loadDataset(settings.data), backend);
    BenchResult result = againstTorch(
        name, what + ", AdamW, fp32, threads of each: " + threads, "torch.set_num_threads(" + threads + ")\n" + rival, steps,
        [&] { return timeUnits(steps, [&] { trainer.step(); }); }, limit, pairs);
    result.tflops = tflopsOf(result, trainer);
    if (result.skipped.empty()) result.products = measureStepTimes(trainer, *backend).secondsOf(OperationKind::Product) * kMicro;
    return result;
}

BenchResult benchGpt(const GptSize& size) {
    TrainingSettings settings;
    settings.data = {
        .name = "synthetic-tokens", .batchSize = size.batch, .context = kLength, .vocabulary = size.vocabulary, .length = 500'000};
    settings.model = {.kind = "gpt", .nLayer = size.layers, .nHead = size.heads, .nEmbd = size.width};
    const std::string rival = defined("layers", size.layers) + defined("heads", size.heads) + defined("width", size.width) +
                              defined("vocabulary", size.vocabulary) + defined("samples", size.batch) + defined("length", kLength);
    const std::string what = std::to_string(size.layers) + " layers, " + std::to_string(size.width) + " channels, batch " +
                             std::to_string(size.batch) + " x " + std::to_string(kLength);
    return benchModel(size.name, what, settings, rival + kTorchGpt, size.steps, size.pairs, kLimit);
}

/// In PyTorch's default layout, and in the one that both libraries' convolutions prefer, where most of a step runs identical code.
BenchResult benchResnet(const char* name, const char* layout, double limit) {
    constexpr std::int64_t kDepth = 14, kBatch = 64;
    TrainingSettings settings;
    settings.data = {.name = "synthetic-images", .batchSize = kBatch, .samples = 1024, .height = 32, .width = 32, .channels = 3};
    settings.model = {.kind = "resnet", .depth = kDepth};
    const std::string rival = defined("depth", kDepth) + defined("samples", kBatch) + "layout = torch." + layout + "\n" + kTorchResnet;
    return benchModel(name, "ResNet-14, 32x32x3, batch 64", settings, rival, 4, 7, limit);
}

}  // namespace

BenchResult resultOf(const PairedTimes& times, std::string name, std::string what, std::string rival, double limit) {
    return {.name = std::move(name),
            .what = std::move(what),
            .rival = std::move(rival),
            .unit = "us a step",
            .ours = times.oursMedian * kMicro,
            .oursP99 = times.oursP99 * kMicro,
            .theirs = times.rivalMedian * kMicro,
            .theirsP99 = times.rivalP99 * kMicro,
            .ratio = times.ratio,
            .limit = limit};
}

double tflopsOf(const BenchResult& result, const Trainer& trainer) {
    const auto microBatches = static_cast<double>(trainer.settings().accumulate);
    return result.ours > 0 ? microBatches * productWork(trainer.plan()).flops / (result.ours / kMicro) / 1e12 : 0;
}

BenchResult againstTorch(const std::string& name, const std::string& what, const std::string& model, int steps, const TimedBlock& ours,
                         double limit, int pairs) {
    TorchRival eager(model), compiled(model, true);
    if (!eager.isReady())
        return {.name = name, .what = what, .rival = "PyTorch", .limit = limit, .isAtLeast = true, .skipped = eager.reason()};
    TorchRival& rival = isFaster(compiled, eager) ? compiled : eager;
    const PairedTimes times = runPaired(
        ours, [&] { return rival.steps(steps); }, pairs);
    const char* const how = &rival == &compiled ? " with torch.compile" : " eager";
    BenchResult result = resultOf(times, name, what, "PyTorch " + rival.version() + how + ", AdamW", limit);
    result.ratio = 1 / times.ratio;
    result.ratioName = "rival / ours";
    result.isAtLeast = true;
    return result;
}

std::vector<BenchResult> benchModels() {
    // nanoGPT's character model, GPT-2's smallest, CIFAR's
    return {benchGpt({"gpt-characters", 4, 4, 128, 65, 12, 10, 15}), benchGpt({"gpt2-124m", 12, 12, 768, 50'000, 4, 1, 5}),
            benchResnet("resnet-14", "contiguous_format", kLimit), benchResnet("resnet-14-channels-last", "channels_last", 1)};
}

}  // namespace mantissa
