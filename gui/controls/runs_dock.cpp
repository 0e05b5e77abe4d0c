// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/runs_dock.h"

#include <QEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <utility>

#include "gui/app/theme.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

/// Position of a card in the tree of runs: indented below its parent, connected by a line.
class Branch : public QWidget {
public:
    Branch(RunCard* card, QWidget* parent) : QWidget(parent), m_card(card) {
        auto* column = new QVBoxLayout(this);
        column->addWidget(card);
    }
    /// `goesOn`: for each level up to the card's own, whether another run of that level follows below.
    void setPlace(std::vector<bool> goesOn, bool hasForks) {
        m_goesOn = std::move(goesOn);
        m_hasForks = hasForks;
        layout()->setContentsMargins(kIndent * depth(), 0, 0, kGap);
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setPen(QPen(Theme::current().axis, 1));
        const auto lineOf = [](int level) { return level * kIndent - kIndent / 2; };
        for (int level = 1; level <= depth(); ++level) {
            const bool isOwn = level == depth(), continues = m_goesOn[static_cast<std::size_t>(level - 1)];
            if (isOwn || continues) painter.drawLine(lineOf(level), 0, lineOf(level), continues ? height() : kElbow);
            if (isOwn) painter.drawLine(lineOf(level), kElbow, level * kIndent - 1, kElbow);
        }
        if (m_hasForks) painter.drawLine(lineOf(depth() + 1), m_card->geometry().bottom() + 1, lineOf(depth() + 1), height());
    }

private:
    static constexpr int kIndent = 16, kGap = 8, kElbow = 20;  // px; the elbow is level with the card's name
    int depth() const { return static_cast<int>(m_goesOn.size()); }
    RunCard* m_card;
    std::vector<bool> m_goesOn;
    bool m_hasForks = false;
};

}  // namespace

RunsDock::RunsDock(SessionModel* session, EngineClient* engine, QWidget* parent) : QWidget(parent), m_session(session), m_engine(engine) {
    paintAs(this, "dock");
    auto* column = makeColumn(0, {0, 4, 0, 0}, this);

    auto* head = makeRow(8, {12, 4, 12, 4});
    head->addWidget(makeLabel(tr("Runs"), "title", this));
    m_heading = makeLabel({}, "secondary", this);
    head->addWidget(m_heading, 1);
    m_add = makeButton(tr("Add"), QStringLiteral("plus"), tr("Add a run with the selected run's settings"), this);
    m_add->setToolTip(m_add->accessibleName());
    head->addWidget(m_add);
    column->addLayout(head);

    auto* cards = new QWidget;
    m_cardColumn = makeColumn(0, {8, 4, 8, 8}, cards);
    m_cardColumn->addStretch(1);
    m_cardArea = makeScroll(cards, this);
    column->addWidget(m_cardArea, 1);

    auto* slim = new QWidget;
    auto* slimColumn = makeColumn(6, {}, slim);
    auto* top = new QWidget(slim);
    auto* topColumn = makeColumn(6, {8, 0, 8, 2}, top);
    m_list = new RunList(session, engine, top);
    connect(m_list, &RunList::pointed, this, &RunsDock::runPointed);
    m_slimNote = new RunNote(session, engine, top);
    m_slimControls = new RunControls(session, engine, top);
    m_slimControls->setNarrow(true);
    addWidgets(topColumn, {m_list, m_slimNote});
    m_slimWhy = makeButton({}, {}, {}, top);
    m_slimWhy->setProperty("look", "inline");
    m_slimWhy->setCursor(Qt::PointingHandCursor);
    m_slimWhy->hide();
    QWidget* const badge = m_slimControls->badge();
    auto* badgeRow = makeRow(6);
    badgeRow->addWidget(badge, 1);
    badgeRow->addStretch();
    badgeRow->addWidget(m_slimWhy);
    for (QWidget* each : {badge, static_cast<QWidget*>(m_slimWhy)}) {
        QSizePolicy policy = each->sizePolicy();
        policy.setRetainSizeWhenHidden(true);
        each->setSizePolicy(policy);
    }
    connect(m_slimWhy, &QPushButton::clicked, this, [this] { emit whyRequested(m_slimControls->run(), m_slimWhyStep); });
    topColumn->addWidget(m_slimControls);
    topColumn->addLayout(badgeRow);
    slimColumn->addWidget(top);
    auto* panels = new QWidget(slim);
    paintAs(panels, "surface");
    auto* panelColumn = makeColumn(6, {}, panels);
    panelColumn->addWidget(makeRule(Qt::Horizontal, panels));
    m_slimPanels = new QGridLayout;
    m_slimPanels->setContentsMargins(8, 0, 8, 4);
    m_slimPanels->setHorizontalSpacing(4);
    m_slimPanels->setVerticalSpacing(6);
    m_slimPanels->setColumnStretch(1, 1);
    panelColumn->addLayout(m_slimPanels);
    panelColumn->addStretch(1);
    slimColumn->addWidget(panels, 1);
    m_slimArea = makeScroll(slim, this);
    column->addWidget(m_slimArea, 1);
    slim->installEventFilter(this);
    m_slimArea->viewport()->installEventFilter(this);

    connect(m_add, &QPushButton::clicked, this, [this] { m_engine->send(DuplicateRun{m_session->selected()}); });
    connect(session, &SessionModel::experimentLoaded, this, [this] {
        // All runs are new, even those with a reused number: no old card is kept.
        dropCards([](const RunCard*) { return true; });
        rebuildCards();
        for (QScrollArea* area : {m_cardArea, m_slimArea}) area->verticalScrollBar()->setValue(0);
    });
    connect(session, &SessionModel::runsChanged, this, &RunsDock::rebuildCards);
    connect(session, &SessionModel::stateChanged, this, &RunsDock::refreshHeading);
    connect(session, &SessionModel::seriesReset, this, [this] {
        for (RunCard* card : m_cards) card->beginAgain();
        m_slimControls->bind(m_session->selected());
        refreshLive();
    });
    connect(session, &SessionModel::runRewound, this, [this](int run) {
        if (RunCard* card = cardOf(run)) card->beginAgain();
        refreshLive();
    });
    connect(&m_delay, &QTimer::timeout, this, &RunsDock::refreshLive);
    connect(session, &SessionModel::recordsAppended, &m_delay, &Delay::begin);
    connect(session, &SessionModel::runChanged, this, [this](int run) {
        if (RunCard* card = cardOf(run)) card->refresh();
        if (run == m_slimControls->run()) refreshSlim();
    });
    connect(session, &SessionModel::selectionChanged, this, [this] {
        for (RunCard* card : m_cards) card->refresh();
        m_slimControls->bind(m_session->selected());
        refreshSlim();
        const bool isAdded = std::exchange(m_addedRun, -1) == m_session->selected();
        // After a new card has its height.
        QTimer::singleShot(0, this, [this, isAdded] {
            RunCard* card = cardOf(m_session->selected());
            if (!card) return;
            m_cardArea->ensureWidgetVisible(card, 0, 8);
            // What is typed next belongs to the new run, not to a field of the run that was selected before.
            const RunState* state = m_session->run(card->run());
            if (isAdded && state && state->isLive() && hasFocusInOtherCard(card->run())) card->focusFirst();
        });
    });
    setSlim(false);
}

