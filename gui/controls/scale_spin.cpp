// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/scale_spin.h"

#include <QFocusEvent>
#include <QLineEdit>
#include <QWheelEvent>
#include <limits>

#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {
namespace {

/// "2¹⁸" -> "2^18", so that the field's text can be edited and parsed.
QString withoutSuperscripts(const QString& text) {
    static const QString kRaised = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹⁻");
    static const QString kPlain = QStringLiteral("0123456789-");
    QString result;
    bool isRaised = false;
    for (const QChar c : text) {
        const qsizetype index = kRaised.indexOf(c);
        if (index >= 0 && !isRaised) result += u'^';
        isRaised = index >= 0;
        result += index >= 0 ? kPlain.at(index) : c;
    }
    return result;
}

}  // namespace

bool isUsableScale(double scale) {
    return scale >= std::numeric_limits<float>::denorm_min() && scale <= std::numeric_limits<float>::max();
}

ScaleSpin::ScaleSpin(const QString& accessibleName, QWidget* parent) : QAbstractSpinBox(parent) {
    setAccessibleName(accessibleName);
    lineEdit()->setAccessibleName(accessibleName);
    setButtonSymbols(NoButtons);
    setAlignment(Qt::AlignRight);
    setKeyboardTracking(false);
    connect(lineEdit(), &QLineEdit::textEdited, this, [this] {
        if (!m_isRefused) return;
        m_isRefused = false;
        showState();
        emit problem({});
    });
    showLatest();
}

void ScaleSpin::showState() {
    setStyleProperty(this, "state", m_isRefused ? "refused" : m_pending ? "pending" : "");
}

void ScaleSpin::showLatest() {
    const QString text = scaleText(latest());
    if (lineEdit()->text() == text) return;
    lineEdit()->setText(text);
    if (hasFocus()) lineEdit()->selectAll();
}

void ScaleSpin::setScale(double scale) {
    m_scale = scale;
    if (!lineEdit()->isModified()) showLatest();
}

void ScaleSpin::setPending(const PendingChange* request) {
    const auto pending = request ? request->number() : std::nullopt;
    if (m_pending == pending) return;
    m_pending = pending;
    if (!lineEdit()->isModified()) showLatest();
    showState();
}

void ScaleSpin::revert() {
    lineEdit()->setModified(false);
    m_isRefused = false;
    showState();
    showLatest();
    emit problem({});
}

void ScaleSpin::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        commit();
        return;
    }
    if (event->key() == Qt::Key_Escape && lineEdit()->isModified()) {
        revert();
        return;
    }
    QAbstractSpinBox::keyPressEvent(event);
}

void ScaleSpin::focusOutEvent(QFocusEvent* event) {
    QAbstractSpinBox::focusOutEvent(event);
    if (event->reason() != Qt::ActiveWindowFocusReason) commit();
}

void ScaleSpin::wheelEvent(QWheelEvent* event) {
    // As in combo boxes, only a focused field takes the wheel: scrolling the dock must not change scales.
    hasFocus() ? QAbstractSpinBox::wheelEvent(event) : event->ignore();
}

void ScaleSpin::commit() {
    if (!lineEdit()->isModified()) return;
    const std::optional<double> value = parseNumber(withoutSuperscripts(lineEdit()->text()));
    if (!value || !isUsableScale(*value)) {
        m_isRefused = true;
        showState();
        emit problem(tr("The scale is a positive number up to 3.4·10³⁸, such as 2^16."));
        return;
    }
    lineEdit()->setModified(false);
    // Requesting the current scale cancels a pending request.
    if (*value != latest()) emit requested(*value);
    showLatest();
}

}  // namespace mantissa::gui
