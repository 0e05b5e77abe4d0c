// SPDX-License-Identifier: GPL-3.0-or-later
// Provides the session model's data to check a lesson's claims: the series that the plots show. GUI thread only.
#pragma once

#include <QObject>
#include <map>

#include "engine/lessons/lesson_facts.h"
#include "gui/link/session_model.h"

namespace mantissa::gui {

class LabFacts : public QObject, public LessonFacts {
    Q_OBJECT
public:
    explicit LabFacts(const SessionModel* session, QObject* parent = nullptr);

    std::optional<RunId> idOf(const std::string& run) const override;
    std::int64_t stepsOf(RunId run) const override;
    std::optional<double> value(RunId run, Metric metric, std::int64_t step) const override;
    std::uint32_t flags(RunId run, std::int64_t step) const override;
    MemoryLedger memory(RunId run) const override;
    const StepStats* stats(RunId run, std::int64_t step) const override;
    const Examination* examination(RunId run, std::int64_t step) const override;

private:
    const SessionModel* m_session;
    std::map<std::pair<RunId, std::int64_t>, StepStats> m_measured;  // answers to MeasureStep, until a rewind before the step
};

}  // namespace mantissa::gui
