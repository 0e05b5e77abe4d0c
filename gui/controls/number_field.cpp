// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/number_field.h"

#include <QKeyEvent>

#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {

NumberField::NumberField(const QString& accessibleName, Rule rule, QWidget* parent) : QLineEdit(parent), m_rule(std::move(rule)) {
    setAccessibleName(accessibleName);
    setAlignment(Qt::AlignRight);
    if (m_rule.mayBeEmpty) setPlaceholderText(tr("off"));
    connect(this, &QLineEdit::textEdited, this, [this] {
        if (!m_isRefused) return;
        m_isRefused = false;
        showState();
        emit problem({});
    });
}

QString NumberField::valueText() const {
    return m_value ? editText(*m_value) : QString();
}

void NumberField::setValue(std::optional<double> value) {
    m_value = value;
    if (!isModified() && m_pending.isEmpty()) setText(valueText());
}

void NumberField::setPending(const QString& wishedText) {
    if (m_pending == wishedText) return;
    m_pending = wishedText;
    if (!isModified()) setText(m_pending.isEmpty() ? valueText() : m_pending);
    showState();
}

void NumberField::setChanged(bool changed) {
    if (m_isChanged == changed) return;
    m_isChanged = changed;
    showState();
}

void NumberField::showState() {
    setStyleProperty(this, "state", m_isRefused ? "refused" : !m_pending.isEmpty() ? "pending" : m_isChanged ? "changed" : "");
}

void NumberField::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        commit();
        selectAll();
        return;
    }
    if (event->key() == Qt::Key_Escape && isModified()) {
        revert();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void NumberField::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason) commit();
}

void NumberField::revert() {
    setText(valueText());
    setModified(false);
    m_isRefused = false;
    showState();
    emit problem({});
}

void NumberField::commit() {
    if (!isModified()) return;
    std::optional<double> value;
    if (!text().trimmed().isEmpty() || !m_rule.mayBeEmpty) {
        value = parseNumber(text());
        if (!value || !m_rule.accepts(*value)) {
            m_isRefused = true;
            showState();
            emit problem(m_rule.problem);
            return;
        }
    }
    setModified(false);
    if (value != m_value) emit wished(value);
    // Until the engine answers setPending shows the wish; without an engine the old value stands.
    if (m_pending.isEmpty()) setText(valueText());
}

}  // namespace mantissa::gui
