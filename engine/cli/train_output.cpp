// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/train_output.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/cli/commands.h"
#include "engine/experiment/error_text.h"
#include "engine/experiment/safetensors.h"
#include "engine/telemetry/csv.h"
#include "engine/telemetry/thin_records.h"

namespace mantissa {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kMostRecords = 1 << 17;  // of a run: 15 MiB
constexpr std::int64_t kStretches = 1 << 12;   // of fewer than 20 records each

const char* severityName(Severity severity) {
    switch (severity) {
        case Severity::Good:
            return "good";
        case Severity::Note:
            return "note";
        case Severity::Bad:
            return "bad";
    }
    return "";
}

}  // namespace

nlohmann::ordered_json firstNonFiniteJson(const FirstNonFinite& first) {
    return {{"step", first.step},   {"layer", first.layer},   {"operation", first.operation},
            {"phase", first.phase}, {"tensor", first.tensor}, {"class", first.cls}};
}

nlohmann::ordered_json gaugesJson(const std::vector<Gauge>& gauges) {
    OrderedJson json = OrderedJson::array();
    for (const Gauge& gauge : gauges)
        json.push_back({{"name", gaugeName(gauge.kind)},
                        {"severity", severityName(gauge.severity)},
                        {"value", jsonNumber(gauge.value)},
                        {"sentence", gauge.sentence.english()}});
    return json;
}

std::string gaugesText(const std::vector<Gauge>& gauges, const std::string& before) {
    std::string text;
    for (const Gauge& gauge : gauges) {
        if (gauge.severity != Severity::Good) text += before + std::string(gaugeTitle(gauge.kind)) + ": " + gauge.sentence.english() + "\n";
    }
    return text;
}

void makeFolder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw UsageError(folder.string() + ": the folder cannot be made: " + error.message());
}

TrainOutput::TrainOutput(const Experiment& experiment, DeviceInfo device, const std::filesystem::path& csvFolder,
                         const std::filesystem::path& reportFolder)
    : m_experiment(experiment), m_device(std::move(device)), m_reportFolder(reportFolder) {
    for (const auto& folder : {csvFolder, reportFolder}) {
        if (folder.empty()) continue;
        makeFolder(folder);
        std::error_code error;  // no error: both folders exist
        if (m_csvFolders.empty() || !std::filesystem::equivalent(m_csvFolders.front(), folder, error)) m_csvFolders.push_back(folder);
    }
}

void TrainOutput::addRun(const RunInfo& info) {
    RunOutput& run = m_runs[info.id];
    run.info = info;
    for (const auto& folder : m_csvFolders) run.csv.emplace_back(runFile(folder, info.settings.name, ".csv"));
    toEachCsv(run, [](std::ofstream& csv) { csv << kCsvHeader << '\n'; });
}

void TrainOutput::toEachCsv(RunOutput& run, const std::function<void(std::ofstream&)>& write) const {
    for (std::size_t i = 0; i < run.csv.size(); ++i) {
        write(run.csv[i]);
        if (!run.csv[i]) throw RunError(runFile(m_csvFolders[i], run.info.settings.name, ".csv").string() + ": cannot be written");
    }
}

void TrainOutput::add(const StepsRecorded& steps) {
    RunOutput& run = runOf(steps.run);
    run.records.insert(run.records.end(), steps.records.begin(), steps.records.end());
    for (const StepRecord& record : steps.records) run.tally.add(record);
    if (run.records.size() > kMostRecords) thinRecords(run.records, kStretches);
    run.nextScale = steps.nextScale;
    run.cleanSteps = steps.cleanSteps;
    run.info.allocatedBytes = steps.allocatedBytes;
    if (steps.deviceUsedBytes >= 0) run.info.deviceUsedBytes = steps.deviceUsedBytes;
    toEachCsv(run, [&](std::ofstream& csv) {
        for (const StepRecord& record : steps.records) writeCsvRow(csv, record);
        csv.flush();  // readers see rows at once, and a kill loses none
    });
}

