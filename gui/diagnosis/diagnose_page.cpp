// SPDX-License-Identifier: GPL-3.0-or-later
// Displays the step. The buttons' actions are in diagnose_page_actions.cpp.
#include "gui/diagnosis/diagnose_page.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/controls/engine_text.h"
#include "gui/controls/health_line.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"

namespace mantissa::gui {
namespace {

constexpr int kSplitPage = 1344;   // px: from this width the chain of magnitudes is beside its card's text
constexpr int kNarrowPage = 1200;  // px: below this width the instruments take two rows
constexpr int kStackedPage = 900;  // px: below this width the verdict is below the origin

/// Whether the step's own record says that its loss was finite and that it was not skipped.
bool wasFinite(const RunState& run, std::int64_t step) {
    const bool isKept = run.thinnedUntil <= step && step < run.stepCount();
    constexpr std::uint32_t kBad = kFlagSkipped | kFlagFoundInf | kFlagLossNonFinite | kFlagGradNormNonFinite;
    return isKept && (run.flagsAt(step) & kBad) == 0 && std::isfinite(run.valueFor(run.loss, step));
}

/// The first other run whose health is bad and that can be examined; null: none, or a question hides it.
const RunState* failingRunBeside(const SessionModel& session, RunId shown) {
    for (const auto& run : session.runs())
        if (run->id != shown && !run->isHidden && !run->isWithheld && !run->isRecorded() && healthOf(*run).severity == Severity::Bad)
            return run.get();
    return nullptr;
}

}  // namespace

DiagnosePage::DiagnosePage(SessionModel* session, EngineClient* engine, CapturedModel* captured, Measurements* measurements,
                           QWidget* parent)
    : QWidget(parent), m_session(session), m_engine(engine), m_captured(captured), m_measurements(measurements) {
    setObjectName(QStringLiteral("diagnosePage"));
    auto* column = makeColumn(8, {8, 8, 8, 8}, this);
    buildStrip(column);
    buildCalm(column);
    m_cards = new QWidget(this);
    m_cardGrid = new QGridLayout(m_cards);
    m_cardGrid->setContentsMargins(0, 0, 0, 0);
    m_cardGrid->setSpacing(8);
    m_cardGrid->setColumnStretch(0, 1);
    m_cardGrid->setColumnStretch(1, 1);
    m_origin = new OriginCard(m_cards);
    m_verdict = new VerdictCard(session, m_cards);
    m_cardGrid->addWidget(m_origin, 0, 0);
    m_cardGrid->addWidget(m_verdict, 0, 1);
    m_cardGrid->setRowStretch(0, 1);
    buildPages();
    m_cardGrid->addWidget(m_pages, 2, 0, 1, 2);
    m_area = makeScroll(m_cards, this);
    column->addWidget(m_area, 1);
    connectLab();
    connectRemedies();
    connect(m_race, &RacePage::said, this, &DiagnosePage::said);
    connectQuestions();
    connect(m_instruments, &Instruments::statsChanged, this, &DiagnosePage::refresh);
    connect(m_compare, &ComparePage::said, this, &DiagnosePage::said);
    connect(m_pages, &InstrumentPages::currentChanged, m_compare, &ComparePage::refreshNow);  // it is not updated while hidden
    connect(m_instruments, &Instruments::scaleRequested, this, [this](int run, double scale) {
        if (canAct()) m_engine->change(run, QStringLiteral("/scaler/scale"), scale, scaleText(scale));
    });
    settle();
}

void DiagnosePage::buildStrip(QVBoxLayout* column) {
    m_stripCard = makeCard(this);
    auto* inside = makeColumn(2, {12, 6, 12, 6}, m_stripCard);
    auto* head = makeRow(8);
    m_stripTitle = makeLabel(tr("Loss scale"), "title", m_stripCard);
    m_stripNote = makeLabel({}, "secondary", m_stripCard);
    m_previous = makeButton(tr("Previous"), QStringLiteral("chevron-left"), tr("Previous captured step of this run"), m_stripCard);
    m_next = makeButton(tr("Next"), QStringLiteral("chevron-right"), tr("Next captured step of this run"), m_stripCard);
    m_fork = makeButton(tr("Fork"), QStringLiteral("fork"), {}, m_stripCard);
    for (QPushButton* button : {m_previous, m_next}) button->setToolTip(button->accessibleName());
    head->addWidget(m_stripTitle);
    head->addWidget(m_stripNote, 1);
    for (QPushButton* button : {m_previous, m_next, m_fork}) head->addWidget(button);
    inside->addLayout(head);
    m_strip = new ScaleStrip(m_session, m_stripCard);
    inside->addWidget(m_strip);
    column->addWidget(m_stripCard);
    connect(m_previous, &QPushButton::clicked, this, &DiagnosePage::previous);
    connect(m_next, &QPushButton::clicked, this, &DiagnosePage::next);
    connect(m_fork, &QPushButton::clicked, this, &DiagnosePage::rewindAndFork);
    connect(m_strip, &ScaleStrip::stepChosen, this, [this](qint64 step) {
        const RunState* run = m_session->run(m_shown.run);
        if (run && step < run->stepCount()) choose(run->id, std::max<std::int64_t>(step, run->info.firstStep));
    });
}

void DiagnosePage::buildCalm(QVBoxLayout* column) {
    m_calm = makeCard(this);
    auto* inside = makeColumn(8, {20, 18, 20, 18}, m_calm);
    auto* head = makeRow(10);
    m_calmIcon = new IconLabel(m_calm, 18);
    m_calmHeadline = makeWrappedLabel({}, "lead", m_calm);
    head->addWidget(m_calmIcon);
    head->addWidget(m_calmHeadline, 1);
    inside->addLayout(head);
    m_calmSentence = makeWrappedLabel({}, "body2", m_calm);
    inside->addWidget(m_calmSentence);
    m_examine = makeButton({}, {}, {}, m_calm);
    m_examine->setObjectName(QStringLiteral("examine"));
    m_examine->setProperty("look", "primary");
    m_stopExamining = makeButton(tr("Stop"), {}, tr("Stop the examination; the results so far are shown"), m_calm);
    m_stopExamining->setObjectName(QStringLiteral("stopExamining"));
    m_stopExamining->setToolTip(m_stopExamining->accessibleName());
    inside->addSpacing(4);
    auto* buttons = makeRow(8);
    buttons->addWidget(m_examine);
    buttons->addWidget(m_stopExamining);
    m_toFailing = makeButton({}, {}, tr("Examine a run that failed"), m_calm);
    buttons->addWidget(m_toFailing);
    buttons->addStretch(1);
    inside->addLayout(buttons);
    column->addWidget(m_calm);
    column->addStretch(0);
    connect(m_stopExamining, &QPushButton::clicked, this, &DiagnosePage::stopExamining);
    connect(m_toFailing, &QPushButton::clicked, this, [this] {
        const RunState* failing = failingRunBeside(*m_session, m_shown.run);
        const auto step = failing ? stepToAskOf(*failing) : std::nullopt;
        if (step)
            ask(failing->id, *step);
        else if (failing)
            choose(failing->id, -1);
    });
    connect(m_examine, &QPushButton::clicked, this, [this] {
        const RunState* run = m_session->run(m_shown.run);
        if (run && run->canAskProbe())
            captureNext(*run);
        else if (m_shown.step >= 0)
            examine(m_shown.run, m_shown.step);
        else
            examineLast();
    });
}

void DiagnosePage::connectLab() {
    connect(m_session, &SessionModel::stepExamined, this, [this](int run, qint64 step) {
        const CapturedStep captured{run, step};
        // The displayed step stays, unless the new one was requested, or this one came by itself and the new one is the first failure.
        // If the update before the step caused the failure, the answer names that update's step.
        const bool isAnswer = m_asked != 0 && run == m_askedFor.run && (step == m_askedFor.step || step + 1 == m_askedFor.step);
        const bool isAwaited = isAnswer || captured == m_wanted;
        if (captured == m_wanted) m_wanted.reset();
        const RunState* examined = m_session->run(run);
        if (!examined || isWithheld(*m_session, *examined)) return;
        if (isAwaited) return choose(run, step);
        const Examination *shown = examination(), *found = findExamination(*m_session, captured);
        const bool isFirstFailure =
            m_cameByItself && shown && shown->verdict.isNormalProbing && found && !found->verdict.isNormalProbing && found->wasSkipped;
        if (run == m_shown.run && (m_shown.step < 0 || isFirstFailure)) {
            choose(run, step);
            m_cameByItself = true;
            return;
        }
        if (captured == m_shown) refresh();
        refreshButtons();
    });
    connect(m_session, &SessionModel::questionProgressed, this, [this](const QuestionProgress& progress) {
        if (m_asked == 0 || progress.commandId != m_asked) return;
        m_progress = progressText(progress.progress);
        refreshProgress();
    });
    const auto beginAgain = [this] {
        m_wanted.reset();
        m_problem.clear();
        m_shown = m_measured = {};
        settle();
    };
    connect(m_session, &SessionModel::experimentLoaded, this, beginAgain);
    connect(m_session, &SessionModel::seriesReset, this, beginAgain);
    connect(m_session, &SessionModel::runsChanged, this, &DiagnosePage::settle);
    connect(m_session, &SessionModel::runChanged, this, [this](int run) {
        // A watched run's probe may have disconnected, and another run may fail.
        if (!examination() && (run == m_shown.run || m_shown.step < 0)) refreshCalm(m_session->run(m_shown.run));
    });
    connect(m_session, &SessionModel::runRewound, this, [this](int run, qint64 step) {
        if (m_wanted && m_wanted->run == run && m_wanted->step >= step) m_wanted.reset();
        m_measured = {};
        if (m_shown.run == run && m_shown.step >= step) m_shown.step = -1;
        settle();
    });
    connect(m_session, &SessionModel::selectionChanged, this, [this] {
        if (m_session->selected() != m_shown.run) choose(m_session->selected(), -1);
    });
    connect(m_session, &SessionModel::stateChanged, this, [this] {
        if (m_wanted && m_session->state().state != LabState::Training) {
            const CapturedStep wanted = *std::exchange(m_wanted, std::nullopt);
            if (!findExamination(*m_session, wanted)) examine(wanted.run, wanted.step);
        }
        if (m_hadEnded != hasEnded()) refresh();  // remedies apply in another way then
        refreshButtons();
    });
    connect(m_session, &SessionModel::recordsAppended, this, [this] {
        if (!isVisible()) return;
        refreshStrip();
        if (!examination() && m_shown.step < 0) refreshCalm(m_session->run(m_shown.run));
    });
    connect(m_session, &SessionModel::refused, this, [this](int, const QString&, const QString& sentence, quint64 commandId) {
        if (m_asked == 0 || commandId != m_asked) return;
        m_problem = sentence;
        emit said(sentence);
    });
    connect(m_engine, &EngineClient::answered, this, [this](quint64 commandId) {
        if (m_asked == 0 || commandId != m_asked) return;
        m_asked = 0;
        refresh();
    });
    connect(m_engine, &EngineClient::lost, this, [this] {
        m_asked = 0;
        m_questions->forget();
        refresh();
    });
}

void DiagnosePage::choose(RunId run, std::int64_t step) {
    const CapturedStep before = m_shown;
    m_problem.clear();
    m_shown = {run, step};
    m_cameByItself = false;
    settle();
    if (m_shown.run >= 0 && m_session->selected() != m_shown.run) m_session->select(m_shown.run);
    if (m_shown == before) return;
    m_area->ensureVisible(0, 0);
}

void DiagnosePage::settle() {
    const RunState* run = m_session->run(m_shown.run);
    if (!run) {
        run = m_session->run(m_session->selected());
        m_shown = {run ? run->id : -1, -1};
    }
    if (run && isWithheld(*m_session, *run)) {
        m_shown.step = -1;
    } else if (run && m_shown.step < 0 && !run->examinations.empty()) {
        const Examination& last = run->examinations.back();
        m_shown.step = (last.wasSkipped ? *run->badExamination() : last).step;
        m_cameByItself = true;
    }
    refresh();
    emit shownChanged(m_shown.run, m_shown.step);
    measureShown();
}

void DiagnosePage::refresh() {
    const RunState* run = m_session->run(m_shown.run);
    const Examination* found = examination();
    m_hadEnded = hasEnded();
    m_instruments->show(m_shown.run, m_shown.step);
    m_blocks->show(m_shown.run, m_shown.step);
    m_times->show(m_shown.run, m_shown.step);
    m_forecast->show(m_shown.run, m_shown.step);
    m_race->show(m_shown.run);
    const bool isAsked = run && isWithheld(*m_session, *run);  // this page could answer a lesson's question
    const bool hasPages = !isAsked && (m_instruments->hasStats() || (run && run->hasSteps()));
    m_stripCard->setVisible(!isAsked);
    m_pages->setVisible(hasPages);
    m_calm->setVisible(!found);
    m_area->setVisible(found != nullptr || hasPages);
    m_origin->setVisible(found != nullptr);
    m_verdict->setVisible(found != nullptr);
    m_cardGrid->setRowStretch(0, found ? 1 : 0);  // otherwise the pages take the space
    m_cardGrid->setRowStretch(2, found ? 0 : 1);
    // Without the cards, the column's end takes the remaining space.
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->setStretch(2, found || hasPages ? 0 : 1);
    arrange();
    if (found) {
        m_origin->show(run->name(), *found);
        m_verdict->show(*run, *found, {canAct(), hasEnded()});
        refreshProgress();
    } else {
        refreshCalm(run);
    }
    m_strip->show(m_shown.run, m_shown.step);
    refreshStrip();
    refreshButtons();
    refreshAsking();
}

void DiagnosePage::refreshProgress() {
    if (!examination()) return refreshCalm(m_session->run(m_shown.run));
    m_verdict->setTrying(m_asked != 0 && m_askedFor == m_shown, m_progress);
}

void DiagnosePage::refreshStrip() {
    const RunState* run = m_session->run(m_shown.run);
    const bool hasScale = m_strip->hasScale();
    m_strip->setVisible(hasScale);
    if (!run)
        m_stripNote->setText(tr("no run"));
    else if (!hasScale)
        m_stripNote->setText(tr("%1 does not scale its loss").arg(run->name()));
    else if (run->hasSteps())
        m_stripNote->setText(
            tr("%1, steps %2 to %3").arg(run->name(), groupedText(run->info.firstStep), groupedText(run->stepCount() - 1)));
    else
        m_stripNote->setText(tr("%1, no step yet").arg(run->name()));
}

void DiagnosePage::refreshCalm(const RunState* run) {
    const bool isLooking = m_asked != 0, hasSteps = run && run->hasSteps();
    const bool isWrong = run && (!run->skippedSteps.empty() || run->firstNonFiniteStep());
    const auto matter = run && !isWrong ? run->silentMatter() : std::nullopt;
    if (run && isWithheld(*m_session, *run)) {
        m_calmIcon->setIcon(QStringLiteral("eye-off"), IconInk::Ink2);
        m_calmHeadline->setText(tr("Shown after the answer"));
        m_calmSentence->setText(tr("This page could answer a question of the lesson."));
        for (QPushButton* button : {m_examine, m_stopExamining, m_toFailing}) button->hide();
        return;
    }
    m_calmIcon->setIcon(isLooking ? QStringLiteral("clock")
                        : matter  ? QStringLiteral("warning")
                        : isWrong ? QStringLiteral("info")
                                  : QStringLiteral("check"),
                        matter && !isLooking ? IconInk::Danger : IconInk::Ink2);
    QString headline, sentence;
    if (!run) {
        headline = tr("No run to examine");
        sentence = tr("Open an experiment, or add a run.");
    } else if (isLooking) {
        headline = tr("Looking at step %1 of %2").arg(groupedText(m_askedFor.step), run->name());
        sentence = m_progress.isEmpty()
                       ? tr("The step is repeated as it was, at other scales and in other formats. The run does not change.")
                       : m_progress;
    } else if (!m_problem.isEmpty()) {
        headline = tr("This step cannot be examined");
        sentence = m_problem;
    } else if (m_wanted) {
        headline = tr("Step %1 of %2").arg(groupedText(m_wanted->step), run->name());
        sentence = tr("It is examined as soon as training pauses.");
    } else if (m_shown.step >= 0 && run->isWatched() && wasFinite(*run, m_shown.step)) {
        headline = tr("Step %1 of %2 was finite").arg(groupedText(m_shown.step), run->name());
        sentence = std::isfinite(run->valueFor(run->gradNorm, m_shown.step))
                       ? tr("Its loss and gradients were finite, and it was not skipped.")
                       : tr("Its loss was finite, and it was not skipped. Whether its gradients were is not known.");
    } else if (m_shown.step >= 0) {
        headline = tr("Step %1 of %2 has not been examined yet").arg(groupedText(m_shown.step), run->name());
        sentence = run->isWatched()
                       ? tr("In a series of non-finite steps, only some are captured automatically. Steps of a watched training cannot be "
                            "repeated.")
                       : tr("In a series of non-finite steps, only some are captured automatically. Any step can be examined.");
    } else if (!hasSteps) {
        headline = tr("%1 has not started").arg(run->name());
        sentence = run->isWatched() ? tr("A step that is skipped, or not finite, shows up here by itself.")
                                    : tr("Start training: a step that is skipped, or not finite, is captured automatically.");
    } else if (isWrong) {
        headline = tr("No step of %1 was captured").arg(run->name());
        sentence = tr("Its non-finite steps were recorded but not examined.");
    } else if (matter) {
        headline = tr("%1: %2", "run, what happened to it").arg(run->name(), engineText(matter->headline()));
        sentence = engineText(matter->sentence);
    } else {
        headline = tr("No step of %1 was skipped or non-finite").arg(run->name());
        const QString steps = groupedText(run->stepCount() - run->info.firstStep);
        sentence = run->isWatched()
                       ? tr("All of its %1 steps are finite, and none was skipped.").arg(steps)
                       : tr("All of its %1 steps are finite, and none was skipped. Examine the last step to see what rounding loses "
                            "and how much headroom is left.")
                             .arg(steps);
    }
    if (run && run->isRecorded() && !isLooking)
        sentence += QStringLiteral(" ") + tr("This run is read-only: its weights are not available.");
    m_calmHeadline->setText(headline);
    m_calmSentence->setText(sentence);
    const QString step = groupedText(m_shown.step >= 0 ? m_shown.step : run ? run->stepCount() - 1 : 0);
    const bool asksProbe = run && run->canAskProbe();
    m_examine->setVisible(hasSteps && (run->isOwn() || asksProbe));
    m_examine->setText(asksProbe           ? tr("Capture the next step")
                       : m_shown.step >= 0 ? tr("Examine step %1").arg(step)
                                           : tr("Examine the last step"));
    m_examine->setToolTip(asksProbe ? tr("The probe lists every operation of that step, which takes it some time once.") : QString());
    m_examine->setAccessibleName(run ? tr("%1 of %2").arg(m_examine->text(), run->name()) : m_examine->text());
    m_examine->setEnabled(m_isAlive && !isLooking);
    m_stopExamining->setVisible(isLooking);
    const RunState* failing = isLooking || isWrong || matter || m_shown.step >= 0 ? nullptr : failingRunBeside(*m_session, m_shown.run);
    m_toFailing->setVisible(failing != nullptr);
    if (failing) m_toFailing->setText(tr("See %1: %2", "run, what happened to it").arg(failing->name(), shortHealthText(*failing)));
}

void DiagnosePage::setEngineAlive(bool alive) {
    m_isAlive = alive;
    if (!alive) m_asked = 0;
    m_blocks->setEngineAlive(alive);
    m_times->setEngineAlive(alive);
    m_race->setEngineAlive(alive);
    refresh();
}

void DiagnosePage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void DiagnosePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    measureShown();
}

void DiagnosePage::arrange() {
    m_instruments->setNarrow(width() < kNarrowPage);
    m_race->setNarrow(width() < kNarrowPage);
    const bool isStacked = width() < kStackedPage;
    m_origin->setStacked(width() < kSplitPage && !isStacked);  // alone in its row it has the room of two
    if (std::exchange(m_isStacked, isStacked) == isStacked) return;
    for (QWidget* card : {static_cast<QWidget*>(m_origin), static_cast<QWidget*>(m_verdict)}) m_cardGrid->removeWidget(card);
    m_cardGrid->addWidget(m_origin, 0, 0, 1, isStacked ? 2 : 1);
    m_cardGrid->addWidget(m_verdict, isStacked ? 1 : 0, isStacked ? 0 : 1, 1, isStacked ? 2 : 1);
}

}  // namespace mantissa::gui
