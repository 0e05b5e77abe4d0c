// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/measurements.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "engine/precision/policy.h"
#include "gui/plots/ranges.h"

namespace mantissa::gui {
namespace {

/// Layers that have tensors of a group, the output's first.
std::vector<std::string> layersOf(const StepStats& stats, StripGroup group) {
    std::vector<std::string> layers;
    std::unordered_set<std::string_view> known;
    for (const TensorStats& tensor : stats.tensors)
        if (isOf(group, tensor) && known.insert(tensor.layer).second) layers.push_back(tensor.layer);
    if (group != StripGroup::Gradients) std::reverse(layers.begin(), layers.end());  // these are ordered from the input
    return layers;
}

using Layers = std::array<std::vector<std::string>, kStripGroups>;
bool arePartOf(const Layers& some, const Layers& all) {
    for (std::size_t g = 0; g < kStripGroups; ++g)
        for (const std::string& layer : some[g])
            if (std::find(all[g].begin(), all[g].end(), layer) == all[g].end()) return false;
    return true;
}

StripCell cellOf(const std::vector<const TensorStats*>& tensors, StripGroup group, Dtype format) {
    double room = INFINITY;
    StoredCounts stored;
    std::int64_t elements = 0, nonFinite = 0, meant = 0, unchanged = 0;
    for (const TensorStats* tensor : tensors) {
        if (!isOf(group, *tensor)) continue;
        const StoredCounts each = storedIn(format, tensor->magnitudes);
        stored.flushed += each.flushed;
        stored.subnormal += each.subnormal;
        stored.normal += each.normal;
        stored.overflowed += each.overflowed;
        elements += tensor->classes.count();
        nonFinite += tensor->classes.nonFinite();
        meant += tensor->meant;
        unchanged += tensor->lost;
        room = std::min(room, headroom(format, tensor->largest()));
    }
    const auto nothing = static_cast<float>(kNaN);
    if (elements == 0) return {nothing, nothing, nothing, nothing, nothing};
    const double lost = group != StripGroup::Updates ? stored.share(stored.flushed)
                        : meant == 0                 ? 0
                                                     : static_cast<double>(unchanged) / static_cast<double>(meant);
    return {std::isfinite(room) ? static_cast<float>(room) : nothing, static_cast<float>(lost),
            static_cast<float>(stored.share(stored.subnormal)), static_cast<float>(stored.share(stored.overflowed)),
            static_cast<float>(static_cast<double>(nonFinite) / static_cast<double>(elements))};
}

void takeAsked(const StepStats& stats, RunMeasurements& known) {
    std::erase_if(known.asked, [&](const StepStats& each) { return each.step == stats.step; });
    if (known.asked.size() == Measurements::kMostAsked) known.asked.erase(known.asked.begin());
    known.asked.push_back(stats);
}

/// The first ones stay: a training that collapses sends many at its end.
void keepEarlier(StepStats&& stats, RunMeasurements& known) {
    known.earlier.push_back(std::move(stats));
    std::size_t tensors = 0;
    for (const StepStats& each : known.earlier) tensors += each.tensors.size();
    while (tensors > Measurements::kMostEarlierTensors && known.earlier.size() > 2) {
        const auto dropped = known.earlier.begin() + static_cast<std::ptrdiff_t>(known.earlier.size() / 2);
        tensors -= dropped->tensors.size();
        known.earlier.erase(dropped);
    }
}

}  // namespace

Dtype windowFormat(const std::string& policy) {
    const auto dtype = dtypeFromName(policy);
    if (dtype && (*dtype == Dtype::F16 || *dtype == Dtype::BF16 || isFp8(*dtype))) return *dtype;
    if (policy.find("bf16") != std::string::npos || isBlockPolicy(policy)) return Dtype::BF16;
    if (policy.find("fp8") != std::string::npos) return Dtype::E4M3;
    return Dtype::F16;
}

bool isOf(StripGroup group, const TensorStats& tensor) {
    return isOf(group, tensor.role) && !(group == StripGroup::Forward && tensor.phase == "backward");
}

bool isOf(StripGroup group, TensorRole role) {
    switch (group) {
        case StripGroup::Forward:
            return role == TensorRole::Value;
        case StripGroup::Gradients:
            return isGradient(role);
        default:
            return role == TensorRole::Update;
    }
}

StripCell stripCell(const StepStats& stats, const std::string& layer, StripGroup group, Dtype format) {
    std::vector<const TensorStats*> tensors;
    for (const TensorStats& tensor : stats.tensors)
        if (tensor.layer == layer) tensors.push_back(&tensor);
    return cellOf(tensors, group, format);
}

Measurements::Measurements(const SessionModel* session, QObject* parent) : QObject(parent), m_session(session) {
    connect(session, &SessionModel::tensorsMeasured, this, &Measurements::take);
    const auto forget = [this] { m_runs.clear(); };
    connect(session, &SessionModel::experimentLoaded, this, forget);
    connect(session, &SessionModel::seriesReset, this, forget);
    connect(session, &SessionModel::runsChanged, this,
            [this] { std::erase_if(m_runs, [this](const auto& entry) { return !m_session->run(entry.first); }); });
    connect(session, &SessionModel::runRewound, this, [this](int run, qint64 step) {
        const auto it = m_runs.find(run);
        if (it == m_runs.end()) return;
        std::erase_if(it->second.columns, [step](const StripColumn& column) { return column.step >= step; });
        for (auto* kept : {&it->second.samples, &it->second.earlier, &it->second.asked})
            std::erase_if(*kept, [step](const StepStats& stats) { return stats.step >= step; });
        if (it->second.samples.empty() && it->second.asked.empty()) m_runs.erase(it);
        emit measured(run);
    });
}

std::vector<std::int64_t> failedSteps(const RunState& run, std::span<const StepStats> samples) {
    std::vector<std::int64_t> steps;
    for (const StepStats& stats : samples)
        if ((run.flagsAt(stats.step) & kFlagLossNonFinite) != 0) steps.push_back(stats.step);
    return steps;
}

const RunMeasurements* Measurements::of(RunId run) const {
    const auto it = m_runs.find(run);
    return it == m_runs.end() ? nullptr : &it->second;
}

const StepStats* RunMeasurements::nearest(std::int64_t step) const {
    if (step < 0) return !samples.empty() ? &samples.back() : !asked.empty() ? &asked.back() : nullptr;
    const StepStats* best = nullptr;
    for (const auto* kept : {&asked, &samples, &earlier})
        for (const StepStats& each : *kept)
            if (!best || std::abs(each.step - step) < std::abs(best->step - step)) best = &each;
    return best;
}

void Measurements::take(const TensorsMeasured& event) {
    const RunState* run = m_session->run(event.run);
    if (!run || event.stats.tensors.empty()) return;
    RunMeasurements& known = m_runs[event.run];
    if (event.wasAskedFor) {
        if (known.samples.empty()) known.format = windowFormat(run->info.policy);
        takeAsked(event.stats, known);
        return emit measured(event.run);
    }
    if (!known.columns.empty() && event.stats.step <= known.columns.back().step) return;
    const Dtype format = windowFormat(run->info.policy);
    std::array<std::vector<std::string>, kStripGroups> layers;
    for (std::size_t g = 0; g < kStripGroups; ++g) layers[g] = layersOf(event.stats, static_cast<StripGroup>(g));
    // Shares of another format or of other tensors are not comparable. In a non-finite step a probe may count fewer tensors.
    const bool isPart = run->isWatched() && !known.columns.empty() && arePartOf(layers, known.layers);
    if (format != known.format || (layers != known.layers && !isPart)) known.columns.clear(), known.samples.clear(), known.earlier.clear();
    known.format = format;
    if (!isPart) known.layers = std::move(layers);
    known.cost = event.cost;
    std::unordered_map<std::string_view, std::vector<const TensorStats*>> byLayer;
    for (const TensorStats& tensor : event.stats.tensors) byLayer[tensor.layer].push_back(&tensor);
    StripColumn column{event.stats.step, event.stats.lossScale, {}};
    for (std::size_t g = 0; g < kStripGroups; ++g)
        for (const std::string& layer : known.layers[g])
            column.cells[g].push_back(cellOf(byLayer[layer], static_cast<StripGroup>(g), format));
    if (known.columns.size() == kMostColumns) known.columns.erase(known.columns.begin());
    known.columns.push_back(std::move(column));
    if (known.samples.size() == kMostSamples) {
        if (run->isWatched()) keepEarlier(std::move(known.samples.front()), known);
        known.samples.erase(known.samples.begin());
    }
    known.samples.push_back(event.stats);
    emit measured(event.run);
}

}  // namespace mantissa::gui