void RunsDock::setSlim(bool slim) {
    m_isSlim = slim;
    setMinimumWidth(slim ? kSlimWidth : kWidth);
    m_cardArea->setVisible(!slim);
    m_slimArea->setVisible(slim);
    m_add->setText(slim ? QString() : tr("Add"));
    m_add->setFixedWidth(slim ? 26 : QWIDGETSIZE_MAX);
    refreshHeading();
    refreshLive();
}

RunCard* RunsDock::cardOf(RunId run) const {
    const auto it = std::ranges::find(m_cards, run, &RunCard::run);
    return it == m_cards.end() ? nullptr : *it;
}

bool RunsDock::hasFocusInOtherCard(RunId run) const {
    const QWidget* focus = window()->focusWidget();
    return focus && std::ranges::any_of(m_cards, [&](const RunCard* card) { return card->run() != run && card->isAncestorOf(focus); });
}

void RunsDock::dropCards(const std::function<bool(const RunCard*)>& isGone) {
    std::erase_if(m_cards, [&](RunCard* card) {
        if (!isGone(card)) return false;
        QWidget* branch = card->parentWidget();
        m_cardColumn->removeWidget(branch);
        branch->hide();
        branch->deleteLater();
        return true;
    });
}

void RunsDock::rebuildCards() {
    // Cards of remaining runs are kept: adding a run must not remove a field that is being edited.
    dropCards([this](const RunCard* card) { return !m_session->run(card->run()); });
    std::vector<RunCard*> cards;
    std::vector<int> depths;
    for (const auto& state : m_session->runs()) depths.push_back(std::min(m_session->depthOf(*state), kMostIndents));
    for (const auto& state : m_session->runs()) {
        RunCard* card = cardOf(state->id);
        if (!card) {
            card = new RunCard(m_session, m_engine, state->id, m_cardArea->widget());
            m_addedRun = m_cards.empty() ? -1 : state->id;
            new Branch(card, m_cardArea->widget());
            card->setEngineAlive(m_isAlive);
            connect(card, &RunCard::rewindRequested, this, &RunsDock::rewindRequested);
            connect(card, &RunCard::whyRequested, this, &RunsDock::whyRequested);
            connect(card, &RunCard::pointed, this, &RunsDock::runPointed);
        }
        const std::size_t place = cards.size();
        // For each level, whether another run of it follows before a run of a level above.
        std::vector<bool> goesOn;
        for (int level = 1; level <= depths[place]; ++level) {
            const auto next = std::find_if(depths.begin() + static_cast<std::ptrdiff_t>(place) + 1, depths.end(),
                                           [level](int depth) { return depth <= level; });
            goesOn.push_back(next != depths.end() && *next == level);
        }
        auto* branch = static_cast<Branch*>(card->parentWidget());
        branch->setPlace(std::move(goesOn), place + 1 < depths.size() && depths[place + 1] > depths[place]);
        m_cardColumn->insertWidget(static_cast<int>(place), branch);
        branch->setVisible(!state->isWithheld);
        card->refresh();
        cards.push_back(card);
    }
    m_cards = std::move(cards);
    refreshSlim();
    refreshHeading();
}

