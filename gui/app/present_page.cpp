// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/present_page.h"

#include <QEvent>
#include <QMenu>
#include <QRegularExpression>
#include <algorithm>

#include "engine/precision/policy.h"
#include "gui/app/style_sheet.h"
#include "gui/app/theme.h"
#include "gui/controls/experiment_words.h"
#include "gui/controls/number_text.h"
#include "gui/plots/panel.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {
namespace {

constexpr double kTypeZoom = 1.6, kSlimTypeZoom = 1.25;  // slim: in a window of little height
constexpr double kPlotZoom = 1.7;                        // ticks of 12 px become 20, lines of 1.8 px 3
constexpr double kSlimPlotZoom = 1.3;
constexpr double kSideShare = 0.27;  // of the width

/// The first sentence of a description, as a summary.
QString firstSentence(const QString& text) {
    static const QRegularExpression kEnd(QStringLiteral("\\. |。"));
    const qsizetype end = text.indexOf(kEnd);
    return end < 0 ? text : text.left(end + 1);
}

QPushButton* makeActionButton(QAction* action, const QString& text, const QString& icon, QWidget* parent) {
    QPushButton* button = makeButton(text, icon, action->text(), parent);
    showKeyInToolTip(button, action);
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    return button;
}

}  // namespace

PresentPage::PresentPage(SessionModel* session, const Actions& actions, QWidget* parent)
    : QWidget(parent), m_session(session), m_actions(actions) {
    setObjectName(QStringLiteral("presentPage"));
    setAccessibleName(tr("Presentation"));
    paintAs(this, "surface");
    auto* column = makeColumn(0, {}, this);

    auto* head = makeRow(12, {32, 12, 24, 12});
    m_title = makeLabel({}, "question", this);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    head->addWidget(m_title, 1);
    m_steps = makeLabel({}, "body2", this);
    m_steps->setTextFormat(Qt::RichText);
    head->addWidget(m_steps);
    m_train = makeActionButton(actions.train, tr("Train"), QStringLiteral("train"), this);
    m_pair = makeActionButton(actions.otherRun, tr("Before / after"), {}, this);
    m_show = makeButton(tr("Show"), QStringLiteral("chevron-down"), tr("What is shown: plots, colours, a lesson"), this);
    m_show->setLayoutDirection(isRightToLeft() ? Qt::LeftToRight : Qt::RightToLeft);  // the menu arrow is behind the text
    m_menu = new QMenu(m_show);
    m_menu->setLayoutDirection(layoutDirection());
    m_show->setMenu(m_menu);
    m_reset = makeActionButton(actions.restore, tr("Reset"), QStringLiteral("reset"), this);
    m_leave = makeActionButton(actions.leavePresent, tr("Leave"), {}, this);
    // Reset is away from the end of the bar, where a second click on the Present tab would land.
    for (QPushButton* button : {m_reset, m_train, m_pair, m_show, m_leave}) head->addWidget(button);
    column->addLayout(head);
    column->addWidget(makeRule(Qt::Horizontal, this));

    auto* body = makeRow(0);
    m_middle = makeColumn(8, {32, 16, 24, 16});
    m_chips = new RunChips(session, this);
    m_middle->addWidget(m_chips);
    m_words = makeWrappedLabel({}, "large", this);
    m_caption = makeWrappedLabel({}, "secondary", this);
    addWidgets(m_middle, {makeRule(Qt::Horizontal, this), m_words, m_caption});
    body->addLayout(m_middle, 1);
    m_sideRule = makeRule(Qt::Vertical, this);
    body->addWidget(m_sideRule);
    m_sideSlot = new QWidget(this);
    auto* side = new QVBoxLayout(m_sideSlot);
    side->setContentsMargins(0, 0, 0, 0);
    body->addWidget(m_sideSlot);
    m_sideRule->hide();
    m_sideSlot->hide();
    column->addLayout(body, 1);

    connect(&m_delay, &QTimer::timeout, this, &PresentPage::refreshSteps);
    connect(session, &SessionModel::recordsAppended, this, [this] {
        if (isVisible()) m_delay.begin();
    });
    connectEach(session, this, &PresentPage::refreshSteps, &SessionModel::seriesReset, &SessionModel::runRewound);
    connectEach(session, this, &PresentPage::refresh, &SessionModel::experimentLoaded, &SessionModel::runsChanged,
                &SessionModel::selectionChanged, &SessionModel::runChanged);
    connect(session, &SessionModel::experimentLoaded, this, &PresentPage::showPlots);
    connect(actions.train, &QAction::changed, this, &PresentPage::refreshTrain);
    connect(session, &SessionModel::stateChanged, this, &PresentPage::refreshTrain);
    connect(actions.restore, &QAction::changed, m_reset, [this] { m_reset->setEnabled(m_actions.restore->isEnabled()); });
    connect(m_menu, &QMenu::aboutToShow, this, &PresentPage::fillPlotMenu);
    m_reset->setEnabled(actions.restore->isEnabled());
    refreshTrain();
    refresh();
}

