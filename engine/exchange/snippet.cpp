// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/snippet.h"

#include <algorithm>
#include <fstream>

#include "engine/data/batch_order.h"
#include "engine/data/npy_write.h"
#include "engine/exchange/python_text.h"
#include "engine/exchange/snippet_parts.h"
#include "engine/experiment/checkpoint.h"
#include "engine/experiment/fields.h"
#include "engine/experiment/safetensors.h"
#include "engine/telemetry/joined.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostIndices = std::int64_t{16} << 20;  // 64 MiB: 262,144 batches of 64

void writeFile(const fs::path& path, const std::string& bytes) {
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) throw fs::filesystem_error("cannot be written", path, std::error_code(errno, std::generic_category()));
}

std::string batchesFile(const TrainingSettings& training, const Dataset& data) {
    const std::int64_t batches = programSteps(training) * training.accumulate, each = training.data.batchSize;
    BatchOrder order(training.data, data);
    std::vector<std::int32_t> indices(static_cast<std::size_t>(batches * each));
    for (std::int64_t batch = 0; batch < batches; ++batch) order.indices(batch, indices.data() + batch * each);
    return npyBytes(indices, {batches, each});
}

std::string dataFile(const Dataset& data) {
    if (data.kind == DataKind::Tokens) {
        std::vector<std::int32_t> all = data.tokens.train;
        all.insert(all.end(), data.tokens.validation.begin(), data.tokens.validation.end());
        return npzBytes({{"tokens", npyBytes(all, {static_cast<std::int64_t>(all.size())})}});
    }
    const std::int64_t train = data.trainCount(), validation = data.validationCount();
    const bool hasTargets = data.targets > 0;
    const auto answers = [&](std::int64_t count, const std::vector<std::int32_t>& labels, const std::vector<float>& targets) {
        return hasTargets ? npyBytes(targets, {count, data.targets}) : npyBytes(labels, {count});
    };
    return npzBytes({{"x_train", npyBytes(data.trainInputs, {train, data.features})},
                     {"y_train", answers(train, data.trainLabels, data.trainTargets)},
                     {"x_val", npyBytes(data.validationInputs, {validation, data.features})},
                     {"y_val", answers(validation, data.validationLabels, data.validationTargets)}});
}

std::vector<NamedTensor> initialWeights(const TrainingSettings& training, const DataShape& data) {
    const std::vector<ParameterShape> shapes = parameterShapes(training.model, data);
    if (!training.init.weights.empty()) return loadWeights(training.init.weights, shapes);
    std::vector<NamedTensor> drawn;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        drawn.push_back({shapes[i].name, shapes[i].shape, initialValues(shapes, i, training.init.seed)});
    return drawn;
}

bool isProgram(Framework framework) {
    return framework == Framework::PyTorch || framework == Framework::Keras;
}

}  // namespace

const std::vector<std::string>& frameworkNames() {
    static const std::vector<std::string> kNames{"pytorch", "keras", "huggingface", "accelerate", "deepspeed"};
    return kNames;
}

std::optional<Framework> frameworkFromName(std::string_view name) {
    const std::vector<std::string>& names = frameworkNames();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<Framework>(found - names.begin());
}

std::int64_t programSteps(const TrainingSettings& training) {
    const std::int64_t samples = training.accumulate * training.data.batchSize;
    return std::min(training.steps, std::max<std::int64_t>(kMostIndices / samples, 1));
}

std::vector<std::string> remarksOf(std::span<const std::pair<std::int64_t, std::string>> changes, std::int64_t firstStep) {
    std::vector<std::string> remarks;
    if (firstStep > 0)
        remarks.push_back("the " + std::to_string(firstStep) +
                          " steps of the run that this one was forked from; it trains from step 0 here.");
    const auto textOf = [](const auto& change) { return settingLabel(change.second) + " at step " + std::to_string(change.first); };
    if (!changes.empty())
        remarks.push_back("what was changed while it trained (" + joined(changes, ", ", textOf) +
                          "); the last settings hold from step 0 on here, so losses differ.");
    return remarks;
}

Snippet frameworkSnippet(const RunSettings& run, const DataShape& data, Framework framework, const std::vector<std::string>& remarks) {
    if (!isProgram(framework)) {
        Snippet snippet = framework == Framework::HuggingFace  ? huggingFaceSettings(run)
                          : framework == Framework::Accelerate ? accelerateSettings(run)
                                                               : deepSpeedSettings(run);
        snippet.leftOut.insert(snippet.leftOut.end(), remarks.begin(), remarks.end());
        return snippet;
    }
    std::vector<std::string> all = remarks;
    if (programSteps(run.training) < run.training.steps)
        all.push_back("steps from " + std::to_string(programSteps(run.training)) +
                      " on, whose batches would be a file of more than 64 MiB.");
    return {framework == Framework::PyTorch ? pytorchProgram(run, data, all) : kerasProgram(run, data, all), {}};
}

fs::path snippetFile(const fs::path& folder, const std::string& runName, Framework framework) {
    return runFile(folder, runName,
                   isProgram(framework) ? ".py" : ("." + frameworkNames()[static_cast<std::size_t>(framework)] + ".json").c_str());
}

WrittenSnippet writeSnippet(const RunSettings& run, Framework framework, const fs::path& path, const std::vector<std::string>& remarks) {
    RunSettings placed = run;  // the program may be started in any folder
    if (!run.training.data.path.empty()) placed.training.data.path = fs::absolute(run.training.data.path).string();
    const TrainingSettings& training = placed.training;
    const std::shared_ptr<const Dataset> data = loadDataset(training.data);
    requireFit(placed, *data);  // a recording may come from elsewhere
    const DataShape shape = shapeOf(*data);
    const Snippet snippet = frameworkSnippet(placed, shape, framework, remarks);
    WrittenSnippet written{{path}, snippet.leftOut};
    writeFile(path, snippet.text);
    if (!isProgram(framework)) return written;
    const auto beside = [&](const char* ending) {
        fs::path file = path;
        written.files.push_back(file.replace_extension(ending));
        return written.files.back();
    };
    writeFile(beside(".batches.npy"), batchesFile(training, *data));
    if (!python::readsDataFiles(training.data)) writeFile(beside(".data.npz"), dataFile(*data));
    if (framework == Framework::PyTorch) writeSafetensors(beside(".initial.safetensors"), initialWeights(training, shape));
    return written;
}

}  // namespace mantissa
