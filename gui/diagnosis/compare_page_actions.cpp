// SPDX-License-Identifier: GPL-3.0-or-later
// Sends the page's requests to the engine.
#include <algorithm>

#include "gui/diagnosis/compare_page.h"

namespace mantissa::gui {
namespace {

constexpr int kFollowMs = 1000;   // least time between two requests
constexpr qint64 kRestTimes = 4;  // times the duration of the last request: training keeps four fifths of the time

}  // namespace

void ComparePage::connectLab() {
    connect(m_session, &SessionModel::runsCompared, this, [this](const RunsCompared& compared) {
        if (m_isRequested) return;  // answers a request that was replaced
        m_record.take(compared);
        m_drawTimer.begin();
    });
    connect(m_session, &SessionModel::experimentLoaded, this, [this] {
        m_isRunChosen = m_hasCompared = false;
        m_record.begin(-1, -1, range());
        fillRuns();
    });
    connect(m_session, &SessionModel::seriesReset, this, &ComparePage::beginAgain);
    connect(m_session, &SessionModel::runsChanged, this, &ComparePage::fillRuns);
    connect(m_session, &SessionModel::selectionChanged, this, [this] {
        if (!m_isRunChosen && !m_hasCompared) fillRuns();  // a comparison being read is not replaced
    });
    connect(m_session, &SessionModel::runRewound, this, [this](int run, qint64 step) {
        if (!m_record.concerns(run)) return;
        m_record.rewind(step);
        m_drawTimer.begin();
    });
    connect(m_session, &SessionModel::recordsAppended, this, [this] {
        if (isVisible() && m_record.comparisons().empty()) m_drawTimer.begin();
    });
    connect(m_session, &SessionModel::refused, this, [this](int, const QString&, const QString& sentence, quint64 commandId) {
        if (m_asked == 0 || commandId != m_asked || !m_isByHand) return;  // automatic requests are repeated anyway
        m_problem = tr("The comparison ended: %1.").arg(sentence);
        m_hasCompared = false;
    });
    connect(m_engine, &EngineClient::answered, this, &ComparePage::answered);
    connect(m_engine, &EngineClient::started, this, &ComparePage::refreshNow);
    connect(m_engine, &EngineClient::lost, this, [this] {
        m_asked = 0;
        m_hasCompared = m_isRequested = false;
        refreshNow();
    });
    m_followTimer.setInterval(kFollowMs);
    connect(&m_followTimer, &QTimer::timeout, this, &ComparePage::follow);
    m_followTimer.start();
}

void ComparePage::beginAgain() {
    m_hasCompared = m_isRoleChosen = false;
    m_layer.clear();
    m_problem.clear();
    m_record.begin(run(), other(), range());
    m_record.setBound(m_bound->currentData().toDouble());
    refreshNow();
}

/// The first step that both runs have.
std::int64_t ComparePage::firstStep() const {
    const RunState *a = m_session->run(run()), *b = m_session->run(other());
    return a && b ? std::max(a->info.firstStep, b->info.firstStep) : 0;
}

std::int64_t ComparePage::endStep() const {
    const RunState *a = m_session->run(run()), *b = m_session->run(other());
    return a && b ? std::min(a->stepCount(), b->stepCount()) : 0;
}

void ComparePage::compare() {
    beginAgain();
    m_isRequested = m_asked != 0;
    if (m_isRequested) return;  // until the pending request is answered
    m_isByHand = true;
    m_hasCompared = askNext();
    if (!m_hasCompared) emit said(tr("There is nothing to compare yet."));
    refreshNow();
}

bool ComparePage::askNext() {
    const auto question = m_record.nextQuestion(firstStep(), endStep());
    if (!question) return false;
    m_wanted = question->count;
    m_before = m_record.comparisons().size();
    m_since.start();
    m_asked = m_engine->ask(*question);
    return m_asked != 0;
}

void ComparePage::answered(quint64 commandId) {
    if (m_asked == 0 || commandId != m_asked) return;
    m_asked = 0;
    m_rest = m_since.restart() * kRestTimes;
    if (m_isRequested) return compare();
    // The steps around the first divergence come first; steps that training has added since can wait.
    const bool hasAnswers = m_record.comparisons().size() > m_before;  // a watched run has sketches of some steps only
    if (m_isByHand && m_hasCompared && hasAnswers && !m_record.isDivergenceKnown() && askNext()) return m_drawTimer.begin();
    m_isByHand = false;
    m_drawTimer.begin();
}

void ComparePage::follow() {
    const bool isWanted = m_hasCompared && m_follow->isChecked() && isVisible() && m_session->state().lockstep && m_engine->isRunning();
    if (isWanted && m_asked == 0 && m_since.elapsed() >= m_rest && askNext()) m_isByHand = false;
}

void ComparePage::stop() {
    m_isRequested = m_hasCompared = false;
    if (m_asked != 0) m_engine->ask(StopQuestion{m_asked});
}

}  // namespace mantissa::gui
