// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/run_card.h"

#include <QEvent>

namespace mantissa::gui {

RunCard::RunCard(SessionModel* session, EngineClient* engine, RunId run, QWidget* parent) : QFrame(parent), m_session(session), m_run(run) {
    setProperty("kind", "card");
    auto* column = makeColumn(6, {12, 7, 12, 9}, this);
    m_header = new RunHeader(session, engine, run, this);
    m_note = new RunNote(session, engine, this);
    m_controls = new RunControls(session, engine, this);
    m_health = new HealthLine(m_controls->badge(), this);
    connect(m_health, &HealthLine::rewindRequested, this, [this](qint64 step) { emit rewindRequested(m_run, step); });
    connect(m_health, &HealthLine::whyRequested, this, [this](qint64 step) { emit whyRequested(m_run, step); });
    addWidgets(column, {m_header, m_note, m_controls, m_health});
    m_controls->bind(run);
    for (QWidget* child : findChildren<QWidget*>())
        if (child->focusPolicy() != Qt::NoFocus || qobject_cast<NameEdit*>(child)) child->installEventFilter(this);
    refresh();
}

void RunCard::refresh() {
    const RunState* state = m_session->run(m_run);
    if (!state) return;
    setStyleProperty(this, "selected", m_session->selected() == m_run);
    setAccessibleName(tr("Run %1").arg(state->name()));
    m_header->refresh();
    refreshLive();
}

void RunCard::refreshLive() {
    const RunState* state = m_session->run(m_run);
    if (!state) return;
    m_note->show(*state);
    m_controls->setVisible(state->isLive());
    const bool hasHealth = state->isLive() || state->isWatched();
    m_health->setVisible(hasHealth);
    if (!hasHealth) return;
    if (state->isLive()) m_controls->refresh();
    m_session->isQuestionOpen() ? m_health->withhold() : m_health->show(*m_session, *state);
}

void RunCard::setEngineAlive(bool alive) {
    m_controls->setEnabled(alive);
    m_health->setEngineAlive(alive);
    m_note->setEngineAlive(alive);
}

void RunCard::mousePressEvent(QMouseEvent* event) {
    m_session->select(m_run);
    QFrame::mousePressEvent(event);
}

void RunCard::enterEvent(QEnterEvent* event) {
    emit pointed(m_run);
    QFrame::enterEvent(event);
}

void RunCard::leaveEvent(QEvent* event) {
    emit pointed(-1);
    QFrame::leaveEvent(event);
}

bool RunCard::eventFilter(QObject* object, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::MouseButtonPress) m_session->select(m_run);
    return QFrame::eventFilter(object, event);
}

}  // namespace mantissa::gui