void PresentPage::setSlim(bool slim) {
    m_isSlim = slim;
    enlarge();
    if (m_board) m_board->setPresenting(slim ? kSlimPlotZoom : kPlotZoom);
}

void PresentPage::take(PlotBoard* board) {
    m_board = board;
    m_middle->insertWidget(1, board, 1);
    board->show();
    enlarge();
    refresh();
    showPlots();
    board->setPresenting(m_isSlim ? kSlimPlotZoom : kPlotZoom);
}

void PresentPage::release() {
    if (!m_board) return;
    m_board->setPresenting(1);
    m_board->choice().showAlone({});
    m_board = nullptr;
}

void PresentPage::setLessonTitle(const QString& title) {
    m_lessonTitle = title;
    fitWords();
}

void PresentPage::setSide(QWidget* side) {
    if (m_side == side) return;
    if (m_side) {
        m_side->hide();
        m_side->setParent(nullptr);
    }
    m_side = side;
    if (side) {
        m_sideSlot->layout()->addWidget(side);
        side->show();
    }
    m_reset->setVisible(!side);  // a lesson has its own reset button
    m_sideRule->setVisible(side);
    m_sideSlot->setVisible(side);
    refresh();
}

void PresentPage::setPlots(const std::vector<std::string>& keys) {
    m_plots = keys;
    showPlots();
}

std::vector<std::string> PresentPage::suggestedPlots() const {
    // Loss, and beside it the plot that most lessons need; without loss scaling that plot would be empty.
    const auto& runs = m_session->runs();
    const bool hasScaler = std::ranges::any_of(
        runs, [](const auto& run) { return run->firstScaled >= 0 || (!run->isRecorded() && run->info.scalerPreset != "none"); });
    return {keyOf(Metric::Loss), keyOf(hasScaler ? Metric::LossScale : Metric::GradNorm)};
}

void PresentPage::showPlots() {
    if (m_board) m_board->choice().showAlone(plots());
}

void PresentPage::fillPlotMenu() {
    m_menu->clear();
    if (!m_board) return;
    m_menu->addAction(m_actions.lessonList);  // first: the menu is higher than a small screen
    m_menu->addSeparator();
    const std::vector<std::string> shown = plots();
    for (const std::string& key : m_board->choice().offered()) {
        QAction* action = m_menu->addAction(m_board->panels().titleOf(key));
        action->setCheckable(true);
        action->setChecked(std::ranges::find(shown, key) != shown.end());
        action->setEnabled(!action->isChecked() || shown.size() > 1);  // the last plot cannot be removed
        connect(action, &QAction::toggled, this, [this, key](bool isShown) {
            std::vector<std::string> chosen = plots();
            std::erase(chosen, key);
            if (isShown) chosen.push_back(key);
            setPlots(chosen);
            emit plotsChosen(chosen);
        });
    }
    m_menu->addSeparator();
    m_menu->addActions({m_actions.logScale, m_actions.smoothing});
    m_menu->addSeparator();
    m_menu->addActions(m_actions.themes->actions());
    m_menu->addAction(m_actions.highContrast);
    m_menu->addSeparator();
    m_menu->addActions({m_actions.otherRun, m_actions.allRuns, m_actions.resetLayout});
    if (m_side) m_menu->addAction(m_actions.lessonLeave);
}

