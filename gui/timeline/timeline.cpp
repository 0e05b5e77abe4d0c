// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/timeline/timeline.h"

#include <QMenu>
#include <algorithm>

#include "gui/app/icon.h"
#include "gui/controls/number_text.h"
#include "gui/timeline/fork_dialog.h"

namespace mantissa::gui {

Timeline::Timeline(SessionModel* session, EngineClient* engine, QWidget* window)
    : QObject(window), m_session(session), m_engine(engine), m_window(window) {}

const RunState* Timeline::subject() const {
    const RunState* run = m_session->run(m_session->selected());
    return run && run->isOwn() ? run : nullptr;
}

bool Timeline::canRewindAll(std::int64_t step) const {
    return std::any_of(m_session->runs().begin(), m_session->runs().end(), [&](const auto& run) { return run->canRewindTo(step); });
}

void Timeline::rewindAll(std::int64_t step) {
    if (!canRewindAll(step)) return emit said(tr("No run has a step %1 to go back to.").arg(groupedText(step)));
    emit rewindAsked({-1, step});
}

void Timeline::rewind(RunId run, std::int64_t step) {
    const RunState* state = m_session->run(run);
    if (!state || !state->canRewindTo(step)) return emit said(tr("This run has no step %1 to go back to.").arg(groupedText(step)));
    emit rewindAsked({run, step});
}

void Timeline::askFork(RunId run, std::int64_t step, bool asWhatIf) {
    const RunState* state = m_session->run(run);
    if (!state || !state->isOwn() || !m_engine->isRunning()) return;
    auto* dialog =
        new ForkDialog(m_session, m_engine, run, std::clamp(step, state->info.firstStep, state->stepCount()), asWhatIf, m_window);
    dialog->show();
}

void Timeline::fillMenu(QMenu* menu, std::int64_t step, const RunState* run) {
    const bool isAlive = m_engine->isRunning();
    const QIcon back = themedIcon(QStringLiteral("rewind")), fork = themedIcon(QStringLiteral("fork"));
    const bool isChosen = step >= 0;
    menu->addAction(isChosen ? tr("Step %1").arg(groupedText(step)) : tr("No step chosen: click in the plots"))->setEnabled(false);
    const auto add = [&](const QIcon& icon, const QString& text, bool can, auto&& action) {
        menu->addAction(icon, text, this, action)->setEnabled(isAlive && can);
    };
    if (isChosen) {
        const QString number = groupedText(step);
        add(back, tr("Rewind all runs to step %1").arg(number), canRewindAll(step), [this, step] { rewindAll(step); });
        if (run)
            add(back, tr("Rewind %1 alone").arg(run->name()), run->canRewindTo(step), [this, step, id = run->id] { rewind(id, step); });
    }
    if (!run) return;
    const std::int64_t from = isChosen ? step : run->stepCount();
    const QString place = isChosen ? tr("before step %1").arg(groupedText(step)) : tr("from here");
    add(fork, tr("Fork %1 %2…").arg(run->name(), place), run->canForkAt(from), [this, from, id = run->id] { askFork(id, from, false); });
    add(fork, tr("What if, with %1 %2…").arg(run->name(), place), run->canForkAt(from),
        [this, from, id = run->id] { askFork(id, from, true); });
    const auto nonFinite = run->firstNonFiniteStep(), skip = run->lastSkipStep();
    if (nonFinite || skip) menu->addSeparator();
    const auto addBack = [&](const QString& text, std::int64_t at) {
        add(back, text.arg(run->name(), groupedText(at)), run->canRewindTo(at), [this, at, id = run->id] { rewind(id, at); });
    };
    if (nonFinite) addBack(tr("Rewind %1 to step %2, the first non-finite one"), *nonFinite);
    if (skip) addBack(tr("Rewind %1 to step %2, the last skip"), *skip);
}

}  // namespace mantissa::gui
