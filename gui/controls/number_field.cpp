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

void NumberField::showLatest() {
    setText(latest() ? editText(*latest()) : QString());
}

void NumberField::setValue(std::optional<double> value) {
    m_value = value;
    if (!isModified()) showLatest();
}

void NumberField::setPending(const PendingChange* request) {
    std::optional<std::optional<double>> pending;
    if (request) pending.emplace(request->number());
    if (m_pending == pending) return;
    m_pending = pending;
    if (!isModified()) showLatest();
    showState();
}

void NumberField::setChanged(bool changed) {
    if (m_isChanged == changed) return;
    m_isChanged = changed;
    showState();
}

void NumberField::showState() {
    setStyleProperty(this, "state", m_isRefused ? "refused" : m_pending ? "pending" : m_isChanged ? "changed" : "");
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
    showLatest();
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
    // Requesting the current value cancels a pending request.
    if (value != latest()) emit requested(value);
    // setPending shows the request until the engine answers; without an engine the old value stays.
    showLatest();
}

}  // namespace mantissa::gui
