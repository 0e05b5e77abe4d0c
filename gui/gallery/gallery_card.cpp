// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gallery/gallery_card.h"

#include <QPainter>
#include <algorithm>
#include <utility>

#include "gui/app/theme.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {
namespace {

QLabel* makeText(const QString& text, const char* kind, QWidget* parent) {
    QLabel* label = makeWrappedLabel(text, kind, parent);
    label->setAttribute(Qt::WA_TransparentForMouseEvents);
    return label;
}

}  // namespace

GalleryCard::GalleryCard(CurveSet curves, const QString& title, const QString& text, const QString& lookFor, const QString& searched,
                         QWidget* parent)
    : QAbstractButton(parent), m_searched((title + u' ' + text + u' ' + lookFor + u' ' + searched).toCaseFolded()) {
    setAccessibleName(title);
    setAccessibleDescription(text + u' ' + lookFor);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // columns have one width, cards of a row one height
    auto* column = makeColumn(6, {6, 6, 6, 10}, this);
    column->addWidget(new CurvePicture(std::move(curves), this));
    auto* words = makeColumn(6, {8, 2, 8, 0});
    auto* head = makeRow(8);
    head->addWidget(makeText(title, "headline", this), 1);
    m_current = makeLabel(tr("open now"), "chip", this);
    m_current->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_current->hide();
    head->addWidget(m_current, 0, Qt::AlignTop);
    words->addLayout(head);
    words->addWidget(makeText(text, "body2", this));
    words->addStretch(1);
    if (!lookFor.isEmpty()) {
        auto* row = makeRow(8);
        auto* sign = new IconLabel(this, 14);
        sign->setIcon(QStringLiteral("eye"), IconInk::AccentText);
        sign->setAttribute(Qt::WA_TransparentForMouseEvents);
        row->addWidget(sign, 0, Qt::AlignTop);
        row->addWidget(makeText(lookFor, "body", this), 1);
        words->addLayout(row);
    }
    column->addLayout(words, 1);
}

bool GalleryCard::holds(const QStringList& words) const {
    return std::all_of(words.begin(), words.end(), [this](const QString& word) { return m_searched.contains(word.toCaseFolded()); });
}

bool GalleryCard::isNamed(const QStringList& words) const {
    return std::all_of(words.begin(), words.end(),
                       [this](const QString& word) { return accessibleName().contains(word, Qt::CaseInsensitive); });
}

void GalleryCard::setMatch(bool isMatch) {
    if (std::exchange(m_isMatch, isMatch) != isMatch) update();
}

void GalleryCard::setCurrent(bool isCurrent) {
    m_current->setVisible(isCurrent);
}

void GalleryCard::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool isStrong = hasFocus() || m_isMatch;
    const qreal pen = isStrong ? 2 : 1;
    painter.setPen(QPen(isStrong ? theme.accent : underMouse() ? theme.axis : theme.line, pen));
    painter.setBrush(isStrong ? theme.accentWeak : theme.raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(pen / 2, pen / 2, -pen / 2, -pen / 2), 6, 6);
}

}  // namespace mantissa::gui