void PresentPage::refreshTrain() {
    // Fits both texts, so that the widgets beside it do not move.
    const QFontMetrics metrics = m_train->fontMetrics();
    m_train->setMinimumWidth(std::max(metrics.horizontalAdvance(tr("Pause")), metrics.horizontalAdvance(tr("Train"))) +
                             m_train->iconSize().width() + 2 * metrics.height());
    m_train->setText(m_session->state().state == LabState::Training ? tr("Pause") : tr("Train"));
    m_train->setIcon(themedIcon(m_session->state().state == LabState::Training ? QStringLiteral("pause") : QStringLiteral("train")));
    m_train->setAccessibleName(m_actions.train->text());
    m_train->setEnabled(m_actions.train->isEnabled());
}

QString PresentPage::captionText() const {
    const RunState* run = m_session->run(m_session->selected());
    if (!run && !m_session->runs().empty()) run = m_session->runs().front().get();
    if (!run) return {};
    const TrainingSettings& training = run->info.settings.training;
    if (run->isWatched()) return QString::fromStdString(run->info.modelText) + u'.';  // its settings are not known
    QString text = tr("%1, %2, lr %3, %4, seed %5.")
                       .arg(QString::fromStdString(run->info.modelText), QString::fromStdString(training.optimizer.kind),
                            editText(training.optimizer.lr), QString::fromStdString(m_session->experiment().dataName))
                       .arg(training.init.seed);
    QStringList formats;
    for (const auto& each : m_session->runs()) {
        const QString format = QString::fromStdString(policyScreenName(each->info.policy));
        if (each->info.isEmulated && !each->isHidden && !formats.contains(format)) formats << format;
    }
    if (formats.isEmpty()) return text;
    const QString last = formats.takeLast();
    text += u' ' + (formats.isEmpty() ? tr("%1 is emulated.").arg(last)
                                      : tr("%1 and %2 are emulated.").arg(formats.join(QStringLiteral(", ")), last));
    return text;
}

void PresentPage::refresh() {
    m_words->setText(firstSentence(shownWords(m_session->experiment()).description));
    m_words->setVisible(!m_words->text().isEmpty() && !m_side);  // a lesson has its own text, and these words could answer its questions
    m_caption->setText(captionText());
    fitWords();
    refreshSteps();
}

void PresentPage::refreshSteps() {
    const qint64 whole = m_session->experiment().steps;
    m_steps->setText(whole > 0 ? tr("step <b>%1</b> of %2").arg(groupedText(m_session->stepCount()), groupedText(whole))
                               : tr("step <b>%1</b>").arg(groupedText(m_session->stepCount())));
}

void PresentPage::fitWords() {
    m_sideSlot->setFixedWidth(std::max(qRound(kSideShare * width()), m_side ? m_side->minimumWidth() : 0));
    const QString title = m_lessonTitle.isEmpty() ? shownWords(m_session->experiment()).title : m_lessonTitle;
    m_title->setText(m_title->fontMetrics().elidedText(title, Qt::ElideRight, m_title->width()));
    m_title->setToolTip(title);
}

void PresentPage::enlarge() {
    const double scale = m_isSlim ? kSlimTypeZoom : kTypeZoom;
    const QString sheet = gui::styleSheet(Theme::current(), scale);
    if (sheet == styleSheet()) return;
    m_isEnlarging = true;
    setStyleSheet(sheet);
    const int icon = qRound(14 * scale);
    for (QPushButton* button : {m_train, m_show, m_reset}) button->setIconSize({icon + qRound(4 * scale), icon});
    m_isEnlarging = false;
    refreshTrain();
    m_chips->arrange();
    fitWords();
}

void PresentPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    layout()->activate();
    fitWords();
}

void PresentPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    // The style sheet contains the theme's colours.
    if (event->type() == QEvent::PaletteChange && !m_isEnlarging && isVisible()) enlarge();
}

}  // namespace mantissa::gui
