// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/style_sheet.h"

#include <QRegularExpression>
#include <cmath>

namespace mantissa::gui {
namespace {

constexpr int kBodyPixels = 13;  // as in interfaceFont()
constexpr int kWidestRing = 2;   // px; lengths up to this are lines, which are not enlarged

QString enlarged(const QString& sheet, double scale) {
    static const QRegularExpression kLength(QStringLiteral("(\\d+)px"));
    QString result;
    qsizetype end = 0;
    for (auto it = kLength.globalMatch(sheet); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        const int length = match.captured(1).toInt();
        result += sheet.mid(end, match.capturedStart() - end);
        result += QStringLiteral("%1px").arg(length <= kWidestRing ? length : static_cast<int>(std::lround(length * scale)));
        end = match.capturedEnd();
    }
    // Style sheets do not inherit a widget's font: widgets without a size of their own get it here.
    return QStringLiteral("QWidget { font-size: %1px; }").arg(std::lround(kBodyPixels * scale)) + result + sheet.mid(end);
}

// Dynamic properties describe widgets. They are set in gui/controls/parts.cpp and in the widgets' classes:
//   kind   of a label or frame: title, headline, lead, secondary, small, tag, tagbox, danger, chip, panel, card, bar, dock,
//          panelhead, paneledge; question and large for text read from a distance
//   look   of a button: primary, flat, link, inline, layout, frozen
//   state  of a field: pending, changed, refused; of a label: broken
// Control height: 26 + 2 of border = 28.
constexpr auto kTemplate = R"(
QWidget { color: %ink; }
QMainWindow, QDialog, QWidget[kind="dock"], QWidget[kind="bar"] { background: %window; }
QWidget[kind="surface"] { background: %surface; }
QWidget[kind="bar"] { border: none; border-bottom: 1px solid %line; }
QFrame[kind="strip"] { background: %accentWeak; border: none; border-bottom: 1px solid %line; }
QWidget[kind="footer"] { background: %window; border: none; border-top: 1px solid %line; }
QWidget[kind="divider"] { background: %line; }
QFrame[kind="codebox"] { background: %sunken; border: 1px solid %line; border-radius: 4px; }
QFrame[kind="card"] { background: %raised; border: 1px solid %line; border-radius: 6px; }
QFrame[kind="card"][selected="true"] { border: 1px solid %accent; border-left: 3px solid %accent; }
QFrame[kind="banner"] { background: %dangerFill; border: 1px solid %danger; border-left: 5px solid %danger; border-radius: 6px; margin-top: 10px; }
QFrame[kind="note"] { background: %raised; border: 1px solid %controlBorder; border-left: 5px solid %accent; border-radius: 6px; margin-top: 10px; }

QMainWindow::separator { background: %line; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: %accent; }
QWidget[kind="panelhead"] { background: %window; border: none; border-bottom: 1px solid %line; }
QWidget[kind="paneledge"] { background: transparent; border: 1px solid %controlBorder; }
QDockWidget { background: %window; }

QLabel { background: transparent; }
QLabel[kind="question"] { font-size: 20px; font-weight: 600; }
QLabel[kind="large"] { font-size: 15px; }
QLabel[kind="title"] { font-weight: 600; }
QLabel[state="broken"] { color: %danger; }
QLabel[kind="headline"] { font-size: 15px; font-weight: 600; }
QLabel[kind="lead"] { font-size: 19px; font-weight: 600; }
QLabel[kind="body2"] { color: %ink2; }
QLabel[kind="tagbox"] { background: %sunken; border-radius: 4px; padding: 3px 9px; }
QLabel[kind="code"] { font-family: "Noto Sans Mono", "DejaVu Sans Mono", monospace; font-size: 12px; }
QLabel[kind="secondary"] { color: %ink2; font-size: 12px; }
QLabel[kind="small"] { color: %ink3; font-size: 11px; }
QLabel[kind="danger"] { color: %danger; font-size: 12px; }
QLabel[kind="badge"] { color: %accentText; font-size: 12px; }
QLabel[kind="chip"] { color: %ink2; font-size: 11px; border: 1px solid %line; border-radius: 9px; padding: 1px 7px; background: %raised; }
QLabel[kind="device"] { color: %ink; border: 1px solid %line; border-radius: 13px; padding: 0 12px; min-height: 26px; max-height: 26px; background: %raised; }

QMenuBar { background: %window; border-bottom: 1px solid %line; padding: 2px 6px; }
QMenuBar::item { background: transparent; padding: 4px 10px; border-radius: 4px; }
QMenuBar::item:selected { background: %accentWeak; color: %accentText; }
QMenu { background: %raised; border: 1px solid %controlBorder; padding: 4px; }
QMenu::item { padding: 5px 28px 5px 10px; border-radius: 4px; background: transparent; }
QMenu::item:selected { background: %accentWeak; color: %accentText; }
QMenu::item:disabled { color: %ink3; }
QMenu::icon { padding-left: 8px; }
QMenu::separator { height: 1px; background: %line; margin: 4px 6px; }

QPushButton, QToolButton { background: %raised; border: 1px solid %controlBorder; border-radius: 4px; min-height: 26px; padding: 0 9px; }
QPushButton:hover, QToolButton:hover { background: %sunken; border-color: %axis; }
QPushButton:pressed, QToolButton:pressed { background: %accentWeak; border-color: %accent; }
QPushButton:focus, QToolButton:focus { border: 2px solid %accent; padding: 0 8px; min-height: 24px; }
QPushButton:disabled, QToolButton:disabled { background: %sunken; border-color: %line; color: %ink3; }
QPushButton[look="primary"] { background: %accent; border-color: %accent; color: %onAccent; font-weight: 600; }
QPushButton[look="primary"]:hover { background: %accentText; border-color: %accentText; }
QPushButton[look="primary"]:focus { border: 2px solid %ink; }
QPushButton[look="primary"]:disabled { background: %sunken; border-color: %line; color: %ink3; }
QPushButton[look="frozen"] { background: %frozenFill; border-color: %frozenEdge; color: %frozenInk; font-weight: 600; }
QPushButton[look="link"] { background: transparent; border: none; color: %accentText; text-decoration: underline; padding: 0 2px; }
QPushButton[look="link"]:focus { border: 2px solid %accent; padding: 0; }
QPushButton[look="inline"] { background: transparent; border: none; color: %accentText; text-decoration: underline; padding: 0 2px; min-height: 17px; }
QPushButton[look="inline"]:focus { border: 2px solid %accent; padding: 0; min-height: 13px; }
QPushButton[look="segment"] { border-radius: 0; min-height: 22px; padding: 0 7px; font-size: 12px; }
QPushButton[look="segment"]:checked { background: %accent; border-color: %accent; color: %onAccent; font-weight: 600; }
QPushButton[look="segment"]:focus { border: 2px solid %ink; min-height: 20px; padding: 0 6px; }
QPushButton[look="layout"] { background: transparent; border: none; border-bottom: 2px solid transparent; border-radius: 0; color: %ink; padding: 0 9px; min-height: 24px; }
QPushButton[look="layout"]:hover { background: %sunken; }
QPushButton[look="layout"]:checked { border-bottom: 2px solid %accent; font-weight: 600; }
QPushButton[look="layout"]:focus { border: 2px solid %accent; padding: 0 7px; min-height: 22px; }
QPushButton[look="footer"], QPushButton[look="amber"] { background: transparent; border: none; color: %ink2; font-size: 12px; padding: 0 4px; min-height: 20px; }
QPushButton[look="amber"] { color: %frozenInk; font-weight: 600; }
QPushButton[look="footer"]:hover, QPushButton[look="amber"]:hover { background: %sunken; }
QPushButton[look="footer"]:focus, QPushButton[look="amber"]:focus { border: 2px solid %accent; padding: 0 2px; min-height: 16px; }
QPushButton[look="fold"] { background: transparent; border: none; color: %ink2; font-size: 12px; text-align: left; padding: 0 2px; min-height: 20px; }
QPushButton[look="fold"]:hover { color: %ink; }
QPushButton[look="fold"]:focus { border: 2px solid %accent; padding: 0; min-height: 16px; }
QToolButton[look="flat"] { background: transparent; border: 1px solid transparent; min-height: 22px; min-width: 22px; padding: 0; }
QToolButton[look="flat"]:hover { background: %sunken; border-color: %line; }
QToolButton[look="flat"]:focus { border: 2px solid %accent; min-height: 20px; min-width: 20px; }
QToolButton::menu-indicator, QPushButton::menu-indicator { image: none; width: 0; }

QTabBar::tab { background: transparent; color: %ink2; border: none; border-bottom: 2px solid %line; padding: 6px 14px 7px 14px; }
QTabBar::tab:hover { color: %ink; }
QTabBar::tab:selected { color: %ink; font-weight: 600; border-bottom: 2px solid %accent; }
QTabBar::tab:focus { background: %accentWeak; }

QLineEdit, QAbstractSpinBox { background: %surface; border: 1px solid %controlBorder; border-radius: 4px; min-height: 26px; padding: 0 7px;
  selection-background-color: %accent; selection-color: %onAccent; }
QAbstractSpinBox QLineEdit { border: none; min-height: 0; padding: 0; background: transparent; }
QLineEdit:focus, QAbstractSpinBox:focus { border: 2px solid %accent; padding: 0 6px; min-height: 24px; }
QLineEdit:disabled, QAbstractSpinBox:disabled { background: %sunken; border-color: %line; color: %ink3; }
QLineEdit[state="pending"], QAbstractSpinBox[state="pending"] { border: 1px dashed %accent; background: %accentWeak; color: %accentText; }
QLineEdit[state="changed"], QAbstractSpinBox[state="changed"] { border: 1px solid %accent; }
QLineEdit[state="refused"], QAbstractSpinBox[state="refused"] { border: 1px solid %danger; }
QLineEdit[kind="name"] { background: transparent; border: 1px solid transparent; font-size: 14px; font-weight: 600; min-height: 22px; padding: 0 2px; }
QLineEdit[kind="name"]:focus { border: 2px solid %accent; padding: 0 1px; min-height: 20px; }
QLineEdit[kind="name"]:disabled { color: %ink; }

QComboBox { background: %raised; border: 1px solid %controlBorder; border-radius: 4px; min-height: 26px; padding: 0 4px 0 7px; }
QComboBox:hover { background: %sunken; border-color: %axis; }
QComboBox:focus { border: 2px solid %accent; padding: 0 3px 0 6px; min-height: 24px; }
QComboBox:disabled { background: %sunken; border-color: %line; color: %ink3; }
QComboBox[state="pending"] { border: 1px dashed %accent; background: %accentWeak; color: %accentText; }
QComboBox[state="refused"] { border: 1px solid %danger; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: none; }
QComboBox QAbstractItemView { background: %raised; border: 1px solid %controlBorder; padding: 4px; outline: none;
  selection-background-color: %accentWeak; selection-color: %accentText; }
QComboBox QAbstractItemView::item { min-height: 26px; padding: 0 6px; }

QTableView { background: transparent; border: none; gridline-color: %line; selection-background-color: %accentWeak; selection-color: %ink; }
QHeaderView, QHeaderView::section, QTableCornerButton::section { background: transparent; border: none; padding: 0; }
QPlainTextEdit { background: %surface; border: 1px solid %controlBorder; border-radius: 4px; }
QPlainTextEdit:focus { border: 2px solid %accent; }
QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget { background: transparent; }
QListView { background: transparent; border: none; outline: none; }
QTreeView[kind="contents"] { background: %window; border: none; border-right: 1px solid %line; outline: none; padding: 8px 0; show-decoration-selected: 1; }
QTreeView[kind="contents"]::item { min-height: 26px; padding-left: 2px; }
QTreeView[kind="contents"]::item:hover { background: %sunken; }
QTreeView[kind="contents"]::item:selected, QTreeView[kind="contents"]::branch:selected { background: %accentWeak; color: %accentText; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar::handle:vertical { background: %controlBorder; border-radius: 3px; min-height: 32px; margin: 2px; }
QScrollBar::handle:vertical:hover { background: %axis; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle:horizontal { background: %controlBorder; border-radius: 3px; min-width: 32px; margin: 2px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QToolTip { background: %raised; color: %ink; border: 1px solid %controlBorder; padding: 4px 6px; }
)";

}  // namespace

QString styleSheet(const Theme& theme, double scale) {
    // Longer names first: %ink2 must not match as %ink followed by a 2.
    const std::pair<const char*, QColor> tokens[] = {{"%accentWeak", theme.accentWeak},
                                                     {"%accentText", theme.accentText},
                                                     {"%controlBorder", theme.controlBorder},
                                                     {"%dangerFill", theme.dangerFill},
                                                     {"%frozenEdge", theme.frozenEdge},
                                                     {"%frozenFill", theme.frozenFill},
                                                     {"%frozenInk", theme.frozenInk},
                                                     {"%onAccent", theme.onAccent},
                                                     {"%surface", theme.surface},
                                                     {"%accent", theme.accent},
                                                     {"%danger", theme.danger},
                                                     {"%raised", theme.raised},
                                                     {"%sunken", theme.sunken},
                                                     {"%window", theme.window},
                                                     {"%axis", theme.axis},
                                                     {"%line", theme.line},
                                                     {"%ink2", theme.ink2},
                                                     {"%ink3", theme.ink3},
                                                     {"%ink", theme.ink}};
    QString sheet = scale == 1 ? QString::fromLatin1(kTemplate) : enlarged(QString::fromLatin1(kTemplate), scale);
    for (const auto& [token, color] : tokens) sheet.replace(QLatin1String(token), color.name());
    return sheet;
}

}  // namespace mantissa::gui
