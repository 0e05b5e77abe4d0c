// SPDX-License-Identifier: Apache-2.0
// rl: a toy policy gradient whose sampler and trainer compute the policy in formats of their own.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/experiment/checkpoint.h"
#include "engine/experiment/safetensors.h"
#include "engine/rl/policy_gradient.h"
#include "engine/telemetry/joined.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

using RlJson = nlohmann::ordered_json;

struct RlOptions {
    std::string mode, device = "auto", samplerAttention = "fused";
    std::optional<std::string> formats, trainer, sampler, correct, weights, saveWeights;
    std::vector<std::uint64_t> seeds;
    std::optional<std::int64_t> updates, warmUp;
    std::optional<double> learningRate;
    bool json = false;
};

constexpr const char* kMatrixFormats = "fp32,tf32,fp16,bf16,fp8,mxfp8,nvfp4";

/// Returns `given`. Throws UsageError if it is none of `known`.
std::string oneOf(const char* option, const std::string& given, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), given) != known.end()) return given;
    throw UsageError("rl: " + std::string(option) + ": '" + given + "' is not known (" + joined(known) + ")");
}

/// Splits "fp32,bf16" at its commas. Throws UsageError for unknown and repeated formats.
std::vector<std::string> splitFormats(const std::string& text) {
    std::vector<std::string> formats;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string name = text.substr(begin, end - begin);
        begin = end + 1;
        if (name.empty()) throw UsageError("rl: --formats: '" + text + "' has an empty name");
        if (std::find(formats.begin(), formats.end(), name) != formats.end())
            throw UsageError("rl: --formats: '" + name + "' is given twice");
        formats.push_back(oneOf("--formats", name, policyFormats()));
    }
    return formats;
}

void refuseOptionsOf(const char* otherMode, const RlOptions& options, const std::vector<std::pair<const char*, bool>>& given) {
    for (const auto& [option, isGiven] : given)
        if (isGiven) throw UsageError("rl " + options.mode + ": " + option + " is an option of rl " + otherMode);
}

/// Refuses options that would be ignored.
void checkRlOptions(const RlOptions& options) {
    oneOf("MODE", options.mode, {"matrix", "train"});
    if (options.mode == "matrix") {
        refuseOptionsOf("train", options,
                        {{"--trainer", options.trainer.has_value()},
                         {"--sampler", options.sampler.has_value()},
                         {"--correct", options.correct.has_value()},
                         {"--save-weights", options.saveWeights.has_value()}});
        if (options.weights && (options.updates || options.learningRate))
            throw UsageError("rl matrix: --weights leaves no updates to do; leave --updates and --lr out");
    } else {
        refuseOptionsOf("matrix", options, {{"--formats", options.formats.has_value()}});
    }
    if (options.weights && options.warmUp) throw UsageError("rl: --warm-up has no effect on the weights of --weights");
    if (options.saveWeights && options.seeds.size() > 1)
        throw UsageError("rl: --save-weights writes the weights of one run; give one --seed");
}

RlSettings rlSettings(const RlOptions& options) {
    RlSettings settings;
    settings.trainer = oneOf("--trainer", options.trainer.value_or(settings.trainer), policyFormats());
    settings.sampler = oneOf("--sampler", options.sampler.value_or(settings.sampler), policyFormats());
    settings.corrects = oneOf("--correct", options.correct.value_or("none"), {"none", "ratio"}) == "ratio";
    settings.samplerAttention = oneOf("--sampler-attention", options.samplerAttention, {"fused", "materialised"});
    settings.updates = options.updates.value_or(settings.updates);
    settings.learningRate = options.learningRate.value_or(settings.learningRate);
    settings.warmUp = options.warmUp.value_or(settings.warmUp);
    return settings;
}

std::optional<std::vector<NamedTensor>> givenWeights(const RlOptions& options, const RlSettings& settings) {
    if (!options.weights) return std::nullopt;
    return loadWeights(*options.weights, parameterShapes(settings.model, shapeOf(settings.policy())));
}

// ---- Output ----

std::string logText(double value) {
    return value == 0 ? "0" : brief(value, "%.2e");
}

std::string percentText(double share) {
    return fixedText(100 * share, 1) + " %";
}

void addMismatch(RlJson& json, const PolicyMismatch& mismatch) {
    json["tokens"] = mismatch.tokens;
    json["non_finite"] = mismatch.nonFinite;
    json["kl"] = jsonNumber(mismatch.kl);
    json["sampled_kl"] = jsonNumber(mismatch.sampledKl);
    json["mean_abs_log_ratio"] = jsonNumber(mismatch.meanAbsLogRatio);
    json["max_abs_log_ratio"] = jsonNumber(mismatch.maxAbsLogRatio);
    json["histogram"] = mismatch.histogram;
}

RlJson binsJson() {
    RlJson bins = RlJson::array();
    for (const RatioBin& bin : ratioBins()) bins.push_back({{"from", jsonNumber(bin.from)}, {"to", jsonNumber(bin.to)}});
    return bins;
}