void TrainOutput::finish(double wallSeconds) {
    m_wallSeconds = wallSeconds;
    for (auto& [id, run] : m_runs) toEachCsv(run, [](std::ofstream& csv) { csv.close(); });
}

void TrainOutput::saveWeights(const Session& session, const std::filesystem::path& folder) const {
    makeFolder(folder);
    for (const auto& [id, run] : m_runs) {
        if (const Trainer* trainer = session.trainer(id))
            writeSafetensors(runFile(folder, run.info.settings.name, ".safetensors"), trainer->weights());
    }
}

std::string TrainOutput::json() const {
    OrderedJson runs = OrderedJson::array();
    for (const auto& [id, run] : m_runs) {
        const std::vector<StepRecord>& records = run.records;
        const std::optional<StepRecord>& validated = run.tally.validated();
        const MemoryLedger& m = run.info.memory;
        const Health health = healthOf(run, run.tally);
        OrderedJson entry{{"name", run.info.settings.name}, {"precision", run.info.policy}, {"steps", run.tally.steps()}};
        const std::string detail = precisionDetail(run.info.settings.training.precision);
        if (!detail.empty()) entry["precision_detail"] = detail;
        if (!run.info.policyReason.empty()) entry["precision_reason"] = run.info.policyReason;
        entry["emulated"] = run.info.isEmulated;
        entry["skipped_steps"] = records.empty() ? 0 : records.back().skippedTotal;
        entry["final_loss"] = records.empty() ? OrderedJson(nullptr) : jsonNumber(records.back().loss);
        entry["val_loss"] = validated ? jsonNumber(validated->validationLoss) : OrderedJson(nullptr);
        const bool hasAccuracy = validated && validated->hasAccuracy();
        entry["val_accuracy"] = hasAccuracy ? jsonNumber(validated->validationAccuracy) : OrderedJson(nullptr);
        entry["loss_scale"] = jsonNumber(records.empty() ? run.nextScale : records.back().lossScale);
        entry["samples_per_second"] = jsonNumber(run.tally.meanThroughput());
        const ProductRates& products = run.info.products;
        const double samplesPerSecond = run.tally.meanThroughput();
        const auto known = [](double rate) { return rate > 0 ? OrderedJson(rate) : OrderedJson(nullptr); };
        if (products.tokensPerSample > 0)
            entry["tokens_per_second"] = jsonNumber(static_cast<double>(products.tokensPerSample) * samplesPerSecond);
        entry["products"] = {{"format", products.format},
                             {"tflops", jsonNumber(products.tflops(samplesPerSecond))},
                             {"peak_tflops", known(products.peak)},
                             {"ceiling_tflops", known(products.measuredPeak)}};
        entry["allocated_bytes"] = run.info.allocatedBytes;
        entry["device_used_bytes"] = run.info.deviceUsedBytes >= 0 ? OrderedJson(run.info.deviceUsedBytes) : OrderedJson(nullptr);
        entry["peak_memory_bytes"] = m.total();
        entry["memory"] = {{"weights", m.weights},     {"master_weights", m.masterWeights}, {"gradients", m.gradients},
                           {"optimizer", m.optimizer}, {"activations", m.activations},      {"workspace", m.workspace},
                           {"scratch", m.scratch}};
        entry["first_nonfinite"] = run.nonFinite.empty() ? OrderedJson(nullptr) : firstNonFiniteJson(run.nonFinite.front());
        entry["gauges"] = gaugesJson(gaugesOf(run));
        entry["verdicts"] = {{"health", {{"title", health.title.english()}, {"sentence", health.sentence.english()}}}};
        if (run.sample) entry["text_sample"] = {{"step", run.sample->step}, {"text", run.sample->text}};
        if (!run.stopReason.empty()) entry["stopped"] = run.stopReason;
        runs.push_back(std::move(entry));
    }
    const OrderedJson device{{"name", m_device.name}, {"description", m_device.description}, {"threads", m_device.threads}};
    return OrderedJson{{"device", device}, {"wall_seconds", m_wallSeconds}, {"runs", std::move(runs)}}.dump();
}

