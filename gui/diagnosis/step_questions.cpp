// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/step_questions.h"

#include <utility>

namespace mantissa::gui {

StepQuestions::StepQuestions(const SessionModel* session, Ask ask, QObject* parent) : QObject(parent), m_ask(std::move(ask)) {
    connect(session, &SessionModel::elementsRead, this, [this](const ElementsRead& read) {
        if (read.commandId == m_asked && !m_nextRead) emit elementsRead(read);
    });
    connect(session, &SessionModel::refused, this, [this](int, const QString&, const QString& sentence, quint64 commandId) {
        if (m_asked == 0 || commandId != m_asked) return;
        if (m_measuring)
            emit measureRefused(sentence);
        else if (!m_nextRead)
            emit readRefused(sentence);
    });
}

void StepQuestions::measure(RunId run, std::int64_t step) {
    if (isMeasuring(run, step)) return;
    m_nextMeasure = MeasureStep{run, step};
    next();
    emit measuringChanged();
}

void StepQuestions::read(const ReadElements& question) {
    m_nextRead = question;
    next();
}

bool StepQuestions::isMeasuring(RunId run, std::int64_t step) const {
    const auto isIt = [&](const std::optional<MeasureStep>& each) { return each && each->run == run && each->step == step; };
    return isIt(m_measuring) || isIt(m_nextMeasure);
}

/// Requests for the displayed list go before automatic requests.
void StepQuestions::next() {
    if (m_asked != 0) return;
    if (m_nextRead) {
        m_asked = m_ask(*std::exchange(m_nextRead, std::nullopt));
        if (m_asked == 0) emit readRefused(tr("The engine has stopped: restart it to read a step."));
    } else if (m_nextMeasure) {
        m_measuring = std::exchange(m_nextMeasure, std::nullopt);
        m_asked = m_ask(*m_measuring);
        if (m_asked == 0) m_measuring.reset();
    }
}

void StepQuestions::answered(std::uint64_t commandId) {
    if (m_asked == 0 || commandId != m_asked) return;
    m_asked = 0;
    m_measuring.reset();
    next();
    emit measuringChanged();
}

void StepQuestions::forget() {
    const bool wasReading = m_nextRead || (m_asked != 0 && !m_measuring);
    m_asked = 0;
    m_measuring.reset();
    m_nextMeasure.reset();
    m_nextRead.reset();
    if (wasReading) emit readRefused(tr("The engine has stopped: restart it to read a step."));
    emit measuringChanged();
}

}  // namespace mantissa::gui
