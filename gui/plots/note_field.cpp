// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/note_field.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <algorithm>
#include <cmath>

#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {
namespace {

constexpr int kMostLetters = 240, kTextWidth = 220, kTop = 4;

}  // namespace

NoteField::NoteField(const SessionModel* session, QWidget* parent)
    : QFrame(parent),
      m_session(session),
      m_step(makeLabel({}, "body2", this)),
      m_text(new QLineEdit(this)),
      m_run(new ComboBox(tr("Run that the note is about"), this)),
      m_remove(makeButton(tr("Remove"), {}, tr("Remove this note"), this)) {
    setObjectName(QStringLiteral("noteField"));
    setProperty("kind", "card");
    setAttribute(Qt::WA_StyledBackground);
    setAutoFillBackground(true);
    parent->installEventFilter(this);  // its size limits the field's position
    auto* row = makeRow(8, {10, 6, 10, 6}, this);
    row->addWidget(m_step);
    m_text->setObjectName(QStringLiteral("noteText"));
    m_text->setAccessibleName(tr("Note: Enter saves it, Escape cancels"));
    m_text->setPlaceholderText(tr("Note; Enter saves, Esc cancels"));
    m_text->setMaxLength(kMostLetters);
    m_text->setMinimumWidth(kTextWidth);
    row->addWidget(m_text, 1);
    row->addWidget(m_run);
    row->addWidget(m_remove);
    connect(m_text, &QLineEdit::returnPressed, this, &NoteField::keep);
    connect(m_remove, &QAbstractButton::clicked, this, [this] {
        emit removalRequested(m_note.id);
        close();
    });
    hide();
}

void NoteField::open(const Note& note, double left) {
    m_note = note;
    m_step->setText(tr("step %1").arg(groupedText(note.step)));
    m_text->setText(QString::fromStdString(note.text));
    m_run->clear();
    m_run->addItem(tr("all runs"), -1);
    for (const auto& run : m_session->runs()) m_run->addItem(run->name(), run->id);
    m_run->setCurrentIndex(std::max(0, m_run->findData(note.run)));
    m_remove->setVisible(note.id >= 0);
    adjustSize();
    const int room = std::max(0, parentWidget()->width() - width() - kTop);
    const double requested = std::isfinite(left) ? left - 20 : 0;  // the axis may not show the step
    move(static_cast<int>(std::clamp<double>(requested, std::min(kTop, room), room)), kTop);
    show();
    raise();
    m_text->setFocus(Qt::OtherFocusReason);
    m_text->selectAll();
}

bool NoteField::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && isVisible()) move(std::min(x(), std::max(0, parentWidget()->width() - width() - kTop)), kTop);
    return QFrame::eventFilter(watched, event);
}

void NoteField::keep() {
    const QString text = m_text->text().simplified();
    if (text.isEmpty() && m_note.id >= 0) emit removalRequested(m_note.id);
    if (!text.isEmpty()) {
        m_note.text = text.toStdString();
        m_note.run = m_run->currentData().toInt();
        emit kept(m_note);
    }
    close();
}

void NoteField::close() {
    hide();
    emit closed();
}

void NoteField::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) return close();
    QFrame::keyPressEvent(event);
}

}  // namespace mantissa::gui
