// SPDX-License-Identifier: GPL-3.0-or-later
// What the instruments ask of past steps: one question at a time is with the engine, and of each kind the latest waits for it.
// GUI thread only.
#pragma once

#include <QObject>
#include <functional>
#include <optional>

#include "gui/link/lab.h"

namespace mantissa::gui {

class StepQuestions : public QObject {
    Q_OBJECT
public:
    /// `ask` sends a command and returns its id; 0: there is no engine.
    using Ask = std::function<std::uint64_t(CommandBody)>;
    StepQuestions(const Lab* lab, Ask ask, QObject* parent);

    /// The answer is Lab::tensorsMeasured.
    void measure(RunId run, std::int64_t step);
    void read(const ReadElements& question);
    /// That is asked for, or is about to be.
    bool isMeasuring(RunId run, std::int64_t step) const;
    /// EngineClient::answered.
    void answered(std::uint64_t commandId);
    void forget();  // the engine is gone

signals:
    void measuringChanged();
    void measureRefused(const QString& sentence);
    void elementsRead(const ElementsRead& read);  // the answer to the latest question
    void readRefused(const QString& sentence);

private:
    const Lab* m_lab;
    Ask m_ask;
    std::uint64_t m_asked = 0;  // under way; 0: none
    std::optional<MeasureStep> m_measuring, m_nextMeasure;
    std::optional<ReadElements> m_nextRead;
    void next();
};

}  // namespace mantissa::gui