/// Shares of tokens by |log ratio|: exactly 0, up to 1e-5, 1e-4, 1e-3, 0.01, 0.1, and more.
std::vector<std::string> ratioShares(const PolicyMismatch& mismatch) {
    constexpr std::size_t kMiddle = kRatioBins / 2;
    const auto pair = [&](std::size_t step) { return mismatch.histogram[kMiddle - step] + mismatch.histogram[kMiddle + step]; };
    const std::int64_t counts[] = {mismatch.histogram[kMiddle], pair(1) + pair(2), pair(3), pair(4), pair(5), pair(6), pair(7) + pair(8)};
    std::vector<std::string> shares;
    for (const std::int64_t count : counts)
        shares.push_back(percentText(static_cast<double>(count) / static_cast<double>(mismatch.tokens)));
    return shares;
}

/// KL(sampler || trainer): a row for each trainer, a column for each sampler.
std::string divergenceGrid(const std::vector<MatrixCell>& cells, const std::vector<std::string>& formats) {
    std::vector<std::vector<std::string>> rows{{"trainer \\ sampler"}};
    for (const std::string& format : formats) rows.front().push_back(format);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i % formats.size() == 0) rows.push_back({cells[i].trainer});
        rows.back().push_back(logText(cells[i].mismatch.kl));
    }
    return alignedTable(rows);
}

std::string pairTable(const std::vector<MatrixCell>& cells) {
    std::vector<std::vector<std::string>> rows{
        {"trainer", "sampler", "mean", "largest", "not finite", "=0", "<=1e-5", "<=1e-4", "<=0.001", "<=0.01", "<=0.1", ">0.1"}};
    for (const MatrixCell& cell : cells) {
        const PolicyMismatch& m = cell.mismatch;
        rows.push_back(
            {cell.trainer, cell.sampler, logText(m.meanAbsLogRatio), logText(m.maxAbsLogRatio), percentText(m.nonFiniteShare())});
        for (std::string& share : ratioShares(m)) rows.back().push_back(std::move(share));
    }
    return alignedTable(rows, {0, 1});
}

void printMatrix(std::uint64_t seed, const RlSettings& settings, const std::vector<MatrixCell>& cells,
                 const std::vector<std::string>& formats) {
    std::cout << "Seed " << seed << ": " << groupedText(cells.front().mismatch.tokens) << " tokens, drawn by an fp32 sampler; "
              << settings.samplerAttention << " attention in the sampler, " << settings.model.attention
              << " in the trainer\n\nKL(sampler || trainer)\n\n"
              << divergenceGrid(cells, formats) << "\n|log(pi_trainer / pi_sampler)|, and the share of tokens by its size\n\n"
              << pairTable(cells) << '\n';
}

int matrixCommand(const RlOptions& options, const std::vector<std::uint64_t>& seeds) {
    RlSettings settings = rlSettings(options);
    const std::vector<std::string> formats = splitFormats(options.formats.value_or(kMatrixFormats));
    const std::shared_ptr<Backend> backend = openDevice(options.device);
    const std::optional<std::vector<NamedTensor>> given = givenWeights(options, settings);
    RlJson json{{"mode", "matrix"},
                {"trainer_attention", settings.model.attention},
                {"sampler_attention", settings.samplerAttention},
                {"bins", binsJson()},
                {"seeds", RlJson::array()}};
    for (const std::uint64_t seed : seeds) {
        settings.seed = seed;
        const std::vector<MatrixCell> cells =
            precisionMatrix(settings, formats, given ? *given : trainedInFp32(settings, backend), backend);
        if (!options.json) printMatrix(seed, settings, cells, formats);
        RlJson pairs = RlJson::array();
        for (const MatrixCell& cell : cells) {
            pairs.push_back({{"trainer", cell.trainer}, {"sampler", cell.sampler}});
            addMismatch(pairs.back(), cell.mismatch);
        }
        json["seeds"].push_back({{"seed", seed}, {"pairs", std::move(pairs)}});
    }
    if (options.json) std::cout << json.dump() << '\n';
    return kExitDone;
}

RlJson updateJson(const RlUpdate& update) {
    RlJson json{{"update", update.number}, {"reward", update.reward}};
    addMismatch(json, update.mismatch);
    json["loss_scale"] = jsonNumber(update.lossScale);
    json["grad_norm"] = jsonNumber(update.gradNorm);
    json["skipped"] = update.isSkipped;
    return json;
}

/// About twenty updates, evenly spread, and the last one.
std::string updateTable(const std::vector<RlUpdate>& updates) {
    std::vector<std::vector<std::string>> rows{
        {"update", "reward", "KL", "sampled KL", "mean |log r|", "largest |log r|", "not finite", "loss scale", "skipped"}};
    const std::size_t stride = std::max<std::size_t>(1, updates.size() / 20);
    for (std::size_t i = 0; i < updates.size(); ++i) {
        if (i % stride != 0 && i + 1 != updates.size()) continue;
        const PolicyMismatch& m = updates[i].mismatch;
        rows.push_back({std::to_string(updates[i].number), fixedText(updates[i].reward, 3), logText(m.kl), logText(m.sampledKl),
                        logText(m.meanAbsLogRatio), logText(m.maxAbsLogRatio), percentText(m.nonFiniteShare()), brief(updates[i].lossScale),
                        updates[i].isSkipped ? "yes" : ""});
    }
    return alignedTable(rows);
}

