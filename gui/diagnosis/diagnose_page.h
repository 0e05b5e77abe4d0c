// SPDX-License-Identifier: GPL-3.0-or-later
// The middle of the Diagnose layout: one step of one run, looked at closer. Above it the loss scale, below it where the first non-finite
// value was made and what would help. A step that was not looked at yet can be; a run without a bad one says so. GUI thread only.
#pragma once

#include <QFrame>
#include <QScrollArea>
#include <optional>

#include "gui/diagnosis/captured_model.h"
#include "gui/diagnosis/compare_page.h"
#include "gui/diagnosis/forecast_page.h"
#include "gui/diagnosis/instrument_pages.h"
#include "gui/diagnosis/instruments.h"
#include "gui/diagnosis/origin_card.h"
#include "gui/diagnosis/race_page.h"
#include "gui/diagnosis/step_questions.h"
#include "gui/diagnosis/verdict_card.h"
#include "gui/link/engine_client.h"
#include "gui/plots/scale_strip.h"

namespace mantissa::gui {

class DiagnosePage : public QWidget {
    Q_OBJECT
public:
    /// `captured`, `measurements`: of the lab; they outlive the page.
    DiagnosePage(Lab* lab, EngineClient* engine, CapturedModel* captured, Measurements* measurements, QWidget* parent);

    RacePage* race() const { return m_race; }
    InstrumentPages* pages() const { return m_pages; }
    /// Shows a step of a run; one that was not looked at yet is offered to be. -1: the run's latest captured one.
    void choose(RunId run, std::int64_t step);
    /// The same, and looks at it closer where that was not done.
    void ask(RunId run, std::int64_t step);
    /// The same when training, which was asked to pause, has paused: until then the step may have been captured by itself.
    void askWhenPaused(RunId run, std::int64_t step);
    /// A step that was jumped to: of the run where it went wrong.
    void goTo(std::int64_t step);
    CapturedStep shown() const { return m_shown; }
    const Examination* examination() const { return findExamination(*m_lab, m_shown); }

    void examineLast();
    /// Asks a watched run's probe for the operations of its next step, which shows up when it has come.
    void captureNext(const RunState& run);
    void previous() { move(-1); }
    void next() { move(1); }
    /// A new run from before the shown step, with what helps.
    void rewindAndFork();
    void setEngineAlive(bool alive);
    void setFrozen(bool frozen) { m_strip->setFrozen(frozen); }

signals:
    void shownChanged(int run, qint64 step);
    /// Which change to make is for the user to say.
    void forkDialogRequested(int run, qint64 step);
    /// Train on with nothing changed.
    void leaveRequested();
    /// A word for the status line.
    void said(const QString& sentence);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void buildStrip(QVBoxLayout* column);
    void buildCalm(QVBoxLayout* column);
    void connectLab();
    void connectRemedies();
    void connectQuestions();
    void measureShown();
    void refreshAsking();
    void move(int by);
    void examine(RunId run, std::int64_t step);
    void stopExamining();
    void answered(quint64 commandId);
    void settle();  // on something that is there
    void refresh();
    void refreshStrip();
    void refreshCalm(const RunState* run);
    void refreshProgress();
    void refreshButtons();
    void arrange();
    const Remedy* remedy(int number) const;
    void apply(int number);
    void fork(const Remedy& remedy, std::int64_t whatIfSteps);
    bool canAct() const;

    Lab* m_lab;
    EngineClient* m_engine;
    CapturedModel* m_captured;
    Measurements* m_measurements;
    CapturedStep m_shown;
    std::optional<CapturedStep> m_wanted;  // to be looked at when training pauses
    std::uint64_t m_asked = 0;             // a look that is under way
    CapturedStep m_askedFor;
    QString m_progress;  // of that look; empty: nothing is known of it yet
    QString m_problem;   // why the last look was refused
    StepQuestions* m_questions;
    CapturedStep m_measured;  // the captured step that was asked for last, by itself
    bool m_isAlive = true;

    QFrame* m_stripCard;
    QLabel *m_stripTitle, *m_stripNote;
    QPushButton *m_previous, *m_next, *m_fork;
    ScaleStrip* m_strip;
    QFrame* m_calm;
    IconLabel* m_calmIcon;
    QLabel *m_calmHeadline, *m_calmSentence;
    QPushButton *m_examine, *m_stopExamining;
    QScrollArea* m_area;
    QWidget* m_cards;
    QGridLayout* m_cardGrid;
    OriginCard* m_origin;
    VerdictCard* m_verdict;
    InstrumentPages* m_pages;
    Instruments* m_instruments;
    ForecastPage* m_forecast;
    RacePage* m_race;
    ComparePage* m_compare;
};

}  // namespace mantissa::gui
