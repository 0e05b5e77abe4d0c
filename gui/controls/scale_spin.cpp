// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/scale_spin.h"

#include <QFocusEvent>
#include <QLineEdit>
#include <QWheelEvent>
#include <cmath>
#include <limits>

#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {
namespace {

// The scale is kept in fp32.
bool isUsable(double scale) {
    return scale >= std::numeric_limits<float>::denorm_min() && scale <= std::numeric_limits<float>::max();
}

/// "2¹⁸" -> "2^18", so that what the field shows can be edited and read back.
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

ScaleSpin::ScaleSpin(const QString& accessibleName, QWidget* parent) : QAbstractSpinBox(parent) {
    setAccessibleName(accessibleName);
    lineEdit()->setAccessibleName(accessibleName);
    setButtonSymbols(NoButtons);
    setAlignment(Qt::AlignRight);
    setKeyboardTracking(false);
    connect(lineEdit(), &QLineEdit::textEdited, this, [this] {
        if (!m_isRefused) return;
        m_isRefused = false;
        setStyleProperty(this, "state", "");
        emit problem({});
    });
    show(scaleText(m_scale));
}

void ScaleSpin::show(const QString& text) {
    if (lineEdit()->text() == text) return;
    lineEdit()->setText(text);
    if (hasFocus()) lineEdit()->selectAll();
}

void ScaleSpin::setScale(double scale) {
    m_scale = scale;
    if (!lineEdit()->isModified() && m_pending.isEmpty()) show(scaleText(scale));
}

void ScaleSpin::setPending(const QString& wishedText) {
    if (m_pending == wishedText) return;
    m_pending = wishedText;
    if (!lineEdit()->isModified()) show(m_pending.isEmpty() ? scaleText(m_scale) : m_pending);
    if (!m_isRefused) setStyleProperty(this, "state", m_pending.isEmpty() ? "" : "pending");
}

void ScaleSpin::stepBy(int steps) {
    // Steps go from the wish, so that pressing twice before the engine answers doubles twice.
    const double from = m_pending.isEmpty() ? m_scale : parseNumber(withoutSuperscripts(m_pending)).value_or(m_scale);
    const double target = std::ldexp(from, steps);
    if (isUsable(target)) emit wished(target);
}

QSize ScaleSpin::sizeHint() const {
    return {44, QAbstractSpinBox::sizeHint().height()};
}

void ScaleSpin::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        commit();
        return;
    }
    if (event->key() == Qt::Key_Escape && lineEdit()->isModified()) {
        lineEdit()->setModified(false);
        m_isRefused = false;
        setStyleProperty(this, "state", m_pending.isEmpty() ? "" : "pending");
        show(m_pending.isEmpty() ? scaleText(m_scale) : m_pending);
        emit problem({});
        return;
    }
    QAbstractSpinBox::keyPressEvent(event);
}

void ScaleSpin::focusOutEvent(QFocusEvent* event) {
    QAbstractSpinBox::focusOutEvent(event);
    if (event->reason() != Qt::ActiveWindowFocusReason) commit();
}

void ScaleSpin::wheelEvent(QWheelEvent* event) {
    // As with combo boxes: only a focused field takes the wheel, or scrolling the dock would turn scales.
    hasFocus() ? QAbstractSpinBox::wheelEvent(event) : event->ignore();
}

void ScaleSpin::commit() {
    if (!lineEdit()->isModified()) return;
    const std::optional<double> value = parseNumber(withoutSuperscripts(lineEdit()->text()));
    if (!value || !isUsable(*value)) {
        m_isRefused = true;
        setStyleProperty(this, "state", "refused");
        emit problem(tr("The scale is a positive number up to 3.4·10³⁸, such as 2^16."));
        return;
    }
    lineEdit()->setModified(false);
    if (*value != m_scale) emit wished(*value);
    if (m_pending.isEmpty()) show(scaleText(m_scale));
}

}  // namespace mantissa::gui