/// Refuses a file without a folder, before anything is trained.
void checkFolderOf(const std::string& path) {
    if (!std::filesystem::is_directory(std::filesystem::absolute(path).parent_path()))
        throw UsageError("rl: --save-weights: the folder of '" + path + "' does not exist");
}

void saveRlWeights(const std::string& path, const std::vector<NamedTensor>& weights) {
    try {
        writeSafetensors(path, weights);
    } catch (const std::runtime_error& error) {
        throw RunError(error.what());
    }
}

int rlTrainCommand(const RlOptions& options, const std::vector<std::uint64_t>& seeds) {
    RlSettings settings = rlSettings(options);
    if (options.saveWeights) checkFolderOf(*options.saveWeights);
    const std::shared_ptr<Backend> backend = openDevice(options.device);
    const std::optional<std::vector<NamedTensor>> given = givenWeights(options, settings);
    RlJson json{{"mode", "train"},
                {"trainer", settings.trainer},
                {"sampler", settings.sampler},
                {"correct", settings.corrects ? "ratio" : "none"},
                {"trainer_attention", settings.model.attention},
                {"sampler_attention", settings.samplerAttention},
                {"bins", binsJson()},
                {"seeds", RlJson::array()}};
    for (const std::uint64_t seed : seeds) {
        settings.seed = seed;
        PolicyGradient training(settings, backend, given ? &*given : nullptr);
        std::vector<RlUpdate> updates;
        RlJson list = RlJson::array();
        for (std::int64_t i = 0; i < settings.updates; ++i) {
            updates.push_back(training.update());
            if (options.json) list.push_back(updateJson(updates.back()));
        }
        json["seeds"].push_back({{"seed", seed}, {"updates", std::move(list)}});
        if (!options.json) {
            std::cout << "Seed " << seed << ": trainer " << settings.trainer << " with " << settings.model.attention
                      << " attention, sampler " << settings.sampler << " with " << settings.samplerAttention << " attention, "
                      << (settings.corrects ? "ratios corrected" : "no correction") << "\n\n"
                      << updateTable(updates) << '\n';
        }
        if (options.saveWeights) saveRlWeights(*options.saveWeights, training.weights());
    }
    if (options.json) std::cout << json.dump() << '\n';
    return kExitDone;
}

/// A format that the device does not support is a mistake of the user's.
int rlCommand(const RlOptions& options) {
    checkRlOptions(options);
    const std::vector<std::uint64_t> seeds = options.seeds.empty() ? std::vector<std::uint64_t>{1} : options.seeds;
    try {
        return options.mode == "matrix" ? matrixCommand(options, seeds) : rlTrainCommand(options, seeds);
    } catch (const InputError&) {
        throw;
    } catch (const std::invalid_argument& error) {
        throw UsageError(std::string("rl: ") + error.what());
    }
}

}  // namespace

void addRl(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("rl", "Measure how the precision of trainer and sampler changes a policy gradient");
    auto o = std::make_shared<RlOptions>();
    command->add_option("MODE", o->mode, "a matrix of all pairs from fixed weights, or the training of one pair: matrix, train")
        ->required();
    command->add_option("--formats", o->formats,
                        std::string("of trainer and sampler, with commas between (default: ") + kMatrixFormats + ")");
    command->add_option("--trainer", o->trainer, "the trainer's format: " + joined(policyFormats()) + " (default: fp32)");
    command->add_option("--sampler", o->sampler, "the sampler's format: " + joined(policyFormats()) + " (default: fp32)");
    command->add_option("--correct", o->correct, "importance weights, at most 2: none, ratio (default: none)");
    command->add_option("--sampler-attention", o->samplerAttention, "the sampler's operation: fused, materialised (the trainer's)")
        ->capture_default_str();
    command->add_option("--updates", o->updates, "updates by reward (default: 300)")->check(wholeNumberFrom(0));
    command->add_option("--warm-up", o->warmUp, "supervised updates in fp32 before them (default: 30)")->check(wholeNumberFrom(0));
    command->add_option("--lr", o->learningRate, "learning rate of the updates by reward (default: 0.002)")->check(numberFromZero());
    command->add_option("--weights", o->weights, "begin with the weights of this file (.safetensors)");
    command->add_option("--save-weights", o->saveWeights, "write the trained weights to this file (.safetensors)");
    command->add_option("--seed", o->seeds, "of weights, prompts and samples; may be given several times")->allow_extra_args(false);
    command->add_option("--device", o->device, "auto, cpu or cuda:0")->capture_default_str();
    command->add_flag("--json", o->json, "one JSON object on standard output");
    command->callback([&work, o] { work = [o] { return rlCommand(*o); }; });
}

}  // namespace mantissa
