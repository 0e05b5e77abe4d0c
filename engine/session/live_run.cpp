// SPDX-License-Identifier: Apache-2.0
#include "engine/session/live_run.h"

#include <algorithm>
#include <cmath>

#include "engine/experiment/fields.h"
#include "engine/experiment/safetensors.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

constexpr std::size_t kMostRecords = 256;
constexpr std::chrono::milliseconds kLongestWait(16);  // a frame of the window
constexpr const char* kScalePointer = "/scaler/scale";

/// "2^18" for powers of two, else the shortest number.
std::string scaleText(double scale) {
    int exponent = 0;
    if (scale > 0 && std::frexp(scale, &exponent) == 0.5) return "2^" + std::to_string(exponent - 1);
    return shortest(scale);
}

/// A setting's value as people read it: FP16, 0.001, off.
std::string shownValue(const std::string& pointer, const Json& value) {
    if (value.is_null()) return "off";
    if (value.is_number_float()) return shortest(value.get<double>());
    if (value.is_object() && value.contains("policy")) return shownValue(pointer, value["policy"]) + " with overrides";
    if (!value.is_string()) return value.dump();
    const auto text = value.get<std::string>();
    const auto dtype = dtypeFromName(text);
    return pointer == "/precision" && dtype ? std::string(facts(*dtype).screenName) : text;
}

Json valueAt(const RunSettings& run, const std::string& pointer) {
    const Json json = runToJson(run);
    const Json::json_pointer at(pointer);
    return json.contains(at) ? json.at(at) : Json(nullptr);
}

bool emulates(const Policy& policy, const Backend& backend) {
    return !backend.isNative(policy.compute) ||
           std::any_of(policy.overrides.begin(), policy.overrides.end(), [&](const auto& o) { return !backend.isNative(o.second); });
}

}  // namespace

LiveRun::LiveRun(RunId id, const RunSettings& settings, std::shared_ptr<Backend> backend, std::function<void(Event&&)> sink)
    : m_id(id), m_settings(settings), m_backend(std::move(backend)), m_sink(std::move(sink)) {
    const TrainingSettings& training = m_settings.training;
    const auto dataset = loadDataset(training.data.name);
    if (training.init.weights.empty()) {
        m_trainer = std::make_unique<Trainer>(training, dataset, m_backend);
    } else {
        const auto weights = loadWeights(training.init.weights, parameterShapes(training.model, dataset->features, dataset->classes));
        m_trainer = std::make_unique<Trainer>(training, dataset, m_backend, &weights);
    }
}

RunInfo LiveRun::info() const {
    const Policy& policy = m_trainer->policy();
    const auto dataset = loadDataset(m_settings.training.data.name);
    RunInfo info;
    info.id = m_id;
    info.settings = m_settings;
    info.policy = policy.name;
    info.policyReason = policy.reason;
    info.isEmulated = emulates(policy, *m_backend);
    info.scalerPreset = m_settings.training.scaler.preset;
    info.scalerIsDynamic = m_trainer->scaler().isDynamic();
    info.memory = m_trainer->plan().memory;
    info.modelText = modelText(m_settings.training.model, dataset->features, dataset->classes);
    return info;
}

void LiveRun::schedule(const std::vector<ScheduledChange>& changes) {
    m_scheduled.clear();
    std::copy_if(changes.begin(), changes.end(), std::back_inserter(m_scheduled),
                 [&](const ScheduledChange& c) { return c.run == m_settings.name; });
    std::stable_sort(m_scheduled.begin(), m_scheduled.end(),
                     [](const ScheduledChange& a, const ScheduledChange& b) { return a.step < b.step; });
}

void LiveRun::applyScheduled() {
    for (const ScheduledChange& scheduled : m_scheduled) {
        if (scheduled.step != nextStep()) continue;
        for (const auto& [pointer, value] : scheduled.set) {
            try {
                change(0, pointer, value);
            } catch (const InputError& error) {  // a live change has made it impossible since the file was read
                m_sink(CommandRefused{0, m_id, pointer, error.sentence()});
            } catch (const std::invalid_argument& error) {
                m_sink(CommandRefused{0, m_id, pointer, error.what()});
            }
        }
    }
}

void LiveRun::step() {
    try {
        applyScheduled();
        const StepRecord record = m_trainer->step();
        if (m_records.empty()) m_oldest = std::chrono::steady_clock::now();
        m_records.push_back(record);
    } catch (const std::exception& error) {
        m_hasStopped = true;
        flush();
        m_sink(RunStopped{m_id, nextStep(), error.what()});
        return;
    }
    if (const auto first = m_trainer->firstNonFinite(); first && !m_hasToldNonFinite) {
        m_hasToldNonFinite = true;
        flush();
        m_sink(NonFiniteFound{m_id, *first});
    }
    flushIfDue();
}

void LiveRun::change(std::uint64_t commandId, const std::string& pointer, const Json& value) {
    RunSettings next = withChange(m_settings, pointer, value);
    SettingApplied applied{
        .commandId = commandId, .run = m_id, .step = nextStep(), .pointer = pointer, .label = "loss scale", .from = "", .to = ""};
    flush();
    if (pointer == kScalePointer) {
        applied.from = scaleText(static_cast<double>(m_trainer->scaler().scale()));
        m_trainer->setLossScale(value.get<double>());
        applied.to = scaleText(static_cast<double>(m_trainer->scaler().scale()));
    } else {
        if (const Field* field = fieldAt(pointer)) applied.label = field->label;
        applied.from = shownValue(pointer, valueAt(m_settings, pointer));
        applied.to = shownValue(pointer, valueAt(next, pointer));
        m_trainer->change(next.training);
        m_settings = std::move(next);
    }
    m_sink(std::move(applied));
    m_sink(RunChanged{info()});
}

void LiveRun::rename(const std::string& name) {
    flush();
    m_settings.name = name;
    for (ScheduledChange& scheduled : m_scheduled) scheduled.run = name;
    m_sink(RunChanged{info()});
}

void LiveRun::flush() {
    if (m_records.empty()) return;
    StepsRecorded steps{
        .run = m_id,
        .records = std::move(m_records),
        .nextScale = static_cast<double>(m_trainer->scaler().scale()),
        .cleanSteps = m_trainer->scaler().cleanSteps(),
        .sentNs = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count()};
    m_records = {};
    m_sink(std::move(steps));
}

void LiveRun::flushIfDue() {
    if (m_records.empty()) return;
    if (m_records.size() >= kMostRecords || std::chrono::steady_clock::now() - m_oldest >= kLongestWait) flush();
}

}  // namespace mantissa
