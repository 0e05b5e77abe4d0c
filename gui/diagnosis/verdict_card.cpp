// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/verdict_card.h"

#include <QGridLayout>
#include <QGuiApplication>
#include <QMenu>
#include <algorithm>

#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/diagnosis/examination_text.h"
#include "gui/timeline/fork_dialog.h"

namespace mantissa::gui {
namespace {

constexpr int kLongestLabel = 216;            // px of a remedy's text
constexpr std::int64_t kStepsOnDemand = 100;  // steps that a remedy is tried for in a requested examination
constexpr int kRemedyWidth = 150;             // px: least width of a remedy's button

bool isTriedChange(const Remedy& remedy) {
    return remedy.steps > 0 && !remedy.pointer.empty();
}

/// The heading of remedies of this kind; those that help have none.
QString headOf(const Remedy& remedy) {
    if (remedy.pointer.empty() && remedy.rewindTo < 0) return VerdictCard::tr("without a change");
    if (remedy.helps) return {};
    return isTriedChange(remedy) ? VerdictCard::tr("tried, did not help") : VerdictCard::tr("not tried yet");
}

}  // namespace

VerdictCard::VerdictCard(SessionModel* session, QWidget* parent) : QFrame(parent) {
    const auto [split, head, words, title, headline, sentence] = makeSplitCard(this, tr("Verdict"));
    split->setDirection(QBoxLayout::TopToBottom);
    m_headline = headline;
    m_explanation = sentence;
    m_normal = new QWidget(this);
    auto* normal = makeRow(4, {}, m_normal);
    auto* tick = new IconLabel(m_normal, 12);
    tick->setIcon(QStringLiteral("check"), IconInk::Ink2);
    normal->addWidget(tick);
    normal->addWidget(makeLabel(tr("normal for a dynamic scaler"), "secondary", m_normal));
    head->addWidget(m_normal);
    head->addStretch(1);
    auto* help = makeRow(8, {0, 8, 0, 0});
    m_helpTitle = makeLabel(tr("What would help"), "title", this);
    m_helpNote = makeWrappedLabel({}, "secondary", this);
    help->addWidget(m_helpTitle);
    help->addWidget(m_helpNote, 1);
    m_try = makeButton(tr("Try them"), {}, tr("Try what would help on the next batches, without committing anything"), this);
    m_try->setObjectName(QStringLiteral("try"));
    help->addWidget(m_try);
    words->addLayout(help);
    m_remedies = new QGridLayout;
    m_remedies->setHorizontalSpacing(10);
    m_remedies->setVerticalSpacing(7);
    m_remedies->setColumnStretch(1, 1);
    words->addLayout(m_remedies);
    m_badge = new ChangeBadge(session, {QStringLiteral("/precision"), QStringLiteral("/scaler")}, this);
    words->addWidget(m_badge);
    m_wouldNotHelp = makeColumn(4);
    words->addLayout(m_wouldNotHelp);
    split->addLayout(words);

    m_trialsPanel = new QWidget(this);
    auto* column = makeColumn(4, {}, m_trialsPanel);
    auto* trialsHead = makeRow(8);
    trialsHead->addWidget(makeLabel(tr("Trials"), "title", m_trialsPanel));
    m_trialsNote = makeWrappedLabel({}, "secondary", m_trialsPanel);
    trialsHead->addWidget(m_trialsNote, 1);
    column->addLayout(trialsHead);
    m_trials = new TrialsModel(this);
    column->addWidget(new TrialsTable(m_trials, m_trialsPanel));
    column->addStretch(1);
    split->addWidget(m_trialsPanel, 1);
    split->addStretch();  // takes the space if there are no trials

    connect(m_try, &QPushButton::clicked, this, [this] { m_isTrying ? emit stopRequested() : emit tryRequested(); });
    connect(session, &SessionModel::runChanged, this, [this](int run) {
        if (run == m_badgeRun) m_badge->refresh();
    });
}

void VerdictCard::show(const RunState& run, const Examination& examination, Ways ways) {
    const SkipVerdict& verdict = examination.verdict;
    const bool sound = examination.verdict.kind == StepVerdict::Sound;
    m_normal->setVisible(verdict.isNormalProbing);
    const auto matter = sound ? run.silentMatterAt(examination) : std::nullopt;
    m_headline->setText(matter  ? engineText(matter->headline())
                        : sound ? tr("Nothing is wrong with this step.")
                                : engineText(verdict.headline));
    m_explanation->setText(matter  ? engineText(matter->sentence)
                           : sound ? tr("Every tensor, every gradient and the loss are finite.")
                                   : engineText(verdict.explanation));
    if (std::exchange(m_badgeRun, run.id) != run.id) m_badge->bind(run.id);

    emptyLayout(m_remedies);
    emptyLayout(m_wouldNotHelp);
    const auto& remedies = examination.remedies;
    QStringList labels;
    for (const Remedy& remedy : remedies) labels << engineText(remedy.label);
    if (!m_shownRemedies.isEmpty() && labels != m_shownRemedies) m_sinceMoved.start();
    m_shownRemedies = labels;
    const bool isOffered = !sound && !remedies.empty();
    m_helpTitle->setVisible(isOffered);
    m_helpNote->setVisible(isOffered);
    std::int64_t steps = 0;
    for (const Remedy& remedy : remedies)
        if (remedy.rewindTo < 0) steps = std::max(steps, remedy.steps);
    const Remedy* main = mainRemedy(examination);
    const bool helps = std::any_of(remedies.begin(), remedies.end(), [](const Remedy& remedy) { return remedy.helps; });
    const auto best = std::find_if(remedies.begin(), remedies.end(), isTriedChange);  // they are sorted
    const bool isAlsoEarlier =
        std::any_of(remedies.begin(), remedies.end(), [](const Remedy& remedy) { return remedy.rewindTo >= 0 && remedy.steps > 0; });
    m_triedNote = steps == 0               ? tr("not tried yet")
                  : helps && isAlsoEarlier ? tr("tried up to step %1, the run is unchanged").arg(groupedText(examination.step + steps))
                  : helps || best == remedies.end() ? tr("tried on the next %1 batches, the run is unchanged").arg(groupedText(steps))
                  : best->nonFinite == 0
                      ? tr("tried on the next %1 batches: finite, but the loss is not restored yet").arg(groupedText(steps))
                      : tr("tried on the next %1 batches: none of the remedies has restored the loss so far; the best is first")
                            .arg(groupedText(steps));
    m_canTry = ways.canAct;
    const bool isAnyUntried =
        std::any_of(remedies.begin(), remedies.end(), [](const Remedy& remedy) { return remedy.steps == 0 && remedy.sentence.empty(); });
    m_canTryLonger = !isAnyUntried && steps > 0 && steps < kStepsOnDemand;
    m_hasMoreToTry = isOffered && (isAnyUntried || m_canTryLonger);
    setTrying(false);
    for (std::size_t i = 0; isOffered && i < remedies.size(); ++i) {
        const QString head =
            i > 0 && remedies.front().helps && headOf(remedies[i]) != headOf(remedies[i - 1]) ? headOf(remedies[i]) : QString();
        if (!head.isEmpty()) m_remedies->addWidget(makeLabel(head, "secondary", this), m_remedies->rowCount(), 0, 1, 2);
        addRemedy(static_cast<int>(i), remedies[i], &remedies[i] == main, ways);
    }
    for (const Text& sentence : verdict.wouldNotHelp) {
        auto* line = new QWidget(this);
        auto* row = makeRow(8, {0, 4, 0, 0}, line);
        auto* icon = new IconLabel(line, 14);
        icon->setIcon(QStringLiteral("info"), IconInk::Ink2);
        QLabel* words = makeWrappedLabel(engineText(sentence), "body2", line);
        row->addWidget(icon, 0, Qt::AlignTop);
        row->addWidget(words, 1);
        m_wouldNotHelp->addWidget(line);
    }
    m_trials->show(examination);
    m_trialsPanel->setVisible(m_trials->rowCount() > 0);
    m_trialsNote->setText(tr("step %1 repeated, the run is unchanged").arg(groupedText(examination.step)));
}

void VerdictCard::addRemedy(int number, const Remedy& remedy, bool isMain, Ways ways) {
    const QString label = engineText(remedy.label), sentence = remedyText(remedy);
    const bool isTried = remedy.steps > 0, changes = !remedy.pointer.empty();
    // A remedy must be tried before its button can apply it.
    const QString shown = fontMetrics().elidedText(label, Qt::ElideMiddle, kLongestLabel);
    QPushButton* button = makeButton(shown, {}, sentence.isEmpty() ? label : tr("%1: %2").arg(label, sentence), this);
    button->setMinimumWidth(kRemedyWidth);
    button->setEnabled(ways.canAct && (changes ? isTried : !ways.hasEnded));
    button->setToolTip(!ways.canAct           ? tr("Only a run that trains here can be changed.")
                       : !changes             ? ways.hasEnded ? tr("Training has ended") : tr("Train on with nothing changed")
                                   : !isTried ? tr("Try it first. It can be applied after its result is shown.")
                       : remedy.rewindTo >= 0 ? tr("A new run from before step %1").arg(groupedText(remedy.rewindTo))
                       : ways.hasEnded        ? tr("%1, in a new run from before this step: training has ended").arg(label)
                                              : tr("%1, from the next step on").arg(label));
    if (isMain) button->setProperty("look", "primary");
    connect(button, &QPushButton::pressed, this, [this] {
        const bool isByHand = QGuiApplication::mouseButtons().testFlag(Qt::LeftButton);
        m_isMisled = isByHand && m_sinceMoved.isValid() && m_sinceMoved.elapsed() < kHoldMs;
    });
    connect(button, &QPushButton::clicked, this, [this, number, changes] {
        if (m_isMisled) return;
        changes ? emit applyRequested(number) : emit leaveRequested();
    });
    const int row = m_remedies->rowCount();
    m_remedies->addWidget(button, row, 0, Qt::AlignTop);
    QLabel* words = makeWrappedLabel(isTried || !sentence.isEmpty() ? sentence : tr("Not tried yet."), "body2", this);
    m_remedies->addWidget(words, row, 1, Qt::AlignVCenter);
    if (isTried && changes) {
        QToolButton* more = makeFlatButton(QStringLiteral("more"), tr("More ways to use: %1").arg(label), this);
        more->setEnabled(ways.canAct);
        more->setPopupMode(QToolButton::InstantPopup);
        auto* menu = new QMenu(more);
        const bool isRewind = remedy.rewindTo >= 0;
        const QString steps = groupedText(ForkDialog::kWhatIfSteps), from = groupedText(remedy.rewindTo);
        if (!isRewind && !ways.hasEnded)
            menu->addAction(tr("From the next step on"), this, [this, number] { emit applyRequested(number); });
        menu->addAction(themedIcon(QStringLiteral("fork")),
                        isRewind ? tr("In a new run, from before step %1").arg(from) : tr("In a new run, from before this step"), this,
                        [this, number] { emit forkRequested(number); });
        menu->addAction(themedIcon(QStringLiteral("fork")),
                        isRewind ? tr("What if: %1 steps from before step %2").arg(steps, from)
                                 : tr("What if: %1 steps from before this step").arg(steps),
                        this, [this, number] { emit whatIfRequested(number); });
        more->setMenu(menu);
        m_remedies->addWidget(more, row, 2, Qt::AlignTop);
    }
}

void VerdictCard::setTrying(bool trying, const QString& progress) {
    m_isTrying = trying;
    m_helpNote->setText(!trying ? m_triedNote : progress.isEmpty() ? tr("Trying…") : progress);
    m_try->setText(trying ? tr("Stop") : m_canTryLonger ? tr("Try longer") : tr("Try them"));
    m_try->setAccessibleName(trying ? tr("Stop trying; results so far are kept")
                                    : tr("Try what would help on the next batches, without committing anything"));
    m_try->setToolTip(m_try->accessibleName());
    m_try->setVisible(trying || m_hasMoreToTry);
    m_try->setEnabled(trying || m_canTry);
}

}  // namespace mantissa::gui
