// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the pages of instruments, and sends the page's requests to the engine.
#include <algorithm>

#include "gui/controls/number_text.h"
#include "gui/diagnosis/diagnose_page.h"
#include "gui/timeline/fork_dialog.h"

namespace mantissa::gui {
namespace {

/// Null: there is no such remedy.
const Remedy* remedyAt(const Examination* examination, int number) {
    const bool isThere = examination && number >= 0 && number < static_cast<int>(examination->remedies.size());
    return isThere ? &examination->remedies[static_cast<std::size_t>(number)] : nullptr;
}

/// The next (`by` 1) or previous (-1) captured step of the shown run.
std::optional<CapturedStep> capturedBeside(const CapturedModel& model, const CapturedStep& shown, int by) {
    std::optional<CapturedStep> found;
    for (const CapturedStep& each : model.steps()) {  // in the order of steps
        if (each.run != shown.run) continue;
        if (by < 0 && (shown.step < 0 || each.step < shown.step)) found = each;
        if (by > 0 && !found && shown.step >= 0 && each.step > shown.step) found = each;
    }
    return found;
}

}  // namespace

void DiagnosePage::buildPages() {
    m_pages = new InstrumentPages(m_cards);
    m_instruments = new Instruments(m_session, m_measurements, m_pages);
    m_pages->add(m_instruments, tr("Magnitudes"), tr("how the format rounds each tensor, and which loss scales are usable"));
    m_blocks = new BlocksPage(m_session, m_engine, m_pages);
    m_pages->add(m_blocks, tr("Blocks"), tr("what a block format makes of the operands of each matrix product"));
    connect(m_blocks, &BlocksPage::refusalChanged, m_pages, [this](const QString& why) { m_pages->setRefusal(m_blocks, why); });
    m_pages->setRefusal(m_blocks, m_blocks->refusal());
    m_forecast = new ForecastPage(m_session, m_measurements, m_pages);
    m_pages->add(m_forecast, tr("Before a switch"), tr("what another format would lose of the run, layer by layer"));
    connect(m_forecast, &ForecastPage::blockFormatsChosen, m_pages, [this] { m_pages->setCurrent(m_blocks); });
    m_race = new RacePage(m_session, m_engine, m_pages);
    m_pages->add(m_race, tr("Scaler race"), tr("which of this run's steps each loss scaler would have skipped"));
    m_compare = new ComparePage(m_session, m_engine, m_pages);
    m_pages->add(m_compare, tr("Compare runs"), tr("in which layer and at which step two runs first differ"));
    m_times = new TimesPage(m_session, m_engine, m_pages);
    m_pages->add(m_times, tr("Step time"), tr("where the time of a step goes, and why a narrower format may not be faster"));
    connect(m_times, &TimesPage::refusalChanged, m_pages, [this](const QString& why) { m_pages->setRefusal(m_times, why); });
    m_pages->setRefusal(m_times, m_times->refusal());
}

void DiagnosePage::connectRemedies() {
    connect(m_verdict, &VerdictCard::applyRequested, this, &DiagnosePage::apply);
    connect(m_verdict, &VerdictCard::forkRequested, this, [this](int number) {
        if (const Remedy* chosen = remedyAt(examination(), number)) fork(*chosen, 0);
    });
    connect(m_verdict, &VerdictCard::whatIfRequested, this, [this](int number) {
        if (const Remedy* chosen = remedyAt(examination(), number)) fork(*chosen, ForkDialog::kWhatIfSteps);
    });
    connect(m_verdict, &VerdictCard::tryRequested, this, [this] { examine(m_shown.run, m_shown.step); });
    connect(m_verdict, &VerdictCard::stopRequested, this, &DiagnosePage::stopExamining);
    connect(m_verdict, &VerdictCard::leaveRequested, this, &DiagnosePage::leaveRequested);
}

void DiagnosePage::connectQuestions() {
    m_questions = new StepQuestions(
        m_session, [this](CommandBody body) { return m_engine->ask(std::move(body)); }, this);
    connect(m_engine, &EngineClient::answered, m_questions, &StepQuestions::answered);
    connect(m_questions, &StepQuestions::measuringChanged, this, &DiagnosePage::refreshAsking);
    connect(m_questions, &StepQuestions::measureRefused, this,
            [this](const QString& sentence) { emit said(tr("The step was not measured: %1").arg(sentence)); });
    connect(m_questions, &StepQuestions::elementsRead, m_instruments->elements(), &ElementsPanel::show);
    connect(m_questions, &StepQuestions::readRefused, m_instruments->elements(), &ElementsPanel::refuse);
    connect(m_instruments, &Instruments::elementsRequested, m_questions, &StepQuestions::read);
    connect(m_instruments, &Instruments::measureRequested, m_questions, [this](int run, qint64 step) { m_questions->measure(run, step); });
}

/// A captured step is measured completely and once, when it is first displayed.
void DiagnosePage::measureShown() {
    if (!isVisible() || !canAct() || !examination() || m_shown == m_measured) return;
    m_measured = m_shown;
    const RunMeasurements* known = m_measurements->of(m_shown.run);
    const StepStats* nearest = known ? known->nearest(m_shown.step) : nullptr;
    if (!nearest || nearest->step != m_shown.step || nearest->isPartial()) m_questions->measure(m_shown.run, m_shown.step);
}

void DiagnosePage::refreshAsking() {
    const RunState* run = m_session->run(m_shown.run);
    const bool canAsk = canAct() && m_shown.step >= run->info.firstStep && m_shown.step < run->stepCount();
    m_instruments->setAsking(canAsk, m_questions->isMeasuring(m_shown.run, m_shown.step));
}

void DiagnosePage::refreshButtons() {
    m_previous->setEnabled(capturedBeside(*m_captured, m_shown, -1).has_value());
    m_next->setEnabled(capturedBeside(*m_captured, m_shown, 1).has_value());
    const RunState* run = m_session->run(m_shown.run);
    m_fork->setVisible(m_shown.step >= 0 && run && run->isOwn());
    m_fork->setText(tr("Rewind to %1 and fork").arg(groupedText(m_shown.step)));
    m_fork->setEnabled(m_isAlive && run && run->canForkAt(m_shown.step));
    const Examination* found = examination();
    const Remedy* main = found ? mainRemedy(*found) : nullptr;
    m_fork->setToolTip(
        main ? tr("A new run from before step %1, with %2; this one is not touched").arg(groupedText(m_shown.step), changeName(*main))
             : tr("A new run from before step %1; this one is not touched").arg(groupedText(m_shown.step)));
    m_fork->setAccessibleName(m_fork->text());
}

bool DiagnosePage::hasEnded() const {
    const RunState* run = m_session->run(m_shown.run);
    return run && run->isOwn() && (!run->stopReason.isEmpty() || run->stepCount() >= run->info.settings.training.steps);
}

bool DiagnosePage::canAct() const {
    const RunState* run = m_session->run(m_shown.run);
    return run && run->isLive() && m_isAlive;
}

void DiagnosePage::apply(int number) {
    const Remedy* chosen = remedyAt(examination(), number);
    if (!chosen || chosen->pointer.empty() || !canAct()) return;
    // After the run's last step no next step would show the change.
    if (chosen->rewindTo >= 0 || hasEnded()) return fork(*chosen, 0);
    const Json value = Json::parse(chosen->value, nullptr, false);
    if (value.is_discarded()) return;
    m_engine->change(m_shown.run, QString::fromStdString(chosen->pointer), value, changeName(*chosen));
}

void DiagnosePage::fork(const Remedy& chosen, std::int64_t whatIfSteps) {
    const RunState* run = m_session->run(m_shown.run);
    const Json value = Json::parse(chosen.value, nullptr, false);
    if (!run || value.is_discarded()) return;
    const QString name = tr("%1, %2").arg(run->name(), changeName(chosen));
    if (std::any_of(m_session->runs().begin(), m_session->runs().end(), [&](const auto& each) { return each->name() == name; }))
        return emit said(tr("There is a run “%1” already.").arg(name));
    const bool isFinished = m_session->state().state == LabState::Finished;
    const Field* const field = fieldAt(chosen.pointer);
    if (field && !field->isLive) {  // a setting that is fixed for a run needs a new run
        RunSettings settings = withInitialChange(run->info.settings, chosen.pointer, value);
        settings.name = name.toStdString();
        if (m_engine->send(AddRun{runToJson(settings)}) == 0) return;
        if (isFinished) emit trainRequested();
        return emit said(tr("New run: %1").arg(name));
    }
    const std::int64_t step = chosen.rewindTo >= 0 ? chosen.rewindTo : m_shown.step;
    ForkRun command{.run = run->id, .step = step, .changes = {{chosen.pointer, value}}, .whatIfSteps = whatIfSteps};
    command.name = name.toStdString();
    if (m_engine->send(std::move(command)) == 0) return;
    if (isFinished && whatIfSteps == 0) emit trainRequested();  // a what-if is trained by itself
    emit said(whatIfSteps > 0 ? tr("What if: %1, %2 steps from step %3").arg(name, groupedText(whatIfSteps), groupedText(step))
                              : tr("New run from before step %2: %1").arg(name, groupedText(step)));
}

void DiagnosePage::rewindAndFork() {
    const RunState* run = m_session->run(m_shown.run);
    if (!run || m_shown.step < 0 || !run->canForkAt(m_shown.step)) return;
    const Examination* found = examination();
    const Remedy* main = found ? mainRemedy(*found) : nullptr;
    if (main)
        fork(*main, 0);
    else
        emit forkDialogRequested(run->id, m_shown.step);
}

void DiagnosePage::examineLast() {
    const RunState* run = m_session->run(m_shown.run);
    if (!run || !run->hasSteps()) return emit said(tr("There is no step to examine yet."));
    if (run->canAskProbe()) return captureNext(*run);
    examine(run->id, run->stepCount() - 1);
}

void DiagnosePage::captureNext(const RunState& run) {
    m_shown = {run.id, -1};
    m_engine->ask(ExamineStep{run.id, run.stepCount() + 1});  // steps with pending records are already done
    emit said(tr("The probe captures its next step."));
    refresh();
}

void DiagnosePage::examine(RunId run, std::int64_t step) {
    const RunState* state = m_session->run(run);
    if (!state || state->isRecorded() || m_asked != 0) return;
    m_problem.clear();
    m_progress.clear();
    m_askedFor = {run, step};
    m_asked = m_engine->ask(ExamineStep{run, step});
    if (m_asked == 0) emit said(tr("The engine has stopped: restart it to examine a step."));
    refresh();
}

/// The engine answers with its results so far.
void DiagnosePage::stopExamining() {
    if (m_asked != 0) m_engine->ask(StopQuestion{m_asked});
}

void DiagnosePage::ask(RunId run, std::int64_t step) {
    if (!m_session->run(run)) return;
    choose(run, step);
    if (!examination()) examine(run, step);
}

void DiagnosePage::askWhenPaused(RunId run, std::int64_t step) {
    const RunState* state = m_session->run(run);
    if (!state || state->isRecorded()) return;
    if (state->isWatched() || m_session->state().state != LabState::Training) return ask(run, step);
    m_wanted = CapturedStep{run, step};
    choose(run, step);
}

void DiagnosePage::goTo(std::int64_t step) {
    // The captured step of the chosen run comes first, then of another run, then a skipped step.
    if (findExamination(*m_session, {m_shown.run, step})) return choose(m_shown.run, step);
    for (const CapturedStep& captured : m_captured->steps())
        if (captured.step == step) return choose(captured.run, step);
    const auto wentWrong = [step](const RunState& run) {
        return std::binary_search(run.skippedSteps.begin(), run.skippedSteps.end(), step) || run.firstNonFiniteStep() == step;
    };
    const RunState* shown = m_session->run(m_shown.run);
    if (shown && wentWrong(*shown)) return choose(shown->id, step);
    for (const auto& run : m_session->runs())
        if (wentWrong(*run)) return choose(run->id, step);
}

void DiagnosePage::move(int by) {
    const auto captured = capturedBeside(*m_captured, m_shown, by);
    if (captured) choose(captured->run, captured->step);
}

}  // namespace mantissa::gui
