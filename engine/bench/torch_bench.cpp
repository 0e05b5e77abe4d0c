// SPDX-License-Identifier: Apache-2.0
// Whole models against PyTorch on as many threads: the same architecture, batch and optimizer, each with its own random batches.
#include "engine/bench/bench.h"
#include "engine/bench/torch_models.h"
#include "engine/bench/torch_rival.h"
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

BenchResult benchGpt(const GptSize& size) {
    TrainingSettings settings;
    settings.data = {
        .name = "synthetic-tokens", .batchSize = size.batch, .context = kLength, .vocabulary = size.vocabulary, .length = 500'000};
    settings.model = {.kind = "gpt", .nLayer = size.layers, .nHead = size.heads, .nEmbd = size.width};
    settings.steps = settings.validationInterval = 1'000'000'000;
    const std::shared_ptr<Backend> backend = createCpuBackend();
    const std::string threads = std::to_string(backend->device().threads);
    Trainer trainer(settings, loadDataset(settings.data), backend);
    std::string rival = "torch.set_num_threads(" + threads + ")\n";
    const auto define = [&](const char* name, std::int64_t value) { rival += std::string(name) + " = " + std::to_string(value) + "\n"; };
    define("layers", size.layers), define("heads", size.heads), define("width", size.width), define("vocabulary", size.vocabulary);
    define("samples", size.batch), define("length", kLength);
    const std::string what = std::to_string(size.layers) + " layers, " + std::to_string(size.width) + " channels, batch " +
                             std::to_string(size.batch) + " x " + std::to_string(kLength) + ", AdamW, fp32, threads of each: " + threads;
    return againstTorch(
        size.name, what, rival + kTorchGpt, size.steps, [&] { return timeUnits(size.steps, [&] { trainer.step(); }); }, 1.3, size.pairs);
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

BenchResult againstTorch(const std::string& name, const std::string& what, const std::string& model, int steps, const TimedBlock& ours,
                         double limit, int pairs) {
    TorchRival rival(model);
    if (!rival.isReady())
        return {.name = name, .what = what, .rival = "PyTorch eager", .limit = limit, .isAtLeast = true, .skipped = rival.reason()};
    const PairedTimes times = runPaired(
        ours, [&] { return rival.steps(steps); }, pairs);
    BenchResult result = resultOf(times, name, what, "PyTorch " + rival.version() + " eager, AdamW", limit);
    result.ratio = 1 / times.ratio;
    result.ratioName = "rival / ours";
    result.isAtLeast = true;
    return result;
}

std::vector<BenchResult> benchModels() {
    // nanoGPT's character model, and GPT-2's smallest
    return {benchGpt({"gpt-characters", 4, 4, 128, 65, 12, 10, 15}), benchGpt({"gpt2-124m", 12, 12, 768, 50'000, 4, 1, 5})};
}

}  // namespace mantissa
