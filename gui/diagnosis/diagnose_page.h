// SPDX-License-Identifier: GPL-3.0-or-later
// The centre of the Diagnose layout: the examination of one step of one run, with the loss scale above, and the origin of the first
// non-finite value and the remedies below. A step without an examination can be examined; a run without non-finite steps shows a note. GUI
// thread only.
#pragma once

#include <QFrame>
#include <QScrollArea>
#include <optional>

#include "gui/diagnosis/blocks_page.h"
#include "gui/diagnosis/captured_model.h"
#include "gui/diagnosis/compare_page.h"
#include "gui/diagnosis/forecast_page.h"
#include "gui/diagnosis/instrument_pages.h"
#include "gui/diagnosis/instruments.h"
#include "gui/diagnosis/origin_card.h"
#include "gui/diagnosis/race_page.h"
#include "gui/diagnosis/step_questions.h"
#include "gui/diagnosis/times_page.h"
#include "gui/diagnosis/verdict_card.h"
#include "gui/link/engine_client.h"
#include "gui/plots/scale_strip.h"

namespace mantissa::gui {

class DiagnosePage : public QWidget {
    Q_OBJECT
public:
    /// `captured`, `measurements`: the models of the lab; they must outlive the page.
    DiagnosePage(SessionModel* session, EngineClient* engine, CapturedModel* captured, Measurements* measurements, QWidget* parent);

    RacePage* race() const { return m_race; }
    InstrumentPages* pages() const { return m_pages; }
    /// Shows a step of a run, and offers an examination if there is none. -1: the run's latest captured step.
    void choose(RunId run, std::int64_t step);
    /// Shows a step and examines it unless that was done.
    void ask(RunId run, std::int64_t step);
    /// Shows a step now and examines it after the requested pause of training, unless it was captured by then.
    void askWhenPaused(RunId run, std::int64_t step);
    /// Shows a step of the run in which it was captured, skipped or non-finite; does nothing if there is none.
    void goTo(std::int64_t step);
    CapturedStep shown() const { return m_shown; }
    const Examination* examination() const { return findExamination(*m_session, m_shown); }

    void examineLast();
    /// Requests the operations of the next step from a watched run's probe; the step is shown when it arrives.
    void captureNext(const RunState& run);
    void previous() { move(-1); }
    void next() { move(1); }
    /// Forks the run from before the shown step, with the main remedy; without one it emits `forkDialogRequested`.
    void rewindAndFork();
    void setEngineAlive(bool alive);
    void setFrozen(bool frozen) { m_strip->setFrozen(frozen); }

signals:
    void shownChanged(int run, qint64 step);
    /// Emitted when the user has to choose the change for a fork.
    void forkDialogRequested(int run, qint64 step);
    /// Emitted after a new run was requested when training had finished.
    void trainRequested();
    /// Emitted to continue training without a change.
    void leaveRequested();
    /// Emitted with a message for the status line.
    void said(const QString& sentence);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void buildStrip(QVBoxLayout* column);
    void buildCalm(QVBoxLayout* column);
    void buildPages();
    void connectLab();
    void connectRemedies();
    void connectQuestions();
    void measureShown();
    void refreshAsking();
    void move(int by);
    void examine(RunId run, std::int64_t step);
    void stopExamining();
    void settle();  // shows an existing run and step
    void refresh();
    void refreshStrip();
    void refreshCalm(const RunState* run);
    void refreshProgress();
    void refreshButtons();
    void arrange();
    void apply(int number);
    void fork(const Remedy& remedy, std::int64_t whatIfSteps);
    bool canAct() const;
    bool hasEnded() const;  // the shown run takes no further step

    SessionModel* m_session;
    EngineClient* m_engine;
    CapturedModel* m_captured;
    Measurements* m_measurements;
    CapturedStep m_shown;
    bool m_cameByItself = false;  // m_shown: nobody chose that step
    bool m_hadEnded = false;
    std::optional<CapturedStep> m_wanted;  // to be examined when training pauses
    std::uint64_t m_asked = 0;             // the pending examination; 0: none
    CapturedStep m_askedFor;
    QString m_progress;  // of that examination; empty: none received yet
    QString m_problem;   // why the last examination was refused
    StepQuestions* m_questions;
    CapturedStep m_measured;  // the captured step whose tensor statistics were last requested automatically
    bool m_isAlive = true;

    QFrame* m_stripCard;
    bool m_isStacked = false;  // the verdict is below the origin
    QLabel *m_stripTitle, *m_stripNote;
    QPushButton *m_previous, *m_next, *m_fork;
    ScaleStrip* m_strip;
    QFrame* m_calm;
    IconLabel* m_calmIcon;
    QLabel *m_calmHeadline, *m_calmSentence;
    QPushButton *m_examine, *m_stopExamining, *m_toFailing;
    QScrollArea* m_area;
    QWidget* m_cards;
    QGridLayout* m_cardGrid;
    OriginCard* m_origin;
    VerdictCard* m_verdict;
    InstrumentPages* m_pages;
    Instruments* m_instruments;
    BlocksPage* m_blocks;
    ForecastPage* m_forecast;
    RacePage* m_race;
    ComparePage* m_compare;
    TimesPage* m_times;
};

}  // namespace mantissa::gui
