// SPDX-License-Identifier: GPL-3.0-or-later
// Shows one number in every format, a row each: bits, rounded value, error, class, and steps to its neighbours. Changes are emitted as
// requests. GUI thread only.
#pragma once

#include <QButtonGroup>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QWidget>
#include <array>

#include "engine/diagnosis/given_number.h"
#include "gui/bits/bit_strip.h"

namespace mantissa::gui {

class FormatRows : public QWidget {
    Q_OBJECT
public:
    explicit FormatRows(QWidget* parent);
    void show(const GivenNumber& number, const RoundingMode& mode);
    void choose(Dtype format);
    BitStrip* strip(Dtype format) const { return m_rows[static_cast<std::size_t>(format)].strip; }
    /// Returns the button that steps to the neighbour.
    QToolButton* stepper(Dtype format, bool isUp) const;
    const NumberBits& number(Dtype format) const { return m_rows[static_cast<std::size_t>(format)].number; }
    /// Returns the text of a column: "rounded", "error", "relative", "ulp", "class", "below", "above".
    QString text(Dtype format, const QString& column) const;

signals:
    void given(const GivenNumber& number);
    void formatChosen(Dtype format);

private:
    enum Cell { Rounded, Error, Relative, Ulp, Class, Below, Above, CellCount };
    struct Row {
        QPushButton* name = nullptr;
        BitStrip* strip = nullptr;
        std::array<QLabel*, CellCount> cells{};
        QToolButton *down = nullptr, *up = nullptr;
        NumberBits number;
    };
    void buildHead();
    void buildRow(Dtype format);
    void showRow(Row& row, const GivenNumber& number);

    QGridLayout* m_grid;
    QButtonGroup* m_names;
    std::array<Row, kAllDtypes.size()> m_rows;
};

}  // namespace mantissa::gui