void RunsDock::refreshHeading() {
    if (!m_session->hasOwnRuns()) return m_heading->clear();  // runs of other programs have no known pace and seeds
    const TrainingSettings* first = nullptr;
    bool sameSeed = true;
    for (const auto& state : m_session->runs()) {
        if (!state->isOwn()) continue;
        const TrainingSettings& each = state->info.settings.training;
        if (first == nullptr) first = &each;
        sameSeed = sameSeed && first->init.seed == each.init.seed && first->data.seed == each.data.seed;
    }
    const QString pace = m_session->state().lockstep ? tr("in lock-step") : tr("each at its pace");
    m_heading->setText(m_isSlim || !sameSeed ? pace : tr("%1, same seed").arg(pace));
}

void RunsDock::refreshLive() {
    if (m_isSlim) {
        m_list->refresh();
        refreshSlim();
        return;
    }
    for (RunCard* card : m_cards) card->refreshLive();
}

void RunsDock::refreshNow() {
    m_delay.stop();
    refreshLive();
}

void RunsDock::refreshSlim() {
    const RunState* state = m_session->run(m_slimControls->run());
    const bool isShown = state && !state->isWithheld;
    m_slimControls->setVisible(isShown && state->isLive());
    const auto why = isShown && !m_session->isQuestionOpen() && !state->isRecorded() ? stepToAskOf(*state) : std::nullopt;
    m_slimWhy->setVisible(why.has_value());
    if (why && std::exchange(m_slimWhyStep, *why) != *why) {
        m_slimWhy->setText(tr("Why? Examine step %1").arg(groupedText(*why)));
        m_slimWhy->setAccessibleName(m_slimWhy->text());
    }
    // Shown or hidden in one step: otherwise the widgets below would move under the pointer.
    isShown ? m_slimNote->show(*state) : m_slimNote->hide();
    if (state && state->isLive()) m_slimControls->refresh();
}

bool RunsDock::eventFilter(QObject* watched, QEvent* event) {
    const bool mustFit = watched == m_slimArea->viewport() ? event->type() == QEvent::Resize : event->type() == QEvent::LayoutRequest;
    const bool isSkipped = QWidget::eventFilter(watched, event);
    if (mustFit) QMetaObject::invokeMethod(this, &RunsDock::fitSlim, Qt::QueuedConnection);  // after all parts have their sizes
    return isSkipped;
}

/// Shrinks the list before the area needs a scroll bar.
void RunsDock::fitSlim() {
    QLayout* column = m_slimArea->widget()->layout();
    const int width = m_slimArea->viewport()->width();
    const int needed = column->hasHeightForWidth() ? column->totalHeightForWidth(width) : column->totalMinimumSize().height();
    m_list->fitInto(m_slimArea->viewport()->height() - (needed - m_list->sizeHint().height()));
}

void RunsDock::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    // Red text contains the theme's colour.
    if (event->type() == QEvent::PaletteChange) refreshLive();
}

void RunsDock::setEngineAlive(bool alive) {
    m_isAlive = alive;
    for (RunCard* card : m_cards) card->setEngineAlive(alive);
    m_slimControls->setEnabled(alive);
    m_slimNote->setEngineAlive(alive);
    m_add->setEnabled(alive);
}

void RunsDock::renameSelected() {
    if (m_isSlim)
        m_list->edit(m_list->currentIndex());
    else if (RunCard* card = cardOf(m_session->selected()))
        card->beginRename();
}

}  // namespace mantissa::gui
