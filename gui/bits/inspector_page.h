// SPDX-License-Identifier: GPL-3.0-or-later
// The number inspector: a value as text, its bits in every format, and a chosen format's number line around it. GUI thread only.
#pragma once

#include <QLineEdit>
#include <QPushButton>

#include "gui/bits/format_rows.h"
#include "gui/bits/number_line_view.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {

class InspectorPage : public QWidget {
    Q_OBJECT
public:
    explicit InspectorPage(QWidget* parent);
    /// Shows a number, and a format's number line around it.
    void inspect(const GivenNumber& number, Dtype format);
    const GivenNumber& number() const { return m_number; }
    Dtype format() const { return m_format; }
    FormatRows* rows() const { return m_rows; }
    NumberLineView* line() const { return m_line; }

private:
    QLayout* buildEntry();
    QLayout* buildQuick();
    QWidget* buildLine();
    QPushButton* addQuick(QBoxLayout* row, const QString& text, const QString& hint);
    void readField();
    void give(const GivenNumber& number);
    void refresh();
    RoundingMode mode() const;

    GivenNumber m_number{11.09F};
    Dtype m_format = Dtype::F16;
    std::uint32_t m_draw = 0;  // random bits of stochastic rounding
    QLineEdit* m_field = nullptr;
    QLabel *m_note = nullptr, *m_quickName = nullptr, *m_sentence = nullptr;
    ComboBox* m_rounding = nullptr;
    CheckBox* m_saturate = nullptr;
    QPushButton* m_again = nullptr;
    QPushButton* m_smallest = nullptr;
    FormatRows* m_rows = nullptr;
    NumberLineView* m_line = nullptr;
};

}  // namespace mantissa::gui
