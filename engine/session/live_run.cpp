// SPDX-License-Identifier: Apache-2.0
#include "engine/session/live_run.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

#include "engine/diagnosis/tensor_shares.h"
#include "engine/experiment/checkpoint.h"
#include "engine/experiment/error_text.h"
#include "engine/experiment/fields.h"
#include "engine/experiment/run_gauges.h"
#include "engine/plan/architecture.h"
#include "engine/plan/product_rate.h"
#include "engine/telemetry/number_format.h"
#include "kernels/out_of_memory.h"
#include "kernels/peak_rates.h"

namespace mantissa {
namespace {

constexpr std::chrono::milliseconds kBetweenStats(100);  // often enough for the plots; the messages are large
constexpr std::chrono::milliseconds kLongestWait(8);     // half a frame of the window; a whole one delays pixels by two frames
using Clock = std::chrono::steady_clock;

double secondsOf(Clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

void sortByStep(std::vector<ScheduledChange>& changes) {
    std::stable_sort(changes.begin(), changes.end(), [](const ScheduledChange& a, const ScheduledChange& b) { return a.step < b.step; });
}

/// Returns a finite number as shortest text, others as NaN, +Inf, -Inf.
std::string injectedText(float value) {
    if (std::isfinite(value)) return shortest(value);
    return std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

/// `plan`: of this policy; null: not known.
bool emulates(const Policy& policy, const Plan* plan, const Backend& backend) {
    const bool decodes = policy.blocks && (plan == nullptr || decodesBlocks(*plan, backend));
    return !backend.isNative(policy.compute) || decodes || (policy.hasFp8Products && !backend.isNative(Dtype::E4M3)) ||
           std::any_of(policy.overrides.begin(), policy.overrides.end(), [&](const PrecisionOverride& forced) {
               return std::any_of(forced.dtypes.begin(), forced.dtypes.end(),
                                  [&](const auto& dtype) { return dtype && !backend.isNative(*dtype); });
           });
}

}  // namespace

std::int64_t monotonicNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

std::string refusalSentence(const std::exception& error) {
    const auto* input = dynamic_cast<const InputError*>(&error);
    if (input != nullptr && input->source().empty()) return input->sentence();
    const bool isUnnamed = dynamic_cast<const std::bad_alloc*>(&error) != nullptr && dynamic_cast<const OutOfMemory*>(&error) == nullptr;
    return isUnnamed ? "there is not enough memory" : errorText(error);
}

LiveRun::LiveRun(RunId id, const RunSettings& settings, std::shared_ptr<Backend> backend, Sink sink)
    : m_id(id), m_backend(std::move(backend)), m_sink(std::move(sink)) {
    m_settings = m_ownSettings = resolvedOn(*m_backend, settings);
    m_dataset = loadDataset(m_settings.training.data);
    makeTrainer();
    // initial weights from a seed can be repeated; a file may change
    const bool isFromFile = !m_settings.training.init.weights.empty();
    m_history = std::make_unique<History>(pointHere(isFromFile ? takeSnapshot() : nullptr), kSnapshotBudget);
}

LiveRun::LiveRun(RunId id, const LiveRun& parent, std::int64_t step, const std::string& name)
    : m_id(id),
      m_parent(parent.m_id),
      m_firstStep(step),
      m_backend(parent.m_backend),
      m_dataset(parent.m_dataset),
      m_sink(parent.m_sink),
      m_pastSteps(parent.m_pastSteps),
      m_target(step),
      m_examining(parent.m_examining),
      m_instrumentation(parent.m_instrumentation) {
    m_settings.name = name;
    const RunPoint& point = parent.m_history->nearest(step);
    m_history = std::make_unique<History>(point, kSnapshotBudget);
    for (const AppliedChange& change : parent.m_history->changes()) {
        if (change.step < step) {
            m_history->note(change);
        } else {
            m_scheduled.push_back({change.step, name, {{change.pointer, change.value}}});
        }
    }
    for (const ScheduledChange& scheduled : parent.m_scheduled) m_scheduled.push_back({scheduled.step, name, scheduled.set});
    sortByStep(m_scheduled);
    returnTo(point);
}

LiveRun::LiveRun(const LiveRun& run)
    : m_id(run.m_id),
      m_parent(run.m_parent),
      m_firstStep(run.m_firstStep),
      m_settings(run.m_settings),
      m_ownSettings(run.m_ownSettings),
      m_backend(run.m_backend),
      m_dataset(run.m_dataset),
      m_sink([](Event&&) {}),
      m_history(std::make_unique<History>(*run.m_history)),
      m_pastSteps(run.m_pastSteps),
      m_target(run.nextStep()),
      m_whatIfEnd(run.m_whatIfEnd),
      m_scheduled(run.m_scheduled),
      m_examining(run.m_examining),
      m_instrumentation(run.m_instrumentation),
      m_hasStopped(run.m_hasStopped) {}

std::unique_ptr<LiveRun> LiveRun::past() const {
    return std::unique_ptr<LiveRun>(new LiveRun(*this));
}

std::unique_ptr<LiveRun> LiveRun::fork(RunId id, const LiveRun& parent, std::int64_t step, const std::string& name,
                                       const std::vector<SettingChange>& changes) {
    parent.checkStep(step);
    std::unique_ptr<LiveRun> run(new LiveRun(id, parent, step, name));
    for (const SettingChange& change : changes) {  // a change given for this fork replaces the parent's scheduled ones
        for (ScheduledChange& scheduled : run->m_scheduled) {
            if (scheduled.step >= step) std::erase_if(scheduled.set, [&](const auto& each) { return each.first == change.pointer; });
        }
    }
    std::erase_if(run->m_scheduled, [](const ScheduledChange& scheduled) { return scheduled.set.empty(); });
    return run;
}

void LiveRun::requireData(const std::string& sum) const {
    if (!sum.empty() && sum != m_dataset->sum)
        throw std::runtime_error("the data in '" + m_settings.training.data.path + "' have changed since they were recorded");
}

void LiveRun::makeTrainer() {
    requireFit(m_settings, *m_dataset);  // again, since a recording may come from elsewhere
    const TrainingSettings& training = m_settings.training;
    if (training.init.weights.empty()) {
        m_trainer = std::make_unique<Trainer>(training, m_dataset, m_backend);
    } else {
        const auto weights = loadWeights(training.init.weights, parameterShapes(training.model, shapeOf(*m_dataset)));
        m_trainer = std::make_unique<Trainer>(training, m_dataset, m_backend, &weights);
    }
    preferInstrumentation(m_instrumentation);
}

void LiveRun::preferInstrumentation(Instrumentation level) {
    m_instrumentation = level;
    try {
        m_trainer->setInstrumentation(m_instrumentation);
    } catch (const std::invalid_argument&) {
    } catch (const std::bad_alloc&) {
    }
}

void LiveRun::setInstrumentation(Instrumentation level) {
    m_trainer->setInstrumentation(level);
    m_instrumentation = level;
    m_publishedStats = -1;
    m_publishedGauges.clear();
}

void LiveRun::publishStats(Clock::duration least) {
    const std::int64_t step = m_trainer->statsStep();
    if (step < 0 || step == m_publishedStats || isLagging() || Clock::now() - m_lastStats < least) return;
    flush();
    m_publishedStats = step;
    m_lastStats = Clock::now();
    const StepStats stats = *m_trainer->stats();
    std::vector<Gauge> gauges = statsGauges(m_settings, stats);
    publish(TensorsMeasured{m_id, stats, m_statisticsCost.ratio(m_trainer->instrumentation()).value_or(0)});
    const auto isAsReported = [](const Gauge& a, const Gauge& b) { return a.kind == b.kind && a.severity == b.severity; };
    publish(ValuesMeasured{m_id, step, tensorShares(stats)});
    if (!std::equal(gauges.begin(), gauges.end(), m_publishedGauges.begin(), m_publishedGauges.end(), isAsReported))
        publishGauges(step, std::move(gauges));
}

void LiveRun::publishGauges(std::int64_t step, std::vector<Gauge> gauges) {
    m_publishedGauges = gauges;
    publish(GaugesRead{m_id, step, std::move(gauges)});
}

void LiveRun::publish(Event&& event) const {
    if (!isLagging()) m_sink(std::move(event));
}

RunInfo LiveRun::info() const {
    const Policy& policy = m_trainer->policy();
    RunInfo info;
    info.id = m_id;
    info.kind = isWhatIf() ? RunKind::WhatIf : RunKind::Live;
    info.parent = m_parent;
    info.firstStep = m_firstStep;
    info.settings = m_settings;
    info.policy = policy.name;
    info.policyReason = policy.reason;
    const std::string& evaluation = m_settings.training.evalPrecision;
    info.isEmulated =
        emulates(policy, &m_trainer->plan(), *m_backend) ||
        (!evaluation.empty() && emulates(resolvePolicy({.policy = evaluation, .overrides = {}}, *m_backend), nullptr, *m_backend));
    info.scalerPreset = m_settings.training.scaler.preset;
    info.scalerIsDynamic = m_trainer->scaler().isDynamic();
    info.memory = m_trainer->plan().memory;
    info.allocatedBytes = m_trainer->allocatedBytes();
    info.deviceUsedBytes = usedDeviceBytes(m_backend->device().busId).value_or(-1);
    info.products = products();
    info.layers = layerLines(m_trainer->plan());
    info.modelText = modelText(m_settings.training.model, shapeOf(*m_dataset));
    return info;
}

ProductRates LiveRun::products() const {
    const ProductWork work = productWork(m_trainer->plan());
    return {.format = std::string(isFp8(work.compute) ? "fp8" : facts(work.compute).name),
            .flopsPerSample = work.flops / static_cast<double>(m_settings.training.data.batchSize),
            .tokensPerSample = m_dataset->kind == DataKind::Tokens ? m_dataset->tokens.context : 0,
            .peak = peakTflops(m_backend->device().description, work.compute),
            .measuredPeak = knownPeak(*m_backend, work.compute).value_or(0)};
}

bool LiveRun::measurePeak() const {
    const Dtype compute = productWork(m_trainer->plan()).compute;
    if (m_trainer->nextStep() == m_firstStep || knownPeak(*m_backend, compute)) return false;
    mantissa::measurePeak(*m_backend, compute);
    return true;
}

void LiveRun::schedule(const std::vector<ScheduledChange>& changes) {
    m_scheduled.clear();
    std::copy_if(changes.begin(), changes.end(), std::back_inserter(m_scheduled),
                 [&](const ScheduledChange& c) { return c.run == m_settings.name; });
    sortByStep(m_scheduled);
}

void LiveRun::applyScheduled() {
    const std::int64_t step = m_trainer->nextStep();
    for (const ScheduledChange& scheduled : m_scheduled) {
        if (scheduled.step != step) continue;
        for (const auto& [pointer, value] : scheduled.set) {
            try {
                apply(0, pointer, value);
            } catch (const std::exception& error) {  // a live change made the event invalid, or memory is short
                publish(CommandRefused{0, m_id, pointer, refusalSentence(error)});
            }
        }
    }
}

void LiveRun::stop(const std::string& reason) {
    m_hasStopped = true;
    flush();
    publish(RunStopped{m_id, m_trainer->nextStep(), reason});
}

void LiveRun::trainSteps(std::int64_t most, const GoesOn& goesOn, const std::function<void(const StepRecord&)>& take) {
    applyScheduled();
    for (const ScheduledChange& change : m_scheduled) {
        if (change.step > m_trainer->nextStep()) most = std::min(most, change.step - m_trainer->nextStep());
    }
    // `steps` ends at a non-finite step, and the next one runs alone. So this is evaluated before each step of a row.
    const bool isWanted = m_examining == Examining::ForAList || m_stepsToExamine.wantsNext(m_examining == Examining::AtLeisure);
    m_trainer->keepNonFiniteSteps(!isLagging() && m_examining != Examining::Never && isWanted);
    // Commands wait for pending device steps.
    const auto inTime = static_cast<double>(std::chrono::milliseconds(kLongestWait).count()) / std::max(m_stepMs, 1e-3);
    const auto start = Clock::now();
    m_trainer->steps(most, static_cast<std::int64_t>(std::min(inTime, 1e6)), [&](const StepRecord& record) {
        take(record);
        return !goesOn || goesOn();
    });
    const auto trained = Clock::now();
    m_history->addTrainedSeconds(secondsOf(trained - start));
    if (m_history->wants(m_trainer->snapshotBytes())) {
        RunPoint point = pointHere(takeSnapshot());
        m_history->keep(std::move(point), secondsOf(Clock::now() - trained));
    }
}

void LiveRun::takeIn(const StepRecord& record) {
    m_stepMs = record.stepMs;
    m_pastSteps.add({record.loss, record.gradNorm});
    m_statisticsCost.add(m_trainer->instrumentation(), m_trainer->statsStep() == record.step, record.stepMs);
    constexpr std::uint32_t kKind = kFlagSkipped | kFlagFoundInf | kFlagLossNonFinite | kFlagGradNormNonFinite;
    m_stepsToExamine.add(isNonFiniteStep(record), record.stepMs * 1e-3, record.flags & kKind);
    doubt(record);
    m_records.push_back(record);
    flushIfDue();
}

void LiveRun::step(std::int64_t most, const GoesOn& goesOn) {
    std::optional<std::string> stopReason;
    try {
        StepRecord last;
        const double before = m_clock != nullptr ? m_clock->seconds() - m_trainer->trainedSeconds() : 0;
        trainSteps(std::min(most, lastStep() - nextStep()), goesOn, [&](const StepRecord& record) {
            last = record;
            last.wallSeconds += before;
            takeIn(last);
        });
        stopReason = m_trainer->scaler().stopReason();  // read before an examination, which restores a snapshot and loses it
        if ((last.flags & kFlagValidated) != 0) sampleText(last.step);
        examineNonFiniteStep();
    } catch (const OutOfMemory& error) {
        return stop(std::string(error.what()) + "; the run has " + memoryText(m_trainer->allocatedBytes()));
    } catch (const std::bad_alloc&) {  // host memory
        return stop("no memory for what the step needs beside its plan, which has " + memoryText(m_trainer->allocatedBytes()) + ": " +
                    memoryText(m_backend->availableBytes()) + " are free");
    } catch (const std::exception& error) {
        return stop(refusalSentence(error));
    }
    if (const auto first = m_trainer->firstNonFinite(); first && !m_hasToldNonFinite) {
        m_hasToldNonFinite = true;
        flush();
        publish(NonFiniteFound{m_id, *first});
    }
    if (stopReason) return stop(*stopReason);
    publishStats(kBetweenStats);
}

void LiveRun::sampleText(std::int64_t step) {
    const std::string text = m_trainer->sampleText(m_settings.training.sampleTokens);
    if (text.empty()) return;
    flush();
    publish(TextSampled{m_id, step, shownText(text)});
}

void LiveRun::change(std::uint64_t commandId, const std::string& pointer, const Json& value) {
    applyForGood(commandId, pointer, value);
    m_history->note({m_trainer->nextStep(), pointer, value});
}

void LiveRun::applyForGood(std::uint64_t commandId, const std::string& pointer, const Json& value) {
    apply(commandId, pointer, value);
    try {
        m_ownSettings = resolvedOn(*m_backend, withChange(m_ownSettings, pointer, value));
    } catch (const InputError&) {
        // valid only after an event's change; repeated when that event is applied
    }
}

void LiveRun::apply(std::uint64_t commandId, const std::string& pointer, const Json& value) {
    const RunSettings before = m_settings;
    RunSettings next = resolvedOn(*m_backend, withChange(before, pointer, value));
    flush();
    const auto publishApplied = [&](const std::string& what, const std::string& from, const std::string& to) {
        publish(SettingApplied{commandId, m_id, m_trainer->nextStep(), what, settingLabel(what), from, to});
    };
    if (pointer == kScalePointer) {
        const std::string from = scaleText(static_cast<double>(m_trainer->scaler().scale()));
        m_trainer->setLossScale(value.get<double>());
        publishApplied(pointer, from, scaleText(static_cast<double>(m_trainer->scaler().scale())));
    } else if (pointer == kResetStatisticsPointer) {
        m_trainer->resetStatistics();
        publishApplied(pointer, "", "reset");
    } else if (pointer == kResetScalerPointer) {
        m_trainer->change(next.training);
        m_settings = std::move(next);
        m_trainer->setLossScale(resolvedScaler(m_settings.training.scaler).firstScale());
        publishApplied(pointer, "", "reset");
    } else if (isInjection(pointer)) {
        const auto [from, to] = inject(pointer, value);
        publishApplied(pointer, from, to);
    } else {
        m_trainer->change(next.training);
        m_statisticsCost = {};  // measured with the former settings
        m_settings = std::move(next);
        publishApplied(pointer, settingText(before, pointer), settingText(m_settings, pointer));
        constexpr const char* kPreset = "/scaler/preset";
        const bool scalerFollowed = pointer != kPreset && m_settings.training.scaler.preset != before.training.scaler.preset;
        if (scalerFollowed) publishApplied(kPreset, settingText(before, kPreset), settingText(m_settings, kPreset));
    }
    publish(RunChanged{info()});
}

std::pair<std::string, std::string> LiveRun::inject(const std::string& pointer, const Json& value) {
    if (m_trainer->nextStep() >= lastStep()) throw InputError("", pointer, "the run has no next batch");
    if (pointer == kInjectTensorPointer) {
        const TensorInjection injection = injectedTensor(value);
        m_trainer->injectTensor(injection);
        return {injection.tensor + (injection.element ? "[" + std::to_string(*injection.element) + "]" : ""),
                injectedText(injection.value)};
    }
    const float to = injectedValue(value, pointer);
    const float from = pointer == kInjectLabelPointer ? m_trainer->injectLabel(to) : m_trainer->injectInput(to);
    return {injectedText(from), injectedText(to)};
}

void LiveRun::rename(const std::string& name) {
    flush();
    m_settings.name = name;
    m_ownSettings.name = name;
    for (ScheduledChange& scheduled : m_scheduled) scheduled.run = name;
    publish(RunChanged{info()});
}

void LiveRun::flush() {
    if (m_records.empty()) return;
    StepsRecorded steps{.run = m_id,
                        .records = std::move(m_records),
                        .nextScale = static_cast<double>(m_trainer->scaler().scale()),
                        .cleanSteps = m_trainer->scaler().cleanSteps(),
                        .sentNs = monotonicNs(),
                        .allocatedBytes = m_trainer->allocatedBytes(),
                        .deviceUsedBytes = m_usedBytes.recent().value_or(-1)};
    m_records = {};
    m_lastFlush = Clock::now();
    m_sink(std::move(steps));
}

void LiveRun::flushIfDue() {
    if (m_records.empty()) return;
    if (m_records.size() >= kMostLiveRecords || Clock::now() - m_lastFlush >= kLongestWait) flush();
}

}  // namespace mantissa
