// SPDX-License-Identifier: GPL-3.0-or-later
// A message above the plots that stays until it is answered: what happened, what is safe, what the user can do. Never modal.
#pragma once

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace mantissa::gui {

class Banner : public QFrame {
    Q_OBJECT
public:
    enum class Kind { Problem, Note };
    explicit Banner(QWidget* parent, Kind kind = Kind::Problem);
    /// The first button is the main one.
    QPushButton* addButton(const QString& text, const QString& iconName);
    /// Shows the banner and announces its headline to a screen reader. `fineprint` unfolds under a link with the text `linkText`; empty: no
    /// link.
    void announce(const QString& headline, const QString& detail, const QString& linkText = {}, const QString& fineprint = {});

private:
    QLabel* m_headline;
    QLabel* m_detail;
    QHBoxLayout* m_buttons;
    QPushButton* m_link;
    QPlainTextEdit* m_fineprint;
    int m_buttonCount = 0;
};

}  // namespace mantissa::gui