std::string TrainOutput::table() const {
    std::vector<std::vector<std::string>> rows{
        {"run", "precision", "steps", "skipped", "loss", "val loss", "val acc", "scale", "samples/s", "memory kB"}};
    std::string notes;
    bool isAnyEmulated = false;
    for (const auto& [id, run] : m_runs) {
        const std::string& name = run.info.settings.name;
        if (run.records.empty()) {
            rows.push_back({name, run.info.policy, "0"});
            continue;
        }
        const StepRecord& last = run.records.back();
        const std::optional<StepRecord>& validated = run.tally.validated();
        isAnyEmulated = isAnyEmulated || run.info.isEmulated;
        rows.push_back({name, run.info.policy + (run.info.isEmulated ? "*" : ""), std::to_string(run.tally.steps()),
                        std::to_string(last.skippedTotal), brief(last.loss), validated ? brief(validated->validationLoss) : "-",
                        validated && validated->hasAccuracy() ? brief(100 * validated->validationAccuracy, "%.1f") + "%" : "-",
                        run.info.scalerPreset == "none" ? "-" : brief(last.lossScale), brief(run.tally.meanThroughput(), "%.0f"),
                        brief(static_cast<double>(run.info.memory.withoutScratch()) / 1000, "%.0f")});
        const Health health = healthOf(run, run.tally);
        const std::string detail = precisionDetail(run.info.settings.training.precision);
        notes += name + (detail.empty() ? "" : " (" + detail + ")") + ": " + health.sentence.english();
        if (!run.nonFinite.empty() && health.severity != Severity::Bad) {
            const FirstNonFinite& first = run.nonFinite.front();
            notes += " First non-finite: step " + std::to_string(first.step) + ", " + first.layer + ", " + first.operation + ", " +
                     first.cls + ".";
        }
        if (const std::string speed = speedText(run.info.products, run.tally.meanThroughput()); !speed.empty()) notes += " " + speed + ".";
        notes +=
            " Memory: " + memoryFiguresText(run.info.memory, run.info.isEmulated, run.info.allocatedBytes, run.info.deviceUsedBytes) + ".";
        notes += '\n';
    }
    for (const auto& [id, run] : m_runs) {
        if (!run.sample) continue;
        notes +=
            "\n" + run.info.settings.name + " writes, after step " + std::to_string(run.sample->step) + ":\n" + run.sample->text + "\n";
    }
    std::string silent;
    for (const auto& [id, run] : m_runs) silent += gaugesText(gaugesOf(run), "  " + run.info.settings.name + ", ");
    if (!silent.empty()) notes += "\nGauges that are not good\n" + silent;
    std::string text = alignedTable(rows) + '\n' + notes;
    if (isAnyEmulated) text += "* emulated: the numbers are the format's, the speed is not that of hardware with the format\n";
    return text;
}

std::string TrainOutput::silentMatterText(RunId id) const {
    const RunOutput& run = m_runs.at(id);
    const Health health = healthOf(run, run.tally);
    return health.verdict == Verdict::SilentFailure ? run.info.settings.name + ": " + health.sentence.english() : "";
}

std::string TrainOutput::stopReasons() const {
    std::string reasons;
    for (const auto& [id, run] : m_runs) {
        if (!run.stopReason.empty()) reasons += (reasons.empty() ? "" : "; ") + run.info.settings.name + ": " + run.stopReason;
    }
    return reasons;
}

void TrainOutput::writeReport() const {
    ReportInput input;
    input.title = m_experiment.title.empty() ? m_experiment.name : m_experiment.title;
    input.description = m_experiment.description;
    input.data = dataText(m_experiment);
    input.experimentJson = writeExperiment(m_experiment);
    input.version = MANTISSA_VERSION;
    input.machine = m_device.description;
    input.wallSeconds = m_wallSeconds;
    input.hasCsvFiles = true;
    for (const auto& [id, run] : m_runs) input.runs.push_back(reportRun(run, run.tally));
    try {
        mantissa::writeReport(input, m_reportFolder);
    } catch (const std::filesystem::filesystem_error& error) {
        throw RunError(errorText(error));
    }
}

}  // namespace mantissa
