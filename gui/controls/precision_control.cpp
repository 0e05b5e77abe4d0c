// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/precision_control.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <algorithm>

#include "engine/precision/policy.h"
#include "gui/app/theme.h"
#include "gui/controls/parts.h"
#include "gui/controls/precision_menu.h"

namespace mantissa::gui {
namespace {
constexpr int kHeight = 28;
constexpr qreal kRadius = 4;

/// Policies with a segment of their own: those with fp32 weights and without blocks. The last segment represents all others.
bool hasSegment(const std::string& policy) {
    return policy != "auto" && !isPure(policy) && !isBlockPolicy(policy);
}
}  // namespace

PrecisionSegment::PrecisionSegment(QString policy, const QString& screenName, PrecisionControl* parent)
    : QAbstractButton(parent), m_policy(std::move(policy)) {
    setText(screenName);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
}

QSize PrecisionSegment::sizeHint() const {
    return {m_policy.isEmpty() ? 24 : 44, kHeight};
}

void PrecisionSegment::setCurrent(bool current, bool pending, const QString& runName) {
    m_isCurrent = current;
    m_isPending = pending;
    // The whole row is one tab stop, at the current format.
    setFocusPolicy(current ? Qt::TabFocus : Qt::NoFocus);
    const QString state = current ? PrecisionControl::tr("current") : pending ? PrecisionControl::tr("pending") : QString();
    setAccessibleName(state.isEmpty() ? PrecisionControl::tr("Precision of %1: %2").arg(runName, text())
                                      : PrecisionControl::tr("Precision of %1: %2, %3").arg(runName, text(), state));
    update();
}

void PrecisionSegment::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF inner = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    QColor ink = isEnabled() ? theme.ink : theme.ink3;
    QFont font = this->font();
    if (m_isCurrent) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(isEnabled() ? theme.accent : theme.neutralBar);
        painter.drawRoundedRect(rect(), kRadius, kRadius);
        ink = isEnabled() ? theme.onAccent : theme.surface;
        font.setWeight(QFont::DemiBold);
    } else if (m_isPending) {
        painter.setBrush(theme.accentWeak);
        QPen pen(theme.accent, 1.4);
        pen.setDashPattern({2.5, 2});
        painter.setPen(pen);
        painter.drawRoundedRect(inner.adjusted(1, 1, -1, -1), kRadius, kRadius);
        ink = theme.accentText;
        font.setWeight(QFont::DemiBold);
    } else if (isEnabled() && (underMouse() || isDown())) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(isDown() ? theme.accentWeak : theme.sunken);
        painter.drawRoundedRect(inner.adjusted(1, 1, -1, -1), kRadius - 1, kRadius - 1);
    }
    painter.setFont(font);
    painter.setPen(ink);
    painter.drawText(rect(), Qt::AlignCenter, text());
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_isCurrent ? theme.onAccent : theme.accent, 2));
        painter.drawRoundedRect(inner.adjusted(2, 2, -2, -2), kRadius - 1, kRadius - 1);
    }
}

void PrecisionSegment::keyPressEvent(QKeyEvent* event) {
    auto* row = static_cast<PrecisionControl*>(parentWidget());
    switch (event->key()) {
        case Qt::Key_Left:
            row->moveFocus(this, -1);
            break;
        case Qt::Key_Right:
            row->moveFocus(this, 1);
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            click();
            break;
        default:
            QAbstractButton::keyPressEvent(event);
    }
}

PrecisionControl::PrecisionControl(QWidget* parent) : QWidget(parent) {
    auto* layout = makeRow(0, {}, this);
    for (const std::string& name : policyNames()) {
        if (!hasSegment(name)) continue;
        const QString policy = QString::fromStdString(name);
        auto* segment = new PrecisionSegment(policy, policyText(policy), this);
        connect(segment, &QAbstractButton::clicked, this, [this, policy] { emit requested(policy); });
        layout->addWidget(segment, 2);
        m_segments.push_back(segment);
    }
    auto* others = new PrecisionSegment(QString(), QStringLiteral("…"), this);
    others->setToolTip(tr("Block formats, pure formats, scaling, rounding and sums"));
    connect(others, &QAbstractButton::clicked, this, &PrecisionControl::menuAsked);
    layout->addWidget(others, 1);
    m_segments.push_back(others);
    setFixedHeight(kHeight);
}

void PrecisionControl::setState(const QString& current, const QString& pending, const QString& runName) {
    const auto segmentOf = [](const QString& policy) { return hasSegment(policy.toStdString()) ? policy : QString(); };
    const bool isOther = segmentOf(current).isEmpty();
    m_segments.back()->setText(isOther ? policyText(current) : QStringLiteral("…"));
    static_cast<QHBoxLayout*>(layout())->setStretchFactor(m_segments.back(), isOther ? 5 : 1);
    for (PrecisionSegment* segment : m_segments) {
        const bool isRequested = !pending.isEmpty() && segment->policy() == segmentOf(pending);
        segment->setCurrent(segment->policy() == segmentOf(current), isRequested, runName);
    }
    update();
}

void PrecisionControl::moveFocus(const PrecisionSegment* from, int by) {
    const auto it = std::ranges::find(m_segments, from);
    const auto index = (it - m_segments.begin()) + by;
    if (index >= 0 && index < static_cast<std::ptrdiff_t>(m_segments.size()))
        m_segments[static_cast<std::size_t>(index)]->setFocus(Qt::TabFocusReason);
}

void PrecisionControl::focusCurrent() {
    const auto current =
        std::ranges::find_if(m_segments, [](const PrecisionSegment* segment) { return segment->focusPolicy() != Qt::NoFocus; });
    if (current != m_segments.end()) (*current)->setFocus(Qt::OtherFocusReason);
}

void PrecisionControl::paintEvent(QPaintEvent*) {
    // Frame and dividers; segments are painted over them.
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.controlBorder, 1));
    painter.setBrush(isEnabled() ? theme.raised : theme.sunken);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(theme.line);
    for (std::size_t i = 1; i < m_segments.size(); ++i) {
        const int x = m_segments[i]->x();
        painter.drawLine(x, 1, x, height() - 2);
    }
}

}  // namespace mantissa::gui
