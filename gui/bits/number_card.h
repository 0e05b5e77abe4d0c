// SPDX-License-Identifier: GPL-3.0-or-later
// Covers a widget with a lesson's number: its bits in FP32, TF32, FP16 and BF16, and one format's number line. A click flips a bit. It
// follows the widget from parent to parent; bits and number line are enlarged with it. GUI thread only.
#pragma once

#include <QLabel>
#include <array>

#include "engine/diagnosis/given_number.h"
#include "gui/bits/bit_strip.h"
#include "gui/bits/number_line_view.h"

class QGridLayout;

namespace mantissa::gui {

class NumberCard : public QWidget {
    Q_OBJECT
public:
    static constexpr std::array kFormats = {Dtype::F32, Dtype::TF32, Dtype::F16, Dtype::BF16};

    explicit NumberCard(QWidget* covered);
    /// Shows a number, and a format's number line around it.
    void inspect(const GivenNumber& number, Dtype format);
    /// Shows the covered widget again.
    void putAway();
    /// Returns a format's text, such as "65 504".
    QString becomes(Dtype format) const;
    BitStrip* strip(Dtype format) const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Row {
        BitStrip* strip = nullptr;
        QLabel *name = nullptr, *becomes = nullptr;
        NumberBits number;
    };
    void addRow(QGridLayout* grid, std::size_t index);
    void give(const GivenNumber& number);
    void fit();
    const Row& row(Dtype format) const;

    QWidget* m_covered;
    bool m_isUsed = false;
    Dtype m_format = Dtype::F16;
    QLabel *m_title, *m_sentence;
    BitHead* m_head;
    std::array<Row, kFormats.size()> m_rows;
    NumberLineView* m_line;
};

}  // namespace mantissa::gui
