// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lessons/lab_facts.h"

#include <algorithm>

namespace mantissa::gui {

LabFacts::LabFacts(const SessionModel* session, QObject* parent) : QObject(parent), m_session(session) {
    connect(session, &SessionModel::tensorsMeasured, this, [this](const TensorsMeasured& measured) {
        if (measured.wasAskedFor) m_measured.insert_or_assign({measured.run, measured.stats.step}, measured.stats);
    });
    connect(session, &SessionModel::runRewound, this, [this](int run, qint64 step) {
        std::erase_if(m_measured, [&](const auto& entry) { return entry.first.first == run && entry.first.second >= step; });
    });
    connect(session, &SessionModel::seriesReset, this, [this] { m_measured.clear(); });
    connect(session, &SessionModel::experimentLoaded, this, [this] { m_measured.clear(); });
}

std::optional<RunId> LabFacts::idOf(const std::string& run) const {
    for (const auto& each : m_session->runs())
        if (each->info.settings.name == run) return each->id;
    return std::nullopt;
}

std::int64_t LabFacts::stepsOf(RunId run) const {
    const RunState* state = m_session->run(run);
    return state ? state->stepCount() : 0;
}

std::optional<double> LabFacts::value(RunId run, Metric metric, std::int64_t step) const {
    const RunState* state = m_session->run(run);
    const Series* series = state ? state->series(metric) : nullptr;
    if (!series || series->valueClass(step) == ValueClass::Absent) return std::nullopt;
    return series->exact(step);
}

std::uint32_t LabFacts::flags(RunId run, std::int64_t step) const {
    const RunState* state = m_session->run(run);
    return state ? state->flagsAt(step) : 0;
}

MemoryLedger LabFacts::memory(RunId run) const {
    const RunState* state = m_session->run(run);
    return state ? state->info.memory : MemoryLedger{};
}

const StepStats* LabFacts::stats(RunId run, std::int64_t step) const {
    const auto it = m_measured.find({run, step});
    return it == m_measured.end() ? nullptr : &it->second;
}

const Examination* LabFacts::examination(RunId run, std::int64_t step) const {
    const RunState* state = m_session->run(run);
    return state ? state->examinationAt(step) : nullptr;
}

}  // namespace mantissa::gui
