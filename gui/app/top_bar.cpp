// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/top_bar.h"

#include <QSignalBlocker>
#include <algorithm>
#include <utility>

#include "gui/controls/experiment_words.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

constexpr int kWordyWidth = 1700;  // px

/// "CPU · 2 threads" for "cpu", "CUDA:0" for a GPU.
QString deviceText(const DeviceInfo* device, bool isCompact) {
    if (!device) return QObject::tr("no device");
    const QString name = QString::fromStdString(device->name).toUpper();
    if (isCompact || device->name != "cpu") return name;
    return device->threads == 1 ? QObject::tr("%1 · 1 thread").arg(name) : QObject::tr("%1 · %2 threads").arg(name).arg(device->threads);
}

}  // namespace

const QList<double>& paces() {
    static const QList<double> kPaces{1, 5, 20, 60, 240, 0};
    return kPaces;
}

QString paceText(double stepsPerSecond) {
    if (stepsPerSecond <= 0) return QObject::tr("full speed");
    return stepsPerSecond == 1 ? QObject::tr("1 step/s") : QObject::tr("%1 steps/s").arg(numberText(stepsPerSecond));
}

TopBar::TopBar(SessionModel* session, const Actions& actions, QWidget* parent) : QWidget(parent), m_session(session), m_actions(actions) {
    paintAs(this, "bar");
    setFixedHeight(48);
    auto* row = makeRow(6, {12, 0, 12, 0}, this);

    m_train = makeButton(tr("Train"), QStringLiteral("train"), tr("Train"), this);
    m_step = makeButton({}, QStringLiteral("step"), tr("Single step"), this);
    m_timeline = makeButton({}, QStringLiteral("rewind"), tr("Rewind, fork, what if"), this);
    m_reset = makeButton({}, QStringLiteral("reset"), tr("Reset to step 0"), this);
    m_paceCaption = makeLabel(tr("Pace"), "secondary", this);
    m_pace = new ComboBox(tr("Pace of training"), this);
    for (const double pace : paces()) m_pace->addItem(paceText(pace), pace);
    m_counter = new StepCounter(this);
    m_freeze = makeButton(tr("Freeze view"), QStringLiteral("freeze"), tr("Freeze view"), this);
    m_followMode = new ComboBox(tr("What the plots follow"), this);
    m_followMode->addItem(themedIcon(QStringLiteral("follow")), actions.followAll->text(), static_cast<int>(FollowMode::All));
    m_followMode->addItem(themedIcon(QStringLiteral("follow")), actions.followWindow->text(), static_cast<int>(FollowMode::Window));
    m_followMode->addItem(themedIcon(QStringLiteral("follow")), actions.followManual->text(), static_cast<int>(FollowMode::Manual));
    m_follow = makeButton(tr("Follow"), QStringLiteral("follow"), tr("Follow the tail again"), this);
    m_crosshair = new ComboBox(tr("Crosshair"), this);
    m_crosshair->addItem(themedIcon(QStringLiteral("crosshair")), tr("Crosshair off"), static_cast<int>(CrosshairMode::Off));
    m_crosshair->addItem(themedIcon(QStringLiteral("crosshair")), tr("Crosshair"), static_cast<int>(CrosshairMode::Crosshair));
    m_crosshair->addItem(themedIcon(QStringLiteral("crosshair")), tr("Crosshair + values"), static_cast<int>(CrosshairMode::Values));
    m_crosshairKey = makeButton({}, QStringLiteral("crosshair"), tr("Next crosshair mode"), this);
    m_experimentCaption = makeLabel(tr("Experiment"), "secondary", this);
    m_experiment = new ComboBox(tr("Experiment"), this);
    m_experiment->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_experiment->setMinimumContentsLength(20);
    m_create = makeButton({}, QStringLiteral("plus"), tr("New experiment"), this);
    m_device = makeLabel({}, "device", this);

    for (QPushButton* button : {m_train, m_step, m_timeline, m_reset, m_freeze, m_follow, m_crosshairKey, m_create})
        button->setToolTip(button->accessibleName());
    const QList<QWidget*> order{m_train,   m_step,  m_timeline, m_reset,      nullptr,  m_paceCaption, m_pace,        nullptr,
                                m_counter, nullptr, m_freeze,   m_followMode, m_follow, m_crosshair,   m_crosshairKey};
    for (QWidget* widget : order) widget ? row->addWidget(widget, 0, Qt::AlignVCenter) : row->addSpacing(6);
    row->addStretch(1);
    for (QWidget* widget : QList<QWidget*>{m_experimentCaption, m_experiment, m_create, m_device})
        row->addWidget(widget, 0, Qt::AlignVCenter);

    connect(m_train, &QPushButton::clicked, actions.train, &QAction::trigger);
    connect(actions.train, &QAction::changed, this, &TopBar::refreshState);
    connect(m_step, &QPushButton::clicked, actions.step, &QAction::trigger);
    connect(m_reset, &QPushButton::clicked, actions.reset, &QAction::trigger);
    connect(m_timeline, &QPushButton::clicked, this,
            [this] { emit timelineMenuRequested(m_timeline->mapToGlobal(QPoint(0, m_timeline->height() + 2))); });
    connect(m_counter, &StepCounter::stepChosen, this, &TopBar::stepChosen);
    connect(m_freeze, &QPushButton::clicked, actions.freeze, &QAction::trigger);
    connect(m_follow, &QPushButton::clicked, actions.follow, &QAction::trigger);
    connect(m_create, &QPushButton::clicked, actions.create, &QAction::trigger);
    connect(m_crosshairKey, &QPushButton::clicked, actions.crosshair, &QAction::trigger);
    connect(m_pace, &QComboBox::activated, this, [this](int index) { emit paceChosen(m_pace->itemData(index).toDouble()); });
    connect(m_followMode, &QComboBox::activated, this,
            [this](int index) { emit followChosen(static_cast<FollowMode>(m_followMode->itemData(index).toInt())); });
    connect(m_crosshair, &QComboBox::activated, this,
            [this](int index) { emit crosshairChosen(static_cast<CrosshairMode>(m_crosshair->itemData(index).toInt())); });
    connect(m_experiment, &QComboBox::activated, this, [this](int index) {
        const QString name = m_experiment->itemData(index).toString();
        refreshExperiments();  // the combo box shows the loaded experiment, not the requested one
        emit experimentChosen(name);
    });

    connect(&m_delay, &QTimer::timeout, this, &TopBar::refreshSteps);
    connect(session, &SessionModel::recordsAppended, &m_delay, &Delay::begin);
    connectEach(session, this, &TopBar::refreshSteps, &SessionModel::seriesReset, &SessionModel::runRewound);
    connect(session, &SessionModel::runChanged, this, &TopBar::refreshMarks);
    connectEach(session, this, &TopBar::refreshState, &SessionModel::runsChanged, &SessionModel::stateChanged);
    connect(session, &SessionModel::greeted, this, [this] {
        refreshExperiments();
        setCompact(m_isCompact);
    });
    connect(session, &SessionModel::experimentLoaded, this, [this] {
        refreshExperiments();
        refreshSteps();
    });
    setFollow(FollowMode::All);
    setCompact(false);
    refreshState();
}

