// SPDX-License-Identifier: GPL-3.0-or-later
// The instruments' requests about past steps: one at a time is sent to the engine, and the latest of each kind waits for it. GUI thread
// only.
#pragma once

#include <QObject>
#include <functional>
#include <optional>

#include "gui/link/session_model.h"

namespace mantissa::gui {

class StepQuestions : public QObject {
    Q_OBJECT
public:
    /// `ask` sends a command and returns its id; 0: no engine runs.
    using Ask = std::function<std::uint64_t(CommandBody)>;
    StepQuestions(const SessionModel* session, Ask ask, QObject* parent);

    /// Requests tensor statistics of a step; the answer is SessionModel::tensorsMeasured.
    void measure(RunId run, std::int64_t step);
    void read(const ReadElements& question);
    /// Returns whether that request is pending or queued.
    bool isMeasuring(RunId run, std::int64_t step) const;
    /// Handles EngineClient::answered.
    void answered(std::uint64_t commandId);
    void forget();  // the engine was lost

signals:
    void measuringChanged();
    void measureRefused(const QString& sentence);
    void elementsRead(const ElementsRead& read);  // the answer to the latest question
    void readRefused(const QString& sentence);

private:
    Ask m_ask;
    std::uint64_t m_asked = 0;  // pending; 0: none
    std::optional<MeasureStep> m_measuring, m_nextMeasure;
    std::optional<ReadElements> m_nextRead;
    void next();
};

}  // namespace mantissa::gui
