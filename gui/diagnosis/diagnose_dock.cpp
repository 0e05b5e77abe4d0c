// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/diagnose_dock.h"

#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {
constexpr int kRunWordsMs = 100;  // text that changes faster cannot be read
}  // namespace

DiagnoseDock::DiagnoseDock(SessionModel* session, EngineClient* engine, CapturedModel* captured, const Measurements* measurements,
                           QWidget* parent)
    : QWidget(parent), m_session(session), m_steps(captured), m_timer(kRunWordsMs) {
    setProperty("kind", "dock");
    setAttribute(Qt::WA_StyledBackground);
    setMinimumWidth(kWidth);
    auto* column = makeColumn(6, {8, 10, 8, 8}, this);
    const auto addHead = [&](const QString& title) {
        auto* row = makeRow(8, {4, 0, 4, 0});
        row->addWidget(makeLabel(title, "title", this));
        QLabel* note = makeLabel({}, "secondary", this);
        row->addWidget(note, 1);
        column->addLayout(row);
        return note;
    };
    m_heading = addHead(tr("Runs"));
    m_runs = new RunList(session, engine, this);
    column->addWidget(m_runs);
    column->addSpacing(12);
    m_count = addHead(tr("Captured steps"));
    m_captured = new CapturedList(captured, session, this);
    column->addWidget(m_captured, 1);
    m_none = makeWrappedLabel({}, "secondary", this);
    m_none->setContentsMargins(4, 0, 4, 0);
    m_none->setAlignment(Qt::AlignTop);
    column->addWidget(m_none, 1);
    auto* pause = makeRow(8, {4, 4, 4, 0});
    pause->addWidget(makeLabel(tr("Pause on"), "secondary", this));
    m_pauseOn = new ComboBox(tr("Pause training on"), this);
    m_pauseOn->addItem(tr("never"), static_cast<int>(PauseOn::Never));
    m_pauseOn->addItem(tr("any skip"), static_cast<int>(PauseOn::AnySkip));
    m_pauseOn->addItem(tr("first skip of a run"), static_cast<int>(PauseOn::FirstSkip));
    pause->addWidget(m_pauseOn, 1);
    column->addLayout(pause);
    column->addSpacing(8);
    m_gauges = new GaugeList(session, measurements, this);
    column->addWidget(m_gauges);

    connect(&m_timer, &Delay::timeout, this, &DiagnoseDock::refresh);
    connect(session, &SessionModel::recordsAppended, this, [this] {
        if (isVisible()) m_timer.begin();
    });
    connect(session, &SessionModel::stateChanged, this, &DiagnoseDock::refresh);
    connect(session, &SessionModel::runsChanged, this, &DiagnoseDock::refresh);
    connect(captured, &QAbstractItemModel::modelReset, this, &DiagnoseDock::refresh);
    connect(m_pauseOn, &QComboBox::activated, this,
            [this](int index) { emit pauseOnChosen(static_cast<PauseOn>(m_pauseOn->itemData(index).toInt())); });
    refresh();
}

void DiagnoseDock::setPauseOn(PauseOn mode) {
    m_pauseOn->setCurrentIndex(m_pauseOn->findData(static_cast<int>(mode)));
}

void DiagnoseDock::refresh() {
    m_heading->setText(!m_session->hasOwnRuns() ? QString() : m_session->state().lockstep ? tr("in lock-step") : tr("each at its pace"));
    m_runs->refresh();
    const auto count = static_cast<int>(m_steps->steps().size());
    m_count->setText(count > 0 ? groupedText(count) : QString());
    m_captured->setVisible(count > 0);
    m_none->setVisible(count == 0);
    m_none->setText(m_session->isQuestionOpen() ? tr("Captured steps are shown after the answer.")
                                                : tr("None yet. A step that is skipped, or not finite, is captured automatically."));
}

void DiagnoseDock::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

}  // namespace mantissa::gui
