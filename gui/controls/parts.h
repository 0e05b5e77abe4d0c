// SPDX-License-Identifier: GPL-3.0-or-later
// Small parts that all of the window is put together from: labels, buttons and combo boxes as the style sheet knows them.
// Each focusable one takes the name that a screen reader says.
#pragma once

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>

#include "gui/app/icon.h"

namespace mantissa::gui {

/// `kind` is one of the style sheet's: title, headline, secondary, small, chip, ...
QLabel* makeLabel(const QString& text, const char* kind, QWidget* parent);
/// Fixes the height of a label that wraps to what its text needs at `width`, `least` pixels or more. With `keeps` the height never shrinks,
/// so that a shorter text does not move what lies below.
void fitTextHeight(QLabel* label, int width, bool keeps, int least = 0);

/// A push button that a mouse click does not focus, so that Space stays the window's key.
QPushButton* makeButton(const QString& text, const QString& iconName, const QString& accessibleName, QWidget* parent);

/// The action's words and the key that it has at the time, as the button's tool tip.
void tellKey(QAbstractButton* button, const QAction* action);

/// An icon alone, without a border.
QToolButton* makeFlatButton(const QString& iconName, const QString& accessibleName, QWidget* parent);

/// Sets a property that the style sheet selects on and polishes the widget anew, when it differs.
void setStyleProperty(QWidget* widget, const char* name, const QVariant& value);

/// `names` cut to `pixels` in that one of three ways which leaves no two of them alike: in the middle, at the front, at the end.
QStringList cutApart(const QStringList& names, const QFontMetrics& metrics, int pixels);

/// A hairline, as long as there is room for.
QWidget* makeRule(Qt::Orientation along, QWidget* parent);
/// One between groups of a bar.
QWidget* makeDivider(QWidget* parent);

/// Room for what may need more height than there is.
QScrollArea* makeScroll(QWidget* content, QWidget* parent);

/// A combo box with our chevron, drawn in the theme's ink.
class ComboBox : public QComboBox {
    Q_OBJECT
public:
    explicit ComboBox(const QString& accessibleName, QWidget* parent);

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
};

/// A box to tick, drawn in the theme's inks. Its text is its name.
class CheckBox : public QCheckBox {
    Q_OBJECT
public:
    CheckBox(const QString& text, QWidget* parent);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool hitButton(const QPoint& place) const override { return rect().contains(place); }
};

/// An icon of our own in a label; follows the theme.
class IconLabel : public QWidget {
public:
    explicit IconLabel(QWidget* parent, int size = 14);
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