void TopBar::setCompact(bool compact) {
    m_isCompact = compact;
    fitWords();
    setAllVisible({m_paceCaption, m_pace, m_experimentCaption}, !compact);
    showPlotControls();
    m_counter->setCompact(compact);
    m_experiment->setMinimumContentsLength(compact ? 17 : 20);
    m_device->setText(deviceText(m_session->device(), compact));
    refreshSteps();
    refreshFreeze();
}

void TopBar::setShowsPlots(bool shows) {
    m_showsPlots = shows;
    showPlotControls();
}

void TopBar::showPlotControls() {
    m_followMode->setVisible(m_showsPlots);
    m_follow->setVisible(m_showsPlots && m_followMode->currentData().toInt() == static_cast<int>(FollowMode::Manual));
    m_crosshair->setVisible(m_showsPlots && !m_isCompact);
    m_crosshairKey->setVisible(m_showsPlots && m_isCompact);
}

void TopBar::fitWords() {
    // The text is hidden if Follow and a frozen view's count would not fit.
    const bool hasRoom = width() >= kWordyWidth;
    m_timeline->setText(hasRoom ? tr("Rewind") : QString());
    m_timeline->setIconSize({hasRoom ? 18 : 14, 14});
}

void TopBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitWords();
}

void TopBar::setEngineAlive(bool alive) {
    m_isAlive = alive;
    refreshState();
}

void TopBar::setFollow(FollowMode mode) {
    m_followMode->setCurrentIndex(m_followMode->findData(static_cast<int>(mode)));
    showPlotControls();
}

