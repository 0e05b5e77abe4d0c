// SPDX-License-Identifier: GPL-3.0-or-later
// Small widgets used in the whole window: labels, buttons and combo boxes in the style of the style sheet. Each focusable one takes its
// accessible name. GUI thread only.
#pragma once

#include <QAction>
#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <functional>
#include <initializer_list>

#include "gui/app/icon.h"

namespace mantissa::gui {

/// Creates a label of plain text: rich text in a name from a file could open any file, through an image. `kind` is one of the style
/// sheet's: title, headline, secondary, small, chip, ...; empty: none. All labels are made here.
QLabel* makeLabel(const QString& text, const char* kind, QWidget* parent);
/// Creates a label of as many lines as its text needs.
QLabel* makeWrappedLabel(const QString& text, const char* kind, QWidget* parent);
/// Shows a text in a label, in the style of `kind`.
void showStyled(QLabel* label, const QString& text, const char* kind);
/// Returns the text or, if it does not fit, as many of its words as fit, followed by an ellipsis.
QString cutAtWord(const QString& text, const std::function<bool(const QString&)>& fits);
/// Returns whether a label of this font and size shows all of a rich text.
bool fitsRich(const QString& html, const QFont& font, QSize room);
/// Shows a text in a label with a fixed height of so many lines; the tool tip of a cut text has all of it.
void showInLines(QLabel* label, const QString& text, int lines);

/// Creates a push button that a mouse click does not focus, so that Space stays the window's key.
QPushButton* makeButton(const QString& text, const QString& iconName, const QString& accessibleName, QWidget* parent);

/// Sets the button's tool tip to the action's text and its current key.
void showKeyInToolTip(QAbstractButton* button, const QAction* action);

/// Creates a button with an icon and without a border.
QToolButton* makeFlatButton(const QString& iconName, const QString& accessibleName, QWidget* parent);

/// Sets a property that the style sheet selects on, and polishes the widget again if it differs.
void setStyleProperty(QWidget* widget, const char* name, const QVariant& value);

/// Elides `names` to `pixels` so that no two are alike: to their last whole words, in the middle, at the front or at the end.
QStringList cutApart(const QStringList& names, const QFontMetrics& metrics, int pixels);

/// Create a layout, with `spacing` pixels between its items; `parent`: the widget that it fills, null for one inside another layout.
QVBoxLayout* makeColumn(int spacing, const QMargins& margins = {}, QWidget* parent = nullptr);
QHBoxLayout* makeRow(int spacing, const QMargins& margins = {}, QWidget* parent = nullptr);

/// Creates a hairline that fills the available length.
QWidget* makeRule(Qt::Orientation along, QWidget* parent);
/// Adds widgets in this order.
void addWidgets(QBoxLayout* layout, std::initializer_list<QWidget*> widgets);

void setAllVisible(std::initializer_list<QWidget*> widgets, bool isVisible);

/// Sets the widget's kind for the style sheet, and lets it paint the background and border of that kind.
void paintAs(QWidget* widget, const char* kind);

/// Shows a window, above the others and with the keyboard focus.
void bringToFront(QWidget* window);

/// Sets `text` as the accessible name of `widget`, a label that shows or represents it, and announces it to screen readers.
void sayAloud(QWidget* widget, const QString& text);

/// Connects several signals of one object to the same slot.
template <class Sender, class Receiver, class Slot, class... Signals>
void connectEach(const Sender* sender, const Receiver* receiver, Slot slot, Signals... each) {
    (QObject::connect(sender, each, receiver, slot), ...);
}

/// Creates a scroll area for content that may be higher than the space.
QScrollArea* makeScroll(QWidget* content, QWidget* parent);

/// A combo box with a chevron in the theme's ink.
class ComboBox : public QComboBox {
    Q_OBJECT
public:
    explicit ComboBox(const QString& accessibleName, QWidget* parent);

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
};

/// A check box in the theme's colours. Its accessible name is its text.
class CheckBox : public QCheckBox {
    Q_OBJECT
public:
    CheckBox(const QString& text, QWidget* parent);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool hitButton(const QPoint& place) const override { return rect().contains(place); }
};

/// A label with one of the project's icons; follows the theme.
class IconLabel : public QWidget {
public:
    explicit IconLabel(QWidget* parent, int size = 14) : QWidget(parent), m_size(size) { setFixedSize(size, size); }
    void setIcon(const QString& name, IconInk ink);
    QSize sizeHint() const override { return {m_size, m_size}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int m_size;
    QString m_name;
    IconInk m_ink = IconInk::Ink2;
};

}  // namespace mantissa::gui
