// SPDX-License-Identifier: Apache-2.0
#include "engine/session/preview.h"

#include <stdexcept>

#include "engine/experiment/checkpoint.h"
#include "engine/experiment/fields.h"
#include "engine/experiment/json_reader.h"
#include "engine/plan/architecture.h"
#include "engine/session/live_run.h"
#include "engine/training/largest_batch.h"

namespace mantissa {
namespace {

/// Time for which loaded data is kept, since successive previews mostly use it again.
constexpr std::chrono::seconds kKeptFor(30);

bool canTake(const std::string& model, const Dataset& dataset) {
    RunSettings run;
    run.training.model.kind = model;
    try {
        return !findMisfit(run, dataset).has_value();
    } catch (const std::invalid_argument&) {  // the images are too small for the model
        return false;
    }
}

std::vector<std::string> modelsFor(const Dataset& dataset) {
    std::vector<std::string> models;
    for (const std::string& kind : modelKinds()) {
        if (canTake(kind, dataset)) models.push_back(kind);
    }
    return models;
}

/// Data of the top-level settings, for a file that cannot be loaded as a whole; null if it cannot be read either.
std::shared_ptr<const Dataset> dataOfDefaults(const std::string& text) {
    try {
        const Json document = readJson(text, "");
        const Json data = document.contains("data") ? document["data"] : Json::object();
        return loadDataset(readSettings({{"name", "run"}, {"data", data}}).training.data);
    } catch (const std::exception&) {
        return nullptr;  // the error reported already covers this
    }
}

bool isInitialisedAs(const TrainingSettings& a, const TrainingSettings& b) {
    return a.init.weights == b.init.weights && a.model == b.model && a.data == b.data;
}

void checkWeights(const TrainingSettings& training, const DataShape& shape) {
    if (training.init.weights.empty()) return;
    atWeights(training.init.weights, [&] { return loadWeights(training.init.weights, parameterShapes(training.model, shape)); });
}

/// Bytes of a data set in the host's memory. A stream of tokens is stored once.
std::int64_t hostBytes(const Dataset& dataset) {
    return dataset.kind == DataKind::Tokens ? residentBytes(dataset) / 2 : residentBytes(dataset);
}

}  // namespace

ExperimentPreviewed previewExperiment(const std::string& text, const Backend& backend, Experiment& planned) {
    ExperimentPreviewed preview;
    std::string at;  // of the run being planned
    try {
        planned = parseExperiment(text, "");
        preview.dataText = dataText(planned);
        preview.models = modelsFor(*planned.data.front());
        if (backend.device().name == "cpu")  // on a GPU the data is not in the runs' memory
            for (const auto& dataset : planned.data) preview.dataBytes += hostBytes(*dataset);
        preview.availableBytes = backend.availableBytes() + preview.dataBytes;  // this data is loaded already
        for (std::size_t i = 0; i < planned.runs.size(); ++i) {
            at = "/runs" + pointerStep(i);
            const TrainingSettings& training = planned.runs[i].training;
            const auto dataset = loadDataset(training.data);
            const DataShape shape = shapeOf(*dataset);
            preview.dataBytes += residentBytes(*dataset);
            const Plan plan = buildPlans(training, shape, backend).training;
            preview.runs.push_back({planned.runs[i].name, plan.policy.name, plan.policy.reason, plan.memory});
            if (i == 0 || !isInitialisedAs(training, planned.runs[i - 1].training)) checkWeights(training, shape);
            if (i > 0) continue;
            preview.modelText = modelText(training.model, shape);
            for (const LayerLine& line : layerLines(plan)) preview.parameters += line.parameters;
        }
    } catch (const std::exception& error) {
        const auto* input = dynamic_cast<const InputError*>(&error);
        preview.pointer = input != nullptr ? input->pointer() : at;
        preview.sentence = refusalSentence(error);
        preview.runs.clear();
        const auto dataset = preview.models.empty() ? dataOfDefaults(text) : nullptr;
        if (dataset != nullptr) {
            preview.models = modelsFor(*dataset);
            preview.dataText = dataText(*dataset);
        }
    }
    return preview;
}

std::int64_t batchForCard(const RunSettings& run, const Dataset& dataset, const Backend& backend, std::int64_t cardBytes,
                          const std::function<bool()>& isStale) {
    const std::int64_t fits = largestBatch(run.training, shapeOf(dataset), backend, cardBytes - residentBytes(dataset), isStale);
    RunSettings asked = run;
    const auto isAccepted = [&](std::int64_t batch) {
        asked.training.data.batchSize = batch;
        return !findMisfit(asked, dataset).has_value();
    };
    if (fits <= 0 || isAccepted(fits)) return fits;
    std::int64_t accepted = 0, refused = fits;
    while (refused - accepted > 1) {
        const std::int64_t middle = accepted + (refused - accepted) / 2;
        (isAccepted(middle) ? accepted : refused) = middle;
    }
    return accepted;
}

bool addLargestBatches(ExperimentPreviewed& preview, const Experiment& planned, std::int64_t cardBytes, const Backend& backend,
                       const std::function<bool()>& isStale) {
    for (std::size_t i = 0; i < preview.runs.size(); ++i) {
        const RunSettings& run = planned.runs[i];
        try {
            preview.runs[i].largestBatch = batchForCard(run, *loadDataset(run.training.data), backend, cardBytes, isStale);
            if (preview.runs[i].largestBatch < 0) return false;
        } catch (const std::exception&) {
            // no plan for some size, or the data is gone: the ledger is valid, the batch unknown
        }
    }
    return true;
}

Previewer::Previewer(std::shared_ptr<Backend> backend, std::function<void(Event&&)> sink)
    : m_backend(std::move(backend)), m_sink(std::move(sink)), m_thread([this](const std::stop_token& stop) { answerAll(stop); }) {}

void Previewer::ask(std::uint64_t commandId, PreviewExperiment question) {
    std::optional<Question> overtaken;
    {
        const std::lock_guard lock(m_mutex);
        overtaken = std::exchange(m_next, Question{commandId, std::move(question)});
    }
    m_wake.notify_one();
    if (overtaken) m_sink(CommandDone{overtaken->commandId, 0});
}

bool Previewer::isAnswering() {
    const std::lock_guard lock(m_mutex);
    return m_isAnswering || m_next.has_value();
}

void Previewer::answerAll(const std::stop_token& stop) {
    Experiment planned;  // the latest; keeps its data loaded
    while (!stop.stop_requested()) {
        std::optional<Question> question;
        {
            std::unique_lock lock(m_mutex);
            if (!m_wake.wait_for(lock, stop, kKeptFor, [&] { return m_next.has_value(); })) planned = {};
            question = std::exchange(m_next, std::nullopt);
            m_isAnswering = question.has_value();
        }
        try {
            if (question) answer(*question, planned, stop);
        } catch (const DeviceError& error) {  // training reports it, too, and ends the engine
            ExperimentPreviewed preview;
            preview.commandId = question->commandId;
            preview.sentence = error.reason;
            m_sink(std::move(preview));
            m_sink(CommandDone{question->commandId, 0});
        }
        const std::lock_guard lock(m_mutex);
        m_isAnswering = false;
    }
}

void Previewer::answer(const Question& question, Experiment& planned, const std::stop_token& stop) {
    ExperimentPreviewed preview = previewExperiment(question.body.text, *m_backend, planned);
    preview.commandId = question.commandId;
    m_sink(ExperimentPreviewed(preview));
    const auto isStale = [&] {
        const std::lock_guard lock(m_mutex);
        return stop.stop_requested() || m_next.has_value();
    };
    if (question.body.cardBytes > 0 && addLargestBatches(preview, planned, question.body.cardBytes, *m_backend, isStale))
        m_sink(std::move(preview));
    m_sink(CommandDone{question.commandId, 0});
}

}  // namespace mantissa
