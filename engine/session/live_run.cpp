// SPDX-License-Identifier: Apache-2.0
#include "engine/session/live_run.h"

#include <algorithm>
#include <cmath>

#include "engine/experiment/checkpoint.h"
#include "engine/plan/architecture.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

constexpr std::size_t kMostRecords = 256;
constexpr std::chrono::milliseconds kLongestWait(8);  // half a frame of the window: with a whole one, pixels are two frames late
constexpr const char *kScalePointer = "/scaler/scale", *kInputPointer = "/inject/input";

/// The non-finite values as the field names them.
std::string inputText(float value) {
    if (std::isfinite(value)) return shortest(value);
    return std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

bool emulates(const Policy& policy, const Backend& backend) {
    return !backend.isNative(policy.compute) || (policy.hasFp8Products && !backend.isNative(Dtype::E4M3)) ||
           std::any_of(policy.overrides.begin(), policy.overrides.end(), [&](const PrecisionOverride& forced) {
               return std::any_of(forced.dtypes.begin(), forced.dtypes.end(),
                                  [&](const auto& dtype) { return dtype && !backend.isNative(*dtype); });
           });
}

}  // namespace

std::string refusalSentence(const std::exception& error) {
    const auto* input = dynamic_cast<const InputError*>(&error);
    if (input != nullptr && input->source().empty()) return input->sentence();
    return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? "there is not enough memory" : error.what();
}

LiveRun::LiveRun(RunId id, const RunSettings& settings, std::shared_ptr<Backend> backend, std::function<void(Event&&)> sink)
    : m_id(id), m_backend(std::move(backend)), m_sink(std::move(sink)) {
    m_settings = m_ownSettings = settledOn(*m_backend, settings);
    const TrainingSettings& training = m_settings.training;
    m_dataset = loadDataset(training.data);
    if (training.init.weights.empty()) {
        m_trainer = std::make_unique<Trainer>(training, m_dataset, m_backend);
    } else {
        const auto weights = loadWeights(training.init.weights, parameterShapes(training.model, shapeOf(*m_dataset)));
        m_trainer = std::make_unique<Trainer>(training, m_dataset, m_backend, &weights);
    }
}

RunInfo LiveRun::info() const {
    const Policy& policy = m_trainer->policy();
    RunInfo info;
    info.id = m_id;
    info.settings = m_settings;
    info.policy = policy.name;
    info.policyReason = policy.reason;
    const std::string& evaluation = m_settings.training.evalPrecision;
    info.isEmulated = emulates(policy, *m_backend) ||
                      (!evaluation.empty() && emulates(resolvePolicy({.policy = evaluation, .overrides = {}}, *m_backend), *m_backend));
    info.scalerPreset = m_settings.training.scaler.preset;
    info.scalerIsDynamic = m_trainer->scaler().isDynamic();
    info.memory = m_trainer->plan().memory;
    info.layers = layerLines(m_trainer->plan());
    info.modelText = modelText(m_settings.training.model, shapeOf(*m_dataset));
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
                apply(0, pointer, value);
            } catch (const std::exception& error) {  // a live change has made it impossible since the file was read, or memory is short
                m_sink(CommandRefused{0, m_id, pointer, refusalSentence(error)});
            }
        }
    }
}

void LiveRun::step() {
    try {
        applyScheduled();
        const StepRecord record = m_trainer->step();
        m_records.push_back(record);
        if ((record.flags & kFlagValidated) != 0) sampleText(record.step);
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
    if (const auto& reason = m_trainer->scaler().stopReason()) {
        m_hasStopped = true;
        flush();
        m_sink(RunStopped{m_id, nextStep(), *reason});
        return;
    }
    flushIfDue();
}

void LiveRun::sampleText(std::int64_t step) {
    const std::string text = m_trainer->sampleText(m_settings.training.sampleTokens);
    if (text.empty()) return;
    flush();
    m_sink(TextSampled{m_id, step, shownText(text)});
}

void LiveRun::change(std::uint64_t commandId, const std::string& pointer, const Json& value) {
    apply(commandId, pointer, value);
    try {
        m_ownSettings = settledOn(*m_backend, withChange(m_ownSettings, pointer, value));
    } catch (const InputError&) {
        // it rests on what an event has set, and will be made again when that event comes
    }
}

void LiveRun::apply(std::uint64_t commandId, const std::string& pointer, const Json& value) {
    const RunSettings before = m_settings;
    RunSettings next = settledOn(*m_backend, withChange(before, pointer, value));
    flush();
    const auto tell = [&](const std::string& what, const std::string& from, const std::string& to) {
        m_sink(SettingApplied{commandId, m_id, nextStep(), what, settingLabel(what), from, to});
    };
    if (pointer == kScalePointer) {
        const std::string from = scaleText(static_cast<double>(m_trainer->scaler().scale()));
        m_trainer->setLossScale(value.get<double>());
        tell(pointer, from, scaleText(static_cast<double>(m_trainer->scaler().scale())));
    } else if (pointer == kInputPointer) {
        if (!canStep()) throw InputError("", pointer, "the run has no next batch");
        const float to = injectedValue(value), from = m_trainer->injectInput(to);
        tell(pointer, inputText(from), inputText(to));
    } else {
        m_trainer->change(next.training);
        m_settings = std::move(next);
        tell(pointer, settingText(before, pointer), settingText(m_settings, pointer));
        constexpr const char* kPreset = "/scaler/preset";
        const bool scalerFollowed = pointer != kPreset && m_settings.training.scaler.preset != before.training.scaler.preset;
        if (scalerFollowed) tell(kPreset, settingText(before, kPreset), settingText(m_settings, kPreset));
    }
    m_sink(RunChanged{info()});
}

void LiveRun::rename(const std::string& name) {
    flush();
    m_settings.name = name;
    m_ownSettings.name = name;
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
    m_lastFlush = std::chrono::steady_clock::now();
    m_sink(std::move(steps));
}

void LiveRun::flushIfDue() {
    if (m_records.empty()) return;
    if (m_records.size() >= kMostRecords || std::chrono::steady_clock::now() - m_lastFlush >= kLongestWait) flush();
}

}  // namespace mantissa
