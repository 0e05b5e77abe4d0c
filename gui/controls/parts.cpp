// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/parts.h"

#include <QAccessible>
#include <QPainter>
#include <QStyle>
#include <QTextBoundaryFinder>
#include <QTextDocument>
#include <QWheelEvent>
#include <algorithm>

#include "gui/app/theme.h"

namespace mantissa::gui {
namespace {
constexpr int kBoxPixels = 16, kBoxGap = 7;  // of a check box; before its text

/// Sets a tool tip with the full text if the text is cut and there is no other tool tip.
void updateCutTextToolTip(QComboBox* box) {
    static constexpr const char* kCutText = "cutText";
    if (!box->toolTip().isEmpty() && box->toolTip() != box->property(kCutText).toString()) return;
    constexpr int kEdges = 32;  // paddings and chevron
    const int icon = box->itemIcon(box->currentIndex()).isNull() ? 0 : box->iconSize().width() + 4;
    const bool isCut = box->fontMetrics().horizontalAdvance(box->currentText()) + icon + kEdges > box->width();
    const QString text = isCut ? box->currentText() : QString();
    if (text == box->toolTip()) return;
    box->setProperty(kCutText, text);
    box->setToolTip(text);
}

}  // namespace

QLabel* makeLabel(const QString& text, const char* kind, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setProperty("kind", kind);
    return label;
}

QLabel* makeWrappedLabel(const QString& text, const char* kind, QWidget* parent) {
    QLabel* label = makeLabel(text, kind, parent);
    label->setWordWrap(true);
    return label;
}

QString cutAtWord(const QString& text, const std::function<bool(const QString&)>& fits) {
    if (fits(text)) return text;
    QTextBoundaryFinder words(QTextBoundaryFinder::Line, text);
    words.toEnd();
    while (words.toPreviousBoundary() > 0) {
        qsizetype end = words.position();
        while (end > 0 && text[end - 1].isSpace()) --end;
        const QString cut = text.left(end) + u'\u2026';
        if (fits(cut)) return cut;
    }
    return QString(u'\u2026');
}

bool fitsRich(const QString& html, const QFont& font, QSize room) {
    QTextDocument measured;  // QFontMetrics breaks lines of rich text at other places
    measured.setDefaultFont(font);
    measured.setDocumentMargin(0);
    measured.setTextWidth(std::max(1, room.width()));
    measured.setHtml(html);
    return measured.size().height() <= room.height() + 1;
}

void showInLines(QLabel* label, const QString& text, int lines) {
    label->ensurePolished();  // the style sheet sets the font
    const QFontMetrics metrics(label->font());
    const int height = lines * metrics.lineSpacing();
    const QRect room(0, 0, std::max(1, label->width()), QWIDGETSIZE_MAX);
    const QString shown =
        cutAtWord(text, [&](const QString& words) { return metrics.boundingRect(room, Qt::TextWordWrap, words).height() <= height; });
    label->setFixedHeight(height);
    label->setText(shown);
    label->setToolTip(shown == text ? QString() : text);
    label->setAccessibleName(text);
}

QPushButton* makeButton(const QString& text, const QString& iconName, const QString& accessibleName, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    if (!iconName.isEmpty()) {
        button->setIcon(themedIcon(iconName));
        // Wider than the left-aligned icon: style sheets have no gap between icon and text.
        button->setIconSize({text.isEmpty() ? 14 : 18, 14});
    }
    button->setAccessibleName(accessibleName);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

void showKeyInToolTip(QAbstractButton* button, const QAction* action) {
    const auto show = [button, action] {
        const QString words = action->text().remove(u'&'), key = action->shortcut().toString(QKeySequence::NativeText);
        button->setToolTip(key.isEmpty() ? words : QObject::tr("%1 (%2)").arg(words, key));
    };
    QObject::connect(action, &QAction::changed, button, show);
    show();
}

QToolButton* makeFlatButton(const QString& iconName, const QString& accessibleName, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setProperty("look", "flat");
    button->setIcon(themedIcon(iconName, IconInk::Ink2));
    button->setIconSize({16, 16});
    button->setAccessibleName(accessibleName);
    button->setToolTip(accessibleName);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

void setStyleProperty(QWidget* widget, const char* name, const QVariant& value) {
    if (widget->property(name) == value) return;
    widget->setProperty(name, value);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
    widget->update();
}

namespace {

/// "…2^16" of "fp16 at 2^16": as many of its last words as there is room for; elided in the middle if the last one does not fit.
QString lastWords(const QString& name, const QFontMetrics& metrics, int pixels) {
    QString words = name;
    for (qsizetype at = -1; metrics.horizontalAdvance(words) > pixels;) {
        at = name.indexOf(u' ', at + 1);
        if (at < 0) return metrics.elidedText(name, Qt::ElideMiddle, pixels);
        words = QChar(0x2026) + name.mid(at + 1);
    }
    return words;
}

}  // namespace

void showStyled(QLabel* label, const QString& text, const char* kind) {
    setStyleProperty(label, "kind", kind);
    label->setText(text);
}

QStringList cutApart(const QStringList& names, const QFontMetrics& metrics, int pixels) {
    QStringList cut;
    for (const QString& name : names) cut << lastWords(name, metrics, pixels);
    if (QStringList different = cut; different.removeDuplicates() == 0) return cut;
    // Eliding in the middle is also the last resort if no mode makes the names different.
    for (const Qt::TextElideMode way : {Qt::ElideMiddle, Qt::ElideLeft, Qt::ElideRight, Qt::ElideMiddle}) {
        cut.clear();
        for (const QString& name : names) cut << metrics.elidedText(name, way, pixels);
        if (QStringList different = cut; different.removeDuplicates() == 0) break;
    }
    return cut;
}

QWidget* makeRule(Qt::Orientation along, QWidget* parent) {
    auto* rule = new QWidget(parent);
    paintAs(rule, "divider");
    along == Qt::Horizontal ? rule->setFixedHeight(1) : rule->setFixedWidth(1);
    return rule;
}

QVBoxLayout* makeColumn(int spacing, const QMargins& margins, QWidget* parent) {
    auto* column = new QVBoxLayout(parent);
    column->setContentsMargins(margins);
    column->setSpacing(spacing);
    return column;
}

QHBoxLayout* makeRow(int spacing, const QMargins& margins, QWidget* parent) {
    auto* row = new QHBoxLayout(parent);
    row->setContentsMargins(margins);
    row->setSpacing(spacing);
    return row;
}

QScrollArea* makeScroll(QWidget* content, QWidget* parent) {
    auto* area = new QScrollArea(parent);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(content);
    return area;
}

void addWidgets(QBoxLayout* layout, std::initializer_list<QWidget*> widgets) {
    for (QWidget* widget : widgets) layout->addWidget(widget);
}

void setAllVisible(std::initializer_list<QWidget*> widgets, bool isVisible) {
    for (QWidget* widget : widgets) widget->setVisible(isVisible);
}

void paintAs(QWidget* widget, const char* kind) {
    widget->setProperty("kind", kind);
    widget->setAttribute(Qt::WA_StyledBackground);
}

void bringToFront(QWidget* window) {
    window->show();
    window->raise();
    window->activateWindow();
}

void sayAloud(QWidget* widget, const QString& text) {
    widget->setAccessibleName(text);
    QAccessibleEvent alert(widget, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

ComboBox::ComboBox(const QString& accessibleName, QWidget* parent) : QComboBox(parent) {
    setAccessibleName(accessibleName);
    setFocusPolicy(Qt::TabFocus);
    setIconSize({14, 14});
}

void ComboBox::paintEvent(QPaintEvent* event) {
    updateCutTextToolTip(this);
    QComboBox::paintEvent(event);
    QPainter painter(this);
    constexpr int kSize = 12;
    const QRect place(width() - kSize - 7, (height() - kSize) / 2, kSize, kSize);
    themedIcon(QStringLiteral("chevron-down"), IconInk::Ink2)
        .paint(&painter, place, Qt::AlignCenter, isEnabled() ? QIcon::Normal : QIcon::Disabled);
}

// Scrolling the dock with the wheel must not change a setting.
void ComboBox::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

CheckBox::CheckBox(const QString& text, QWidget* parent) : QCheckBox(text, parent) {
    setAccessibleName(text);
    setFocusPolicy(Qt::TabFocus);
}

QSize CheckBox::sizeHint() const {
    return {kBoxPixels + kBoxGap + fontMetrics().horizontalAdvance(text()) + 2, 28};
}

void CheckBox::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box(1.5, (height() - kBoxPixels) / 2 + 0.5, kBoxPixels - 1, kBoxPixels - 1);
    const QColor edge = !isEnabled() ? theme.line : hasFocus() || isChecked() ? theme.accent : theme.controlBorder;
    painter.setPen(QPen(edge, hasFocus() ? 2 : 1));
    painter.setBrush(!isEnabled() ? theme.sunken : isChecked() ? theme.accent : theme.surface);
    painter.drawRoundedRect(box, 3, 3);
    if (isChecked()) {
        constexpr int kMark = 12;
        const QRect place(static_cast<int>(box.left()) + (kBoxPixels - kMark) / 2, (height() - kMark) / 2, kMark, kMark);
        themedIcon(QStringLiteral("check"), IconInk::OnAccent)
            .paint(&painter, place, Qt::AlignCenter, isEnabled() ? QIcon::Normal : QIcon::Disabled);
    }
    if (hasFocus()) {  // also a ring around the filled box
        painter.setPen(QPen(theme.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(box.adjusted(-1.5, -1.5, 1.5, 1.5), 4, 4);
    }
    painter.setPen(isEnabled() ? theme.ink : theme.ink3);
    painter.drawText(rect().adjusted(kBoxPixels + kBoxGap, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text());
}

void IconLabel::setIcon(const QString& name, IconInk ink) {
    if (m_name == name && m_ink == ink) return;
    m_name = name;
    m_ink = ink;
    update();
}

void IconLabel::paintEvent(QPaintEvent*) {
    if (m_name.isEmpty()) return;
    QPainter painter(this);
    painter.drawPixmap(0, 0, themedPixmap(m_name, m_size, m_ink, devicePixelRatioF()));
}

}  // namespace mantissa::gui
