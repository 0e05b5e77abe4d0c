// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/run_chips.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>

#include "gui/app/theme.h"
#include "gui/controls/parts.h"
#include "gui/controls/run_sample.h"

namespace mantissa::gui {
namespace {

constexpr double kPadding = 0.7, kSampleWidth = 2.5, kSampleGap = 0.55, kHeight = 2.0, kGap = 0.6;  // in heights of the text

int inWords(const QFontMetrics& metrics, double heights) {
    return qRound(heights * metrics.ascent());
}

}  // namespace

RunChip::RunChip(QWidget* parent) : QAbstractButton(parent) {
    setFocusPolicy(Qt::TabFocus);
    setCheckable(true);
    setCursor(Qt::PointingHandCursor);
}

void RunChip::show(const RunState& run, int number) {
    m_identity = run.identity;
    m_isHidden = run.isHidden;
    setText(run.isHidden ? tr("run %1, hidden").arg(number) : run.name());
    setAccessibleName(run.isHidden ? tr("Run %1 is hidden: show it").arg(number) : tr("Run %1: hide it").arg(run.name()));
    setToolTip(accessibleName());
    setChecked(!run.isHidden);
    update();
}

QSize RunChip::sizeHint() const {
    const QFontMetrics metrics(font());
    const double around = 2 * kPadding + kSampleWidth + kSampleGap;
    return {inWords(metrics, around) + metrics.horizontalAdvance(text()) + 4, inWords(metrics, kHeight)};
}

QRect RunChip::textRect() const {
    const int left = inWords(fontMetrics(), kPadding + kSampleWidth + kSampleGap);
    return rect().adjusted(left, 0, -inWords(fontMetrics(), kPadding), 0);
}

void RunChip::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPen edge(hasFocus() ? theme.accent : underMouse() ? theme.axis : theme.controlBorder, hasFocus() ? 2 : 1.4);
    if (m_isHidden) edge.setDashPattern({4, 3});
    painter.setPen(edge);
    painter.setBrush(m_isHidden ? QColor(Qt::transparent) : theme.raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);

    RunIdentity identity = theme.run(m_identity);
    if (m_isHidden) identity.color = theme.ink3;
    const double width = inWords(fontMetrics(), kSampleWidth), zoom = width / 28;  // a sample is 28 px wide at a text size of 13
    painter.save();
    painter.translate(inWords(fontMetrics(), kPadding), height() / 2.0);
    painter.scale(zoom, zoom);
    drawRunSample(painter, QRectF(0, -8, width / zoom, 16), identity, m_isHidden ? theme.window : theme.raised);
    painter.restore();

    QFont words = font();
    words.setWeight(m_isHidden ? QFont::Normal : QFont::DemiBold);
    painter.setFont(words);
    painter.setPen(m_isHidden ? theme.ink2 : theme.ink);
    painter.drawText(textRect(), Qt::AlignVCenter | Qt::AlignLeft,
                     QFontMetrics(words).elidedText(text(), Qt::ElideRight, textRect().width() + 2));
}

RunChips::RunChips(SessionModel* session, QWidget* parent) : QWidget(parent), m_session(session) {
    setAccessibleName(tr("Runs"));
    connectEach(session, this, &RunChips::refresh, &SessionModel::runsChanged, &SessionModel::runChanged, &SessionModel::experimentLoaded);
    refresh();
}

void RunChips::refresh() {
    const auto& runs = m_session->runs();
    while (m_chips.size() > runs.size()) {
        m_chips.back()->deleteLater();
        m_chips.back()->hide();
        m_chips.pop_back();
    }
    while (m_chips.size() < runs.size()) {
        auto* chip = new RunChip(this);
        const std::size_t place = m_chips.size();
        connect(chip, &QAbstractButton::clicked, this, [this, place] {
            if (place >= m_session->runs().size()) return;
            const RunState& run = *m_session->runs()[place];
            m_session->setHidden(run.id, !run.isHidden);
        });
        chip->setVisible(true);
        m_chips.push_back(chip);
    }
    for (std::size_t i = 0; i < runs.size(); ++i) m_chips[i]->show(*runs[i], static_cast<int>(i) + 1);
    arrange();
}

void RunChips::arrange() {
    ensurePolished();
    const int gap = inWords(fontMetrics(), kGap);
    int left = 0, top = 0, rowHeight = 0;
    for (RunChip* chip : m_chips) {
        chip->ensurePolished();  // a style sheet may set its font
        QFont bold = chip->font();
        bold.setWeight(QFont::DemiBold);
        // As wide as its name in bold, shown or hidden: hiding a run should move the other chips as little as possible.
        const int extra = QFontMetrics(bold).horizontalAdvance(chip->text()) - QFontMetrics(chip->font()).horizontalAdvance(chip->text());
        const QSize size = QSize(chip->sizeHint().width() + extra, chip->sizeHint().height()).boundedTo({std::max(width(), 120), 1000});
        if (left > 0 && left + size.width() > width()) left = 0, top += rowHeight + gap / 2;
        chip->setGeometry(QRect({left, top}, size));
        left += size.width() + gap;
        rowHeight = size.height();
    }
    setFixedHeight(top + rowHeight);
}

void RunChips::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (event->oldSize().width() != width()) arrange();
}

void RunChips::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) arrange();
}

}  // namespace mantissa::gui