void TopBar::setFrozen(bool frozen) {
    m_isFrozen = frozen;
    m_unseen = 0;
    refreshFreeze();
}

void TopBar::setUnseen(qint64 count) {
    m_unseen = count;
    refreshFreeze();
}

void TopBar::refreshFreeze() {
    setStyleProperty(m_freeze, "look", m_isFrozen ? "frozen" : "");
    m_freeze->setIcon(themedIcon(QStringLiteral("freeze"), m_isFrozen ? IconInk::Frozen : IconInk::Ink));
    m_freeze->setText(!m_isFrozen ? tr("Freeze view") : tr("Frozen · %1 new steps").arg(groupedText(m_unseen)));
    m_freeze->setAccessibleName(m_isFrozen ? tr("Frozen, back to the live end") : tr("Freeze view"));
}

void TopBar::refreshState() {
    const LabState state = m_session->state().state;
    const bool canTrain = m_isAlive && (state == LabState::Paused || state == LabState::Training);
    const bool isTraining = canTrain && m_wantsTraining;
    if (m_trainWidth == 0) {
        // Fits all its texts and styles, so that the widgets beside it do not move.
        for (const char* look : {"", "primary"}) {
            setStyleProperty(m_train, "look", look);
            for (const QString& words : {tr("Pause"), tr("Train"), tr("Train more")}) {
                m_train->setText(words);
                m_trainWidth = qMax(m_trainWidth, m_train->sizeHint().width());
            }
        }
        m_train->setFixedWidth(m_trainWidth);
    }
    m_train->setText(isTraining ? tr("Pause") : state == LabState::Finished ? tr("Train more") : tr("Train"));
    m_train->setAccessibleName(m_actions.train->text());
    m_train->setToolTip(m_train->accessibleName());
    m_train->setEnabled(m_actions.train->isEnabled());
    m_train->setIcon(themedIcon(isTraining ? QStringLiteral("pause") : QStringLiteral("train"),
                                isTraining || !m_train->isEnabled() ? IconInk::Ink : IconInk::OnAccent));
    setStyleProperty(m_train, "look", isTraining ? "" : "primary");
    m_step->setEnabled(canTrain);
    m_reset->setEnabled(m_actions.reset->isEnabled());
    m_timeline->setEnabled(m_isAlive && state != LabState::Empty);
    // Read-only runs have a pace of their own.
    const auto& runs = m_session->runs();
    m_pace->setEnabled(m_isAlive && (runs.empty() || std::ranges::any_of(runs, &RunState::isLive)));
    m_experiment->setEnabled(m_isAlive);
    m_create->setEnabled(m_isAlive);
    // Also shows a pace set in the menu; a pace that the box does not list leaves it empty.
    m_pace->setCurrentIndex(static_cast<int>(paces().indexOf(m_session->state().pace)));
    refreshSteps();
}

void TopBar::refreshSteps() {
    double epoch = 0;
    for (const auto& run : m_session->runs())
        if (run->isLive()) epoch = qMax(epoch, run->last.epoch);
    m_counter->show(m_session->stepCount(), m_session->experiment().steps, epoch);
    refreshMarks();
}

void TopBar::refreshMarks() {
    std::vector<qint64> marks;
    for (const auto& run : m_session->runs())
        if (run->isLive() && !m_session->isQuestionOpen() && run->firstNonFiniteStep()) marks.push_back(*run->firstNonFiniteStep());
    m_counter->setMarks(marks);
}

void TopBar::refreshExperiments() {
    const QSignalBlocker blocker(m_experiment);
    m_experiment->clear();
    for (const BundledExperiment& bundled : m_session->hello().experiments) {
        const ShownWords words = shownWords(bundled);
        m_experiment->addItem(words.title, QString::fromStdString(bundled.name));
        m_experiment->setItemData(m_experiment->count() - 1, words.text(), Qt::ToolTipRole);
    }
    const ExperimentLoaded& loaded = m_session->experiment();
    int index = m_experiment->findData(QString::fromStdString(loaded.name));
    if (index < 0 && !loaded.name.empty()) {
        // An experiment from a file is the first entry, for display only.
        m_experiment->insertItem(0, shownWords(loaded).title, QString());
        index = 0;
    }
    m_experiment->setCurrentIndex(index);
}

}  // namespace mantissa::gui
